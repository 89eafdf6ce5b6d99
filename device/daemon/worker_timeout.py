"""How long the vision worker may be silent: scaled to what this machine was measured to do.

What is right for a Raspberry Pi 4 would kill a worker that merely works on a slower or busier machine, and kill its
successor, too, all evening long.
"""

from __future__ import annotations

SILENT_S = 2.0
"""Seconds without a sign of life after which the players are told."""

HUNG_S, LONGEST_HUNG_S = 8.0, 60.0
"""Seconds without a sign of life until the worker is killed: a camera unplugged in mid-read may block for ever."""

START_S, LONGEST_START_S = 30.0, 240.0
"""The same until its first report: loading OpenCV and opening a camera take a while on a small computer."""

SPENT_S = 2.0
"""Processor time that the daemon spends until its loops run, on a machine that needs no more patience than this."""

LOOKS = 4.0
"""So many times what a look takes may pass before silence is told of, and twice that until the worker is killed."""

FADES = 0.98
"""How much of the slowest look still counts one look later."""


class WorkerTimeout:
    """Seconds of patience with a vision worker. spent_s: processor time that the daemon's own start took."""

    def __init__(self, spent_s: float = 0.0) -> None:
        self._slowness = max(1.0, spent_s / SPENT_S)
        self._look_s = 0.0

    def note_look(self, frame_ms: float) -> None:
        """A look at a picture took so long."""
        self._look_s = max(frame_ms / 1000, self._look_s * FADES)

    @property
    def silent_s(self) -> float:
        return min(max(SILENT_S, LOOKS * self._look_s), self.hung_s / 2)

    @property
    def hung_s(self) -> float:
        return min(max(HUNG_S * self._slowness, 2 * LOOKS * self._look_s), LONGEST_HUNG_S)

    @property
    def start_s(self) -> float:
        return min(START_S * self._slowness, LONGEST_START_S)
