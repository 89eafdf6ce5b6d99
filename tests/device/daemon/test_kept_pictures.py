"""Pictures that a table keeps: as many as there is room for, with what was seen and played, and without a name."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from typer.testing import CliRunner, Result

from device.daemon import kept_pictures
from device.daemon.kept_pictures import FOLDER, KeptPicture, KeptPictures, pictures, read_all
from device.journal import About, Journal
from engine.table import Observation
from extensions.record.tests.test_verify import entries_of
from tests.commands import app
from vision.messages import RestPicture

NAMES = About(id="7" * 32, table="The corner", names={"a": "Aurelia", "b": "Ben"}, agreed=("a", "b"))
SEEN = Observation(serial=1, at=2.0, zones=())
TABLE = 'state_dir = "{folder}"\n[camera]\nsource = "none"\n[pages]\non = true\n'


def test_each_rest_is_kept_with_its_place_in_the_match(tmp_path: Path) -> None:
    entries = entries_of("tellstones")
    with Journal(tmp_path / "journal.db") as journal:
        table = KeptPictures(tmp_path, journal)
        table.keep(RestPicture(b"before the match", SEEN))
        journal.write(entries[:3], about=NAMES)
        table.keep(RestPicture(b"in it", SEEN))
        journal.write(entries[3:4])
        table.keep(RestPicture(b"later", SEEN))
    kept = {path.read_bytes(): one for path, one in read_all(tmp_path)}
    assert kept == {
        b"before the match": KeptPicture(None, 0, SEEN),
        b"in it": KeptPicture(1, 3, SEEN),
        b"later": KeptPicture(1, 4, SEEN),
    }
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / FOLDER).iterdir()} == {0o600}


def test_the_oldest_go_and_numbers_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pictures, "MOST", 3)
    with Journal(tmp_path / "journal.db") as journal:
        for number in range(5):
            KeptPictures(tmp_path, journal).keep(RestPicture(b"%d" % number, SEEN))
    assert [path.read_bytes() for path in pictures(tmp_path)] == [b"2", b"3", b"4"]
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir())[::2] == [
        "000003.jpg",
        "000004.jpg",
        "000005.jpg",
    ]


def test_a_full_disk_is_said_once_and_nothing_else_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with Journal(tmp_path / "journal.db") as journal:
        table = KeptPictures(tmp_path, journal)
        with monkeypatch.context() as full:
            full.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=kept_pictures.ROOM - 1))
            for _ in range(2):
                table.keep(RestPicture(b"", SEEN))
        assert pictures(tmp_path) == ()
        assert [each.message for each in caplog.records] == ["no picture of the mat is kept: the disk is nearly full"]
        (tmp_path / FOLDER).rmdir()
        (tmp_path / FOLDER).write_text("in the way")
        table.keep(RestPicture(b"", SEEN))
        assert "no picture of the mat is kept" in caplog.records[-1].message


def filled(folder: Path) -> Path:
    """A table with two whole pictures of a match and one that a power cut broke off; returns its file."""
    with Journal(folder / "journal.db") as journal:
        journal.write(entries_of("tellstones"), about=NAMES)
        for data in (b"one", b"two", b"three"):
            KeptPictures(folder, journal).keep(RestPicture(data, SEEN))
    pictures(folder)[2].with_suffix(".json").write_bytes(b"")
    table = folder / "table.toml"
    table.write_text(TABLE.format(folder=folder), encoding="utf-8")
    return table


def command(table: Path, *words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, ["pictures", *words, "--table", str(table)], input=typed)


def test_they_are_saved_with_the_matches_and_without_a_name(tmp_path: Path) -> None:
    table, out = filled(tmp_path), tmp_path / "to send"
    done = command(table, "save", str(out))
    assert f"Saved in {out}. Pictures: 2. Matches: 1. Look at them before you send them." in done.stdout
    assert sorted(each.name for each in out.iterdir()) == [
        "000001.jpg", "000001.json", "000002.jpg", "000002.json", "match-1.txt"
    ]  # fmt: skip
    assert msgspec.json.decode((out / "000002.json").read_bytes(), type=KeptPicture).seen == SEEN
    record = (out / "match-1.txt").read_text()
    assert "tellstones" in record
    assert not any(name in record for name in ("Aurelia", "Ben", "corner"))
    assert "has something in it: name a new folder" in str(command(table, "save", str(out)).exception)


def test_they_are_deleted_once_that_is_confirmed(tmp_path: Path) -> None:
    table = filled(tmp_path)
    assert command(table, "delete", typed="n\n").exit_code == 1
    assert len(pictures(tmp_path)) == 3
    assert "Pictures deleted: 3." in command(table, "delete", "--yes").stdout
    assert list((tmp_path / FOLDER).iterdir()) == []
    assert "switch it on on the owner's page, and play" in str(command(table, "save", str(tmp_path / "to")).exception)
