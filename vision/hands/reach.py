"""Determines from which side of the mat a hand came: by the edges that it crosses and the direction of its arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec
import numpy as np
import numpy.typing as npt

AMBIGUOUS = 0.6
"""If the second side's share of the edge that is crossed is this much of the first's, the side is not certain."""

LEAST_CROSSED = 6
"""So many pixels around an edge of the mat must differ for a hand to have crossed it."""

LONG = 2.0
"""An arm lies along the mat's height or width if it is spread so much more that way (variances)."""

_UPRIGHT = frozenset({"top", "bottom"})


class Reach(msgspec.Struct, frozen=True):
    """What a hand shows of where it came from, in one picture or in several together.

    crossed: pixels around each edge of the mat. broad, tall: its spread along the mat's width and height.
    """

    crossed: Mapping[str, int]
    broad: float = 0.0
    tall: float = 0.0

    def and_then(self, later: Reach) -> Reach:
        """What this shows together with a later picture of the same hand."""
        both = {side: count + self.crossed.get(side, 0) for side, count in later.crossed.items()}
        return Reach({**self.crossed, **both}, self.broad + later.broad, self.tall + later.tall)

    def goes_on(self, before: Reach) -> bool:
        """Whether it may be the hand of the picture before: no arm changes the edge that it lies over."""
        now, then = ({side for side, count in one.crossed.items() if count >= LEAST_CROSSED} for one in (self, before))
        return bool(now & then)

    def side(self, seated: frozenset[str]) -> str | None:
        """The side that is crossed most, of those at which somebody sits if any of these is crossed.

        An arm crosses the edge beside which it lies at length, and the edge that it came over only at its width: the
        way that it lies tells which is which. None if it cannot be told.
        """
        likely = {side: count for side, count in self.crossed.items() if side in seated and count >= LEAST_CROSSED}
        sides = likely or self.crossed
        sides = {side: count for side, count in sides.items() if self._lies_from(side)} or sides
        ranked = Counter(sides).most_common(2)
        best, most = ranked[0]
        return best if len(ranked) == 1 or ranked[1][1] < AMBIGUOUS * most else None

    def _lies_from(self, side: str) -> bool:
        """True if the arm lies as one does that came from that side or from the other one across."""
        long, across = (self.tall, self.broad) if side in _UPRIGHT else (self.broad, self.tall)
        return self.crossed[side] >= LEAST_CROSSED and long > LONG * across


def reach_of(part: npt.NDArray[np.bool_], crossed: Mapping[str, int]) -> Reach:
    """The reach of a hand in one picture: its pixels, and how many of them are around each edge."""
    rows, columns = np.nonzero(part)
    return Reach(dict(crossed), float(np.var(columns)) * len(columns), float(np.var(rows)) * len(rows))
