"""Puts clocks and times into words, and finds when they change."""

from __future__ import annotations

from collections.abc import Mapping

from engine import clocks
from engine.clocks import ClockKind, ClockRules, Clocks, Fall
from engine.game import OptionValue
from engine.table import Seat
from engine.text import Text, say, who

Clock = dict[str, OptionValue]
SHORT_S = 20.0
NOISE_S = 1e-6
"""A clock changes so much before a whole second, where arithmetic rounds either way."""

_USUAL: tuple[Clock, ...] = (
    {"kind": "none"},
    {"kind": "move", "seconds": 30},
    {"kind": "move", "seconds": 60},
    {"kind": "move", "seconds": 120},
    {"kind": "chess", "seconds": 300, "increment": 0},
    {"kind": "chess", "seconds": 600, "increment": 5},
    {"kind": "chess", "seconds": 1200, "increment": 10},
    {"kind": "move", "seconds": 60, "fall": "note"},
    {"kind": "chess", "seconds": 600, "increment": 5, "fall": "note"},
)


def clock_choices(first: Mapping[str, OptionValue]) -> tuple[Clock, ...]:
    """Return the clocks on offer, the table's first."""
    own: Clock = {"kind": "none"}
    if first.get("kind", "none") != "none":
        own = {name: value for name, value in first.items() if _tells(name, value, first)}
    return (own, *(usual for usual in _USUAL if usual != own))


def _tells(name: str, value: OptionValue, clock: Mapping[str, OptionValue]) -> bool:
    usual = Fall.LOSES if name == "fall" else 0 if name == "increment" and clock["kind"] == ClockKind.MOVE else None
    return value != usual


def clock_text(clock: Mapping[str, OptionValue]) -> Text:
    if clock.get("fall") == Fall.NOTE and clock.get("kind", "none") != ClockKind.NONE:
        played = {name: value for name, value in clock.items() if name != "fall"}
        return say("{clock}, no loss on time", clock=clock_text(played))
    seconds = int(clock.get("seconds", 60))
    match clock.get("kind", "none"):
        case ClockKind.MOVE:
            return say("{seconds} s a move", seconds=seconds)
        case ClockKind.CHESS:
            increment = int(clock.get("increment", 0))
            return say("{time} + {increment} s", time=minutes(seconds), increment=increment)
        case _:
            return say("No clock")


def minutes(seconds: float) -> str:
    """Return seconds as m:ss, rounded up; 0:00 only when time is over."""
    whole = int(-(-seconds // 1))
    return f"{whole // 60}:{whole % 60:02d}"


def readings(wound: Clocks, seats: tuple[Seat, ...], at: float) -> tuple[Text, ...]:
    """Return each seat's clock for the status line; () without clocks."""
    left = [(seat, clocks.seconds_left(wound, seat, at)) for seat in seats]
    return tuple(
        Text("{seat} {time}", (("seat", who(seat)), ("time", minutes(seconds - NOISE_S))))
        for seat, seconds in left
        if seconds is not None
    )


def clock_in_front(wound: Clocks, seats: tuple[Seat, ...], seat: str | None) -> int:
    """Return the place of the clock that a seat's display shows first: its own, unless only others run.

    A display without a seat shows the first running clock; 0 if none runs.
    """
    if seat in seats and (seat in wound.running or not wound.running):
        return seats.index(seat)
    return next((place for place, seat in enumerate(seats) if seat in wound.running), 0)


def short_s(rules: ClockRules) -> float:
    """Return the seconds left at which a clock warns: SHORT_S, but at most a third of its time."""
    return min(SHORT_S, rules.seconds / 3)


def short(wound: Clocks, at: float) -> frozenset[Seat]:
    """Return the seats with at most `short_s` left, even if their clocks rest."""
    if wound.rules.kind is ClockKind.NONE:
        return frozenset()
    limit = short_s(wound.rules)
    return frozenset(seat for seat, _ in wound.left if round(clocks.seconds_left(wound, seat, at) or 0.0, 3) <= limit)


def fall_of(wound: Clocks, seat: Seat) -> float:
    """Return the match time (s) at which a running clock's flag falls."""
    return dict(wound.left)[seat] + wound.since


def falls(wound: Clocks) -> tuple[float, ...]:
    """Return the match times (s) at which running clocks' flags fall, or fell unrecorded."""
    if wound.rules.kind is ClockKind.NONE:
        return ()
    return tuple(fall_of(wound, seat) for seat in sorted(wound.running - wound.fallen))


def next_change(wound: Clocks, at: float) -> float | None:
    """Return seconds until a running clock's display changes; None if never."""
    waits = []
    for seat in wound.running:
        seconds = clocks.seconds_left(wound, seat, at)
        if seconds is not None and seconds > 0.0:
            waits.append(((seconds - NOISE_S) % 1.0) or 1.0)
    return min(waits, default=None)
