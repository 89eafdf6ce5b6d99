"""Turns exposure down where a lamp burns out what lies on the mat: there neither print nor symbol could be read.

A camera exposes for the picture as a whole, and is then locked: white paper that is laid into a lamp's reflection later
is brighter than anything that it saw before.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import NamedTuple

GAMMA = 2.2
"""A gray level grows with light as the power of 1 / GAMMA (about that of sRGB)."""

STEP, MOST = 0.5, 2.0
"""Stops that exposure is turned down by at once, and in all; less than where it got too dark, until nothing burns out
without it.
"""

BURNT_MM2 = 120.0
"""So much of the mat may be burnt out: the glint on an edge, or on a glass bead."""

LEAST_WHITE = 128.0
"""The white patch, in gray levels, is not made darker than one step below this: noise would hide the print."""

TOO_DARK = 96.0
"""The white patch, in gray levels, gets that dark only where the light gets weaker."""

HELPED = 0.9
"""If more than this share of what was burnt out is so in the darkest picture too, it is no use: the sun is mirrored."""

ANSWER_S, HEARD_S = 2.0, 3.0
"""After so long pictures show what the camera was told, at the slowest pace. One that was taken between these times and
does not is a sign that the camera does not do what it is told.
"""

UNHEARD = 2
"""So many signs in succession are proof."""

NIGHT, DAZZLED = 40.0, 240.0
"""A picture whose median is not between these gray levels does not show a change of exposure."""

_log = logging.getLogger(__name__)


class _Told(NamedTuple):
    """What the camera was told last. at: stamp, and brightness: of the picture before; times: it is to be so much
    brighter.
    """

    at: float
    brightness: float
    times: float

    def note_shown(self, brightness: float) -> bool:
        """Return True if a picture is nearer to what was ordered than to what was before."""
        return (brightness > max(1.0, self.brightness) * math.sqrt(self.times)) == (self.times > 1)

    @property
    def shows(self) -> bool:
        """Return True if a picture can show it: it is neither night, nor most of it burnt out."""
        return NIGHT < self.brightness < DAZZLED


class Exposure:
    """Of one camera, from when it was locked. dim: tells it how many stops darker its pictures are to be from now on;
    False if it cannot.
    """

    def __init__(self, dim: Callable[[float], bool]) -> None:
        self._dim = dim
        self.unlock_exposure()

    def unlock_exposure(self) -> None:
        """The camera set its exposure by itself anew."""
        self.stops = 0.0
        """How much darker pictures are than it would take them."""
        self._told: _Told | None = None
        self._unheard = 0
        self._first: tuple[float, float] | None = None
        self._helpless = False
        self._most = MOST

    @property
    def level(self) -> float:
        """Return the size of a gray level, as a part of what it was when exposure was locked."""
        return _level(self.stops)

    def waits(self, burnt_mm2: float, white: float | None, at: float, brightness: float) -> bool:
        """Return True if what rests on the mat is to be looked at in a later picture. burnt_mm2: burnt-out area of the
        mat; white: gray level of the mat's white patch, None where that is hidden; at: the picture's stamp in seconds;
        brightness: the median of its gray levels."""
        if self._on_its_way(at, brightness):
            return True
        first, self._first = self._first, None
        burns = burnt_mm2 > BURNT_MM2
        if self.stops and white is not None and white < TOO_DARK:
            self._helpless, self._most = burns, self.stops - STEP
            return self._tell(0.0, at, brightness)
        self._helpless &= burns
        if not burns and not self.stops:
            self._most = MOST
        if self._helpless or not burns:
            return False
        stops, most = first or (self.stops, 0.0)
        most = max(most, burnt_mm2)
        if self.stops < self._most and (white is None or white >= LEAST_WHITE):
            told = self._tell(self.stops + STEP, at, brightness)
            self._first = (stops, most) if told else None
            return told
        if first is not None and burnt_mm2 > HELPED * most:
            self._helpless = True
            return self._tell(stops, at, brightness)
        return False

    def note_darkness(self, at: float, brightness: float) -> None:
        """Order pictures as bright as when exposure was locked: it is too dark to see anything."""
        if self.stops and not self._on_its_way(at, brightness):
            self._tell(0.0, at, brightness)

    def _on_its_way(self, at: float, brightness: float) -> bool:
        """Return True if a picture was taken before the camera did what it was ordered last."""
        told = self._told
        if told is None:
            return False
        shown = told.note_shown(brightness)
        if not shown and at - told.at < ANSWER_S:
            return True
        self._told = None
        if shown or self._unheard >= UNHEARD or not (told.shows and at - told.at < HEARD_S):
            self._unheard = 0 if shown else self._unheard
            return False
        self._unheard += 1
        if self._unheard < UNHEARD:
            return False
        _log.warning("the camera does not take darker pictures when told to: what is burnt out stays so")
        self._dim(0.0)
        self._told, self.stops = _Told(at, brightness, 1 / self.level), 0.0
        return True

    def _tell(self, stops: float, at: float, brightness: float) -> bool:
        if self._unheard >= UNHEARD or not self._dim(stops):
            return False
        _log.info("pictures are %.1f stops darker from here on than the camera would take them", stops)
        self._told = _Told(at, brightness, _level(stops) / self.level)
        self.stops = stops
        return True


def _level(stops: float) -> float:
    return float(2.0 ** (-stops / GAMMA))
