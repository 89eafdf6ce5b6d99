"""Shows a start-up error on the displays."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any

from device.clock import Clock
from device.daemon.displays import Pane
from device.daemon.referee import together
from device.daemon.systemd_notify import come_to
from device.screens.screen import Screen
from engine.text import say

SHOWN_S = 30.0
"""Seconds to show it; less than the service manager waits."""

ANSWER_S = 2.0
"""Seconds in which a present display answers."""


async def show(panes: Mapping[str, Pane], error: Exception, language: str, clock: Clock, stop: asyncio.Event) -> None:
    """Show an error until read or `stop`; return early if no display answers."""
    come_to("showing why it cannot begin")
    screen = Screen(alert=say("The referee cannot begin: {why}", why=" ".join(str(error).split())))
    for pane in panes.values():
        pane.show(screen, language)
    await keep(panes, _reading(panes, clock), stop)


async def keep(panes: Mapping[str, Pane], meanwhile: Coroutine[Any, Any, None], stop: asyncio.Event) -> None:
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
