"""Defines debounced key gestures, the players' only input beside the table."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.table import Seat


class Button(StrEnum):
    BACK = "back"
    NEXT = "next"
    CHOOSE = "choose"
    PREVIOUS = "previous"  # an encoder turned back, always PRESS; three-button panels have none


class Gesture(StrEnum):
    PRESS = "press"  # let go before it became long; reported at release
    LONG = "long"  # held for `long_s`; reported once, while held
    REPEAT = "repeat"  # every `repeat_s` while NEXT stays held after LONG
    DOWN = "down"  # the raw level went down: private text may show while BACK is held
    UP = "up"


class Key(msgspec.Struct, frozen=True):
    """A gesture on a button. seat: None for the shared panel."""

    seat: Seat | None
    button: Button
    gesture: Gesture
    at: float

    @property
    def steps(self) -> int:
        """Cursor steps: 1 for NEXT and its repeats, -1 for PREVIOUS, else 0."""
        if self.button is Button.NEXT and self.gesture in (Gesture.PRESS, Gesture.REPEAT):
            return 1
        return -1 if self.button is Button.PREVIOUS and self.gesture is Gesture.PRESS else 0
