"""Turn clocks: none, a time per move, or a chess clock with increment. Independent of the game."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from engine.errors import Invalid
from engine.game import OptionValue
from engine.table import Seat
from engine.text import say


class ClockKind(StrEnum):
    NONE = "none"
    MOVE = "move"
    CHESS = "chess"


class Fall(StrEnum):
    LOSES = "loses"
    NOTE = "note"


class ClockRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rules of a clock. seconds: per move or match; increment: seconds added after each turn (chess clock)."""

    kind: ClockKind = ClockKind.NONE
    seconds: int = 60
    increment: int = 0
    fall: Fall = Fall.LOSES


class Clocks(msgspec.Struct, frozen=True):
    """Seconds left for each seat at `since`, seats whose clocks run, and seats whose flag fell (`note`)."""

    rules: ClockRules
    left: tuple[tuple[Seat, float], ...]
    running: frozenset[Seat] = frozenset()
    fallen: frozenset[Seat] = frozenset()
    since: float = 0.0


def rules(options: Mapping[str, OptionValue]) -> ClockRules:
    """Convert a start entry's `clock`. Raises Invalid for a mistake."""
    try:
        found = msgspec.convert(dict(options), ClockRules)
    except msgspec.ValidationError as error:
        raise Invalid(
            say(
                "This clock cannot be set ({reason}): kind is {kinds}, fall is {falls}, the others are whole numbers.",
                reason=str(error),
                kinds=", ".join(ClockKind),
                falls=", ".join(Fall),
            )
        ) from error
    if found.seconds <= 0 or found.increment < 0:
        raise Invalid(say("A clock needs more than 0 seconds, and an increment of 0 or more."))
    return found


def wind(found: ClockRules, seats: tuple[Seat, ...]) -> Clocks:
    return Clocks(found, tuple((seat, float(found.seconds)) for seat in seats))


def seconds_left(clocks: Clocks, seat: Seat, at: float) -> float | None:
    """Return a seat's seconds left at time `at`, at least 0; None without a clock."""
    if clocks.rules.kind is ClockKind.NONE:
        return None
    seconds = dict(clocks.left)[seat]
    return max(0.0, seconds - (at - clocks.since)) if seat in clocks.running else seconds


def press(clocks: Clocks, running: frozenset[Seat], at: float, moved: Seat | None = None) -> Clocks:
    """Advance to `at`, then run the clocks of `running`. A seat whose turn ends gets its increment, or new time. moved:
    the seat that gets new time though it goes on."""
    if clocks.rules.kind is ClockKind.NONE:
        return clocks
    if clocks.rules.kind is ClockKind.CHESS:
        found = tuple((seat, _time_after(clocks, seat, seat in running, at)) for seat, _ in clocks.left)
        return msgspec.structs.replace(clocks, left=found, running=running, since=at)
    on = (clocks.running & running) - {moved}
    found = tuple(
        (seat, _time_left(clocks, seat, at) if seat in on else float(clocks.rules.seconds)) for seat, _ in clocks.left
    )
    return msgspec.structs.replace(clocks, left=found, running=running, fallen=clocks.fallen & on, since=at)


def stop(clocks: Clocks, at: float) -> Clocks:
    """Advance to `at` and stop all clocks, without increments."""
    found = tuple((seat, seconds_left(clocks, seat, at) or 0.0) for seat, _ in clocks.left)
    return msgspec.structs.replace(clocks, left=found, running=frozenset(), since=at)


def resume(clocks: Clocks, running: frozenset[Seat], at: float) -> Clocks:
    return msgspec.structs.replace(clocks, running=running, since=at)


def due(clocks: Clocks, at: float) -> tuple[Seat, ...]:
    return tuple(
        s for s, _ in clocks.left if s in clocks.running - clocks.fallen and seconds_left(clocks, s, at) == 0.0
    )


def note(clocks: Clocks, seat: Seat) -> Clocks:
    """Mark a seat's flag as fallen, so that `due` omits it (with a chess clock for ever)."""
    return msgspec.structs.replace(clocks, fallen=clocks.fallen | {seat})


def _time_left(clocks: Clocks, seat: Seat, at: float) -> float:
    left = seconds_left(clocks, seat, at)
    assert left is not None
    return left


def _time_after(clocks: Clocks, seat: Seat, runs_on: bool, at: float) -> float:
    ends = seat in clocks.running and not runs_on
    return _time_left(clocks, seat, at) + (clocks.rules.increment if ends else 0)
