"""Wakes displays that rest: at a press, which then counts as nothing else, and at a hand over the table."""

from __future__ import annotations

from collections.abc import Mapping

from device.daemon.panes import Pane
from device.keys import Button, Gesture, Key
from device.session.table import SHARED
from engine.table import Seat


class Waking:
    """panes: by the names of their displays. A key that arrives without `Gesture.DOWN` is an encoder's turn."""

    def __init__(self, panes: Mapping[str, Pane]) -> None:
        self._panes = panes
        self._unheard: set[tuple[Seat | None, Button]] = set()

    def only_wakes(self, key: Key) -> bool:
        """True of all gestures of a press that found its display dark: nobody aimed it at anything."""
        pane, button = self._panes.get(SHARED if key.seat is None else key.seat), (key.seat, key.button)
        dark = pane is not None and pane.keeper.wake()
        if key.gesture is Gesture.DOWN:
            self._unheard.discard(button)
            if dark:
                self._unheard.add(button)
        return dark or button in self._unheard

    def hand(self) -> None:
        """Something moves over the table."""
        for pane in self._panes.values():
            pane.keeper.wake()
