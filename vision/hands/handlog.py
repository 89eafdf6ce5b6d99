"""Logs hands between rests, and which were near a place when it changed."""

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
"""Pictures remembered, over a minute of motion."""

TELLING = 0.2
"""Changed share of a place needed to date the change."""

CLEARLY = 0.15
"""Share of hand pictures from which a side counts."""

Place = tuple[float, float]
"""x, y in millimetres."""

Sides = Counter["str | None"]
"""Pictures with a hand by side; None if unknown."""


STILL = 0.75
"""Mutual overlap within a pixel of a supposed hand and an object at rest."""

WITHIN, FILLS = 0.95, 0.6
"""Alternative in the dark: share of the hand within the object, and of the object filled."""

BARELY = 3 * LEAST_CROSSED
"""Edge pixels below which an object may not cross at rest."""

Bits = npt.NDArray[np.uint8]
"""A packed mask."""

Mask = npt.NDArray[np.bool_]


class _Hand(NamedTuple):
    visit: int
    mask: Bits
    reach: Reach

    @property
    def barely(self) -> bool:
        return max(self.reach.crossed.values()) < BARELY


class _Glimpse(NamedTuple):
    """A picture: changes since the last rest, hands, and their detached parts."""

    changed: Bits
    hands: tuple[_Hand, ...]
    apart: Bits | None = None


class _At(NamedTuple):
    near: frozenset[str | None]
    changed: float


