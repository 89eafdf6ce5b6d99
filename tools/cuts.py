"""The power-cut test: whatever a disk loses of what was not synced, no entry that was shown is lost, none is doubled.

    python -m tools.cuts --cuts 3000 --seed 7

Matches are played at the buttons on the shipped session and journal, while the owner's cards are corrected and pieces
are enrolled in the same folder; the disk records every call. Then the power is cut, in thought, after any of the calls,
and what was not synced is lost in one of six ways (referee_simulator/disk/medium.py). The folder that this leaves is
opened as at power-on, and compared with the match. Every fourth time the power is cut again, while it is being opened.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from device.journal.opening import open_at_power_on
from engine.entry import Entry
from referee_simulator.disk.medium import Call, Loss, Medium, Names, calls, contents, lay
from referee_simulator.disk.shim import Disk, start_over, watch_folder
from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from tools import longrun
from tools.kills import Player
from vision.files import BadFile, write_whole
from vision.recognition import enrolment, index

CUTS = 150
"""Of one match."""

AGAIN = 4
"""The power is cut again, every so often."""

EVERY = 7
"""So many turns between one correction of the cards, or one enrolment, and the next."""

SIDE = 24
"""Pixels of an enrolled picture."""

MOST_NOTES = 20
SET = "stones"
DECK = Path("decks") / "fence.toml"


class Cuts(msgspec.Struct, frozen=True):
    """What came of one match, or of all. again: cuts while the journal was opened after a first one. calls: that the
    disk recorded. ways: cuts by how the rest was lost. lost: cuts after which entries were gone that a display had
    shown. doubled: those after which there was something else than the beginning of the match. files: those after which
    cards or pieces were neither the old ones nor the new ones. alarms: those after which a loss was told of though
    nothing was lost, or nothing could be saved. notes: the first of each that was wrong, by the match's seed and call.
    """

    cuts: int = 0
    again: int = 0
    matches: int = 0
    entries: int = 0
    calls: int = 0
    ways: dict[str, int] = {}
    lost: int = 0
    doubled: int = 0
    files: int = 0
    alarms: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> int:
        return self.lost + self.doubled + self.files + self.alarms


class Version(msgspec.Struct, frozen=True):
    """One writing of a file: bytes of the record when it began and when it was done."""

    begun: int
    done: int
    content: str


class Recorded(Player):
    """A match of the kill test, on a disk that records. screens: bytes of the record, and entries that displays
    then showed. decks, sets: what was written beside the journal."""

    def __init__(self, folder: Path, seed: int, disk: Disk) -> None:
        self.screens: list[tuple[int, int]] = []
        self.decks: list[Version] = []
        self.sets: list[Version] = []
        self._folder, self._disk, self._turns = folder, disk, 0
        super().__init__(folder / "journal.db", seed)

    def note_shown(self, entries: int, match: object) -> None:
        del match  # each state follows from its entries: the kill test compares them
        self.screens.append((self._disk.recorded, entries))

    def _turn(self, rng: random.Random) -> None:
        super()._turn(rng)
        self._turns += 1
        if self._turns % EVERY == 0:
            self.decks.append(self._version_after(f"# {self._turns}\n", self._correct))
        elif self._turns % EVERY == EVERY // 2:
            self.sets.append(self._version_after(str(self._turns % 200), self._enrol))

    def _version_after(self, content: str, write: Callable[[str], None]) -> Version:
        begun = self._disk.recorded
        write(content)
        return Version(begun, self._disk.recorded, content)

    def _correct(self, content: str) -> None:
        write_whole(self._folder / DECK, content.encode())

    def _enrol(self, content: str) -> None:
        image = np.full((SIDE, SIDE, 3), int(content), dtype=np.uint8)
        enrolment.save(enrolment.EnrolledSet(SET, 1, {"crown": (image,)}), self._folder / "enrolled" / SET)


class Match(msgspec.Struct, frozen=True):
    """One match to be cut: by its seed, so often, in ways that `dice` draws."""

    seed: int
    cuts: int


class Judge:
    """What has to be there after a cut, by the bytes that the record then had."""

    def __init__(self, played: Recorded, entries: tuple[Entry, ...]) -> None:
        self._entries, self._played = entries, played

    def faults(self, folder: Path, ends: int) -> Iterator[tuple[str, str]]:
        """What is wrong with a folder after a cut, and how: fields of `Cuts`. Opens it as at power-on."""
        shown = max((count for at, count in self._played.screens if at <= ends), default=0)
        opened = open_at_power_on(folder / "journal.db")
        with opened.journal as journal:
            there = journal.current_entries()
        if len(there) < shown:
            yield "lost", f"{len(there)} entries are there, {shown} were shown"
        if there != self._entries[: len(there)]:
            yield "doubled", f"of {len(there)} entries {_same(there, self._entries)} are the match's"
        if opened.mended is not None or opened.unsaved is not None:
            yield "alarms", f"{opened.mended or opened.unsaved}"
        for what, versions, found in (
            ("the cards", self._played.decks, _deck(folder)),
            ("the set", self._played.sets, _set(folder)),
        ):
            if found not in _possible(versions, ends):
                yield "files", f"{what}: {found!r} is none of {sorted(map(repr, _possible(versions, ends)))}"


def _same(there: Sequence[Entry], entries: Sequence[Entry]) -> int:
    return next((n for n, (one, other) in enumerate(zip(there, entries, strict=False)) if one != other), len(entries))


def _possible(versions: Sequence[Version], ends: int) -> set[str | None]:
    """The last version that was done, and one that was being written; None: there was none yet."""
    done = [version.content for version in versions if version.done <= ends]
    return {done[-1] if done else None, *(v.content for v in versions if v.begun <= ends < v.done)}


def _deck(folder: Path) -> str | None:
    path = folder / DECK
    return path.read_text("utf-8") if path.exists() else None


def _set(folder: Path) -> str | None:
    """The set as a worker loads it, by the gray of its picture. A set that was never there is none."""
    place = folder / "enrolled" / SET
    if not (place / index.INDEX).exists():
        return None
    try:
        return str(int(enrolment.load(place).pictures["crown"][0][0, 0, 0]))
    except (BadFile, enrolment.EnrolmentError) as error:
        return str(error)


def cut(match: Match) -> Cuts:
    """Plays one match and cuts the power. In a process that was started with a simulated disk."""
    begun, dice = time.monotonic(), random.Random(f"{match.seed}/cuts")
    with tempfile.TemporaryDirectory(prefix="cuts-", dir=longrun.memory()) as place:
        folder, record = Path(place) / "state", Path(place) / "record"
        folder.mkdir()
        with watch_folder(folder, record) as disk:
            played = Recorded(folder, match.seed, disk)
            entries = played.play()
        found = list(calls(record.read_bytes()))
        result = Cuts(matches=1, entries=len(entries), calls=len(found))
        judge = Judge(played, entries)
        for ends, loss, left in _cuts(found, match.cuts, dice):
            result = _judge(result, judge, Path(place) / "left", (match.seed, ends, loss, left), dice)
        played.close()
    return msgspec.structs.replace(result, seconds=round(time.monotonic() - begun, 1))


def _cuts(found: Sequence[Call], cuts: int, dice: random.Random) -> Iterator[tuple[int, Loss, Names]]:
    """Cuts after calls drawn at random, in order, and what each leaves."""
    places = sorted(dice.choices(range(len(found)), k=cuts))
    medium, taken = Medium(), 0
    for number, place in enumerate(places):
        for call in found[taken : place + 1]:
            medium.take(call)
        taken = place + 1
        loss = list(Loss)[number % len(Loss)]
        yield found[place].ends, loss, medium.contents_left(loss, dice)


def _judge(result: Cuts, judge: Judge, folder: Path, case: tuple[int, int, Loss, Names], dice: random.Random) -> Cuts:
    """The sum with one cut more."""
    seed, ends, loss, left = case
    again = result.cuts % AGAIN == AGAIN - 1
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    lay(left, folder)
    if again:
        _cut_again(folder, dice)
    faults = list(judge.faults(folder, ends))
    names = {name for name, _ in faults}
    progress = tuple(f"match {seed}, byte {ends}, {loss}{', again' * again}: {name}: {how}" for name, how in faults)
    return msgspec.structs.replace(
        result,
        cuts=result.cuts + 1,
        again=result.again + again,
        ways={**result.ways, str(loss): result.ways.get(str(loss), 0) + 1},
        notes=(*result.notes, *progress)[:MOST_NOTES],
        **{name: getattr(result, name) + (name in names) for name in ("lost", "doubled", "files", "alarms")},
    )


def _cut_again(folder: Path, dice: random.Random) -> None:
    """The journal is opened as at power-on; meanwhile, or just after it, the power goes again."""
    before, record = contents(folder), folder.with_name("again")
    with watch_folder(folder, record):
        journal = open_at_power_on(folder / "journal.db").journal
    journal.close()
    found = list(calls(record.read_bytes()))
    medium = Medium(before)
    for call in found[: dice.randint(0, len(found))]:
        medium.take(call)
    shutil.rmtree(folder)
    folder.mkdir()
    lay(medium.contents_left(dice.choice(list(Loss)), dice), folder)


def cut_test(
    cuts: int,
    seed: int,
    *,
    jobs: int = 1,
    folder: Path | None = None,
    progress: OnProgress = no_progress,
) -> Cuts:
    """So many cuts, over as many matches as that takes. folder: keeps what was done. told: of how many matches."""
    matches = {n: Match(seed + n, min(CUTS, cuts - n * CUTS)) for n in range(-(-cuts // CUTS))}
    kept = StoredResults(folder, {"cuts": cuts, "seed": seed}, Cuts)
    return total(carried_on(cut, matches, jobs, kept, progress).values(), Cuts())


def main() -> int:
    parser = longrun.parser(__doc__, seed=1)
    parser.add_argument("--cuts", type=int, default=300, help="power cuts (300)")
    given = parser.parse_args()
    with longrun.start_run("matches", start_over) as progress:
        result = cut_test(given.cuts, given.seed, jobs=given.jobs, folder=given.folder, progress=progress)
    longrun.show(result, given.json)
    return int(result.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
