"""Grades a game by what it was shown to do, from none to platinum."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import TypeAlias

import msgspec

from device.locale import LANGUAGES
from engine.errors import Refusal
from referee_simulator.conformance.report import Report
from referee_simulator.conformance.said import all_said, texts, translated_nowhere
from referee_simulator.conformance.way import Play
from referee_simulator.harness.plan import Eyes, Plan
from referee_simulator.harness.run import simulate
from referee_simulator.judge.tally import Details

Oracle: TypeAlias = Callable[[random.Random], object]
"""Plays something at random with a second implementation of the rules; raises AssertionError where the two differ."""

SEEN = 2
"""Matches of each way to play that the referee watches with ideal eyes, cheats among them."""

COMPARED = 200
"""Runs of an oracle."""


class Grade(StrEnum):
    """Grades in ascending order; each needs the ones before it."""

    NONE = "none"
    BRONZE = "bronze"  # every check passes
    SILVER = "silver"  # a camera can referee it
    GOLD = "gold"  # it explains itself, in every language of the table
    PLATINUM = "platinum"  # a second implementation of its rules agrees


class Quality(msgspec.Struct, frozen=True):
    """A game's grade. missing: what the next one needs, in sentences."""

    grade: Grade
    missing: tuple[str, ...] = ()


def quality(plays: Sequence[Play], reports: Sequence[Report], oracle: Oracle | None) -> Quality:
    """Return a game's grade by `plays` in every way. Raises what the oracle raises, but AssertionError."""
    steps: tuple[tuple[Grade, Callable[[], Iterator[str]]], ...] = (
        (Grade.BRONZE, lambda: _lacks(reports)),
        (Grade.SILVER, lambda: _find_misjudged(plays)),
        (Grade.GOLD, lambda: _find_unexplained(plays)),
        (Grade.PLATINUM, lambda: _find_contradictions(oracle)),
    )
    reached = Grade.NONE
    for grade, missing in steps:
        found = tuple(missing())
        if found:
            return Quality(reached, found)
        reached = grade
    return Quality(reached)


def _lacks(reports: Sequence[Report]) -> Iterator[str]:
    lacking = [report.way for report in reports if report.lacks]
    if lacking:
        yield f"Checks fail in {len(lacking)} of {len(reports)} ways to play it."


def _find_misjudged(plays: Sequence[Play]) -> Iterator[str]:
    watched = 0
    for play in plays:
        way = play.way
        plan = Plan(play.spec.name, SEEN, 1, 0.1, options=way.options, seats=len(way.seats), eyes=Eyes.IDEAL)
        try:
            found = simulate(plan)
        except Refusal:  # no mat for this way to play
            continue
        watched += 1
        faults = {"wrong verdicts": found.verdicts.wrong, "false accusations": found.false_accusations}
        if isinstance(found.details, Details):
            faults["matches that got stuck"] = found.details.stuck
        yield from (f"{way}: {count} {what} in {SEEN} matches." for what, count in faults.items() if count)
    if not watched:
        yield "It has no mat, so no camera can follow it."


def _find_unexplained(plays: Sequence[Play]) -> Iterator[str]:
    spec = plays[0].spec
    if plays[0].clauses is None:
        yield f"There is no rules/{spec.name}.md with its clauses."
    yield from (f"Option {option.name} has no help." for option in spec.options if option.basic and not option.help)
    if not any(play.rules.reference(play.options) for play in plays):
        yield "It has no reference for players (`reference`)."
    said = {text.message for play in plays for step in play.sample(20) for text in texts(all_said(play, step))}
    lacking = [language for language, _ in translated_nowhere(said, LANGUAGES)]
    for language in sorted(set(lacking)):
        yield f"{lacking.count(language)} of its sentences are not translated into {language}."


def _find_contradictions(oracle: Oracle | None) -> Iterator[str]:
    if oracle is None:
        yield "No second implementation of its rules was compared (`--oracle MODULE:NAME`)."
        return
    for number in range(COMPARED):
        try:
            oracle(random.Random(f"conformance/{number}"))
        except AssertionError as error:
            yield f"The oracle disagrees in run {number}: {error}"
            return
