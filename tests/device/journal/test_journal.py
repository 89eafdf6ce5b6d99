"""The journal keeps what it accepted, all or nothing, and says clearly when it cannot."""

from __future__ import annotations

import resource
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from device.journal import Archive, Journal, JournalDamaged, JournalError, JournalFull, JournalTaken
from device.journal.formats import NOTHING, ORIGIN, rows_of
from device.journal.opening import open_at_power_on, salvage
from engine.entry import Act, Entry, Pause, Start
from tests.device.journal.faults import spoil

START = Start(at=0.0, game="tellstones", options={"orders": "seen"}, seats=("a", "b"), seed=7)


def acts(count: int, size: int = 1) -> tuple[Entry, ...]:
    return tuple(Act(at=float(n), seat="ab"[n % 2], words=("place", "x" * size, str(n))) for n in range(count))


def test_a_match_comes_back_whole_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        assert journal.current is None
        journal.append((START,))
        journal.append(acts(3))
    with Journal(path) as journal:
        assert journal.current == 1
        assert journal.entries(1) == (START, *acts(3))
        journal.append((Pause(at=9.0, paused=True),))
        assert journal.entries(1)[-1] == Pause(at=9.0, paused=True)


def test_each_start_is_a_match_of_its_own_and_leaving_forgets_nothing(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.db") as journal:
        journal.append((START, *acts(2)))
        journal.append((START, *acts(1)))
        assert journal.matches() == (1, 2)
        journal.leave()
    with Journal(tmp_path / "journal.db") as journal:
        assert journal.current is None
        assert journal.entries(1) == (START, *acts(2))


def test_entries_without_a_match_are_refused(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal") as journal:
        with pytest.raises(JournalError, match="belong to no match"):
            journal.append(acts(1))
        assert journal.matches() == ()


def test_settings_are_kept(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.db") as journal:
        assert journal.setting("language") is None
        journal.keep("language", "ru")
    with Journal(tmp_path / "journal.db") as journal:
        assert journal.setting("language") == "ru"


def test_it_writes_through_to_the_disk(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.db") as journal:
        assert journal._db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert journal._db.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL


def test_another_writer_is_noticed_and_nothing_is_doubled(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.db") as first:
        first.append((START,))
        with Journal(tmp_path / "journal.db") as second:
            first.append(acts(1))
            with pytest.raises(JournalTaken, match="another program"):
                second.append(acts(1))
        assert first.entries(1) == (START, *acts(1))


def test_an_altered_entry_is_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        for entry in (START, *acts(4)):
            journal.append((entry,))
    spoil(path, 1, 2)
    with pytest.raises(JournalDamaged, match=r"entry 2 of match 1.*referee journal salvage"):
        Journal(path)
    result = salvage(path)
    assert (result.found.entries, result.found.lost) == (2, {1: 3})
    assert result.kept_as.exists()
    with Journal(path) as journal:
        assert journal.entries(1) == (START, *acts(1))


def test_what_was_accepted_together_is_salvaged_together_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        journal.append((START,))
        journal.append(acts(3))
    spoil(path, 1, 3)
    assert salvage(path).found.lost == {1: 3}
    with Journal(path) as journal:
        assert journal.entries(1) == (START,)


@pytest.mark.thorough
def test_a_truncated_file_is_named_and_salvaged_as_far_as_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        for _ in range(20):
            for entry in (START, *acts(30, size=80)):
                journal.append((entry,))
    whole = path.stat().st_size
    with path.open("r+b") as file:
        file.truncate(whole - whole // 3)
    with pytest.raises(JournalDamaged, match=str(path)):
        Journal(path)
    result = salvage(path)
    assert result.found.entries + sum(result.found.lost.values()) == 20 * 31
    assert result.found.entries >= 200
    with Journal(path) as journal:
        assert sum(len(journal.entries(m)) for m in journal.matches()) == result.found.entries
        assert journal.entries(1) == (START, *acts(30, size=80))


def test_a_file_that_is_no_journal_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(JournalDamaged, match="referee journal salvage"):
        Journal(path)
    assert path.read_bytes().startswith(b"not a database")


def test_a_newer_format_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=99")
    with pytest.raises(JournalError, match="newer referee"):
        Journal(path)
    with pytest.raises(JournalError, match="does not exist"):
        salvage(tmp_path / "nothing.db")
    with pytest.raises(JournalError, match="check the disk, the folder and its owner"):
        Journal(tmp_path)


@pytest.mark.parametrize("more", [(0, 0, 0), (2, 0, 0), (1, 0, 0), (3, 2, 1), (0, 1, 0)])
def test_the_chain_covers_what_was_accepted_together(tmp_path: Path, more: tuple[int, ...]) -> None:
    """Or half of what belongs together could be kept, and nobody would notice."""
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        journal.append((START,))
        journal.append(acts(3))
        assert [row.more for row in journal.rows(1)] == [0, 2, 1, 0]
    with sqlite3.connect(path) as db:
        for seq, count in enumerate(more, start=1):
            db.execute("UPDATE entries SET more = ? WHERE seq = ?", (count, seq))
    db.close()
    with Archive(path) as archive:
        assert archive.stock.fault
        with pytest.raises(JournalDamaged):
            archive.rows(1)
    with pytest.raises(JournalDamaged):
        Journal(path)


def test_a_row_does_not_fit_with_another_number_of_entries_after_it() -> None:
    first, *rest = rows_of(1, NOTHING, (START, *acts(2)))
    assert [row.more for row in (first, *rest)] == [2, 1, 0]
    assert first.follows(ORIGIN)
    for more in (0, 1, 3):
        assert not msgspec.structs.replace(first, more=more).follows(ORIGIN)


def test_a_full_disk_refuses_the_whole_group(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.db") as journal:
        journal.append((START,))
        pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
        journal._db.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(JournalFull, match="make room on the disk"):
            journal.append(acts(200, size=100))
        assert journal.entries(1) == (START,)
        journal._db.execute("PRAGMA max_page_count=100000")
        journal.append(acts(200, size=100))
        assert len(journal.entries(1)) == 201


_LIMITED = """
import sys
from pathlib import Path
from device.journal import Journal, JournalError
from engine.entry import Act, Start
journal = Journal(Path(sys.argv[1]))
journal.append((Start(at=0.0, game="g", options={}, seats=("a",), seed=1),))
for n in range(100000):
    try:
        journal.append((Act(at=float(n), seat="a", words=("x" * 500,)),))
    except JournalError:
        print(n, len(journal.entries(1)))
        break
"""


def test_a_disk_that_really_fills_up_loses_nothing_accepted(tmp_path: Path) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    path = tmp_path / "journal.db"
    run = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(path)], preexec_fn=limit, capture_output=True, text=True, check=True
    )
    accepted, kept = map(int, run.stdout.split())
    assert kept == accepted + 1
    with Journal(path) as journal:
        assert len(journal.entries(1)) == accepted + 1


@pytest.mark.parametrize("log", [None, 0, 32, 4152])
def test_a_journal_that_power_cut_short_while_it_was_made_is_made_anew_without_alarm(
    tmp_path: Path, log: int | None
) -> None:
    """The file has its size already, and none of its bytes."""
    path = tmp_path / "journal.db"
    path.write_bytes(bytes(4096))
    if log is not None:
        path.with_name("journal.db-wal").write_bytes(bytes(log))
    opened = open_at_power_on(path)
    with opened.journal:
        assert (opened.mended, opened.unsaved) == (None, None)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["journal.db", "journal.db-witness"]


def test_an_empty_page_beside_a_witness_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with open_at_power_on(path).journal as journal:
        journal.keep("language", "ru")
    path.write_bytes(bytes(4096))
    opened = open_at_power_on(path)
    opened.journal.close()
    assert opened.mended is not None
