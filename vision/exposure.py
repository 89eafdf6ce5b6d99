"""Turns exposure down where a lamp burns out what lies on the mat: there neither print nor symbol could be read.

A camera exposes for the picture as a whole, and is then locked: white paper that is laid into a lamp's reflection later
is brighter than anything that it saw before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

GAMMA = 2.2
"""A gray level grows with light as the power of 1 / GAMMA (about that of sRGB)."""

STEP, MOST = 0.5, 2.0
"""Stops that exposure is turned down by at once, and in all."""

BURNT_MM2 = 120.0
"""So much of the mat may be burnt out: the glint on an edge, or on a glass bead."""

LEAST_WHITE = 128.0
"""The white patch, in gray levels, is not made darker than one step below this: noise would hide the print."""

HELPED = 0.9
"""If more than this share of what was burnt out is so in the darkest picture too, it is no use: the sun is mirrored."""

ANSWER_S = 0.6
"""After so long pictures show what the camera was told; some were on their way."""

_log = logging.getLogger(__name__)


class Exposure:
    """Of one camera, from when it was locked. dim: tells it how many stops darker its pictures are to be from now on;
    False if it cannot.
    """

    def __init__(self, dim: Callable[[float], bool]) -> None:
        self._dim = dim
        self.locked()

    def locked(self) -> None:
        """The camera set its exposure by itself anew."""
        self.stops = 0.0
        """How much darker pictures are than it would take them."""
        self._told_at = float("-inf")
        self._first: tuple[float, float] | None = None
        self._helpless = False

    @property
    def level(self) -> float:
        """What a gray level is, in parts of what it would be as exposure was locked."""
        return float(2.0 ** (-self.stops / GAMMA))

    def waits(self, burnt_mm2: float, white: float | None, at: float) -> bool:
        """Whether what rests on the mat is to be looked at in a later, darker picture instead of this one.

        burnt_mm2: so much of the mat is burnt out in it; white: gray level of the mat's white patch, None where that is
        hidden; at: its stamp in seconds.
        """
        if at - self._told_at < ANSWER_S - 1e-3:
            return True
        first, self._first = self._first, None
        if self._helpless or burnt_mm2 <= BURNT_MM2:
            return False
        stops, most = first or (self.stops, burnt_mm2)
        if self.stops < MOST and (white is None or white >= LEAST_WHITE):
            self._first = stops, most
            return self._tell(self.stops + STEP, at)
        if first is not None and burnt_mm2 > HELPED * most:
            self._helpless = True
            return self._tell(stops, at)
        return False

    def _tell(self, stops: float, at: float) -> bool:
        told = self._dim(stops)
        if told:
            _log.info("pictures are %.1f stops darker from here on than the camera would take them", stops)
            self.stops, self._told_at = stops, at
        return told
