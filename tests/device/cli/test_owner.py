"""`referee owner`: whose the table is, with the card in hand."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.owner.claim import Claim, plain
from device.owner.claim_files import OwnerFiles
from extensions.phones.tests.daemon.phone import knows
from referee_phones.daemon.claimed_pages import back, join
from referee_phones.daemon.seats import RefusalReason
from tests.commands import app
from tests.device.owner.kept import DECK, INDEX, NAMED, PICTURE, packed
from vision.files import BadFile

KEY = "0123456789abcdef" * 2


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    more = '[pages]\non = true\nhosts = ["table.local"]\n[camera]\nsource = "none"\n'
    path.write_text(f'state_dir = "{tmp_path}"\nruntime_dir = "{tmp_path}"\n{more}', encoding="utf-8")
    return path


def told(table: Path, *words: str) -> str:
    result = CliRunner().invoke(app, ["owner", "--table", str(table), *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def claim(claim_files: OwnerFiles) -> None:
    found = join(claim_files.claim(), claim_files.codes(), KEY, knows(KEY, plain(claim_files.codes().own)))
    assert isinstance(found, Claim)
    claim_files.keep(found)


def test_the_code_is_told_until_somebody_owns_the_table(table: Path) -> None:
    claim_files = OwnerFiles(table.parent)
    assert "no code is set" in told(table)
    assert "ABCD-1234-EF" in told(table, "code", "abcd1234ef")
    assert "http://table.local:8144/" in told(table)
    claim(claim_files)
    assert f"`referee owner --table {table} forget` makes it nobody's" in told(table)
    assert "ABCD" not in told(table)


def test_an_owner_who_is_forgotten_needs_a_new_code(table: Path) -> None:
    claim_files = OwnerFiles(table.parent)
    told(table, "code")
    before = claim_files.codes().own
    claim(claim_files)
    said = told(table, "forget")
    assert back(claim_files.claim(), knows(KEY)) is RefusalReason.REVOKED
    assert claim_files.codes().own != before
    assert plain(claim_files.codes().own) in said.replace("-", "")


def test_a_code_that_is_too_short_is_refused(table: Path) -> None:
    result = CliRunner().invoke(app, ["owner", "--table", str(table), "code", "1234567"])
    assert result.exit_code == 2
    assert "at least 8" in result.output
    assert not OwnerFiles(table.parent).codes().own


def test_what_was_saved_is_put_back(table: Path, tmp_path: Path) -> None:
    assert "No pieces" in told(table, "save", str(tmp_path / "none.zip"))
    piece = tmp_path / "enrolled" / "stones" / "enrolled.json"
    piece.parent.mkdir(parents=True)
    piece.write_bytes(INDEX)
    (piece.parent / NAMED).write_bytes(PICTURE)
    assert "bytes" in told(table, "save", str(tmp_path / "saved.zip"))
    assert "2 files are put back. A" in told(table, "restore", str(tmp_path / "saved.zip")), "nothing was replaced"
    piece.unlink()
    undone = f"2 files are put back; `referee owner --table {table} restore --undo`"
    assert undone in told(table, "restore", str(tmp_path / "saved.zip"))
    assert piece.read_bytes() == INDEX
    assert "as they were before" in told(table, "restore", "--undo")
    assert not piece.exists()
    for words in ([], ["--undo", str(tmp_path / "saved.zip")]):
        assert CliRunner().invoke(app, ["owner", "--table", str(table), "restore", *words]).exit_code == 2


@pytest.mark.parametrize("words", [["saved.zip"], ["--undo"]], ids=["restore", "undo"])
def test_root_restores_as_whoever_the_tables_folder_belongs_to_also_if_it_fails(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """Else the service could not go on with what root left: neither undo it, nor put anything else back."""
    (tmp_path / "saved.zip").write_bytes(packed({"decks/fence.toml": DECK}))
    (tmp_path / "before-put-back.zip").write_bytes(b"root's, of an earlier version")
    there, calls = tmp_path.stat(), list[object]()

    def fail(*_given: object) -> None:
        calls.append("at work")
        raise OSError(errno.ENOSPC, "No space left on device")

    def hand_over(path: Path, user: int, group: int, *, follow_symlinks: bool) -> None:
        if path.exists():
            calls.append((path.name, user, group, follow_symlinks))

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "getegid", lambda: 7)
    monkeypatch.setattr(os, "seteuid", lambda user: calls.append(("user", user)))
    monkeypatch.setattr(os, "setegid", lambda group: calls.append(("group", group)))
    monkeypatch.setattr(os, "chown", hand_over)
    monkeypatch.setattr("device.owner.backup.put_back", fail)
    monkeypatch.setattr("device.owner.backup.undo", fail)
    given = [word if word.startswith("-") else str(tmp_path / word) for word in words]
    assert CliRunner().invoke(app, ["owner", "--table", str(table), "restore", *given]).exit_code != 0
    owners = [("group", there.st_gid), ("user", there.st_uid)]
    left = ("before-put-back.zip", there.st_uid, there.st_gid, False)
    assert calls == [left, *owners, "at work", ("user", 0), ("group", 7)]


def test_a_file_that_is_no_archive_is_refused(table: Path, tmp_path: Path) -> None:
    (tmp_path / "other.zip").write_bytes(b"PK no")
    with pytest.raises(BadFile, match="no such archive"):
        CliRunner().invoke(
            app, ["owner", "--table", str(table), "restore", str(tmp_path / "other.zip")], catch_exceptions=False
        )
