"""Scales the vision worker's time limits to the machine's speed."""

from __future__ import annotations

SILENT_S = 2.0
"""Seconds of silence before players are informed."""

HUNG_S, LONGEST_HUNG_S = 8.0, 60.0
"""Seconds of silence before a kill; an unplugged camera may block for ever."""

START_S, LONGEST_START_S = 30.0, 240.0
"""Seconds until the first report."""

SPENT_S = 2.0
"""Processor seconds of the daemon's start on a fast enough machine."""

LOOKS = 4.0
"""Looks' duration allowed before silence is reported; twice that before a kill."""

FADES = 0.98
"""Decay of the slowest look, per look."""


class WorkerTimeout:
    """Time limits in seconds. spent_s: processor time of the daemon's start."""

    def __init__(self, spent_s: float = 0.0) -> None:
        self._slowness = max(1.0, spent_s / SPENT_S)
        self._look_s = 0.0

    def note_look(self, frame_ms: float) -> None:
        """Record a look's duration."""
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
