"""When an OLED rests: a display that nobody uses is dimmed, then dark, so that nothing burns in."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Light(StrEnum):
    FULL = "full"
    DIM = "dim"
    DARK = "dark"


class Resting(msgspec.Struct, frozen=True):
    """Seconds since the last press, hand or change of what is shown, after which a display is dim, and dark."""

    dim_s: float = 120.0
    dark_s: float = 600.0

    def light(self, idle_s: float, *, stays: bool) -> Light:
        """stays: a clock runs or an alert stands, which has to be seen: then it is dimmed at most."""
        if idle_s >= self.dark_s and not stays:
            return Light.DARK
        return Light.DIM if idle_s >= self.dim_s else Light.FULL


class Usage:
    """The last use of a display, and the light that follows. resting: None: it never rests. stays: as for `light`."""

    def __init__(self, resting: Resting | None, now: float) -> None:
        self._resting, self.used_at, self.stays = resting, now, False

    def light(self, now: float) -> Light:
        return Light.FULL if self._resting is None else self._resting.light(now - self.used_at, stays=self.stays)
