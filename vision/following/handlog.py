"""Whose hands were over the mat between two rests, and whose were at a place when it changed."""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.table import Seat
from vision.camera import Image
from vision.following.hands import CLEAR_MM, PLACE_MM, HandSight, share
from vision.following.reach import Reach

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
    """One picture, a bit a pixel: what looked otherwise than at the rest before, and each hand with its visit."""

    changed: npt.NDArray[np.uint8]
    hands: tuple[tuple[int, npt.NDArray[np.uint8]], ...]


class _At(NamedTuple):
    """A place in one picture: from which sides hands were near it, and how much of it looked otherwise."""

    near: frozenset[str | None]
    changed: float


class HandLog:
    """From which sides hands came since the last rest, and what they were over.

    A hand that is followed from picture to picture is one *visit*: at a corner of the mat no single picture tells from
    where it comes, but all of them together do.
    """

    def __init__(self) -> None:
        self._visits: dict[int, tuple[Reach, int]] = {}
        self._glimpses: deque[_Glimpse] = deque(maxlen=KEPT)
        self._shape: tuple[int, ...] = (0, 0)
        self._margin_mm = 0.0

    def note(self, sight: HandSight) -> None:
        """One picture in motion."""
        self._margin_mm, self._shape = sight.margin_mm, sight.mask.shape
        parts = [np.packbits(sight.mask == number) for number in range(1, len(sight.reaches) + 1)]
        visits = self._followed(parts)
        for visit, reach in zip(visits, sight.reaches, strict=True):
            seen = self._visits.get(visit)
            self._visits[visit] = (reach, 1) if seen is None else (seen[0].and_then(reach), seen[1] + 1)
        self._glimpses.append(_Glimpse(np.packbits(sight.changed), tuple(zip(visits, parts, strict=True))))

    def _followed(self, parts: Sequence[npt.NDArray[np.uint8]]) -> list[int]:
        """The visit of each hand in a picture: it goes on where it was, unless hands meet there or part."""
        before = self._glimpses[-1].hands if self._glimpses else ()
        same = [[visit for visit, was in before if (part & was).any()] for part in parts]
        claims = Counter(visit for visits in same for visit in visits)
        fresh = itertools.count(len(self._visits))
        return [v[0] if len(v) == 1 and claims[v[0]] == 1 else next(fresh) for v in same]

    def _came(self, sides: Mapping[Seat, str]) -> dict[int, str | None]:
        """The side that each visit came from."""
        seated = frozenset(sides.values())
        return {visit: reach.side(seated) for visit, (reach, _) in self._visits.items()}

    def _votes(self, came: Mapping[int, str | None]) -> Sides:
        votes: Sides = Counter()
        for visit, (_, pictures) in self._visits.items():
            votes[came[visit]] += pictures
        return votes

    def seats(self, sides: Mapping[Seat, str], touched: bool) -> frozenset[Seat] | None:
        """The seats whose hands were seen; None if some hand's seat cannot be told, or pieces moved without one."""
        votes = self._votes(self._came(sides))
        return _seats(sides, votes) if votes else None if touched else frozenset()

    def seats_at(
        self, sides: Mapping[Seat, str], places_mm: Sequence[Place], after: HandSight | None = None
    ) -> frozenset[Seat] | None:
        """The seats whose hands were at all of the places, or else at any, when these changed; None: nobody can tell.

        after: the rest that followed. A hand may be gone from there before the first picture: if all came from one
        side, it was one of these.
        """
        if not places_mm:
            return None
        came = self._came(sides)
        over = [self._over(place, came, after) for place in places_mm]
        seen = set.intersection(*map(set, over)) or set.union(*map(set, over))
        votes = Counter({side: sum(counts[side] for counts in over) for side in seen})
        every = self._votes(came)
        return _seats(sides, votes or (every if len(every) == 1 else Counter()))

    def _over(self, place: Place, came: Mapping[int, str | None], after: HandSight | None) -> Sides:
        """The sides of the hands that were near a place from when it last looked as before to when it was as after."""
        every = [self._at(place, came, glimpse) for glimpse in self._glimpses]
        during = every if after is None else _during(every, share(after.changed, *place, PLACE_MM, self._margin_mm))
        return Counter(side for one in during for side in one.near) or Counter(s for one in every for s in one.near)

    def _at(self, place: Place, came: Mapping[int, str | None], glimpse: _Glimpse) -> _At:
        near = frozenset(
            came[visit]
            for visit, mask in glimpse.hands
            if share(self._unpacked(mask), *place, CLEAR_MM, self._margin_mm)
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
