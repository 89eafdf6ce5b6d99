"""Builds public summaries of the table, on a grid of time."""

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
    """Summarises one table. wall: time of day. wrong: the owner's faults, the worst first."""

    def __init__(self, core: Core, wall: Callable[[], WallTime], wrong: Callable[[], tuple[Text, ...]]) -> None:
        self._core, self._wall, self._wrong = core, wall, wrong
        self._last: Glance | None = None
        self._of_match = b""

    def look(self, at: float, anew: bool) -> bytes:
        """Return the summary's frame; b"" if unchanged and not `anew`. at: grid time."""
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
        """Return the last frame of a match; b"" if there was none."""
        return self._of_match
