"""When to look again at a table at rest: while something on it was not plainly seen, but not for ever."""

from __future__ import annotations

from engine.table import Observation, Sight, Touch

LATER_S = (1.0, 2.0, 4.0)
"""So long after one look the next is worth its while: light and noise have changed by then."""


class Doubts:
    """What was not plainly seen at a rest, and when to look at it again. One for each rest: tell it every look."""

    def __init__(self) -> None:
        self._looks = 0
        self._due: float | None = None

    def due(self, at: float) -> bool:
        """Return True if it is time to look again."""
        return self._due is not None and at >= self._due

    def note_look(self, seen: Observation, *, unclear: bool = False) -> None:
        """The table was looked at. unclear: something came that was not made out."""
        again = (unclear or doubtful(seen)) and self._looks < len(LATER_S)
        wait = LATER_S[self._looks] if again else None
        self._due = None if wait is None else seen.at + wait
        self._looks += 1


def doubtful(seen: Observation) -> bool:
    """Return True if a second look may tell more: something is not known, or went away though no hand was there."""
    unseen = any(p is not None and p.sight is not Sight.SEEN for zone in seen.zones for p in zone.pieces)
    return unseen or any(_is_unaccounted(touch) for touch in seen.touched)


def tells_more(before: Observation, after: Observation) -> bool:
    """Return True if the second look shows anything that differs from the first by more than a hair's breadth."""
    return bool(after.touched or after.lost) or _show(before) != _show(after)


def _is_unaccounted(touch: Touch) -> bool:
    return touch.certainty < 1.0 or (touch.lifted and not touch.hands)


def _show(seen: Observation) -> list[object]:
    places = [[None if p is None else (p.track, p.kind, p.face, p.sight) for p in zone.pieces] for zone in seen.zones]
    return [places, len(seen.strays), seen.health]
