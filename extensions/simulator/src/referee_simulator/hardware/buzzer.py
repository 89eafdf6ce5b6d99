"""A simulated buzzer: what its pin was told, as somebody beside it hears it."""

from __future__ import annotations

from typing import Any

import msgspec


class Tones(msgspec.Struct, frozen=True):
    """What was heard so far. count: tones that began; sounds: one does now; last_s: how long the last whole one was,
    None before there was one."""

    count: int = 0
    sounds: bool = False
    last_s: float | None = None


class SimulatedBuzzer:
    """Listens to a pin of gpiozero's mock factory, which notes every change with the seconds since the one before: a
    tone is heard though nobody asks while it sounds."""

    def __init__(self, pin: Any) -> None:
        self._pin, self._read = pin, 1  # the first that it notes is no change
        self._tones = Tones()

    def heard(self) -> Tones:
        """All that was heard by now."""
        count, last_s = self._tones.count, self._tones.last_s
        for change in self._pin.states[self._read :]:
            count, last_s = (count + 1, last_s) if change.state else (count, round(change.timestamp, 2))
        self._tones = Tones(count, bool(self._pin.state), last_s)
        self._read = len(self._pin.states)
        if not self._tones.sounds:
            self._pin.clear_states()  # an evening has many
            self._read = 1
        return self._tones
