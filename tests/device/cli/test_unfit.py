"""Matches of other rules: a game that is not installed here, entries of a later version, or what is no match at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from device.journal import Archive, Journal
from engine.entry import VERSION, Act, Entry, Start
from engine.errors import RefereeError
from referee_record.table_key import make_key
from tests.commands import app
from tests.device.records.test_public_record import ended, played

replace = msgspec.structs.replace
COMMANDS = (("export",), ("export", "--public"), ("export", "--signed"), ("list",))


def other(what: str) -> Sequence[Entry]:
    """The entries of a match of Fence that is none here."""
    start, *rest = played("fence", 4, 6)
    assert isinstance(start, Start)
    act = next(each for each in rest if isinstance(each, Act))
    match what:
        case "game":
            return (replace(start, game="chess"), *rest)
        case "option":
            return (replace(start, options={**start.options, "handicap": "queen"}), *rest)
        case "version":
            return (replace(start, version=VERSION + 1), *rest)
        case "seat":
            return (start, replace(act, seat="d"))
        case "twice":
            return (start, *rest, replace(start, at=rest[-1].at))
        case _:
            return rest


def written(folder: Path, entries: Sequence[Entry]) -> Path:
    path = folder / "journal.db"
    make_key(folder)
    with Journal(path) as journal:
        journal.add(entries, ended("fence", 4)[1])
    return path


def said(path: Path, *words: str) -> str:
    """What a command prints, or the sentence with which it ends; a traceback fails."""
    done = CliRunner().invoke(app, ["journal", *words, "--journal", str(path)])
    if done.exception is not None:
        assert isinstance(done.exception, RefereeError), (words, done.exception)
    return f"{done.stdout}{done.exception or ''}"


@pytest.mark.parametrize(
    ("what", "first"), [("game", 1), ("option", 1), ("seat", 1), ("version", 0), ("twice", 0), ("beginning", 0)]
)
def test_a_match_of_other_rules_is_a_sentence_and_its_entries_can_be_had(tmp_path: Path, what: str, first: int) -> None:
    """first: the command that needs to know the rules, or the entries at all; so do the other exports."""
    path = written(tmp_path, other(what))
    told = [said(path, *words) for words in COMMANDS]
    assert [text for text in told if "--stored" in text] == told[first:3]
    with Archive(path) as archive:
        rows = [row.data.decode() for row in archive.rows(1)]
    assert said(path, "export", "1", "--stored").splitlines() == rows
    assert len(rows) == len(other(what))


def test_what_is_stored_of_a_match_under_way_is_given_away_only_when_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        journal.write(played("tellstones", 3, 6))
    assert "match 1 is not over" in said(path, "export", "--stored")
    assert len(said(path, "export", "--stored", "--with-secrets").splitlines()) == 6
    with pytest.raises(AssertionError):  # a mistake in the command
        said(path, "export", "--stored", "--public")
