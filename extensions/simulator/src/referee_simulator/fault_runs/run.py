"""Plays matches with mixed faults, and counts failures."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import cv2
import msgspec

from device.daemon import assembly
from device.session.table import Table
from device.settings import TableSettings
from device.temporary_folders import scratch
from engine.entry import Entry, encode
from referee_simulator.fault_runs.disk import LyingDisk
from referee_simulator.fault_runs.faults import LEAST
from referee_simulator.fault_runs.players import AtButtons, AtTable, Sleepless
from referee_simulator.fault_runs.world import FaultRun
from referee_simulator.harness.plan import Eyes, Plan, PlannedMatch, game_and_mat, matches_of, panels_of, settings_of
from referee_simulator.harness.planned_table import table_of
from referee_simulator.harness.sights import IdealSight, PictureSight, Sight
from referee_simulator.harness.stored_results import OnProgress, StoredResults, carried_on, no_progress, total
from referee_simulator.table.virtual import VirtualTable

MOST = {Eyes.NONE: 10, Eyes.IDEAL: 8, Eyes.PICTURES: 4}
"""Actions before everybody gives up; faults matter here, not the end of a game."""

MOST_NOTES = 40


class FaultRuns(msgspec.Struct, frozen=True):
    """Results of one fault run, or of all.

    games, eyes, faults: counts by kind
    few: matches with fewer than five faults
    lost: restarts that lost displayed states
    doubled: times when entries differed from those recorded
    leaked: displays with a foreign screen after their repaint time
    alarms, told: reported losses without and with a bad sector
    stuck: matches that did not end
    astray: times players had to reorient
    digest: of faults and entries; equal for equal seeds"""

    matches: int = 0
    games: dict[str, int] = {}
    eyes: dict[str, int] = {}
    faults: dict[str, int] = {}
    few: int = 0
    entries: int = 0
    actions: int = 0
    lost: int = 0
    doubled: int = 0
    leaked: int = 0
    alarms: int = 0
    stuck: int = 0
    told: int = 0
    astray: int = 0
    simulated_seconds: float = 0.0
    seconds: float = 0.0
    digest: str = ""
    notes: tuple[str, ...] = ()

    @property
    def wrong(self) -> int:
        return self.lost + self.doubled + self.leaked + self.alarms + self.stuck + self.few


def simulate(plan: Plan, progress: OnProgress = no_progress, folder: Path | None = None) -> FaultRuns:
    """Play a plan's fault runs. folder: stores results, unless `only` is set. Raises Invalid for an unplayable game,
    OtherRun for results of another plan or code."""
    named = msgspec.structs.replace(plan, jobs=1, only=None)
    kept = StoredResults(None if plan.only is not None else folder, named, FaultRuns)
    with scratch() as pieces:
        runs = {planned.number: planned for planned in matches_of(plan, pieces)}
        found = carried_on(play, runs, plan.jobs, kept, progress)
    whole = hashlib.sha256("".join(each.digest for each in found.values()).encode()).hexdigest()[:16]
    return msgspec.structs.replace(total(found.values(), FaultRuns()), digest=whole)


def play(planned: PlannedMatch) -> FaultRuns:
    """Play one run in this process and a vision worker."""
    cv2.setNumThreads(1)
    begun = time.monotonic()
    with scratch() as folder, _without_logs():
        world, folk = _set_out(planned, folder)
        asyncio.run(world.pass_run(folk))
        there = world.finish(folk)
    return msgspec.structs.replace(_score(planned, world, folk, there), seconds=round(time.monotonic() - begun, 1))


@contextmanager
def _without_logs() -> Iterator[None]:
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(before)


def _set_out(planned: PlannedMatch, folder: Path) -> tuple[FaultRun, Sleepless]:
    plan, state = planned.plan, folder / "state"
    if plan.eyes is Eyes.NONE:
        settings = panels_of(planned.seats, planned.panels, folder)
    else:
        settings = settings_of(planned.seats, folder)
    settings = msgspec.structs.replace(settings, state_dir=state, language=planned.language)
    rules, sight = assembly.session_table(settings), None
    seats, most = tuple(sorted(settings.seats)), MOST[plan.eyes]
    if plan.eyes is not Eyes.NONE:
        known, mat = game_and_mat(rules, plan.game, planned.seats, planned.options)
        table, holding = table_of(known, mat, seats, planned)
        sight = _sight(planned, table, settings, rules)
    disk = LyingDisk(state, _furnish(planned))
    world = FaultRun(settings, seed=planned.seed, faults=planned.faults, disk=disk, rules=rules, sight=sight)
    if plan.eyes is Eyes.NONE:
        folk: Sleepless = AtButtons(world, rules, plan.game, planned.seats, planned.seed, planned.options, most)
    else:
        folk = AtTable(world, rules, plan.game, seats, planned.seed, planned.options, most, holding)
    return world, folk


def _sight(planned: PlannedMatch, table: VirtualTable, settings: TableSettings, rules: Table) -> Sight:
    if planned.plan.eyes is Eyes.IDEAL:
        return IdealSight(table, rules.mats)
    return PictureSight(table, settings)


def _furnish(planned: PlannedMatch) -> Callable[[Path], None]:
    def furnish(folder: Path) -> None:
        if planned.plan.eyes is Eyes.PICTURES and not (folder / "enrolled").exists():
            (folder / "enrolled").symlink_to(planned.enrolled)

    return furnish


def _score(planned: PlannedMatch, world: FaultRun, folk: Sleepless, there: Sequence[Entry]) -> FaultRuns:
    strikes = world.strikes
    safety, struck = strikes.safety, Counter(str(fault.kind) for fault in strikes.struck)
    notes = [*safety.notes, *folk.tally.notes] if safety.notes or folk.tally.stuck or not folk.over else []
    if there != tuple(world.recorded):
        safety.lost += 1
        notes.append(f"at the end {len(there)} entries were there, {len(world.recorded)} had been recorded")
    told = msgspec.json.encode([str(fault.kind) for fault in strikes.struck]) + b"".join(map(encode, there))
    return FaultRuns(
        matches=1,
        games={planned.plan.game: 1},
        eyes={str(planned.plan.eyes): 1},
        faults=dict(sorted(struck.items())),
        few=int(len(strikes.struck) < LEAST),
        entries=len(there),
        actions=folk.tally.actions,
        lost=safety.lost,
        doubled=safety.doubled,
        leaked=safety.leaked,
        alarms=safety.alarms,
        stuck=int(not folk.over),
        told=safety.told,
        astray=folk.astray,
        simulated_seconds=round(world.now, 1),
        digest=hashlib.sha256(told).hexdigest()[:16],
        notes=tuple(f"match {planned.number}: {note}"[:400] for note in notes[-MOST_NOTES:]),
    )
