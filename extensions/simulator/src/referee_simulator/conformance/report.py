"""Runs the checks over every way to play a game, catching its errors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import msgspec

from device.logs import place
from engine.rules import Rules
from referee_simulator.conformance.checks import CHECKS, Check
from referee_simulator.conformance.way import Play, Way

MOST = 3


class Lack(msgspec.Struct, frozen=True):
    """A failed check. check: its sentence."""

    check: str
    said: str


class Report(msgspec.Struct, frozen=True):
    """The result for one way. unchecked: omitted checks with reasons."""

    way: str
    checks: int
    matches: int
    actions: int
    lacks: tuple[Lack, ...]
    unchecked: tuple[str, ...] = ()


def report(game: str, way: Way) -> tuple[Report, Play | None]:
    """Play and check a game in one way; its exceptions count as faults. Without a match the Play is None."""
    try:
        play = Play(game, way)
    except Exception as error:  # noqa: BLE001  the game is what is on trial
        return Report(str(way), 0, 0, 0, (Lack("A match can be played at random.", _error_line(error)),)), None
    lacks = tuple(lack for check in CHECKS for lack in _lacks(check, play))
    return Report(str(way), len(CHECKS), len(play.playouts), len(play.steps), lacks, tuple(_list_unchecked(play))), play


def _lacks(check: Check, play: Play) -> Iterator[Lack]:
    title = (check.__doc__ or "").partition("\n")[0]
    try:
        yield from (Lack(title, said) for said in islice(check(play), MOST))
    except Exception as error:  # noqa: BLE001
        yield Lack(title, _error_line(error))


def _list_unchecked(play: Play) -> Iterator[str]:
    if not play.way.ends:
        yield "whether matches at random end: this way to play does not say so"
    if play.way.twin is None:
        yield "whether it keeps secrets: this way to play names no twin"
    if not play.corrects():
        yield "corrections: the game has none"
    if not isinstance(play.rules, Rules):
        yield "what a camera may tell: the game does not stand on engine.rules, so the arbiter walks its menus"
    if play.clauses is None:
        yield f"whether its clauses exist: there is no rules/{play.spec.name}.md"


def _error_line(error: Exception) -> str:
    return f"{type(error).__name__} at {place(error)}: {error}"
