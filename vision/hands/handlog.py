"""Logs hands: whose were over the mat between two rests, and whose were at a place when it changed."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.table import Seat, Touch
from vision.camera import Image
from vision.hands.hands import CLEAR_MM, LEAST_CROSSED, PLACE_MM, HandSight, Reach, broad, reach_of, share
from vision.tracking.looks import Track, TrackUpdate

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


STILL = 0.75
"""What lies at rest as a hand lay in a picture, so much of either within a pixel of the other, was no hand in that
picture either. In the dark noise takes a pixel of its outline away here, and adds one there.
"""

WITHIN, FILLS = 0.95, 0.6
"""Nor was it one if nearly all of it lay within what lies there, and filled so much of that: in the dark a picture may
show less of a thing than the one at rest.
"""

BARELY = 3 * LEAST_CROSSED
"""What crosses an edge by fewer pixels, up to the last picture, may be a thing that at rest does not quite cross it."""

Bits = npt.NDArray[np.uint8]
"""A mask, a bit a pixel."""

Mask = npt.NDArray[np.bool_]


class _Hand(NamedTuple):
    """A hand in one picture, and the visit that it belongs to."""

    visit: int
    mask: Bits
    reach: Reach

    @property
    def barely(self) -> bool:
        return max(self.reach.crossed.values()) < BARELY


class _Glimpse(NamedTuple):
    """One picture: what looked otherwise than at the rest before, each hand, and what of these was seen apart."""

    changed: Bits
    hands: tuple[_Hand, ...]
    apart: Bits | None = None


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
        self._newest = -1
        self._glimpses: deque[_Glimpse] = deque(maxlen=KEPT)
        self._shape: tuple[int, ...] = (0, 0)
        self._margin_mm = 0.0

    def note(self, sight: HandSight) -> None:
        """One picture in motion."""
        self._margin_mm, self._shape = sight.margin_mm, sight.mask.shape
        parts = list(zip(_parts(sight), sight.reaches, strict=True))
        visits = self._follow_hands(parts)
        hands = tuple(_Hand(visit, *part) for visit, part in zip(visits, parts, strict=True))
        apart = None if sight.apart is None else np.packbits(sight.apart)
        self._glimpses.append(_Glimpse(np.packbits(sight.changed), hands, apart))

    def drop_false_hands(self, sight: HandSight) -> None:
        """Drop hands that are none: what still reaches over an edge at rest, or nearly, like a card that was laid
        there. A hand that was seen as one with such a thing, and reached over no other edge by more, came from nowhere
        known. What looks different at rest as well, apart from a hand, is no part of it, like moved pieces."""
        changed = sight.changed > 0
        for number, glimpse in enumerate(self._glimpses):
            if glimpse.apart is not None:
                self._glimpses[number] = self._without(glimpse, self._unpack_mask(glimpse.apart), changed)
        if next(self._hands(), None) is None:
            return
        over = _split_mask(sight.mask)
        last = {hand.visit: self._unpack_mask(hand.mask) > 0 for hand in self._glimpses[-1].hands if hand.barely}
        near = _split_mask(broad(sight.changed)) if last else over
        if not over and not last:
            return
        things = [(thing, sight.reaches[int(sight.mask[thing].max()) - 1]) for thing in over]
        things += [(mask, self._at_most(visit)) for visit, mask in last.items() if _lies(mask, near)]
        for number, glimpse in enumerate(self._glimpses):
            hands = tuple(
                hand
                for hand in glimpse.hands
                if not _lies(self._unpack_mask(hand.mask) > 0, near if hand.barely and hand.visit in last else over)
                and not self._hides(hand, things)
            )
            self._glimpses[number] = glimpse._replace(hands=hands)

    def _without(self, glimpse: _Glimpse, apart: Image, changed: Mask) -> _Glimpse:
        """A picture without what was taken for parts of its hands, and is there at rest."""
        count, labels = cv2.connectedComponents(apart, connectivity=8)
        stays = [n for n in range(1, count) if _within(np.asarray(labels == n), changed) >= STILL]
        if not stays:
            return glimpse
        others = ~np.isin(labels, stays)
        parts = [(self._unpack_mask(hand.mask) > 0) & others for hand in glimpse.hands]
        hands = tuple(
            hand._replace(mask=np.packbits(part), reach=reach_of(part, hand.reach.crossed))
            for hand, part in zip(glimpse.hands, parts, strict=True)
        )
        return glimpse._replace(hands=hands)

    def _hides(self, hand: _Hand, things: Sequence[tuple[Mask, Reach]]) -> bool:
        """Return True if a hand would come from elsewhere, but for a thing that was left lying and is a part of its
        mask."""
        mask, reach = self._unpack_mask(hand.mask) > 0, hand.reach
        for thing, its in things:
            if _within(thing, mask) >= STILL:
                reach = reach.less(its)
        return reach is not hand.reach and reach.side(frozenset()) != hand.reach.side(frozenset())

    def _at_most(self, visit: int) -> Reach:
        """The most that a visit crosses of each edge in the pictures in which it barely crosses any."""
        reaches = [hand.reach.crossed for hand in self._hands() if hand.visit == visit and hand.barely]
        return Reach({side: max(crossed.get(side, 0) for crossed in reaches) for side in reaches[-1]})

    def _follow_hands(self, parts: Sequence[tuple[Bits, Reach]]) -> list[int]:
        """The visit of each hand in a picture: it goes on where it was, unless hands meet there, part or take turns."""
        before = self._glimpses[-1].hands if self._glimpses else ()
        same = [
            [was.visit for was in before if (part & was.mask).any() and reach.goes_on(was.reach)]
            for part, reach in parts
        ]
        claims = Counter(visit for visits in same for visit in visits)
        return [v[0] if len(v) == 1 and claims[v[0]] == 1 else self._fresh() for v in same]

    def _fresh(self) -> int:
        self._newest += 1
        return self._newest

    def _came(self, sides: Mapping[Seat, str]) -> dict[int, str | None]:
        """The side that each visit came from."""
        reaches: dict[int, Reach] = {}
        for hand in self._hands():
            reaches[hand.visit] = reaches[hand.visit].and_then(hand.reach) if hand.visit in reaches else hand.reach
        return {visit: reach.side(frozenset(sides.values())) for visit, reach in reaches.items()}

    def _hands(self) -> Iterator[_Hand]:
        return (hand for glimpse in self._glimpses for hand in glimpse.hands)

    def _votes(self, came: Mapping[int, str | None]) -> Sides:
        return Counter(came[hand.visit] for hand in self._hands())

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

    def sign_touches(
        self, settled: TrackUpdate, before: Mapping[int, Track], sides: Mapping[Seat, str], sight: HandSight
    ) -> tuple[Touch, ...]:
        """The touches of a rest, each with the seats whose hands were there. before: the tracks before, by number."""
        after = {track.number: track for track in settled.tracks}
        touches = []
        for touch in settled.touched:
            known = [tracks[touch.track].look for tracks in (before, after) if touch.track in tracks]
            hands = self.seats_at(sides, [(look.x_mm, look.y_mm) for look in known], sight)
            touches.append(msgspec.structs.replace(touch, hands=hands))
        return tuple(touches)

    def _over(self, place: Place, came: Mapping[int, str | None], after: HandSight | None) -> Sides:
        """The sides of the hands that were near a place from when it last looked as before to when it was as after."""
        every = [self._at(place, came, glimpse) for glimpse in self._glimpses]
        during = every if after is None else _during(every, share(after.changed, *place, PLACE_MM, self._margin_mm))
        return Counter(side for one in during for side in one.near) or Counter(s for one in every for s in one.near)

    def _at(self, place: Place, came: Mapping[int, str | None], glimpse: _Glimpse) -> _At:
        near = frozenset(
            came[hand.visit]
            for hand in glimpse.hands
            if share(self._unpack_mask(hand.mask), *place, CLEAR_MM, self._margin_mm)
        )
        return _At(near, share(self._unpack_mask(glimpse.changed), *place, PLACE_MM, self._margin_mm))

    def _unpack_mask(self, bits: Bits) -> Image:
        return np.unpackbits(bits, count=self._shape[0] * self._shape[1]).reshape(self._shape)


def _within(one: Mask, other: Mask) -> float:
    """Return how much of a mask is within a pixel of another; 0 of none."""
    around = cv2.dilate(other.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return int(np.count_nonzero(one & around)) / max(1, int(np.count_nonzero(one)))


def _lies(hand: Mask, things: Sequence[Mask]) -> bool:
    """Return True if what was taken for a hand is what was left lying. Other changes count with a hand at rest, too,
    even apart from it: only what is where the hand was is compared."""
    touched = np.zeros_like(hand)
    for thing in things:
        if (thing & hand).any():
            touched |= thing
    there, filled = _within(hand, touched), _within(touched, hand)
    return min(there, filled) >= STILL or (there >= WITHIN and filled >= FILLS)


def _split_mask(mask: Image) -> list[Mask]:
    """Each thing of a mask apart."""
    count, labels = cv2.connectedComponents(mask, connectivity=8)
    return [np.asarray(labels == number) for number in range(1, count)]


def _parts(sight: HandSight) -> list[Bits]:
    """Each hand of a picture."""
    return [np.packbits(sight.mask == number) for number in range(1, len(sight.reaches) + 1)]


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
