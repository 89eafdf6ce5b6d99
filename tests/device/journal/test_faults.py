"""Whatever the disk does, a journal says so in its own words, keeps all or nothing, and can be read without writing."""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from device.journal import (
    Archive,
    Journal,
    JournalDamaged,
    JournalError,
    JournalFailing,
    JournalFull,
    JournalNewer,
    JournalTaken,
    opening,
)
from device.journal.opening import open_at_power_on, salvage
from engine.entry import VERSION, Act, Entry, Start
from tests.commands import app
from tests.device.journal.faults import broken, mended, spoil, sqlite_error, write_raw

START = Start(at=0.0, game="tellstones", options={"orders": "seen"}, seats=("a", "b"), seed=7)
STATEMENTS = 7
"""Of a step that begins a match and keeps a setting."""

ACT = Act(1.0, "a", ("hide", "crown"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def kept(path: Path, *entries: Entry, language: str = "ru") -> None:
    """A journal with a match that goes on."""
    with Journal(path) as journal:
        for entry in (START, *entries):
            journal.append((entry,))
        journal.keep("language", language)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_IOERR, JournalFailing),
        (sqlite3.SQLITE_READONLY, JournalFailing),
        (sqlite3.SQLITE_CANTOPEN, JournalFailing),
        (sqlite3.SQLITE_FULL, JournalFull),
        (sqlite3.SQLITE_IOERR_SHMSIZE, JournalFull),
        (sqlite3.SQLITE_BUSY, JournalTaken),
        (sqlite3.SQLITE_CORRUPT, JournalDamaged),
    ],
)
def test_wherever_the_disk_fails_nothing_is_kept_and_the_error_is_the_journals(
    path: Path, code: int, kind: type[JournalError]
) -> None:
    with Journal(path) as journal:
        journal.append((START, ACT))
        for statement in range(STATEMENTS):
            broken(journal, code, statement)
            with pytest.raises(kind, match=str(path)) as refused:
                journal.write((START, ACT), settings={"language": "ru"})
            mended(journal)
            assert type(refused.value) is kind
            assert (journal.current, journal.stock.heads[1].count) == (1, 2)
            assert journal.matches() == (1,)
            assert journal.setting("language") is None
        whole = broken(journal, code, STATEMENTS)
        journal.write((START, ACT), settings={"language": "ru"})
        assert not whole.failed
        mended(journal)
        assert journal.matches() == (1, 2)


@pytest.mark.parametrize(
    "ask",
    [
        lambda journal: journal.matches(),
        lambda journal: journal.entries(1),
        lambda journal: journal.add((START,)),
    ],
)
def test_reading_fails_in_the_journals_words(path: Path, ask: Callable[[Journal], object]) -> None:
    with Journal(path) as journal:
        journal.append((START,))
        broken(journal, sqlite3.SQLITE_IOERR)
        with pytest.raises(JournalFailing, match="check the disk, the folder and its owner"):
            ask(journal)


def test_a_journal_is_read_without_a_trace(path: Path) -> None:
    kept(path, ACT)
    before = {file.name: file.stat().st_mtime_ns for file in path.parent.iterdir()}
    with Archive(path) as archive:
        assert archive.matches() == (1,)
        assert archive.entries(1) == (START, ACT)
        assert archive.current == 1
        assert archive.setting("language") == "ru"
        assert {file.name for file in path.parent.iterdir()} == set(before)
    assert {file.name: file.stat().st_mtime_ns for file in path.parent.iterdir()} == before


def test_an_empty_file_is_a_journal_without_matches(path: Path) -> None:
    path.touch()
    with Archive(path) as archive:
        assert (archive.matches(), archive.current) == ((), None)
    assert path.stat().st_size == 0


