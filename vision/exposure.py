"""Lowers the locked exposure where a lamp's reflection burns out pieces."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import NamedTuple

GAMMA = 2.2
"""Gray level = light ** (1 / GAMMA), about sRGB."""

STEP, MOST = 0.5, 2.0
"""Stops at once and in total; the total drops after it got too dark."""

BURNT_MM2 = 120.0
"""Tolerated burnt-out area, as of glints."""

LEAST_WHITE = 128.0
"""Gray level of the white patch below which noise forbids lowering."""

TOO_DARK = 96.0
"""Gray level of the white patch under weaker light."""

HELPED = 0.9
"""Remaining burnt-out share that makes lowering useless, as in sunlight."""

ANSWER_S, HEARD_S = 2.0, 3.0
"""Seconds within which changes show; an unchanged picture between them suggests ignored orders."""

UNHEARD = 2
"""Consecutive signs that prove it."""

NIGHT, DAZZLED = 40.0, 240.0
"""Range of median gray levels that can show a change."""

_log = logging.getLogger(__name__)


class _Order(NamedTuple):
    """The last order. at, brightness: of the picture before it; times: expected factor."""

    at: float
    brightness: float
    times: float

    def is_carried_out(self, brightness: float) -> bool:
        """Return True if brightness has passed half of the expected change, in stops."""
        return (brightness > max(1.0, self.brightness) * math.sqrt(self.times)) == (self.times > 1)

    @property
    def shows(self) -> bool:
        return NIGHT < self.brightness < DAZZLED


class Exposure:
    """A camera's exposure control. dim: sets stops below the lock; False if impossible."""

    def __init__(self, dim: Callable[[float], bool]) -> None:
        self._dim = dim
        self.unlock_exposure()

    def unlock_exposure(self) -> None:
        """Forget reduction and orders without telling the camera, which chooses its exposure anew."""
        self.stops = 0.0
        """Current reduction in stops."""
        self._told: _Order | None = None
        self._unheard = 0
        self._first: tuple[float, float] | None = None
        self._helpless = False
        self._most = MOST

    @property
    def level(self) -> float:
        """Return the gray level relative to the locked exposure's."""
        return _level(self.stops)

    def waits(self, burnt_mm2: float, white: float | None, at: float, brightness: float) -> bool:
        """Change the exposure if needed; return True if a later picture should be observed instead.

        burnt_mm2: burnt-out area.
        white: gray level of the white patch; None if hidden.
        at, brightness: the picture's timestamp in seconds and median gray level.
        """
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
        """Go back to the locked exposure in the dark, unless a change has yet to show."""
        if self.stops and not self._on_its_way(at, brightness):
            self._tell(0.0, at, brightness)

    def _on_its_way(self, at: float, brightness: float) -> bool:
        told = self._told
        if told is None:
            return False
        shown = told.is_carried_out(brightness)
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
        self._told, self.stops = _Order(at, brightness, 1 / self.level), 0.0
        return True

    def _tell(self, stops: float, at: float, brightness: float) -> bool:
        if self._unheard >= UNHEARD or not self._dim(stops):
            return False
        _log.info("pictures are %.1f stops darker from here on than the camera would take them", stops)
        self._told = _Order(at, brightness, _level(stops) / self.level)
        self.stops = stops
        return True


def _level(stops: float) -> float:
    return float(2.0 ** (-stops / GAMMA))
