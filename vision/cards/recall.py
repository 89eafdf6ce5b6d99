"""Recognises returned cards by their earlier pictures, even from a strip."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.table import Arrangement, Face, Sight
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.cards.changes import RIM, brightness_steps, changes
from vision.finding.pieces import PieceFinder
from vision.finding.quad import Quad
from vision.finding.zones import zone_of
from vision.mat import MatZone
from vision.tracking.looks import Look, Track

PICTURES = 6
"""Most pictures kept."""


class PastPicture(NamedTuple):
    """A rest's picture and sheet. elsewhere: mat or camera moved since."""

    image: Image
    finder: PieceFinder
    sheet: Image
    elsewhere: bool = False

    def after_move(self, finder: PieceFinder) -> PastPicture:
        """Return the picture as `elsewhere`, its sheet under `finder`, of the projection before the move."""
        return self if self.elsewhere else PastPicture(self.image, finder, self.under(finder), elsewhere=True)

    def under(self, finder: PieceFinder) -> Image:
        """Return the sheet for a finder, rectified again under a new fit, resized after a move."""
        if finder is self.finder:
            return self.sheet
        if self.elsewhere:
            return np.asarray(cv2.resize(self.sheet, finder.sheet.shape[::-1]), np.uint8)
        return finder.sheet.rectify(self.image)


class LastSight(NamedTuple):
    """A card's last clear view and what lay on it."""

    track: Track
    above: tuple[Track, ...]
    picture: PastPicture


class Memory:
    """Recently seen cards, except in piles."""

    def __init__(self) -> None:
        self._known: dict[int, LastSight] = {}

    def forget(self) -> None:
        """Forget all cards."""
        self._known = {}

    def keep(self, picture: PastPicture, tracks: Sequence[Track], zones: Sequence[MatZone]) -> None:
        """Remember each visible face outside piles, in PICTURES pictures at most; forget other tracks of
        its kind. tracks: lowest first."""
        for number, track in enumerate(tracks):
            if _plain(track, zones):
                self._known.pop(track.number, None)  # the newest come last
                self._known[track.number] = LastSight(track, tuple(tracks[number + 1 :]), picture)
        named = {track.look.kind: track.number for track in tracks if track.look.sight is Sight.SEEN}
        self._known = _recent({n: one for n, one in self._known.items() if named.get(one.track.look.kind, n) == n})

    def of(self, numbers: Iterable[int]) -> list[LastSight]:
        """Return last sights of all cards except these tracks."""
        return [one for number, one in self._known.items() if number not in numbers]


def _plain(track: Track, zones: Sequence[MatZone]) -> bool:
    zone = zone_of(track.look.x_mm, track.look.y_mm, zones)
    piled = zone is not None and zone.order is Arrangement.PILE
    return track.look.sight is Sight.SEEN and track.look.face is Face.UP and track.look.kind is not None and not piled


def _recent(known: Mapping[int, LastSight]) -> dict[int, LastSight]:
    pictures: list[PastPicture] = []
    for one in list(known.values())[::-1]:
        if not any(one.picture is picture for picture in pictures):
            pictures.append(one.picture)
    newest = pictures[:PICTURES]
    return {n: one for n, one in known.items() if any(one.picture is picture for picture in newest)}


# --- returned cards


ALIKE = 0.9
"""Correlation with the earlier view."""

OTHERWISE, SPOT, SPOT_MM = 0.06, 0.5, 4.0
"""Most changed share, overall and in a spot of this width."""

NEARLY, NEARLY_OTHERWISE = 0.8, 0.12
"""The same if the name is read too."""

BESIDE_MM = 7.0
TURNS_DEG = (0.0, -3.0, 3.0)
"""Search distance and angles."""

LEAST, LEAST_PRINT = 0.04, 0.01
"""Least visible share, and least print; plain paper is ambiguous unless its outline is unmoved."""

PLAIN = 0.5
"""Visible share from which a read name decides."""

PRECISE = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 20, 1e-3)

Floats = npt.NDArray[np.float32]

STILL = np.eye(2, 3, dtype=np.float32)


Read = Callable[[Quad, Image], "str | None"]
"""Returns the kind of a visible part (0/1 mask), or None."""


class ReturnedCard(NamedTuple):
    """A returned card, its visible mask and former covering cards. alike: where the table resembles it (0/1)."""

    track: Track
    visible: Image
    above: tuple[Track, ...]
    alike: Image


class TableNow(NamedTuple):
    """The table at rest. shown: mask (0/1) of unmoved cards."""

    finder: PieceFinder
    sheet: Image
    shown: Image
    changed: Image


