"""Whose hands were over the mat between two rests, and whose were at a place when it changed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.table import Seat
from vision.camera import Image
from vision.following.hands import CLEAR_MM, PLACE_MM, HandSight, share

KEPT = 400
"""So many pictures are remembered of one account: more than a minute of motion."""

TELLING = 0.2
"""Less of a place than this looks otherwise afterwards: when it changed cannot be told."""

CLEARLY = 0.15
"""A side counts from this share of the pictures with a hand on."""

Place = tuple[float, float]
"""x and y in millimetres."""

Sides = Counter["str | None"]
"""In how many pictures a hand from each side was seen; None: from where could not be told."""


class _Glimpse(NamedTuple):
    """One picture, a bit a pixel: what looked otherwise than at the rest before, and each hand with its side."""

    changed: npt.NDArray[np.uint8]
    hands: tuple[tuple[str | None, npt.NDArray[np.uint8]], ...]


class _At(NamedTuple):
    """A place in one picture: from which sides hands were near it, and how much of it looked otherwise."""

    near: frozenset[str | None]
    changed: float


class HandLog:
    """From which sides hands came since the last rest, and what they were over."""

    def __init__(self) -> None:
        self._votes: Sides = Counter()
        self._glimpses: deque[_Glimpse] = deque(maxlen=KEPT)
        self._shape: tuple[int, ...] = (0, 0)
        self._margin_mm = 0.0

    def note(self, sight: HandSight) -> None:
        """One picture in motion."""
        self._margin_mm, self._shape = sight.margin_mm, sight.mask.shape
        self._votes.update(sight.sides)
        hands = tuple((side, np.packbits(sight.mask == number)) for number, side in enumerate(sight.sides, start=1))
        self._glimpses.append(_Glimpse(np.packbits(sight.changed), hands))

    def seats(self, sides: Mapping[Seat, str], touched: bool) -> frozenset[Seat] | None:
        """The seats whose hands were seen; None if some hand's seat cannot be told, or pieces moved without one."""
        return _seats(sides, self._votes) if self._votes else None if touched else frozenset()

    def seats_at(
        self, sides: Mapping[Seat, str], places_mm: Sequence[Place], after: HandSight | None = None
    ) -> frozenset[Seat] | None:
        """The seats whose hands were at all of the places, or else at any, when these changed; None: nobody can tell.

        after: the rest that followed. A hand may be gone from there before the first picture: if all came from one
        side, it was one of these.
        """
        if not places_mm:
            return None
        over = [self._over(place, after) for place in places_mm]
        seen = set.intersection(*map(set, over)) or set.union(*map(set, over))
        votes = Counter({side: sum(counts[side] for counts in over) for side in seen})
        return _seats(sides, votes or (self._votes if len(self._votes) == 1 else Counter()))

    def _over(self, place: Place, after: HandSight | None) -> Sides:
        """The sides of the hands that were near a place from when it last looked as before to when it was as after."""
        every = [self._at(place, glimpse) for glimpse in self._glimpses]
        during = every if after is None else _during(every, share(after.changed, *place, PLACE_MM, self._margin_mm))
        return Counter(side for one in during for side in one.near) or Counter(s for one in every for s in one.near)

    def _at(self, place: Place, glimpse: _Glimpse) -> _At:
        near = frozenset(
            side for side, mask in glimpse.hands if share(self._unpacked(mask), *place, CLEAR_MM, self._margin_mm)
        )
        return _At(near, share(self._unpacked(glimpse.changed), *place, PLACE_MM, self._margin_mm))

    def _unpacked(self, bits: npt.NDArray[np.uint8]) -> Image:
        return np.unpackbits(bits, count=self._shape[0] * self._shape[1]).reshape(self._shape)


def _during(every: Sequence[_At], changed: float) -> Sequence[_At]:
    """The pictures between the last in which a place lay open as it had been, and the first in which it was changed."""
    if changed < TELLING:
        return every
    begun = max((i + 1 for i, one in enumerate(every) if not one.near and one.changed <= changed / 2), default=0)
    rest = enumerate(every[begun:], start=begun)
    done = next((i for i, one in rest if not one.near and one.changed > changed / 2), len(every))
    return every[begun:done]


def _seats(sides: Mapping[Seat, str], votes: Sides) -> frozenset[Seat] | None:
    total = sum(votes.values())
    if not votes or votes[None] > total / 2:
        return None
    clear = {side for side in votes if side is not None and votes[side] >= max(1, CLEARLY * total)}
    if not clear or not clear <= set(sides.values()):
        return None
    return frozenset(seat for seat, side in sides.items() if side in clear)