def test_what_is_only_in_the_log_of_writes_is_read_too(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "after a crash #1" / "journal.db"
    other.parent.mkdir()
    with Journal(path) as journal:
        journal.append((START, ACT))
        for ending in ("", "-wal"):
            data = path.with_name(path.name + ending).read_bytes()
            other.with_name(other.name + ending).write_bytes(data)
        with Archive(path) as beside:
            assert beside.entries(1) == (START, ACT)
    with Archive(other) as archive:
        assert archive.entries(1) == (START, ACT)


def test_a_journal_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "journal.db"
    kept(path)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    path.chmod(0o644)
    with Journal(path) as journal:
        journal.append((ACT,))
        assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


def test_opening_a_journal_that_is_there_writes_nothing(path: Path) -> None:
    kept(path)
    before = path.read_bytes()
    with Journal(path):
        log = path.with_name("journal.db-wal")
        assert not log.exists() or log.stat().st_size == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "data",
    [
        b'{"type":"act","at":1.0,"seat":"a","words":["hide","crown"],"source":"buttons","mood":"good"}',
        b'{"type":"wager","at":1.0}',
    ],
)
def test_a_newer_referees_entry_is_refused_not_mended_away(path: Path, data: bytes) -> None:
    kept(path, ACT)
    with Journal(path) as journal:
        write_raw(journal, data)
    with Journal(path) as journal:
        with pytest.raises(JournalNewer, match=r"entry 2 of match 1 .*update"):
            journal.entries(1)
        assert journal.current == 1
        assert len(journal.rows(1)) == 3
    assert salvage(path).found.entries == 3


def test_a_damaged_match_hides_none_of_the_others(path: Path) -> None:
    kept(path, ACT)
    with Journal(path) as journal:
        journal.append((START,))
        journal.append((msgspec.structs.replace(START, version=VERSION + 1),))
    spoil(path, 2, 0)
    result = CliRunner().invoke(app, ["journal", "list", "--journal", str(path)])
    assert result.exit_code == 1
    first, second, third = result.stdout.splitlines()
    assert first.split() == ["1", "tellstones", "A", "B", "undated", "2", "entries", "0", "min"]
    assert second.split() == ["2", "?", "undated", "0", "entries", "damaged:", "1", "entries", "are", "lost"]
    assert "newer referee  (not finished)" in third
    assert "`referee journal salvage" in result.stderr


def test_a_match_of_a_later_version_is_refused(path: Path) -> None:
    with Journal(path) as journal:
        journal.append((Start(0.0, "tellstones", {}, ("a", "b"), 1, version=VERSION + 1),))
        with pytest.raises(JournalNewer, match="entry 0 of match 1"):
            journal.entries(1)


def test_salvage_keeps_numbers_settings_and_the_match_that_goes_on(path: Path) -> None:
    kept(path, ACT)
    with Journal(path) as journal:
        journal.append((START, ACT, ACT))
        journal.append((START,))
    spoil(path, 1, 0)
    salvage(path)
    with Journal(path) as journal:
        assert journal.matches() == (2, 3)
        assert journal.current == 3
        assert journal.setting("language") == "ru"
        journal.append((ACT,))
        assert journal.entries(3) == (START, ACT)


def test_a_match_that_was_left_stays_left(path: Path) -> None:
    kept(path, ACT)
    with Journal(path) as journal:
        journal.leave()
    salvage(path)
    with Journal(path) as journal:
        assert journal.current is None


