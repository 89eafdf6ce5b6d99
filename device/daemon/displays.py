"""Connects screens to displays, wakes resting ones, and shows a start-up error on them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from functools import partial
from typing import Any

import msgspec

from device.clock import Clock
from device.daemon.referee import together
from device.daemon.systemd_notify import come_to
from device.displays.keeper import Keeper
from device.key_gestures import Button, Gesture, Key
from device.screens.render import pages
from device.screens.screen import BLANK, Screen
from device.session.table import SHARED
from engine.table import Seat
from engine.text import say

SHOWN_S = 30.0
"""Seconds to show it; less than the service manager waits."""

ANSWER_S = 2.0
"""Seconds in which a present display answers."""


class Pane:
    """Shows screens on a display. A screen that changes more than clocks wakes it. size: in pixels."""

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
    """Wakes resting displays at a press, which does nothing else, or at motion.

    A key without `Gesture.DOWN` is an encoder's turn.
    """

    def __init__(self, panes: Mapping[str, Pane]) -> None:
        self._panes = panes
        self._unheard: set[tuple[Seat | None, Button]] = set()

    def wake_if_dark(self, key: Key) -> bool:
        """Wake the key's display; return True for every gesture of a press that found it dark."""
        pane, button = self._panes.get(SHARED if key.seat is None else key.seat), (key.seat, key.button)
        dark = pane is not None and pane.keeper.press()
        if key.gesture is Gesture.DOWN:
            self._unheard.discard(button)
            if dark:
                self._unheard.add(button)
        return dark or button in self._unheard

    def hand(self) -> None:
        """Wake all displays, for motion over the table."""
        for pane in self._panes.values():
            pane.keeper.wake()


async def show_fault(
    panes: Mapping[str, Pane], error: Exception, language: str, clock: Clock, stop: asyncio.Event
) -> None:
    """Show a start-up error for SHOWN_S or until `stop`; only for ANSWER_S if no display answers."""
    come_to("showing why it cannot begin")
    screen = Screen(alert=say("The referee cannot begin: {why}", why=" ".join(str(error).split())))
    for pane in panes.values():
        pane.show(screen, language)
    await run_until(panes, _reading(panes, clock), stop)


async def run_until(panes: Mapping[str, Pane], meanwhile: Coroutine[Any, Any, None], stop: asyncio.Event) -> None:
    """Run displays until `meanwhile` ends or `stop`, then blank them."""
    keeping = asyncio.ensure_future(together([pane.run() for pane in panes.values()], stop))
    lasting = asyncio.ensure_future(meanwhile)
    try:
        await asyncio.wait([keeping, lasting], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (keeping, lasting):
            task.cancel()
        await asyncio.gather(keeping, lasting, return_exceptions=True)
        await asyncio.gather(*(pane.close() for pane in panes.values()))


async def _reading(panes: Mapping[str, Pane], clock: Clock) -> None:
    begun = clock.now()
    await clock.sleep_until(begun + ANSWER_S)
    if any(pane.keeper.there for pane in panes.values()):
        await clock.sleep_until(begun + SHOWN_S)
