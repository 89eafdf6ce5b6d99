"""Gestures as a pure fold: a debounced contact becomes DOWN, UP, PRESS, LONG and REPEAT (see `device.keys`)."""

from __future__ import annotations

import msgspec

from device.buttons.debounce import Change, ContactTurn
from device.keys import Button, Gesture


class Pace(msgspec.Struct, frozen=True):
    """Seconds. long_s: held so long, a press is long. repeat_s: between repeats while NEXT stays held after that."""

    long_s: float = 0.6
    repeat_s: float = 0.2


class Hold(msgspec.Struct, frozen=True):
    """One button. down_at: since when it is held, None if it is not. told: LONG and REPEATs told of this hold.

    used: something else was done with this hold, so its release is no press.
    """

    button: Button
    down_at: float | None = None
    told: int = 0
    used: bool = False


def spend_hold(hold: Hold) -> Hold:
    """Another button was pressed while this one was held: its release is no press."""
    return msgspec.structs.replace(hold, used=hold.down_at is not None)


Told = tuple[tuple[Gesture, float], ...]
"""Gestures with their times, in order."""


def feed(hold: Hold, pace: Pace, change: Change) -> tuple[Hold, Told]:
    """A debounced change. What was due before it is told first.

    A stuck button counts as let go without a press, so that nothing private stays shown for it.
    """
    hold, told = tick(hold, pace, change.at)
    if change.turn is ContactTurn.DOWN:
        return Hold(hold.button, change.at), (*told, (Gesture.DOWN, change.at))
    if hold.down_at is None:
        return hold, told
    told = (*told, (Gesture.UP, change.at))
    if change.turn is ContactTurn.UP and hold.told == 0 and not hold.used:
        told = (*told, (Gesture.PRESS, change.at))
    return Hold(hold.button), told


def tick(hold: Hold, pace: Pace, at: float) -> tuple[Hold, Told]:
    """Return a held button at `at` and the gestures that follow."""
    told: list[tuple[Gesture, float]] = []
    while (when := due(hold, pace)) is not None and at >= when:
        told.append((Gesture.LONG if hold.told == 0 else Gesture.REPEAT, when))
        hold = msgspec.structs.replace(hold, told=hold.told + 1)
    return hold, tuple(told)


def due(hold: Hold, pace: Pace) -> float | None:
    """Return when `tick` will report something; None: never."""
    if hold.down_at is None or hold.used or (hold.told and hold.button is not Button.NEXT):
        return None
    return hold.down_at + pace.long_s + hold.told * pace.repeat_s
