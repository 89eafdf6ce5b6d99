"""Plays many matches without a browser, and collects figures."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import cv2
import msgspec

from device.daemon import assembly
from device.temporary_folders import scratch
from referee_simulator.harness.bumps import Bumps
from referee_simulator.harness.ideal_eyes import Ideal
from referee_simulator.harness.plan import (
    PHONE,
    Eyes,
    Plan,
    PlannedMatch,
    game_and_mat,
    matches_of,
    panels_of,
    settings_of,
    with_phones,
)
from referee_simulator.harness.planned_table import table_of
from referee_simulator.harness.processes import play_in_processes
from referee_simulator.harness.sights import IdealSight, PictureSight, Sight
from referee_simulator.harness.timed_daemon import Timed
from referee_simulator.judge.tally import Conduct, Details, Result, Tally, count_values, merge_tallies, result
from referee_simulator.players.players import Manner, Players
from referee_simulator.players.pressers import Pressers
from referee_simulator.players.tappers import Tappers
from vision.mat import Mat

Figures: TypeAlias = "Result[Details] | Result[Conduct]"
"""Conduct is for matches at the buttons."""


class Score(msgspec.Struct, frozen=True):
    tally: Tally
    simulated_seconds: float
    frames: int = 0
    frames_with_hands: int = 0
    resigned: bool = False
    broken_off: bool = False


def simulate(plan: Plan, progress: Callable[[int, int], None] = lambda _done, _of: None) -> Figures:
    """Play a plan. progress: called with matches done and planned. Raises Invalid for an unplayable game."""
    begun = time.monotonic()
    with scratch() as folder:
        matches = {planned.number: planned for planned in matches_of(plan, folder)}
        scores = play_in_processes(play, matches, plan.jobs, progress)
    return _result(tuple(matches.values()), scores, time.monotonic() - begun)


def play(planned: PlannedMatch, eyes: Callable[[Mapping[str, Mat]], Ideal] = Ideal) -> Score:
    """Play one match in this process and a vision worker. eyes: factory of ideal eyes."""
    cv2.setNumThreads(1)
    plan = planned.plan
    with scratch() as folder:
        if plan.eyes is Eyes.NONE:
            return asyncio.run(_press(planned, folder))
        score = asyncio.run(_watch(planned, folder, eyes))
        if plan.journals is not None:
            kept = Path(plan.journals)
            kept.mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "journal.db", kept / f"match-{planned.number:03d}.db")
    return score


async def _press(planned: PlannedMatch, folder: Path) -> Score:
    settings = panels_of(planned.seats, planned.panels, folder)
    rules, by_phone = assembly.session_table(settings), planned.panels == PHONE
    rules = with_phones(rules) if by_phone else rules
    world = Timed(settings, seed=planned.seed, rules=rules, drawn=not by_phone)
    known = rules.games[planned.plan.game]
    players = (
        Tappers(world, known, planned.seats, planned.seed, language=planned.language)
        if by_phone
        else Pressers(world, known, planned.seats, planned.seed)
    )
    await world.run(players.whole_match(planned.options))
    players.tally.presses = world.taps if by_phone else world.pins.presses
    return Score(players.tally, world.now, resigned=players.resigned)


async def _watch(planned: PlannedMatch, folder: Path, eyes: Callable[[Mapping[str, Mat]], Ideal]) -> Score:
    plan = planned.plan
    (folder / "enrolled").symlink_to(planned.enrolled)
    settings = settings_of(planned.seats, folder)
    rules, seats = assembly.session_table(settings), tuple(sorted(settings.seats))
    known, mat = game_and_mat(rules, plan.game, planned.seats, planned.options)
    table, holding = table_of(known, mat, seats, planned)
    ideal = plan.eyes is Eyes.IDEAL
    sight: Sight = IdealSight(table, rules.mats, eyes) if ideal else PictureSight(table, settings)
    every_s = plan.bump_s or table.scene.nudge_s
    fate = Bumps(table, every_s, planned.seed) if every_s else None
    world = Timed(settings, seed=planned.seed, rules=rules, sight=sight, drawn=False, fate=fate)
    players = Players(world, known, seats, planned.seed, Manner(cheat_rate=plan.cheat_rate), holding=holding)
    await world.run(players.whole_match(planned.options))
    players.tally.presses = world.pins.presses
    return Score(
        players.tally,
        world.now,
        sight.rhythm.frames,
        sight.rhythm.frames_with_hands,
        broken_off=players.broken_off,
    )


def _result(matches: Sequence[PlannedMatch], scores: Mapping[int, Score], seconds: float) -> Figures:
    plan, tally = matches[0].plan, merge_tallies({number: score.tally for number, score in scores.items()})
    if plan.eyes is Eyes.NONE:
        return result(plan.game, len(matches), tally, seconds, _conduct(plan, matches, scores, tally))
    frames = sum(score.frames for score in scores.values())
    details = Details(
        scene=plan.scene,
        seed=plan.seed,
        cheat_rate=plan.cheat_rate,
        seats=count_values(str(planned.seats) for planned in matches),
        orders=count_values(str(planned.options.get("orders", "")) for planned in matches),
        hands=round(sum(score.frames_with_hands for score in scores.values()) / max(1, frames), 3),
        simulated_seconds=round(sum(score.simulated_seconds for score in scores.values()), 1),
        stuck=tally.stuck,
        broken_off=sum(score.broken_off for score in scores.values()),
        put_right=tally.put_right,
        asked=dict(sorted(tally.questions.items())),
        notes=tuple(tally.notes),
    )
    return result(plan.game, len(matches), tally, seconds, details, frames)


def _conduct(plan: Plan, matches: Sequence[PlannedMatch], scores: Mapping[int, Score], tally: Tally) -> Conduct:
    told = Counter(f"{name}={value}".lower() for planned in matches for name, value in planned.options.items())
    return Conduct(
        seed=plan.seed,
        seats=count_values(str(planned.seats) for planned in matches),
        panels=count_values(planned.panels for planned in matches),
        options=dict(sorted(told.items())),
        presses=tally.presses,
        simulated_seconds=round(sum(score.simulated_seconds for score in scores.values()), 1),
        resigned=sum(score.resigned for score in scores.values()),
        stuck=tally.stuck,
        notes=tuple(tally.notes),
    )


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
