"""The damage test: whatever a bad card does to a journal, what is left of it is kept, and what is lost is told.

    python -m tools.damage --trials 600 --kind bit --target log --killed --seed 3
    python -m tools.damage --trials 10000 --jobs 2 --folder damages --json

Journals are made by the shipped session, killed or closed; then the database, its log of writes or both are damaged,
and the table is switched on. `referee journal list` is asked before and after. Each journal is damaged ten times, each
time again.
"""

from __future__ import annotations

import logging
import random
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from device.cli.matches import Catalogue, catalogue
from device.journal import JournalError
from device.journal.formats import NOTHING, Row, chain_rows
from device.journal.opening import Opened, open_at_power_on
from engine.entry import encode
from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from tools import longrun
from tools.spoiled import Kind, Plan, Target, Truth, record, spoil

EACH = 10
"""Damages of one journal."""

MOST_NOTES = 20


class Damages(msgspec.Struct, frozen=True):
    """trials, entries: there were; kept: entries, by kind of damage, of how many that there were (`of`).

    told: trials that lost entries, and said so; silent: that did not; young: nor could they: what is lost is younger
    than the witness, and no trace of it is left. altered: other entries were there than were played. untold: the list
    of matches before power-on left out entries without a word. unsaved: nothing could be saved from then on.
    mended: trials after which displays spoke of a damage, but nothing was lost. tracebacks: errors of the program.
    largest: the most entries that one trial lost.
    """

    trials: int = 0
    entries: int = 0
    kept: dict[str, int] = {}
    of: dict[str, int] = {}
    told: int = 0
    silent: int = 0
    young: int = 0
    altered: int = 0
    untold: int = 0
    unsaved: int = 0
    mended: int = 0
    tracebacks: int = 0
    lost: int = 0
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> int:
        return self.silent + self.altered + self.untold + self.unsaved + self.tracebacks


def damage(plan: Plan) -> Damages:
    """Makes one journal and damages it."""
    found = Damages()
    with tempfile.TemporaryDirectory(prefix="damage-", dir=longrun.memory()) as place, _find_unlogged():
        base = Path(place) / "base"
        base.mkdir()
        truth = record(base, plan)
        for number in range(plan.trials):
            folder = Path(place) / "trial"
            shutil.copytree(base, folder, ignore=shutil.ignore_patterns("old", "truth.json"))
            kind = spoil(folder, base / "old", plan, random.Random(f"{plan.seed}/{number}"))
            judged = _judge(folder / "journal.db", truth, kind)
            notes = tuple(f"journal {plan.seed}, damage {number} ({kind}): {note}" for note in judged.notes)
            found = total((found, msgspec.structs.replace(judged, notes=notes)), Damages())
            shutil.rmtree(folder)
    return msgspec.structs.replace(found, notes=found.notes[:MOST_NOTES])


@contextmanager
def _find_unlogged() -> Iterator[None]:
    """Every damage is told in the log, too."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _judge(path: Path, truth: Truth, kind: Kind) -> Damages:
    count = sum(map(len, truth.entries.values()))
    begun = Damages(trials=1, entries=count, of={kind: count})
    gone = _count_traces(path, truth)
    try:
        before = _list_matches(path)
        opened = open_at_power_on(path)
        with opened.journal as journal:
            there = {match: tuple(map(encode, journal.entries(match))) for match in journal.matches()}
        after = _list_matches(path)
    except Exception:  # noqa: BLE001  # whatever it is, it is counted
        return msgspec.structs.replace(begun, tracebacks=1, notes=(traceback.format_exc(limit=-3),))
    return _weigh(begun, kind, truth, gone, opened, there, (before, after))


def _weigh(
    begun: Damages,
    kind: Kind,
    truth: Truth,
    gone: dict[int, int],
    opened: Opened,
    there: dict[int, tuple[bytes, ...]],
    lists: tuple[Catalogue | None, Catalogue | None],
) -> Damages:
    kept = sum(map(len, there.values()))
    lost = begun.entries - kept
    known = sum(max(0, gone[match] - len(there.get(match, ()))) for match in truth.entries)
    altered = any(truth.entries.get(match, ())[: len(each)] != each for match, each in there.items())
    before, after = lists
    remembered = sum(loss.entries for each in after.matches for loss in each.losses) if after else -1
    faults = {
        "silent": bool(known) and str(remembered) not in str(opened.mended),
        "untold": _untold(before, truth, gone) or not known <= remembered <= lost,
        "altered": altered,
        "unsaved": opened.unsaved is not None,
    }
    wrong = [name for name, found in faults.items() if found]
    note = f"{', '.join(wrong)}: lost {lost}, known of {known}, listed {remembered}, said {opened.mended}"
    return msgspec.structs.replace(
        begun,
        kept={kind: kept},
        lost=lost,
        told=int(known > 0 and not faults["silent"]),
        young=lost - known,
        mended=int(not lost and opened.mended is not None),
        notes=(note,) if wrong else (),
        **{name: int(found) for name, found in faults.items()},
    )


def _count_traces(path: Path, truth: Truth) -> dict[int, int]:
    """So many entries of each match have left some trace, or the witness knew of them."""
    data = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*") if not file.name.endswith("-shm"))
    found = {}
    for match, entries in truth.entries.items():
        rows = _rows(match, entries)
        traced = [row.seq + 1 for row in rows if row.chain in data]
        found[match] = max([truth.witnessed.get(match, 0), *traced])
    return found


def _rows(match: int, entries: tuple[bytes, ...]) -> tuple[Row, ...]:
    return chain_rows(match, NOTHING, ((0, data) for data in entries))


def _list_matches(path: Path) -> Catalogue | None:
    """None: `referee journal list` ends with an error, which tells it."""
    try:
        return catalogue(path)
    except JournalError:
        return None


def _untold(found: Catalogue | None, truth: Truth, gone: dict[int, int]) -> bool:
    """Whether the list leaves something out as if it had never been."""
    if found is None or found.fault:
        return False
    counts = {each.match: each.entries for each in found.matches}
    return any(counts.get(match, 0) < min(len(entries), gone[match]) for match, entries in truth.entries.items())


def damage_test(
    trials: int, pattern: Plan, *, jobs: int = 1, folder: Path | None = None, told: OnProgress = no_progress
) -> Damages:
    """Damages as often as asked. folder: keeps what was done."""
    plans = {
        n: msgspec.structs.replace(pattern, seed=pattern.seed + n, trials=min(EACH, trials - n * EACH))
        for n in range(-(-trials // EACH))
    }
    kept = StoredResults(folder, {"trials": trials, "pattern": pattern}, Damages)
    return total(carried_on(damage, plans, jobs, kept, told).values(), Damages())


def main() -> int:
    parser = longrun.parser(__doc__, seed=1)
    parser.add_argument("--trials", type=int, default=600, help="damages (600)")
    parser.add_argument("--kind", type=Kind, choices=list(Kind), help="only this kind")
    parser.add_argument("--target", type=Target, choices=list(Target), help="only this")
    state = parser.add_mutually_exclusive_group()
    state.add_argument("--killed", action="store_true", default=None, help="only journals whose daemon was killed")
    state.add_argument("--closed", dest="killed", action="store_false", help="only journals that were closed")
    given = parser.parse_args()
    pattern = Plan(given.seed, EACH, given.kind, given.target, given.killed)
    with longrun.start_run("journals") as told:
        result = damage_test(given.trials, pattern, jobs=given.jobs, folder=given.folder, told=told)
    longrun.show(result, given.json)
    return int(result.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
