"""A simulated buzzer, as heard from its pin."""

from __future__ import annotations

from typing import Any

import msgspec


class Tones(msgspec.Struct, frozen=True):
    """Tones heard. count: begun; last_s: length of the last complete one."""

    count: int = 0
    sounds: bool = False
    last_s: float | None = None


class SimulatedBuzzer:
    def __init__(self, pin: Any) -> None:
        self._pin, self._read = pin, 1  # the first is no change
        self._tones = Tones()

    def read_tones(self) -> Tones:
        count, last_s = self._tones.count, self._tones.last_s
        for change in self._pin.states[self._read :]:
            count, last_s = (count + 1, last_s) if change.state else (count, round(change.timestamp, 2))
        self._tones = Tones(count, bool(self._pin.state), last_s)
        self._read = len(self._pin.states)
        if not self._tones.sounds:
            self._pin.clear_states()  # an evening has many
            self._read = 1
        return self._tones
