"""Dims unused OLEDs, then switches them off, to avoid burn-in."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Light(StrEnum):
    FULL = "full"
    DIM = "dim"
    DARK = "dark"


class Resting(msgspec.Struct, frozen=True):
    """Seconds without use before dimming and darkness."""

    dim_s: float = 120.0
    dark_s: float = 600.0

    def light(self, idle_s: float, *, stays: bool) -> Light:
        """Return the light. stays: dim at most, for a clock or an alert."""
        if idle_s >= self.dark_s and not stays:
            return Light.DARK
        return Light.DIM if idle_s >= self.dim_s else Light.FULL


class Usage:
    """A display's last use. resting: None to stay lit."""

    def __init__(self, resting: Resting | None, now: float) -> None:
        self._resting, self.used_at, self.stays = resting, now, False

    def light(self, now: float) -> Light:
        return Light.FULL if self._resting is None else self._resting.light(now - self.used_at, stays=self.stays)
