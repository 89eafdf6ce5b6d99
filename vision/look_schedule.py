"""Schedules further looks at a resting table while something is unclear."""

from __future__ import annotations

from engine.table import Observation, Sight, Touch

LATER_S = (1.0, 2.0, 4.0)
"""Seconds from each look to the next."""


class Doubts:
    """Schedules one rest's further looks."""

    def __init__(self) -> None:
        self._looks = 0
        self._due: float | None = None

    def due(self, at: float) -> bool:
        """Return True if a scheduled look is due."""
        return self._due is not None and at >= self._due

    def note_look(self, seen: Observation, *, unclear: bool = False) -> None:
        """Schedule a further look if this one is doubtful, len(LATER_S) at most. unclear: a new piece is
        unidentified."""
        again = (unclear or doubtful(seen)) and self._looks < len(LATER_S)
        wait = LATER_S[self._looks] if again else None
        self._due = None if wait is None else seen.at + wait
        self._looks += 1


def doubtful(seen: Observation) -> bool:
    """Return True if a piece is unclear, a touch uncertain, or a lift without hands."""
    unseen = any(p is not None and p.sight is not Sight.SEEN for zone in seen.zones for p in zone.pieces)
    return unseen or any(_is_unaccounted(touch) for touch in seen.touched)


def tells_more(before: Observation, after: Observation) -> bool:
    """Return True if the second observation differs beyond small movements."""
    return bool(after.touched or after.lost) or _show(before) != _show(after)


def _is_unaccounted(touch: Touch) -> bool:
    return touch.certainty < 1.0 or (touch.lifted and not touch.hands)


def _show(seen: Observation) -> list[object]:
    places = [[None if p is None else (p.track, p.kind, p.face, p.sight) for p in zone.pieces] for zone in seen.zones]
    return [places, len(seen.strays), seen.health]
