"""Connects screens to displays and wakes resting ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import msgspec

from device.displays.keeper import Keeper
from device.keys import Button, Gesture, Key
from device.screens.render import pages
from device.screens.screen import BLANK, Screen
from device.session.table import SHARED
from engine.table import Seat


class Pane:
    """A display of this size in pixels."""

    def __init__(self, size: tuple[int, int], keeper: Keeper) -> None:
        self.size, self.keeper = size, keeper
        self._said = BLANK

    def show(self, screen: Screen, language: str) -> None:
        said = msgspec.structs.replace(screen, clocks=())
        if said != self._said:
            self._said = said
            self.keeper.wake()
        self.keeper.stay(screen.alert is not None or bool(screen.clocks))
        self.keeper.show(partial(pages, screen, self.size, language))

    async def run(self) -> None:
        await self.keeper.run()

    async def close(self) -> None:
        await self.keeper.close()


class Waking:
    """Wakes resting displays at a press or motion; that press does nothing else.

    A key without `Gesture.DOWN` is an encoder's turn.
    """

    def __init__(self, panes: Mapping[str, Pane]) -> None:
        self._panes = panes
        self._unheard: set[tuple[Seat | None, Button]] = set()

    def only_wakes(self, key: Key) -> bool:
        """Return True for every gesture of a press that found its display dark."""
        pane, button = self._panes.get(SHARED if key.seat is None else key.seat), (key.seat, key.button)
        dark = pane is not None and pane.keeper.press()
        if key.gesture is Gesture.DOWN:
            self._unheard.discard(button)
            if dark:
                self._unheard.add(button)
        return dark or button in self._unheard

    def hand(self) -> None:
        """Wake all displays at a motion over the table."""
        for pane in self._panes.values():
            pane.keeper.wake()
