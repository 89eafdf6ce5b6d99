"""Accounts of what happened to the pieces since the table last rested: frozen data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

OUTSIDE = 2e-10
"""Density (per square millimetre) of a piece that nobody has seen before."""

ALL_THERE = 0.01
"""How much less likely a new piece is where all that there are of the set lie on the mat."""

CLUTTER = 1e-8
"""Density of something in a motion picture only looking like a piece: a knuckle, a cuff."""


Carry = Callable[[float, float], tuple[float, float]]
"""Where a place on the mat (x and y in millimetres) is in truth, as a better fit of the mat tells."""


class Hidden(msgspec.Struct, frozen=True):
    """A piece out of sight: last place, since when, and in how many pictures that place was since seen empty.

    moved: it was seen to leave its place, or another lies there. laid: a hand had it, and has since taken another; so
    it lies somewhere, unseen. taken: it had been taken up before, and was seen since. before: where it lay before it
    was seen a little aside, under a hand. last: where it was last seen on its way, if it was seen to leave its place.
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
        """It was taken away."""
        return self.moved or self.empty > 0

    @property
    def held(self) -> bool:
        """A hand has it."""
        return self.gone and not self.laid

    def carried(self, carry: Carry) -> Hidden:
        """The same, where it is in truth."""
        x, y = carry(self.x, self.y)
        before, last = (None if place is None else carry(*place) for place in (self.before, self.last))
        return msgspec.structs.replace(self, x=x, y=y, before=before, last=last)


class Place(msgspec.Struct, frozen=True):
    """Something seen: a strand's number, where it lies, and how far off that may be because it is half covered.

    clear: enough of it is in sight to tell that it lies there, and is not held over the mat.
    """

    strand: int
    x: float
    y: float
    blur_mm: float = 0.0
    clear: bool = True


class Hypothesis(msgspec.Struct, frozen=True):
    """One account of what happened.

    strands: track by strand (None: a piece from outside). lifted: tracks taken up. left: places that hidden pieces were
    taken away from and that another may since have been laid on. shifts: how far pieces went that were found elsewhere.
    lay: where tracks lay that were hidden and seem not to have been moved.
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
        """How many pieces are in hands."""
        return sum(hidden.held for hidden in self.hidden.values())

    def carried(self, carry: Carry) -> Hypothesis:
        """The same account, with all places where they are in truth."""
        hidden = {number: one.carried(carry) for number, one in self.hidden.items()}
        left, lay = tuple(carry(*place) for place in self.left), {track: carry(*at) for track, at in self.lay.items()}
        return msgspec.structs.replace(self, hidden=hidden, left=left, lay=lay)


class Setting(msgspec.Struct, frozen=True):
    """hands: how many may hold a piece. apart_mm: two pieces' centres are at least so far apart.

    outside: density, per square millimetre, of something that is none of the hidden pieces.
    """

    hands: int = 1
    apart_mm: float = 0.0
    outside: float = OUTSIDE


ONE_HAND = Setting()
