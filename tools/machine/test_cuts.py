"""The replay of recorded writes: what a log says, and what a cut leaves of it. Needs no machine."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tools.machine.cuts import BYTES, ENTRY, HEAD, MAGIC, SECTOR, Medium, Recorded, _count_seen, _lose, writes

OLD, NEW = b"\x11", b"\x22"


def logged(path: Path, *entries: tuple[int, bytes, int]) -> None:
    """A log as QEMU writes it: (sector, data, flags) each."""
    told = HEAD.pack(MAGIC, 1, len(entries), SECTOR).ljust(SECTOR, b"\0")
    for sector, data, flags in entries:
        told += ENTRY.pack(sector, len(data) // SECTOR, flags, 0).ljust(SECTOR, b"\0") + data
    path.write_bytes(told)


@pytest.fixture
def record(tmp_path: Path) -> Recorded:
    (tmp_path / "base.img").write_bytes(OLD * SECTOR * 64)
    page = b"SEEN 1 7 ".ljust(SECTOR, b".")
    logged(
        tmp_path / "writes",
        (0, NEW * SECTOR * 8, 0),
        (0, b"", 1),
        (BYTES // SECTOR, page, 0),
        *((sector, NEW * SECTOR * 8, 0) for sector in range(8, 64, 8)),
    )
    return Recorded(tmp_path / "base.img", tmp_path / "writes", tmp_path / "state")


def test_a_log_tells_where_and_how_much_was_written_and_when_all_was_flushed(record: Recorded) -> None:
    found = writes(record.log)
    assert [write.where // SECTOR for write in found] == [0, 0, BYTES // SECTOR, *range(8, 64, 8)]
    assert [write.length for write in found[:3]] == [8 * SECTOR, 0, SECTOR]
    assert [number for number, write in enumerate(found) if write.flush] == [1]
    assert _count_seen(record.log, found[:4]) == 7


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "writes").write_bytes(bytes(SECTOR))
    with pytest.raises(ValueError, match="no log of writes"):
        writes(tmp_path / "writes")


@pytest.mark.parametrize("seed", range(5))
def test_a_cut_keeps_what_was_flushed_and_by_chance_of_the_rest_some_whole_some_torn(
    record: Recorded, tmp_path: Path, seed: int
) -> None:
    (tmp_path / "work").mkdir()
    medium, found = Medium(record, tmp_path / "work"), writes(record.log)
    medium.put(found[0])
    firm = medium.path.read_bytes()
    assert firm == NEW * SECTOR * 8 + OLD * SECTOR * 56
    _lose(medium, found[3:], random.Random(seed))
    left = medium.path.read_bytes()
    assert left[: 8 * SECTOR] == firm[: 8 * SECTOR]
    sectors = [left[at : at + SECTOR] for at in range(0, len(left), SECTOR)]
    assert set(sectors) == {OLD * SECTOR, NEW * SECTOR}, "a sector is written whole or not at all"
    medium.restore()
    assert medium.path.read_bytes() == firm
    medium.close()