def test_without_room_to_mend_all_stays_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(path, ACT)
    before = path.read_bytes()

    def full(**_places: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", full)
    with pytest.raises(JournalFull, match="make room"):
        salvage(path)
    assert sorted(file.name for file in path.parent.iterdir()) == ["journal.db", "journal.db-witness"]
    assert path.read_bytes() == before


def test_at_power_on_a_whole_journal_is_simply_opened(path: Path) -> None:
    kept(path, ACT)
    opened = open_at_power_on(path)
    with opened.journal as journal:
        assert journal.entries(1) == (START, ACT)
    assert opened.mended is opened.unsaved is None


def test_at_power_on_a_damaged_journal_is_mended(path: Path) -> None:
    kept(path, ACT, ACT)
    spoil(path, 1, 2)
    opened = open_at_power_on(path)
    with opened.journal as journal:
        assert journal.entries(1) == (START, ACT)
        journal.append((ACT,))
    assert (
        str(opened.mended)
        == "Journal damaged. Match 1, entries lost: 1. The match continues after entry 2. Check the disk."
    )
    assert opened.unsaved is None
    assert path.with_name("journal.db.damaged-1").exists()


@pytest.mark.parametrize("statement", range(5))
def test_at_power_on_a_disk_that_opens_and_takes_nothing_is_found_out(
    path: Path, statement: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(path, ACT)

    class Full(Journal):
        def prove(self) -> None:
            broken(self, sqlite3.SQLITE_FULL, statement)
            super().prove()

    monkeypatch.setattr(opening, "Journal", lambda *paths: Full(*paths) if paths else Journal())
    opened = open_at_power_on(path)
    assert "the disk is full" in str(opened.unsaved)
    assert opened.journal.entries(1) == (START, ACT)


def test_at_power_on_a_disk_that_cannot_be_written_is_played_on_without(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(path, ACT)
    before = path.read_bytes()

    def full(self: Journal) -> None:
        if self.path == path:
            raise sqlite_error(sqlite3.SQLITE_IOERR_SHMSIZE)
        prepare(self)

    prepare = Journal._prepare
    monkeypatch.setattr(Journal, "_prepare", full)
    opened = open_at_power_on(path)
    with opened.journal as journal:
        assert journal.current == 1
        assert journal.setting("language") == "ru"
        journal.append((ACT,))
        assert journal.entries(1) == (START, ACT, ACT)
        journal.append((START,))
        assert journal.current == 2
    assert "the disk is full" in str(opened.unsaved)
    assert path.read_bytes() == before


def test_at_power_on_a_folder_that_cannot_be_made_is_played_on_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    opened = open_at_power_on(tmp_path / "file" / "journal.db")
    assert "cannot be written" in str(opened.unsaved)
    opened.journal.append((START,))
    assert opened.journal.current == 1


def test_at_power_on_a_newer_journal_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    before = path.read_bytes()
    opened = open_at_power_on(path)
    assert "written by a newer version" in str(opened.unsaved)
    assert path.read_bytes() == before


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_altered_there_is_a_journal_to_play_with(path: Path, seed: int) -> None:
    kept(path, *(ACT,) * 20)
    dice, data = random.Random(seed), bytearray(path.read_bytes())
    match seed % 4:
        case 0:
            del data[dice.randrange(len(data)) :]
        case 1:
            data[dice.randrange(100)] = dice.randrange(256)
        case 2:
            for _ in range(100):
                data[dice.randrange(len(data))] = dice.randrange(256)
        case _:
            start = dice.randrange(len(data))
            data[start : start + 3000] = dice.randbytes(len(data[start : start + 3000]))
    path.write_bytes(data)
    opened = open_at_power_on(path)
    with opened.journal as journal:
        assert opened.unsaved is None
        assert all(entry in (START, ACT) for match in journal.matches() for entry in journal.entries(match))
        journal.append((START, ACT))


def test_rows_without_their_numbers_are_left_out(path: Path) -> None:
    """As a file that was cut off and filled up with zeros has them."""
    kept(path, ACT)
    with sqlite3.connect(path) as db:
        db.executescript(
            "INSERT INTO entries VALUES (900, 1, 2, 0, 'x', 1), (901, -1, 7, 0, X'00', zeroblob(16));"
            "INSERT INTO entries VALUES (902, 1, -3, 0, 'x', zeroblob(16)), (903, 1, 2, 0, 7, 'x');"
        )
    found = salvage(path)
    assert (found.found.entries, found.found.lost) == (2, {})
    with Journal(path) as journal:
        assert journal.entries(1) == (START, ACT)


def test_a_log_of_another_journal_is_never_left_beside_the_new_one(path: Path) -> None:
    """SQLite would read it into the new one."""
    journal = Journal(path)
    journal.append((START, ACT))
    data = path.with_name("journal.db-wal").read_bytes()
    journal.close()
    path.with_name("journal.db-wal").write_bytes(data)
    found = salvage(path)
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "journal.db",
        "journal.db-witness",
        "journal.db.damaged-1",
        "journal.db.damaged-1-wal",
        "journal.db.damaged-1-witness",
    ]
    assert found.found.entries == 2
