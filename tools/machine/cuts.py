"""Power cuts of the machine while it writes: every disk that a cut could have left, from the recorded writes.

    python -m tools.machine.cuts --cuts 1000 --seed 1 --folder var/machine/cuts --json

A match is played in the machine while QEMU keeps every write to its disk (blklogwrites). Then the power is cut, in
thought, after any of them: up to the last flush all is there; of what came later a random part is, in any order, some
of it torn at a sector. The file system is repaired as at a start, and the journal opened as at power-on. It has to be
whole, to hold at least what somebody had been shown, and to take the match's next entry.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from device.journal import Archive
from device.journal.opening import open_at_power_on
from engine.entry import Entry
from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from tools import longrun
from tools.machine.disk import SIZE, Disk, make_disk
from tools.machine.installing import PLAY, TABLE, Installed, install_package
from tools.machine.qemu import Machine, Options
from tools.machine.recipe import Recipe

MAGIC = 0x6A736677736872
HEAD, ENTRY = struct.Struct("<QQQI"), struct.Struct("<QQQQ")
FLUSH, DISCARD, MARK = 1, 4, 8
SECTOR = 512
KEPT, TORN = 0.5, 0.15
"""Shares of the writes after the last flush that a cut leaves, whole and in part."""

BATCH = 50
"""Cuts of one task: the disk is built up once for all of them."""

STATE = "var/lib/referee"
BYTES = int(SIZE.removesuffix("G")) << 30
"""The file system's; what was seen is written just past it."""

MOST_NOTES = 20


class Cuts(msgspec.Struct, frozen=True):
    """What came of cuts. unflushed: writes that they could lose, over all. lost: cuts after which entries were gone
    that somebody had been shown. doubled: those after which there was something else than the beginning of the match.
    broken: those that left a file system or a journal that does not go on. alarms: those after which a damage was told
    of.
    """

    cuts: int = 0
    unflushed: int = 0
    lost: int = 0
    doubled: int = 0
    broken: int = 0
    alarms: int = 0
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> int:
        return self.lost + self.doubled + self.broken + self.alarms


@dataclass(frozen=True)
class Write:
    """One entry of the log. at: its data in the log. where, length: on the disk, in bytes."""

    where: int
    length: int
    flush: bool
    at: int


@dataclass(frozen=True)
class Recorded:
    """A match in the machine. base: the disk before it. log: of all writes. state: the referee's folder at its end."""

    base: Path
    log: Path
    state: Path

    def entries(self) -> tuple[Entry, ...]:
        with Archive(self.state / "journal.db") as journal:
            return () if journal.current is None else tuple(journal.entries(journal.current))


def record_match(disk: Disk, ready: Installed, longest: int = 20, seed: int = 1) -> Recorded:
    """Plays a match and keeps its writes, unless that was done already. Raises MachineError."""
    folder = ready.image.parent / f"recorded-{longest}-{seed}"
    kept = Recorded(folder / "base.img", folder / "writes", folder / "state")
    if (kept.state / "journal.db").exists():
        return kept
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    subprocess.run(["qemu-img", "convert", "-O", "raw", ready.image, kept.base], check=True)
    subprocess.run(["qemu-img", "resize", "-q", "-f", "raw", kept.base, "+1M"], check=True)
    with Machine(disk, folder / "machine", Options(blocks=kept.log), kept.base) as machine:
        machine.must(f"sed -i 's/^source = .*/source = \"none\"/; /^size/d' {TABLE}; systemctl restart referee", 300)
        told = machine.must(f"{PLAY} {TABLE} --seed {seed} --longest {longest} --acknowledge {BYTES}", 1800).out
        machine.must(f"systemctl stop referee; cp -r /{STATE} /run/machine/share/state")
        machine.off()
        if json.loads(told)["stuck"]:
            raise RuntimeError(f"the match is stuck: {told}")
        shutil.copytree(machine.share / "state", kept.state)
    shutil.rmtree(folder / "machine")
    return kept


def writes(log: Path) -> list[Write]:
    """All writes of a log; a flush is one of no bytes, too. Raises ValueError for a file that is none."""
    size = log.stat().st_size
    found = list[Write]()
    with log.open("rb") as file:
        magic, _, count, sector = HEAD.unpack(file.read(HEAD.size))
        if magic != MAGIC:
            raise ValueError(f"{log} is no log of writes")
        at = sector
        while at + ENTRY.size <= size and (not count or len(found) < count):
            file.seek(at)
            where, sectors, flags, _ = ENTRY.unpack(file.read(ENTRY.size))
            data, stored = at + sector, 0 if flags & (DISCARD | MARK) else sectors * sector
            if data + stored > size:
                break
            found.append(Write(where * sector, stored, bool(flags & FLUSH), data))
            at = data + stored
    return found


class Medium:
    """The disk as it grows, write by write, and as a cut leaves it."""

    def __init__(self, recorded: Recorded, folder: Path) -> None:
        self.path = folder / "disk.img"
        subprocess.run(["cp", "--sparse=always", recorded.base, self.path], check=True)
        self._disk, self._log = os.open(self.path, os.O_RDWR), os.open(recorded.log, os.O_RDONLY)
        self._undo = list[tuple[int, bytes]]()

    def put(self, write: Write, upto: int | None = None) -> None:
        """For good; upto: only so many bytes of it, and until `restore`."""
        data = os.pread(self._log, write.length, write.at)
        if upto is not None:
            self._undo.append((write.where, os.pread(self._disk, write.length, write.where)))
            data = data[:upto]
        os.pwrite(self._disk, data, write.where)

    def restore(self) -> None:
        """Takes back what a cut left by chance."""
        while self._undo:
            where, data = self._undo.pop()
            os.pwrite(self._disk, data, where)

    def close(self) -> None:
        os.close(self._disk)
        os.close(self._log)

    def repair_and_copy(self, folder: Path) -> str:
        """Repairs the file system as at a start, and copies the referee's state out of it into `folder`; the disk stays
        as it is. Returns what is wrong.
        """
        undo = self.path.with_suffix(".undo")
        undo.unlink(missing_ok=True)
        fsck = subprocess.run(["e2fsck", "-p", "-z", undo, self.path], capture_output=True, text=True, check=False)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        dump = ["debugfs", "-R", f"rdump /{STATE} {folder}", str(self.path)]
        subprocess.run(dump, capture_output=True, check=False)
        if undo.exists():
            subprocess.run(["e2undo", "-f", undo, self.path], check=True, capture_output=True)
        return fsck.stdout + fsck.stderr if fsck.returncode > 2 else ""


