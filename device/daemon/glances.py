"""How the table looks at a glance, at the places of the grid on which it is told outside."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from device.bus.page_frames import pack
from device.bus.public_socket import GRID_S
from device.daemon.core import Core
from device.evidence.public_frames import Glance
from device.session.glances import glance
from device.walltime import WallTime
from engine.text import Text


class Glances:
    """wall: the time of day. wrong: what the owner would be told of the table, the worst first."""

    def __init__(self, core: Core, wall: Callable[[], WallTime], wrong: Callable[[], tuple[Text, ...]]) -> None:
        self._core, self._wall, self._wrong = core, wall, wrong
        self._last: Glance | None = None
        self._of_match = b""

    def look(self, at: float, anew: bool) -> bytes:
        """The frame of a glance; b"" if it is as it was, unless it is wanted anew. at: the place of the grid, on the
        daemon's clock; the time of day is told no finer. So long as nothing happens a clock that runs is no news: it
        is told how long it had."""
        core, wrong = self._core, self._wrong()
        seen = glance(core.table, core.session, core.match, 0.0, wrong)
        if seen == self._last and not anew:
            return b""
        self._last = seen
        clocks = tuple(
            msgspec.structs.replace(each, left_s=round(max(0.0, each.left_s - at), 3)) if each.runs else each
            for each in seen.clocks
        )
        wall = self._wall()
        when = math.ceil(wall.at / GRID_S) * GRID_S if wall.set else None
        frame = pack(msgspec.structs.replace(seen, clocks=clocks, at=when))
        self._of_match = frame if seen.match else self._of_match
        return frame

    def last_frame(self) -> bytes:
        """The last frame that told how a match looked; b"": there was none."""
        return self._of_match
