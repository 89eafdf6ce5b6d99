"""Plays many matches without a browser, in several processes, and collects their figures."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import cv2
import msgspec

from device.daemon import assembly
from device.scratch import scratch
from device.session.table import Known, Table
from device.settings import TableSettings
from device.sim.harness.inline import Inline
from device.sim.harness.lockstep import Lockstep
from device.sim.harness.onlookers import Ideal, Onlooker
from device.sim.harness.plan import Evening, Plan, evenings_of, laid, settings_of
from device.sim.harness.spread import played
from device.sim.judge.tally import Details, Result, Tally, counted, merged, result
from device.sim.players.evening import Manner, Players
from device.sim.render.camera import SIZE
from device.sim.table.holding import Holding
from device.sim.table.places import care_in
from device.sim.table.scenes import draw, published
from device.sim.table.setting import set_out
from device.sim.table.virtual import VirtualTable
from engine.catalogue import dealer
from engine.options import complete
from vision.mat import Mat

UNSEEN = (160, 90)
"""Pixels of a camera that nobody looks through."""


class Score(msgspec.Struct, frozen=True):
    """What one match gave."""

    tally: Tally
    frames: int
    frames_with_hands: int
    simulated_seconds: float


def simulate(plan: Plan, told: Callable[[int, int], None] = lambda _done, _of: None) -> Result[Details]:
    """Plays every match of a plan. `told` hears how many matches are done.

    Raises Invalid if the game cannot be played so, and what the daemon raises.
    """
    begun = time.monotonic()
    with scratch() as folder:
        evenings = {evening.number: evening for evening in evenings_of(plan, folder)}
        scores = played(play, evenings, plan.jobs, told)
    return _result(tuple(evenings.values()), scores, time.monotonic() - begun)


def play(evening: Evening, eyes: Callable[[Mapping[str, Mat]], Onlooker] = Ideal) -> Score:
    """One match, from power-on to its end, in this process and a vision worker. eyes: if the plan has ideal ones."""
    cv2.setNumThreads(1)
    plan = evening.plan
    with scratch() as folder:
        (folder / "enrolled").symlink_to(evening.enrolled)
        settings = settings_of(evening.seats, folder)
        rules = assembly.session_table(settings)
        known, mat = laid(rules, plan.game, evening.seats, evening.options)
        seats = tuple(sorted(settings.seats))
        table, holding = _table(known, mat, seats, evening)
        if plan.ideal:
            return _watch(table, holding, known, evening, folder, eyes)
        score = asyncio.run(_play(table, settings, rules, known, evening, holding))
        if plan.journals is not None:
            kept = Path(plan.journals)
            kept.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "journal.db", kept / f"match-{evening.number:03d}.db")
    return score


async def _play(
    table: VirtualTable,
    settings: TableSettings,
    rules: Table,
    known: Known,
    evening: Evening,
    holding: Holding | None,
) -> Score:
    world = Lockstep(table, settings, seed=evening.seed, rules=rules)
    seats = tuple(sorted(settings.seats))
    players = Players(world, known, seats, evening.seed, Manner(cheat_rate=evening.plan.cheat_rate), holding=holding)
    await world.run(players.evening(evening.options))
    players.tally.presses = world.pins.presses
    rhythm = world.rhythm
    return Score(players.tally, rhythm.frames, rhythm.frames_with_hands, world.now)


def _watch(
    table: VirtualTable,
    holding: Holding | None,
    known: Known,
    evening: Evening,
    folder: Path,
    sight: Callable[[Mapping[str, Mat]], Onlooker],
) -> Score:
    """The same match with ideal eyes, in this process alone."""
    seats = tuple(sorted(table.sides))
    rules = Table(panels=seats, games={evening.plan.game: known}, camera=True, mats={table.mat.name: table.mat})
    eyes = sight(rules.mats)
    with Inline(table, rules, folder / "journal.db", eyes, seed=evening.seed) as world:
        manner = Manner(cheat_rate=evening.plan.cheat_rate)
        players = Players(world, known, seats, evening.seed, manner, holding=holding)
        world.run(players.evening(evening.options))
        players.tally.presses = world.pins.presses
    return Score(players.tally, world.rhythm.frames, world.rhythm.frames_with_hands, world.now)


def _table(known: Known, mat: Mat, seats: tuple[str, ...], evening: Evening) -> tuple[VirtualTable, Holding | None]:
    """The table set out for the match that the daemon will begin with the same seed, and the cards in the hands."""
    scene = draw(published()[evening.plan.scene], evening.seed)
    state = known.game.setup(complete(known.spec.options, evening.options), seats, evening.seed)
    care = care_in(scene)
    holder = dealer(known.spec, known.game)
    holding = None if holder is None else Holding(holder, state, seats, evening.seed)
    truth = set_out(known.game.layout(state), mat, random.Random(f"{evening.seed}/laid"), care, holding)
    size = UNSEEN if evening.plan.ideal else SIZE
    return VirtualTable(mat, truth, scene, mat.sides[str(len(seats))], size), holding


def _result(evenings: Sequence[Evening], scores: Mapping[int, Score], seconds: float) -> Result[Details]:
    plan, tally = evenings[0].plan, merged({number: score.tally for number, score in scores.items()})
    frames = sum(score.frames for score in scores.values())
    details = Details(
        scene=plan.scene,
        seed=plan.seed,
        cheat_rate=plan.cheat_rate,
        seats=counted(str(evening.seats) for evening in evenings),
        orders=counted(str(evening.options.get("orders", "")) for evening in evenings),
        hands=round(sum(score.frames_with_hands for score in scores.values()) / max(1, frames), 3),
        simulated_seconds=round(sum(score.simulated_seconds for score in scores.values()), 1),
        stuck=tally.stuck,
        put_right=tally.put_right,
        asked=dict(sorted(tally.questions.items())),
        notes=tuple(tally.notes),
    )
    return result(plan.game, len(evenings), tally, seconds, details, frames)


def cores() -> int:
    """How many processes may run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