class HandLog:
    """Hands since the last rest.

    A hand tracked between pictures is one *visit*; its pictures together tell its side.
    """

    def __init__(self) -> None:
        self._newest = -1
        self._glimpses: deque[_Glimpse] = deque(maxlen=KEPT)
        self._shape: tuple[int, ...] = (0, 0)
        self._margin_mm = 0.0

    def note(self, sight: HandSight) -> None:
        """Add a picture in motion, dropping the oldest beyond KEPT."""
        self._margin_mm, self._shape = sight.margin_mm, sight.mask.shape
        parts = list(zip(_parts(sight), sight.reaches, strict=True))
        visits = self._follow_hands(parts)
        hands = tuple(_Hand(visit, *part) for visit, part in zip(visits, parts, strict=True))
        apart = None if sight.apart is None else np.packbits(sight.apart)
        self._glimpses.append(_Glimpse(np.packbits(sight.changed), hands, apart))

    def drop_false_hands(self, sight: HandSight) -> None:
        """Drop objects that still reach over an edge at rest, such as cards, and hands whose side depends on them;
        remove moved pieces from hands."""
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
        lying = [(thing, sight.reaches[int(sight.mask[thing].max()) - 1]) for thing in over]
        things = [*lying, *((mask, self._at_most(visit)) for visit, mask in last.items() if _lies(mask, near))]
        for number, glimpse in enumerate(self._glimpses):
            hands = tuple(
                hand
                for hand in glimpse.hands
                if not _lies(
                    self._unpack_mask(hand.mask) > 0,
                    near if hand.barely and hand.visit in last else _as_far_over(hand.reach, lying),
                )
                and not self._hides(hand, things)
            )
            self._glimpses[number] = glimpse._replace(hands=hands)

    def _without(self, glimpse: _Glimpse, apart: Image, changed: Mask) -> _Glimpse:
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
        """Return True if the hand's side differs without merged objects."""
        mask, reach = self._unpack_mask(hand.mask) > 0, hand.reach
        for thing, its in things:
            if _within(thing, mask) >= STILL:
                reach = reach.less(its)
        return reach is not hand.reach and reach.side(frozenset()) != hand.reach.side(frozenset())

    def _at_most(self, visit: int) -> Reach:
        reaches = [hand.reach.crossed for hand in self._hands() if hand.visit == visit and hand.barely]
        return Reach({side: max(crossed.get(side, 0) for crossed in reaches) for side in reaches[-1]})

    def _follow_hands(self, parts: Sequence[tuple[Bits, Reach]]) -> list[int]:
        """Return each hand's visit, a new one if hands meet, part or alternate."""
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
        reaches: dict[int, Reach] = {}
        for hand in self._hands():
            reaches[hand.visit] = reaches[hand.visit].and_then(hand.reach) if hand.visit in reaches else hand.reach
        return {visit: reach.side(frozenset(sides.values())) for visit, reach in reaches.items()}

    def _hands(self) -> Iterator[_Hand]:
        return (hand for glimpse in self._glimpses for hand in glimpse.hands)

    def _votes(self, came: Mapping[int, str | None]) -> Sides:
        return Counter(came[hand.visit] for hand in self._hands())

    def seats(self, sides: Mapping[Seat, str], touched: bool) -> frozenset[Seat] | None:
        """Return the seats whose hands were seen; None if unknown, or if pieces moved (`touched`) without a hand."""
        votes = self._votes(self._came(sides))
        return _seats(sides, votes) if votes else None if touched else frozenset()

    def seats_at(
        self, sides: Mapping[Seat, str], places_mm: Sequence[Place], after: HandSight | None = None
    ) -> frozenset[Seat] | None:
        """Return the seats whose hands were at all places, or else any, when they changed; None if unknown.

        after: the following rest. If no hand was seen there, all hands of a single side count.
        """
        if not places_mm:
            return None
        came = self._came(sides)
        over = [self._over(place, came, after) for place in places_mm]
        seen = set.intersection(*map(set, over)) or set.union(*map(set, over))
        votes = Counter({side: sum(counts[side] for counts in over) for side in seen})
        every = self._votes(came)
        return _seats(sides, votes or (every if len(every) == 1 else Counter()))

    def kept_off(self, x_mm: float, y_mm: float, reach_mm: float) -> bool:
        """Return True if no hand can have been within `reach_mm` of a place since the last rest: nothing moved, or
        hands were seen, all of them elsewhere."""
        hands = [self._unpack_mask(hand.mask) for hand in self._hands()]
        if len(self._glimpses) == KEPT or (self._glimpses and not hands):
            return False
        return not any(share(mask, x_mm, y_mm, reach_mm, self._margin_mm) for mask in hands)

    def sign_touches(
        self, settled: TrackUpdate, before: Mapping[int, Track], sides: Mapping[Seat, str], sight: HandSight
    ) -> tuple[Touch, ...]:
        """Return touches with seats. before: earlier tracks by number."""
        after = {track.number: track for track in settled.tracks}
        touches = []
        for touch in settled.touched:
            known = [tracks[touch.track].look for tracks in (before, after) if touch.track in tracks]
            hands = self.seats_at(sides, [(look.x_mm, look.y_mm) for look in known], sight)
            touches.append(msgspec.structs.replace(touch, hands=hands))
        return tuple(touches)

    def _over(self, place: Place, came: Mapping[int, str | None], after: HandSight | None) -> Sides:
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
    around = cv2.dilate(other.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    return int(np.count_nonzero(one & around)) / max(1, int(np.count_nonzero(one)))


def _as_far_over(reach: Reach, things: Sequence[tuple[Mask, Reach]]) -> list[Mask]:
    """Return the things that reach over the edges about as far: a hand that lets go of a card reaches farther."""
    return [mask for mask, its in things if max(reach.less(its).crossed.values()) < BARELY]


def _lies(hand: Mask, things: Sequence[Mask]) -> bool:
    """Return True if a supposed hand is an object left lying."""
    touched = np.zeros_like(hand)
    for thing in things:
        if (thing & hand).any():
            touched |= thing
    there, filled = _within(hand, touched), _within(touched, hand)
    return min(there, filled) >= STILL or (there >= WITHIN and filled >= FILLS)


def _split_mask(mask: Image) -> list[Mask]:
    count, labels = cv2.connectedComponents(mask, connectivity=8)
    return [np.asarray(labels == number) for number in range(1, count)]


def _parts(sight: HandSight) -> list[Bits]:
    return [np.packbits(sight.mask == number) for number in range(1, len(sight.reaches) + 1)]


def _during(every: Sequence[_At], changed: float) -> Sequence[_At]:
    """Return the pictures between a place's last unchanged and first changed view."""
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
