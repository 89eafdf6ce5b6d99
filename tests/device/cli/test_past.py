"""What the owner's page is given of old matches: those that are over alone, and names by consent."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from device.cli.app import app
from device.cli.past import past, private, telling
from device.cli.public import written
from device.cli.records import RecordError
from device.journal import About, Ending, Journal, JournalError
from device.locale import translate
from device.owner.past import Past, Private, Telling
from engine.entry import Entry, Resign, Start
from engine.match import replay
from engine.options import complete
from tests.device.cli.test_public import ANNA, ended, played
from tests.device.daemon.test_twins import GAMES, known


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_without_a_journal_nothing_was_played(path: Path) -> None:
    assert past(path) == ()


def test_it_says_when_what_who_and_how_it_ended_and_names_only_who_agreed(path: Path) -> None:
    entries, about = ended("tellstones", 4)
    assert about.ended is not None
    drawn = msgspec.structs.replace(about, clock_set=False, ended=msgspec.structs.replace(about.ended, winners=()))
    with Journal(path) as journal:
        journal.add(entries, about)
        journal.add(entries, drawn)
    day = datetime.fromtimestamp(1_700_000_000).astimezone().date()
    assert [str(each.title) for each in past(path)] == [
        "2. undated, Tellstones: Anna, B. None of the players won.",
        f"1. {day}, Tellstones: Anna, B. Won by {'Anna' if about.ended.winners == ('a',) else 'B'}.",
    ]
    assert "Anna" in translate(past(path)[1].title, "ru")


def test_an_automatic_opponent_that_won_is_not_nobody(path: Path) -> None:
    spec, game = known("runes").spec, known("runes").game
    options = dict(complete(spec.options, {**spec.random_play, "opponent": "automatic"}))
    entries: tuple[Entry, ...] = (Start(0.0, "runes", options, ("a",), 4), Resign(1.0, "a"))
    result = replay(game, entries).result
    assert result is not None
    assert (str(result.text), result.winners) == ("B wins.", frozenset())
    ending = Ending(None, False, str(result.text), (), 1.0)
    with Journal(path) as journal:
        journal.add(entries, About(ended=ending))
    assert str(past(path)[0].title).endswith(": A. None of the players won.")


def test_of_a_match_that_may_be_gone_on_with_there_is_nothing_until_another_begins(path: Path) -> None:
    with Journal(path) as journal:
        journal.write(played("planetx", 3, 6), about=ANNA)
        assert past(path) == ()
        for read in (telling, private):
            with pytest.raises(JournalError, match="that is over"):
                read(path, 1)
        journal.write(played("tellstones", 3, 6), about=About())
        (found,) = past(path)
        assert (found.number, str(found.title).rpartition(": ")[2]) == (1, "Anna, B. It was not finished.")
    assert telling(path, 1).sentences
    assert '[Seed "3"]' in private(path, 1).record
    for number in (2, 3):
        for read in (telling, private):
            with pytest.raises(JournalError, match="that is over"):
                read(path, number)


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_match_is_told_as_its_public_record_tells_it(path: Path, name: str) -> None:
    entries, about = ended(name, 4)
    with Journal(path) as journal:
        journal.add(entries, about)
    found = telling(path, 1)
    assert found.record == written(known(name), entries, about)
    told = [line.split(" ", 2)[2] for line in found.record.splitlines() if line.startswith("; ")]
    assert [str(text) for text in found.sentences] == told
    assert "Bert" not in str(found)


def test_one_that_was_imported_is_told_in_the_words_of_its_record(path: Path) -> None:
    entries, about = ended("runes", 4)
    record = written(known("runes"), entries, about)
    with Journal(path) as journal:
        journal.add(entries, about)
        journal.add(entries[:1], msgspec.structs.replace(about, public=record))
    mine, imported = telling(path, 1), telling(path, 2)
    assert [str(text) for text in imported.sentences] == [str(text) for text in mine.sentences]
    assert imported.record == record
    assert (mine.whole, imported.whole) == (True, False)
    with pytest.raises(RecordError, match="only the public record of match 2"):
        private(path, 2)


def test_the_command_says_what_the_daemon_reads(path: Path) -> None:
    entries, about = ended("fence", 4)
    with Journal(path) as journal:
        journal.add(entries, about)

    def said(*words: str) -> bytes:
        told = CliRunner().invoke(app, ["journal", "past", *words, "--journal", str(path)])
        assert told.exit_code == 0, told.output
        return told.stdout_bytes

    assert msgspec.json.decode(said(), type=tuple[Past, ...]) == past(path)
    assert msgspec.json.decode(said("1"), type=Telling) == telling(path, 1)
    assert msgspec.json.decode(said("1", "--private"), type=Private) == private(path, 1)
    exported = CliRunner().invoke(app, ["journal", "export", "1", "--journal", str(path)])
    assert private(path, 1).record == exported.stdout
    assert "Bert" in exported.stdout


def test_a_match_of_a_game_that_is_here_no_more_is_listed_and_not_told(path: Path) -> None:
    start, *rest = ended("fence", 4)[0]
    with Journal(path) as journal:
        journal.add((msgspec.structs.replace(start, game="chess"), *rest), About())
    assert "chess" in str(past(path)[0].title)
    with pytest.raises(RecordError, match=r"there is no game 'chess'.* --stored"):
        telling(path, 1)
