"""What a bad card takes is found out by the witness, and found again in the log of writes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.journal import Archive, Journal, JournalDamaged, JournalGone
from device.journal.formats import Witness, read_witness, witness_of, write_witness
from device.journal.opening import open_at_power_on, salvage
from engine.entry import Act, Entry, Start
from tests.commands import app
from tests.device.journal.faults import broken, mended, spoil

START = Start(at=0.0, game="tellstones", options={"orders": "seen"}, seats=("a", "b"), seed=7)
ENTRIES: tuple[Entry, ...] = (START, *(Act(float(n), "ab"[n % 2], ("hide", f"stone-{n}")) for n in range(1, 76)))
FRAME, HEADER = 24 + 4096, 32


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A journal as a killed daemon leaves it: nothing in the database, everything in its log."""
    path = tmp_path / "open" / "journal.db"
    with Journal(path) as journal:
        for entry in ENTRIES:
            journal.append((entry,))
        journal.attest()
        left = tmp_path / "killed"
        shutil.copytree(path.parent, left)
    return left / "journal.db"


def log(path: Path) -> Path:
    return path.with_name("journal.db-wal")


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def listed(path: Path) -> tuple[int, str]:
    found = CliRunner().invoke(app, ["journal", "list", "--journal", str(path)])
    return found.exit_code, found.stdout


