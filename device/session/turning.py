"""The direction in which a gesture moves a cursor."""

from __future__ import annotations

from device.keys import Button, Gesture, Key


def turn(key: Key) -> int:
    """1 for NEXT, also while it stays held; -1 for an encoder turned back; 0 for every other gesture."""
    if key.button is Button.NEXT and key.gesture in (Gesture.PRESS, Gesture.REPEAT):
        return 1
    return -1 if key.button is Button.PREVIOUS and key.gesture is Gesture.PRESS else 0
