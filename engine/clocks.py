"""Turn clocks: none, a time per move, or a chess clock with increment. They wrap a game and know nothing of it."""

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
    """What the fall of a flag means."""

    LOSES = "loses"
    NOTE = "note"


class ClockRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """seconds: for a move, or for the whole match; increment: seconds given back after each turn (chess clock)."""

    kind: ClockKind = ClockKind.NONE
    seconds: int = 60
    increment: int = 0
    fall: Fall = Fall.LOSES


class Clocks(msgspec.Struct, frozen=True):
    """Seconds left for each seat at `since`, and whose clock runs from then on."""

    rules: ClockRules
    left: tuple[tuple[Seat, float], ...]
    running: frozenset[Seat] = frozenset()
    fallen: frozenset[Seat] = frozenset()
    since: float = 0.0


def rules(options: Mapping[str, OptionValue]) -> ClockRules:
    """The rules in an entry's `clock`. Raises Invalid, naming what is wrong."""
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
    """All clocks full, none running."""
    return Clocks(found, tuple((seat, float(found.seconds)) for seat in seats))


def seconds_left(clocks: Clocks, seat: Seat, at: float) -> float | None:
    """Seconds that `seat` has left at `at`, never below 0; None without a clock."""
    if clocks.rules.kind is ClockKind.NONE:
        return None
    seconds = dict(clocks.left)[seat]
    return max(0.0, seconds - (at - clocks.since)) if seat in clocks.running else seconds


def press(clocks: Clocks, running: frozenset[Seat], at: float) -> Clocks:
    """Time passes to `at`; from then on the clocks of `running` run. A seat whose turn ends gets its increment."""
    if clocks.rules.kind is ClockKind.NONE:
        return clocks
    found = tuple((seat, _after(clocks, seat, seat in running, at)) for seat, _ in clocks.left)
    wound = clocks.rules.kind is ClockKind.MOVE
    fallen = clocks.fallen & clocks.running & running if wound else clocks.fallen
    return msgspec.structs.replace(clocks, left=found, running=running, fallen=fallen, since=at)


def stop(clocks: Clocks, at: float) -> Clocks:
    """Time passes to `at`, then nobody's clock runs, and nobody gets an increment: a pause or the end."""
    found = tuple((seat, seconds_left(clocks, seat, at) or 0.0) for seat, _ in clocks.left)
    return msgspec.structs.replace(clocks, left=found, running=frozenset(), since=at)


def resume(clocks: Clocks, running: frozenset[Seat], at: float) -> Clocks:
    """The clocks of `running` run on from where they stood."""
    return msgspec.structs.replace(clocks, running=running, since=at)


def due(clocks: Clocks, at: float) -> tuple[Seat, ...]:
    """Seats whose flag has fallen at `at` and was not noted yet."""
    return tuple(
        s for s, _ in clocks.left if s in clocks.running - clocks.fallen and seconds_left(clocks, s, at) == 0.0
    )


def note(clocks: Clocks, seat: Seat) -> Clocks:
    """The fall of this seat's flag is noted; it falls no second time until its clock is wound again."""
    return msgspec.structs.replace(clocks, fallen=clocks.fallen | {seat})


def _after(clocks: Clocks, seat: Seat, runs_on: bool, at: float) -> float:
    now = seconds_left(clocks, seat, at)
    assert now is not None
    if clocks.rules.kind is ClockKind.MOVE:
        return now if runs_on and seat in clocks.running else float(clocks.rules.seconds)
    return now if runs_on or seat not in clocks.running else now + clocks.rules.increment
