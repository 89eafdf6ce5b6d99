"""Defines hypotheses about pieces since the last rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

OUTSIDE = 2e-10
"""Density (1/mm²) of an unknown piece."""

ALL_THERE = 0.01
"""Its factor when the set is complete."""

CLUTTER = 1e-8
"""Density (1/mm²) of false detections in motion, such as knuckles."""


Carry = Callable[[float, float], tuple[float, float]]
"""Maps a place (mm) to that of a better fit."""


class Hidden(msgspec.Struct, frozen=True):
    """A piece out of sight at its last place.

    empty: pictures that showed the place empty.
    moved: seen leaving, or replaced.
    laid: put down unseen.
    taken: lifted before it was seen again.
    before: place before it appeared aside under a hand.
    last: last place on its way.
    """

    x: float
    y: float
    at: float
    empty: int = 0
    moved: bool = False
    laid: bool = False
    taken: bool = False
    before: tuple[float, float] | None = None
    last: tuple[float, float] | None = None

    @property
    def gone(self) -> bool:
        """Return True if the piece left its last place."""
        return self.moved or self.empty > 0

    @property
    def held(self) -> bool:
        """Return True if a hand holds the piece."""
        return self.gone and not self.laid

    def refit(self, carry: Carry) -> Hidden:
        x, y = carry(self.x, self.y)
        before, last = (None if place is None else carry(*place) for place in (self.before, self.last))
        return msgspec.structs.replace(self, x=x, y=y, before=before, last=last)


class StrandPlace(msgspec.Struct, frozen=True):
    """A detection of a strand (piece in sight, by number). clear: visible enough to be on the mat, not above."""

    strand: int
    x: float
    y: float
    blur_mm: float = 0.0
    clear: bool = True


class Hypothesis(msgspec.Struct, frozen=True):
    """One account of all pieces.

    strands: track by strand; None for a new piece.
    lifted: tracks taken up.
    left: places vacated by hidden pieces.
    shifts: displacements of moved pieces.
    lay: places of hidden, apparently unmoved tracks.
    """

    weight: float
    strands: Mapping[int, int | None]
    hidden: Mapping[int, Hidden]
    lifted: frozenset[int] = frozenset()
    left: tuple[tuple[float, float], ...] = ()
    shifts: tuple[tuple[float, float], ...] = ()
    lay: Mapping[int, tuple[float, float]] = {}

    @property
    def held(self) -> int:
        """Return the number of pieces in hands."""
        return sum(hidden.held for hidden in self.hidden.values())

    def refit(self, carry: Carry) -> Hypothesis:
        hidden = {number: one.refit(carry) for number, one in self.hidden.items()}
        left, lay = tuple(carry(*place) for place in self.left), {track: carry(*at) for track, at in self.lay.items()}
        return msgspec.structs.replace(self, hidden=hidden, left=left, lay=lay)


class TableModel(msgspec.Struct, frozen=True):
    """Assumptions. hands: number, each holding one piece at most; apart_mm: least distance of centres; outside: density
    (1/mm²) of new pieces."""

    hands: int = 1
    apart_mm: float = 0.0
    outside: float = OUTSIDE


ONE_HAND = TableModel()