def recall_cards(on: CardSheet, now: TableNow, remembered: Sequence[LastSight], read: Read) -> Iterator[ReturnedCard]:
    """Yield remembered cards seen again where they lay, or near."""
    for one in remembered:
        visible = whole = on.mask(on.quad(one.track.look))
        for other in one.above:
            visible = np.asarray(visible & (on.mask(on.quad(other.look)) ^ 1), np.uint8)
        inner = np.asarray(cv2.erode(visible & (now.shown ^ 1), np.ones((RIM, RIM), np.uint8)), np.uint8)
        if cv2.countNonZero(inner) < LEAST * on.area or not (inner & now.changed).any():
            continue
        then = one.picture.under(now.finder)
        part = _Part.of(then, now.sheet, inner, on.scale)
        if part.shows_print(on):
            ways = list(part.ways())
        else:
            rim = np.asarray(cv2.dilate(visible, np.ones((RIM, RIM), np.uint8)), np.uint8)
            part = _Part.of(then, now.sheet, np.asarray(rim & (now.shown ^ 1), np.uint8), on.scale)
            ways = [STILL] if part.shows_print(on) else []
        above = tuple(other for other in one.above if (on.mask(on.quad(other.look)) & whole).any())
        for way in ways:
            here, shown = _move_track(on, one.track, part, way), _visible_of(part, visible, way, now)
            fits, plain = part.fits(way), cv2.countNonZero(shown) > PLAIN * on.area
            nearly = not plain and way is ways[-1] and part.nearly(way)
            told = read(on.quad(here.look), shown) if nearly or (fits and plain) else None
            if told == one.track.look.kind or (fits and told is None):
                yield ReturnedCard(here, shown, above, part.alike(visible, now.sheet, then, way))
                break


def where_as_then(on: CardSheet, now: TableNow, remembered: Sequence[LastSight]) -> Image:
    """Return where the table resembles remembered plain paper (0/1)."""
    again = np.zeros_like(now.changed)
    for one in remembered:
        visible = on.mask(on.quad(one.track.look))
        for other in one.above:
            visible = np.asarray(visible & (on.mask(on.quad(other.look)) ^ 1), np.uint8)
        then = one.picture.under(now.finder)
        inner = np.asarray(cv2.erode(visible, np.ones((RIM, RIM), np.uint8)), np.uint8)
        if cv2.countNonZero(inner & brightness_steps(then)) < LEAST_PRINT * on.area:
            again |= visible & (changes(now.sheet, then) ^ 1)
    return again


def _visible_of(part: _Part, visible: Image, way: Floats, now: TableNow) -> Image:
    return np.asarray(part.shift_mask(visible, way) & (now.shown ^ 1), np.uint8)