@dataclass(frozen=True)
class Batch:
    """So many cuts by one seed."""

    recorded: Recorded
    seed: int
    cuts: int


def cut(batch: Batch) -> Cuts:
    """The cuts of a batch, in the order of time, over one disk that grows."""
    found, rng, result = writes(batch.recorded.log), random.Random(f"{batch.seed}/cuts"), Cuts()
    entries = batch.recorded.entries()
    first = next(n for n, write in enumerate(found) if write.where == BYTES)
    places = sorted(rng.randrange(first, len(found)) for _ in range(batch.cuts))
    with tempfile.TemporaryDirectory(dir=batch.recorded.base.parent, prefix="cutting-") as folder:
        medium, done = Medium(batch.recorded, Path(folder)), 0
        for place in places:
            firm = max(n for n in range(place + 1) if found[n].flush)
            medium.restore()
            for write in found[done : firm + 1]:
                medium.put(write)
            done = firm + 1
            loose = [write for write in found[done : place + 1] if write.length and write.where != BYTES]
            _lose(medium, loose, rng)
            seen = _count_seen(batch.recorded.log, found[: place + 1])
            result = _judge(result, medium, Path(folder) / "state", (entries, seen), f"write {place}", len(loose))
        medium.close()
    return result


def _lose(medium: Medium, loose: Sequence[Write], rng: random.Random) -> None:
    """Of what was not flushed a random part reached the disk, in any order."""
    for write in rng.sample(loose, len(loose)):
        chance = rng.random()
        if chance < KEPT:
            medium.put(write, write.length)
        elif chance < KEPT + TORN:
            medium.put(write, rng.randrange(write.length // SECTOR + 1) * SECTOR)


def _count_seen(log: Path, done: Sequence[Write]) -> int:
    """How many entries somebody had seen, by the last page that the player wrote past the file system."""
    last = next(write for write in reversed(done) if write.where == BYTES)
    with log.open("rb") as file:
        file.seek(last.at)
        told = re.match(rb"SEEN \d+ (\d+) ", file.read(64))
    assert told is not None
    return int(told[1])


def _judge(
    result: Cuts, medium: Medium, folder: Path, truth: tuple[Sequence[Entry], int], place: str, loose: int
) -> Cuts:
    faults = (
        [("broken", wrong)] if (wrong := medium.repair_and_copy(folder)) else list(_faults(folder / "referee", *truth))
    )
    names = {name for name, _ in faults}
    return msgspec.structs.replace(
        result,
        cuts=result.cuts + 1,
        unflushed=result.unflushed + loose,
        notes=(*result.notes, *(f"{place}: {name}: {how}" for name, how in faults))[:MOST_NOTES],
        **{name: getattr(result, name) + (name in names) for name in ("lost", "doubled", "broken", "alarms")},
    )


def _faults(state: Path, entries: Sequence[Entry], seen: int) -> Iterator[tuple[str, str]]:
    """What is wrong with the referee's folder after a cut, and how: fields of `Cuts`."""
    opened = open_at_power_on(state / "journal.db")
    with opened.journal as journal:
        there = () if journal.current is None else tuple(journal.entries(journal.current))
        if opened.mended is not None or opened.unsaved is not None:
            yield "alarms", f"{opened.mended or opened.unsaved}"
        if len(there) < seen:
            yield "lost", f"{len(there)} entries are there, {seen} were seen"
        if there != tuple(entries[: len(there)]):
            yield "doubled", f"{len(there)} entries are not the match's first"
        elif journal.current is not None and len(there) < len(entries):
            journal.append((entries[len(there)],))
            if tuple(journal.entries(journal.current)) != tuple(entries[: len(there) + 1]):
                yield "broken", f"the match does not go on after {len(there)} entries"


def cut_test(
    cuts: int, seed: int, *, jobs: int = 1, folder: Path | None = None, told: OnProgress = no_progress
) -> Cuts:
    """So many cuts of one recorded match. folder: keeps what was done, so that a run that was broken off goes on."""
    disk = make_disk(Recipe())
    record = record_match(disk, install_package(disk))
    batches = {n: Batch(record, seed + n, min(BATCH, cuts - n * BATCH)) for n in range(-(-cuts // BATCH))}
    kept = StoredResults(folder, {"cuts": cuts, "seed": seed, "disk": record.base.parts[-3:]}, Cuts)
    return total(carried_on(cut, batches, jobs, kept, told).values(), Cuts())


def main() -> int:
    parser = longrun.parser(__doc__, seed=1)
    parser.add_argument("--cuts", type=int, default=1000, help="power cuts (1000)")
    given = parser.parse_args()
    with longrun.start_run("batches of cuts") as told:
        result = cut_test(given.cuts, given.seed, jobs=given.jobs, folder=given.folder, told=told)
    longrun.show(result, given.json)
    return int(result.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