def test_one_bit_in_the_log_costs_nothing_and_is_told(killed: Path) -> None:
    """SQLite reads a log up to its first bad frame: half of the entries were gone, and nobody was told."""
    frames = (log(killed).stat().st_size - HEADER) // FRAME
    flip(log(killed), HEADER + frames // 2 * FRAME + 2000)
    with sqlite3.connect(f"file:{killed}?mode=ro", uri=True) as db:
        assert db.execute("SELECT count(*) FROM entries").fetchone()[0] < 60
    db.close()
    code, said = listed(killed)
    assert (code, "76 entries" in said) == (1, True)
    opened = open_at_power_on(killed)
    with opened.journal as journal:
        assert journal.entries(1) == ENTRIES
    assert "Check the last move" in str(opened.mended)
    assert listed(killed)[0] == 0


def test_a_log_that_is_gone_is_told_of(killed: Path) -> None:
    log(killed).unlink()
    code, said = listed(killed)
    assert (code, "damaged: 76 entries are lost" in said) == (1, True)
    opened = open_at_power_on(killed)
    with opened.journal as journal:
        assert journal.matches() == ()
        journal.append(ENTRIES[:3])
        assert journal.current == 2, "the lost match keeps its number"
    assert str(opened.mended) == "Journal damaged. Matches 1, entries lost: 76. Check the disk."
    code, said = listed(killed)
    assert (code, "76 entries after the first 0 were lost" in said) == (0, True)


def test_a_log_that_ends_too_soon_is_told_of_with_what_it_goes_on_from(killed: Path) -> None:
    with log(killed).open("r+b") as file:
        file.truncate(HEADER + 60 * FRAME)
    opened = open_at_power_on(killed)
    with opened.journal as journal:
        count = len(journal.entries(1))
        assert 20 < count < 40
        assert journal.entries(1) == ENTRIES[:count]
        assert journal.about(1).losses[0].entries == 76 - count
    lost = f"Match 1, entries lost: {76 - count}. The match continues after entry {count}."
    said = f"Journal damaged. {lost} Check the disk."
    assert str(opened.mended) == said
    again = open_at_power_on(killed)
    again.journal.close()
    assert again.mended is None, "it is told of once"


def test_one_entry_that_is_lost_is_told(tmp_path: Path) -> None:
    """The last one alone: what is left is whole, and only the witness knows of more."""
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        for entry in ENTRIES[:5]:
            journal.append((entry,))
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM entries WHERE seq = 4")
    db.close()
    with Archive(path) as archive:
        assert archive.missing == {1: 1}
        with pytest.raises(JournalDamaged):
            archive.entries(1)
    code, said = listed(path)
    assert (code, "damaged: 1 " in said) == (1, True)
    opened = open_at_power_on(path)
    with opened.journal as journal:
        assert journal.entries(1) == ENTRIES[:4]
        assert journal.about(1).lost == 1
    assert str(opened.mended).startswith("Journal damaged. Match 1, entries lost: 1")


@pytest.mark.parametrize("empty", [True, False])
def test_a_database_that_is_gone_is_read_from_its_log(killed: Path, empty: bool) -> None:
    """SQLite throws the log of an empty database away."""
    killed.write_bytes(b"") if empty else killed.unlink()
    assert listed(killed)[0] == 1
    opened = open_at_power_on(killed)
    with opened.journal as journal:
        assert journal.entries(1) == ENTRIES
    assert opened.mended is not None


def test_a_database_put_back_from_long_ago_is_told_of(tmp_path: Path) -> None:
    path, ago = tmp_path / "journal.db", tmp_path / "ago.db"
    with Journal(path) as journal:
        journal.append(ENTRIES[:10])
    shutil.copy(path, ago)
    with Journal(path) as journal:
        journal.append(ENTRIES[10:])
    shutil.copy(ago, path)
    with pytest.raises(JournalDamaged, match="66 entries of match 1 are missing"):
        Journal(path)
    with Archive(path) as archive, pytest.raises(JournalDamaged):
        archive.entries(1)
    assert salvage(path).found.lost == {1: 66}


def test_a_write_that_power_cut_short_is_no_damage(killed: Path) -> None:
    """Its last frame is not whole, but what it was about to say is there: it is brought to its end without a word."""
    flip(log(killed), log(killed).stat().st_size - 1)
    with Journal(killed.with_name("other.db")) as other:
        other.append(ENTRIES[:-1])
    write_witness(killed, Witness({1: other.stock.heads[1]}, 1, 0))
    opened = open_at_power_on(killed)
    with opened.journal as journal:
        assert len(journal.entries(1)) in (75, 76)
    assert opened.mended is None
    assert not list(killed.parent.glob("*damaged*"))


def test_without_a_witness_the_journal_is_what_it_is(killed: Path) -> None:
    witness_of(killed).unlink()
    with Journal(killed) as journal:
        assert journal.unwitnessed
        assert journal.entries(1) == ENTRIES
    with Journal(killed) as journal:
        assert not journal.unwitnessed


@pytest.mark.parametrize("content", [b"", b"noise\nnoise\n", b'{"heads":{}}\n0123\n', b"\xff" * 5000])
def test_a_witness_that_is_not_whole_says_nothing(
    killed: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    witness_of(killed).write_bytes(content)
    with Journal(killed) as journal:
        assert journal.entries(1) == ENTRIES
    assert "whether the newest entries are missing cannot be told" in caplog.text


def test_the_witness_is_its_owners_alone_and_follows_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        journal.append((START,))
        assert journal.unattested
        assert not witness_of(path).exists()
        journal.attest()
        assert not journal.unattested
        assert witness_of(path).stat().st_mode & 0o777 == 0o600
        said = read_witness(path)
        assert said is not None
        assert (said.heads[1].count, said.current) == (1, 1)


def test_at_rest_the_log_is_emptied(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        journal.append(ENTRIES)
        assert log(path).stat().st_size > 0
        journal.rest()
        assert log(path).stat().st_size == 0
        assert not journal.unattested
    opened = open_at_power_on(path)
    with opened.journal:
        assert log(path).stat().st_size == 0, "also at power-on"


@pytest.mark.thorough
def test_whatever_is_kept_twice_is_read_from_the_other_place(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        for entry in ENTRIES:
            journal.append((entry,))
    pages = range(path.stat().st_size // 4096)
    whole = path.read_bytes()
    for page in pages:
        path.write_bytes(whole[: page * 4096] + bytes(4096) + whole[(page + 1) * 4096 :])
        found = salvage(path)
        assert (found.found.entries, found.found.lost) == (76, {}), page
        with Journal(path) as journal:
            assert journal.entries(1) == ENTRIES
            assert journal.current == 1


def test_tables_that_do_not_say_the_same_are_found_out_and_mended(tmp_path: Path) -> None:
    """quick_check compares no index with its table."""
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        for entry in ENTRIES[:5]:
            journal.append((entry,))
    data = path.read_bytes()
    place = data.index(b"stone-3")
    path.write_bytes(data[:place] + b"stone-9" + data[place + 7 :])
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA quick_check").fetchone()[0] == "ok"
    db.close()
    with pytest.raises(JournalDamaged):
        Journal(path)
    with open_at_power_on(path).journal as journal:
        assert journal.entries(1) == ENTRIES[:5]


def test_an_entry_moved_to_another_place_or_match_is_none(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        for entry in ENTRIES[:4]:
            journal.append((entry,))
    with sqlite3.connect(path) as db:
        db.execute("UPDATE entries SET match = 2 WHERE seq = 3")
    db.close()
    with pytest.raises(JournalDamaged):
        Journal(path)
    found = salvage(path).found
    assert {match: len(rows) for match, rows in found.rows.items()} in ({1: 3}, {1: 4})


def taken_away(path: Path) -> Iterator[list[Path]]:
    yield [path]
    yield [log(path)]
    yield [path, log(path), path.with_name("journal.db-shm")]


@pytest.mark.parametrize("which", range(3))
def test_files_taken_away_under_an_open_journal_are_noticed_and_written_anew(tmp_path: Path, which: int) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        for entry in ENTRIES[:5]:
            journal.append((entry,))
        for file in list(taken_away(path))[which]:
            file.unlink()
        with pytest.raises(JournalGone):
            journal.append(ENTRIES[5:6])
        assert journal.entries(1) == ENTRIES[:5]
        journal.append(ENTRIES[5:6])
        path.unlink()
        with pytest.raises(JournalGone):
            journal.rest()
        journal.rest()
        assert path.stat().st_mode & 0o777 == 0o600
    with Journal(path) as journal:
        assert journal.entries(1) == ENTRIES[:6]


def test_another_journal_in_its_place_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        journal.append(ENTRIES[:5])
        with Journal(tmp_path / "other.db") as other:
            other.append(ENTRIES[:2])
        (tmp_path / "other.db").replace(path)
        with pytest.raises(JournalGone):
            journal.append(ENTRIES[5:6])
    with Journal(path) as journal:
        assert journal.entries(1) == ENTRIES[:5]
    with Journal(tmp_path / "journal.db.damaged-1") as journal:
        assert journal.entries(1) == ENTRIES[:2]


def test_what_was_refused_is_not_found_in_the_log_after_a_power_cut(tmp_path: Path) -> None:
    path, cut = tmp_path / "journal.db", tmp_path / "cut"
    with Journal(path) as journal:
        journal.append((START,))
        journal.attest()
        broken(journal, sqlite3.SQLITE_FULL, first=2)
        with pytest.raises(OSError, match="make room"):
            journal.append(ENTRIES[1:2])
        mended(journal)
        cut.mkdir()
        for file in tmp_path.glob("journal.db*"):
            shutil.copy(file, cut)
    with Journal(cut / "journal.db") as journal:
        assert journal.entries(1) == (START,)


def test_the_list_says_which_match_lost_what_also_as_json(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path) as journal:
        for entry in ENTRIES[:9]:
            journal.append((entry,))
        journal.append((START,))
    spoil(path, 1, 6)
    open_at_power_on(path).journal.close()
    found = json.loads(CliRunner().invoke(app, ["journal", "list", "--json", "-j", str(path)]).stdout)
    first, second = found["matches"]
    assert (first["entries"], first["losses"]) == (6, [{"after": 6, "entries": 3}])
    assert (second["entries"], second["losses"], second["going_on"]) == (1, [], True)
    assert found["fault"] == ""
