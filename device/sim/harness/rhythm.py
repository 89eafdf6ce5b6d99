"""The frame rate of the virtual camera: 5 a second while something moves, 1 at rest."""

from __future__ import annotations

from device.sim.table.virtual import VirtualTable
from vision.link import Report

FAST_S, SLOW_S = 0.2, 1.0

QUIET_S = 0.7
"""The table counts as rested so long after the last motion that vision reported."""

PATIENCE_S = 8.0
"""After so long players go on even if vision still reports motion."""


class Rhythm:
    """Follows the table and the reports. Counts frames, and those with a hand in them."""

    def __init__(self, table: VirtualTable) -> None:
        self._table = table
        self._next = 0.0
        self._moving = False
        self._still_since = 0.0
        self.frames = self.frames_with_hands = 0

    def next_frame(self, now: float) -> float:
        """When the next frame is taken. Motion wakes a camera that has slowed down."""
        if self._next > now + FAST_S and not self._table.resting(now):
            self._next = now + FAST_S
        return max(now, self._next)

    def due(self, now: float) -> bool:
        return self.next_frame(now) <= now

    def answered(self, report: Report) -> None:
        """The frame was answered so."""
        resting = self._table.resting(report.at)
        self.frames += 1
        self.frames_with_hands += not resting
        if report.moving or not resting:
            self._still_since = report.at
        self._moving = report.moving
        self._next = report.at + (FAST_S if report.moving or not resting else SLOW_S)

    def missed(self, now: float) -> None:
        """There was no frame to take."""
        self._next = now + SLOW_S

    def rested(self, now: float) -> bool:
        """True once no hand is there and vision reports no more motion."""
        ends = self._table.busy_until()
        quiet = not self._moving and now - self._still_since >= QUIET_S and now - ends >= QUIET_S
        return self._table.resting(now) and (quiet or now - ends > PATIENCE_S)
