"""Journals of every format that ever was are read, and brought up without a loss."""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from pathlib import Path

import pytest

from device.journal import Archive, Journal, JournalDamaged, JournalNewer, formats
from device.journal.opening import open_at_power_on, salvage
from engine.entry import Act, Start, Undo

KEPT = Path(__file__).parent / "kept"
"""format-1.db: two matches of Tellstones, played on the session of that time (02c82c8); the second goes on."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    shutil.copy(KEPT / "format-1.db", path)
    return path


def checked(journal: Archive) -> None:
    """What is in the journal of format 1."""
    assert journal.matches() == (1, 2)
    assert [len(journal.entries(match)) for match in journal.matches()] == [9, 6]
    first = journal.entries(1)
    assert isinstance(first[0], Start)
    assert first[0].seed == 4
    assert isinstance(first[1], Act)
    assert first[1].words == ("place", "scales", "right")
    assert isinstance(first[5], Undo)
    assert journal.current == 2
    assert journal.setting("language") == "ru"
    assert journal.about(1).begun is None


def test_format_1_is_read_without_being_written(old: Path) -> None:
    before = old.read_bytes()
    with Archive(old) as archive:
        assert archive.format == 1
        checked(archive)
    assert old.read_bytes() == before
    assert [file.name for file in old.parent.iterdir()] == ["journal.db"]


def test_format_1_is_brought_up_when_it_is_opened(old: Path) -> None:
    for _ in range(2):
        opened = open_at_power_on(old)
        assert opened.mended is opened.unsaved is None
        with opened.journal as journal:
            assert journal.format == formats.FORMAT
            checked(journal)
    with Journal(old) as journal:
        journal.append((Undo(99.0, "a"),))
        assert len(journal.entries(2)) == 7
        assert journal.about(2).id == ""


def test_power_may_fail_while_it_is_brought_up(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However far it came, everything is there: in the old format, or in the new one."""
    copied = old.parent / "cut" / "journal.db"

    class Cut(Exception):
        """The power is gone."""

    for name in ("make", "insert", "keep"):
        with monkeypatch.context() as patched:

            def cut(*_given: object) -> None:
                copied.parent.mkdir()
                for file in old.parent.glob("journal.db*"):
                    shutil.copy(file, copied.parent)
                raise Cut

            patched.setattr(formats, name, cut)
            with pytest.raises(Cut):
                Journal(old)
        with Archive(copied) as archive:
            assert archive.format == 1
            checked(archive)
        with Journal(copied) as journal:
            checked(journal)
        shutil.rmtree(copied.parent)


def test_what_is_only_in_the_log_of_format_1_is_brought_up(old: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed" / "journal.db"
    killed.parent.mkdir()
    db = sqlite3.connect(old)
    db.execute("PRAGMA journal_mode=WAL")
    with Archive(old) as archive:
        row = archive.rows(1)[1]
    data = row.data.replace(b"scales", b"hammer")
    db.execute("INSERT INTO entry (match, seq, data, crc) VALUES (2, 6, ?, ?)", (data, zlib.crc32(data)))
    db.commit()
    for file in old.parent.glob("journal.db*"):
        shutil.copy(file, killed.parent)
    db.close()
    with Journal(killed) as journal:
        entry = journal.entries(2)[6]
        assert isinstance(entry, Act)
        assert entry.words[1] == "hammer"


def test_a_damaged_journal_of_format_1_is_salvaged_as_far_as_it_is_whole(old: Path) -> None:
    data = old.read_bytes()
    assert data.count(b'"knight"') >= 1
    old.write_bytes(data.replace(b'"knight"', b'"knigth"'))
    with pytest.raises(JournalDamaged, match="entry 6 of match 1 is not whole"):
        Journal(old)
    found = salvage(old).found
    assert found.lost == {1: 3}
    with Journal(old) as journal:
        assert len(journal.entries(1)) == 6
        assert len(journal.entries(2)) == 6
        assert journal.current == 2
        assert journal.setting("language") == "ru"
        assert journal.about(1).lost == 3


@pytest.mark.parametrize("number", [0, 1, 3, 6, 66])
def test_one_bit_of_the_number_of_the_format_makes_no_other_journal_of_it(tmp_path: Path, number: int) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        journal.append((Start(0.0, "tellstones", {}, ("a", "b"), 7),))
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version={number}")
    db.close()
    with pytest.raises(JournalDamaged):
        Journal(path)
    opened = open_at_power_on(path)
    assert opened.unsaved is None
    with opened.journal as mended:
        assert len(mended.entries(1)) == 1


def test_a_journal_of_a_later_format_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE better (id INTEGER PRIMARY KEY)")
        db.execute("PRAGMA user_version=3")
    db.close()
    with pytest.raises(JournalNewer):
        Journal(path)
    assert open_at_power_on(path).unsaved is not None
    assert not list(tmp_path.glob("*damaged*"))


@pytest.mark.parametrize(
    "known", ["hashlib", "zlib", "import struct", "-wal", "-witness", "SELECT", '"current"', '"set.', '"match.']
)
def test_one_module_knows_how_a_journal_is_stored(known: str) -> None:
    folder = Path(formats.__file__).parent
    assert {path.name for path in folder.glob("*.py") if known in path.read_text()} == {"formats.py"}
