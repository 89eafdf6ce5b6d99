"""Turns contacts into gestures (`device.key_gestures`) as a pure fold."""

from __future__ import annotations

import msgspec

from device.buttons.debounce import Change, ContactTurn
from device.key_gestures import Button, Gesture


class Pace(msgspec.Struct, frozen=True):
    """Times in seconds of long presses and repeats."""

    long_s: float = 0.6
    repeat_s: float = 0.2


class Hold(msgspec.Struct, frozen=True):
    """A button. down_at: start of the hold, or None. reported: number of LONG and REPEATs. used: only UP may follow."""

    button: Button
    down_at: float | None = None
    reported: int = 0
    used: bool = False


def spend_hold(hold: Hold) -> Hold:
    """Return the button, used if it is held: another was pressed."""
    return msgspec.structs.replace(hold, used=hold.down_at is not None)


TimedGestures = tuple[tuple[Gesture, float], ...]
"""Gestures with their times."""


def feed(hold: Hold, pace: Pace, change: Change) -> tuple[Hold, TimedGestures]:
    """Return the button after a debounced change, and its gestures, in order of time."""
    hold, gestures = tick(hold, pace, change.at)
    if change.turn is ContactTurn.DOWN:
        return Hold(hold.button, change.at), (*gestures, (Gesture.DOWN, change.at))
    if hold.down_at is None:
        return hold, gestures
    gestures = (*gestures, (Gesture.UP, change.at))
    if change.turn is ContactTurn.UP and hold.reported == 0 and not hold.used:
        gestures = (*gestures, (Gesture.PRESS, change.at))
    return Hold(hold.button), gestures


def tick(hold: Hold, pace: Pace, at: float) -> tuple[Hold, TimedGestures]:
    """Return the button at `at`, with the gestures due by then."""
    gestures: list[tuple[Gesture, float]] = []
    while (when := due(hold, pace)) is not None and at >= when:
        gestures.append((Gesture.LONG if hold.reported == 0 else Gesture.REPEAT, when))
        hold = msgspec.structs.replace(hold, reported=hold.reported + 1)
    return hold, tuple(gestures)


def due(hold: Hold, pace: Pace) -> float | None:
    """Return when `tick` next reports something; None for never."""
    if hold.down_at is None or hold.used or (hold.reported and hold.button is not Button.NEXT):
        return None
    return hold.down_at + pace.long_s + hold.reported * pace.repeat_s
