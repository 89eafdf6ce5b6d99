"""Feeds every reader of outer files, the bus and the pages with mutations of what they should get.

    python -m tools.fuzz --cases 10000 --seed 7 --folder fuzz

Every case must end well or with a sentence: no other error, no more than two seconds of work, no growth over 50 MB
(a picture may take what the largest that is read takes, for a moment). What is wrong is told with its case, and the
case is kept below the folder, so that it can be fed again: `--only TARGET --case FILE`.
"""

from __future__ import annotations

import hashlib
import logging
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path

import cv2
import msgspec

from engine.errors import RefereeError
from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from tools import longrun
from tools.fuzz import bus, files, pages
from tools.fuzz.judge import GROWTH_KB, Target, judge_case, resident_kb
from tools.fuzz.mutate import mutate_sample

BATCH = 250
"""Cases that are fed to new readers, in one process."""

KINDS: dict[str, Callable[[Path], AbstractContextManager[tuple[Target, ...]]]] = {
    "files": files.targets,
    "bus": bus.targets,
    "pages": pages.targets,
}
SHARES = {"files": 0.5, "bus": 0.45, "pages": 0.05}
"""Of the cases, unless it is said otherwise."""

MOST_NOTES = 50


class NoSuchTarget(RefereeError, LookupError):
    """What was named is not fed by this."""


class Found(msgspec.Struct, frozen=True):
    """wrong: cases that ended otherwise than they may; by_what: these, by what was wrong. notes: where each stands."""

    cases: int = 0
    wrong: int = 0
    growth_kb: int = 0
    of: dict[str, int] = {}
    by_what: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


class Batch(msgspec.Struct, frozen=True):
    """So many cases of one kind, all from one seed. keep: where the data of those that are wrong are put."""

    kind: str
    seed: str
    cases: int
    only: str = ""
    keep: str = ""


def fuzz_batch(batch: Batch) -> Found:
    """Feeds the cases of a batch to readers that are made for it, and judges each."""
    begun, rng = time.monotonic(), random.Random(batch.seed)
    _quiet()
    with _targets(batch) as targets:
        found = _feed(batch, rng, targets)
    return msgspec.structs.replace(found, seconds=round(time.monotonic() - begun, 1))


@contextmanager
def _targets(batch: Batch) -> Iterator[list[Target]]:
    """Those of the batch's kind, or the only one. Raises NoSuchTarget."""
    with (
        tempfile.TemporaryDirectory(prefix="fuzz-", dir=longrun.memory()) as place,
        KINDS[batch.kind](Path(place) / "files") as made,
    ):
        chosen = [target for target in made if batch.only in ("", target.name)]
        if not chosen:
            known = ", ".join(target.name for target in made)
            raise NoSuchTarget(f"there is no target {batch.only!r} of {batch.kind}; there are: {known}")
        yield chosen


def _feed(batch: Batch, rng: random.Random, targets: list[Target]) -> Found:
    for target in targets:
        for sample in target.samples:
            if (what := judge_case(target, sample)) is not None:
                raise AssertionError(f"{target.name}: what it should get is refused: {what}")
    found, first = Found(), resident_kb()
    for number in range(batch.cases):
        target = rng.choice(targets)
        data = mutate_sample(rng, target.samples)
        what = judge_case(target, data)
        found = total((found, Found(1, of={target.name: 1})), Found())
        if what is not None:
            found = total((found, _wrong(batch, number, target, data, what)), Found())
    grown = max(0, resident_kb() - first)
    if grown > GROWTH_KB + max(target.room_kb for target in targets):
        note = f"{batch.seed}: growth of {grown} kB over {batch.cases} cases"
        found = total((found, Found(0, 1, by_what={"growth": 1}, notes=(note,))), Found())
    return msgspec.structs.replace(found, growth_kb=grown)


def _wrong(batch: Batch, number: int, target: Target, data: bytes, what: str) -> Found:
    name = f"{hashlib.sha256(data).hexdigest()[:12]}.case"
    if batch.keep:
        with suppress(OSError):
            Path(batch.keep).mkdir(parents=True, exist_ok=True)
            (Path(batch.keep) / name).write_bytes(data)
    return Found(0, 1, by_what={what: 1}, notes=(f"{target.name}: {what} ({batch.seed}, case {number}, {name})",))


@cache
def _quiet() -> None:
    """What readers log is what is wanted of them; only `pages` listens."""
    logging.basicConfig(level=logging.WARNING, handlers=[logging.NullHandler()])
    cv2.setNumThreads(1)


def fuzz(
    cases: int,
    seed: int,
    *,
    shares: dict[str, float] | None = None,
    only: str = "",
    jobs: int = 1,
    folder: Path | None = None,
    progress: OnProgress = no_progress,
) -> Found:
    """Feeds so many cases. shares: of each kind of them; only: the one target; folder: keeps what was found."""
    keep = "" if folder is None else str(folder / "cases")
    batches: dict[int, Batch] = {}
    for kind, share in (shares or SHARES).items():
        left = round(cases * share)
        while left > 0:
            number = len(batches)
            batches[number] = Batch(kind, f"{seed}/{number}", min(BATCH, left), only, keep)
            left -= BATCH
    plan = {"cases": cases, "seed": seed, "only": only, "shares": shares or SHARES}
    found = carried_on(fuzz_batch, batches, jobs, StoredResults(folder, plan, Found), progress)
    whole = total(found.values(), Found())
    grown = max((each.growth_kb for each in found.values()), default=0)
    return msgspec.structs.replace(whole, growth_kb=grown, notes=whole.notes[:MOST_NOTES])


def main() -> int:
    parser = longrun.parser(__doc__, seed=1)
    parser.add_argument("--cases", type=int, default=10_000, help="cases (10000)")
    parser.add_argument("--of", choices=tuple(KINDS), help="only cases of one kind")
    parser.add_argument("--only", default="", help="only cases for one target of --of")
    parser.add_argument("--case", type=Path, help="feed this case to the target of --of and --only")
    given = parser.parse_args()
    shares = {given.of: 1.0} if given.of else SHARES
    if given.case is not None:
        return _again(given.of or "files", given.only, given.case)
    with longrun.start_run("batches") as progress:
        result = fuzz(
            given.cases,
            given.seed,
            shares=shares,
            only=given.only,
            jobs=given.jobs,
            folder=given.folder,
            progress=progress,
        )
    longrun.show(result, given.json)
    return int(result.wrong > 0)


def _again(kind: str, name: str, case: Path) -> int:
    """Feeds one case; an error that it may not end with is raised."""
    with _targets(Batch(kind, "", 0, name)) as (target, *_):
        try:
            target.feed(case.read_bytes())
        except RefereeError as error:
            print(error)
    return 0