class _Part(NamedTuple):
    """Surroundings of a card's visible part, before and now."""

    low: tuple[int, int]
    old: Image
    new: Image
    seen: Image
    scale: float

    @classmethod
    def of(cls, old: Image, new: Image, seen: Image, scale: float) -> _Part:
        left, top, width, height = cv2.boundingRect(seen)
        room = round((BESIDE_MM + 4.0) * scale)
        low = max(0, left - room), max(0, top - room)
        rows, columns = slice(low[1], top + height + room), slice(low[0], left + width + room)
        return cls(low, old[rows, columns], new[rows, columns], seen[rows, columns], scale)

    def shows_print(self, on: CardSheet) -> bool:
        """Return True if enough print or outline shows."""
        return cv2.countNonZero(self.seen & brightness_steps(self.old)) >= LEAST_PRINT * on.area

    def ways(self) -> Iterator[Floats]:
        """Yield motions (2 x 3), likeliest first."""
        yield STILL
        likeness, way = max((self._slid(turn) for turn in TURNS_DEG), key=lambda one: one[0])
        exact = self._refine(way) if likeness > ALIKE / 2 else None
        if exact is not None:
            yield exact

    def fits(self, way: Floats) -> bool:
        """Return True if the moved view matches."""
        alike, otherwise, spot = self._likeness(way)
        return alike >= ALIKE and otherwise < OTHERWISE and spot < SPOT

    def nearly(self, way: Floats) -> bool:
        alike, otherwise, _ = self._likeness(way)
        return alike >= NEARLY and otherwise < NEARLY_OTHERWISE

    def _likeness(self, way: Floats) -> tuple[float, float, float]:
        """Return the correlation, changed share, and largest share in a spot; (0, 1, 1) if unlike."""
        there = self._warp(self.seen, way, cv2.INTER_NEAREST) > 0
        if np.count_nonzero(there) < 0.9 * cv2.countNonZero(self.seen):
            return 0.0, 1.0, 1.0
        then = self._warp(self.old, way, cv2.INTER_LINEAR)
        one, other = (each[there].astype(np.float32).mean(axis=1) for each in (then, self.new))
        one, other = one - one.mean(), other - other.mean()
        lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
        if not lengths or float(one @ other) < NEARLY * lengths:
            return 0.0, 1.0, 1.0
        new = self.new
        if way is not STILL:  # moved print is less sharp than before
            then, new = (np.asarray(cv2.GaussianBlur(each, (0, 0), 1.0), np.uint8) for each in (then, new))
        differs = np.asarray(changes(new, then, there) & there, np.uint8)
        side = max(3, round(SPOT_MM * self.scale))
        spots = cv2.boxFilter(differs, cv2.CV_32F, (side, side))
        return float(one @ other) / lengths, np.count_nonzero(differs) / np.count_nonzero(there), float(spots.max())

    def shift_mask(self, mask: Image, way: Floats) -> Image:
        return np.asarray(cv2.warpAffine(mask, self._whole(way), mask.shape[1::-1], flags=cv2.INTER_NEAREST), np.uint8)

    def alike(self, visible: Image, now: Image, then: Image, way: Floats) -> Image:
        """Return where the sheet matches the moved view (0/1)."""
        moved = self.shift_mask(visible, way)
        was = np.asarray(cv2.warpAffine(then, self._whole(way), then.shape[1::-1]), np.uint8)
        return np.asarray(moved & (changes(now, was, moved > 0) ^ 1), np.uint8)

    def _whole(self, way: Floats) -> Floats:
        low = np.array(self.low, np.float32)
        return np.asarray(np.column_stack([way[:, :2], way[:, 2] + low - way[:, :2] @ low]), np.float32)

    def _slid(self, turn: float) -> tuple[float, Floats]:
        """Return the best correlation at this angle, and motion."""
        middle = tuple(float(value) for value in np.argwhere(self.seen)[:, ::-1].mean(axis=0))
        spin = np.asarray(cv2.getRotationMatrix2D(middle, turn, 1.0), np.float32)
        seen = self._warp(self.seen, spin, cv2.INTER_NEAREST)
        left, top, width, height = cv2.boundingRect(seen)
        own = slice(top, top + height), slice(left, left + width)
        template, reach = self._warp(self.old, spin, cv2.INTER_LINEAR)[own], round(BESIDE_MM * self.scale)
        low = max(0, left - reach), max(0, top - reach)
        field = self.new[low[1] : top + height + reach, low[0] : left + width + reach]
        fits = cv2.matchTemplate(field, template, cv2.TM_CCOEFF_NORMED, mask=seen[own])
        _, most, _, (x, y) = cv2.minMaxLoc(np.nan_to_num(fits, nan=-1.0, posinf=-1.0, neginf=-1.0))
        step = np.array([low[0] + x - left, low[1] + y - top], np.float32)
        return most, np.column_stack([spin[:, :2], spin[:, 2] + step]).astype(np.float32)

    def _refine(self, way: Floats) -> Floats | None:
        """Refine the motion to subpixels; None if impossible."""
        old, new = (cv2.cvtColor(each, cv2.COLOR_BGR2GRAY) for each in (self.old, self.new))
        there = self._warp(self.seen, way, cv2.INTER_NEAREST)
        try:
            found = cv2.findTransformECC(old, new, way.copy(), cv2.MOTION_EUCLIDEAN, PRECISE, there, 3)[1]
        except cv2.error:
            return None
        return np.asarray(found, np.float32)

    @staticmethod
    def _warp(picture: Image, way: Floats, flags: int) -> Image:
        size = picture.shape[1::-1]
        return np.asarray(cv2.warpAffine(picture, way, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _move_track(on: CardSheet, track: Track, part: _Part, way: Floats) -> Track:
    if way is STILL:
        return track
    quad = on.quad(track.look)
    x, y = way @ np.array([quad.x - part.low[0], quad.y - part.low[1], 1.0], np.float32) + np.array(part.low)
    turn = float(np.degrees(np.arctan2(way[1, 0], way[0, 0])))
    here = on.to_piece(msgspec.structs.replace(quad, x=float(x), y=float(y), angle_deg=quad.angle_deg + turn))
    look: Look = msgspec.structs.replace(
        track.look, x_mm=here.x_mm, y_mm=here.y_mm, angle_deg=track.look.angle_deg + turn
    )
    return msgspec.structs.replace(track, look=look)
