"""Cards from rest to rest: what lies unchanged is what it was; what changed is looked for, named and told apart.

Cards lie on one another, and of the older ones only a strip may show. Each was seen whole when it was laid, so that
nothing has to be read off a strip as long as it looks as it did. Hands are not followed: a card that is gone and one
that has come are the same if they show the same, or if one was only turned or pushed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.table import Face, Order, Sight, Touch
from vision.camera import Image
from vision.finding.ground import stands_out
from vision.finding.pieces import CROP_ROOM, Found, PieceFinder
from vision.finding.quad import Quad
from vision.finding.quads import quads_in
from vision.finding.zones import zone_of
from vision.following.tracker import Look, Settled, Track
from vision.mat import MatZone
from vision.recognition.enrolment import BACK
from vision.recognition.naming import PartRecogniser

CARD_TRACKS = 500_000
"""Cards are numbered from here: discs and stones have the lower numbers."""

CHANGE = 0.16
"""A difference of the logarithm of brightness that is more than noise."""

UNCHANGED, DIRTY = 0.05, 0.06
"""Share of what shows of a card that may differ though nothing happened; share of a card that is worth a look."""

NEW = 0.12
"""Share of a newly found card, as far as it is in sight, that must differ from the picture before."""

SAME_MM, SAME_DEG = 4.0, 6.0
"""Within these a card that is found is the one that was known there."""

STRIP = 0.07
"""Share of a card that must be in sight for it not to be covered."""

WHOLE = 0.88
"""Share from which a card is named by its face."""

MOVED_MM = 1.5
"""From here on a card was handled."""

DRAWN_MM, DRAWN_DEG = 0.06, 0.06
"""From here on the back on a pile is another one's."""

PRECISE = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4)

NEAR_MM = 14.0
"""How far a card goes that is turned over or pushed aside on the spot."""

Namer = Callable[[Sequence[Found]], list[Look]]
"""Looks at cards in full sight."""


class _Seen(NamedTuple):
    """The picture of a rest, and its sheet under the projection that held then."""

    image: Image
    finder: PieceFinder
    sheet: Image

    def under(self, finder: PieceFinder) -> Image:
        """The sheet as the finder would have made it: a projection fitted anew moves no card."""
        return self.sheet if finder is self.finder else finder.sheet.rectify(self.image)


class Cards:
    """The cards of one set on one mat. Feed it every rest."""

    def __init__(self, newest: int = CARD_TRACKS) -> None:
        self.newest = newest
        self.tracks: tuple[Track, ...] = ()
        """The lowest first."""
        self._seen: _Seen | None = None

    def forget(self) -> None:
        """The picture before does not count any more: the camera or the mat was moved."""
        self._seen = None

    def settle(
        self, image: Image, finder: PieceFinder, zones: Sequence[MatZone], name: Namer, parts: PartRecogniser | None
    ) -> Settled:
        """The cards at rest. image: the whole picture. parts: names those that are half covered."""
        before = self._seen.under(finder) if self._seen is not None and self._seen.image.shape == image.shape else None
        self._seen = _Seen(image, finder, finder.sheet.rectify(image))
        work = _Work(self._seen.sheet, before, finder, zones, finder.usable, self.tracks)
        quads = work.fresh_quads()
        kept, covered, gone = work.remaining(quads)
        whole = iter(name([work.found(quad) for quad in quads if quad.shown >= WHOLE]))
        looks = [next(whole) if quad.shown >= WHOLE else work.strip(quad, quads, parts) for quad in quads]
        tracks, touched, lost = self._told(looks, gone, zones)
        drawn = [track for track in kept if work.drawn(track)]
        kept = [self._next_of(track) if track in drawn else track for track in kept]
        touched += [Touch(track.number, lifted=True) for track in drawn]
        lying = [*kept, *covered, *tracks]
        known = {track.number for track in self.tracks}
        self.tracks = tuple(_topmost(lying, zones))
        if before is not None:
            came = {track.number for track in tracks} - known
            touched += [Touch(track.number, lifted=True) for track in self.tracks if track.number in came]
        return Settled(self.tracks, tuple(touched), lost)

    def _next_of(self, track: Track) -> Track:
        """The card that lay below the top of a pile."""
        self.newest += 1
        return msgspec.structs.replace(track, number=self.newest)

    def _told(
        self, looks: Sequence[Look], gone: Sequence[Track], zones: Sequence[MatZone]
    ) -> tuple[list[Track], list[Touch], frozenset[int]]:
        """Tracks of what came, touches of all that was handled, and the tracks whose past is not sure."""
        left, tracks, touches, lost = list(gone), list[Track](), list[Touch](), set[int]()
        for look in looks:
            before = _same(look, left, zones)
            if before is None:
                self.newest += 1
                tracks.append(Track(self.newest, look, look.kind))
                if look.kind is None and any(track.look.kind is None for track in left):
                    lost.add(self.newest)
                continue
            left.remove(before)
            tracks.append(Track(before.number, look, look.kind or before.known))
            moved = float(np.hypot(look.x - before.look.x, look.y - before.look.y))
            turned = None not in (look.face, before.look.face) and look.face is not before.look.face
            if moved > MOVED_MM or turned:
                touches.append(Touch(before.number, lifted=moved > NEAR_MM or turned))
        touches += [Touch(track.number, lifted=True) for track in left]
        return tracks, touches, frozenset(lost)


class _Work:
    """One rest: the picture, what is known, and what of it still holds."""

    def __init__(
        self,
        sheet: Image,
        before: Image | None,
        finder: PieceFinder,
        zones: Sequence[MatZone],
        usable: Image,
        tracks: Sequence[Track],
    ) -> None:
        self._finder, self._zones = finder, zones
        self._sheet, self._known = sheet, tracks
        self._before = before if before is not None and before.shape == sheet.shape else None
        self._size = (finder.pieces.size_mm[0] * finder.sheet.scale, finder.pieces.size_mm[1] * finder.sheet.scale)
        self._area = self._size[0] * self._size[1]
        self._solid = stands_out(sheet, usable)
        self._compared = before is not None and before.shape == sheet.shape
        self._changed = _changes(sheet, before) if before is not None and self._compared else np.ones_like(self._solid)
        masks = [self._mask(self._quad(track.look)) for track in tracks]
        self._visible = _in_sight(masks)
        self._still = [self._unchanged(mask) for mask in self._visible]

    def found(self, quad: Quad) -> Found:
        (x, y), *_ = self._finder.sheet.to_mm(np.array([[quad.x, quad.y]]))
        return Found(float(x), float(y), quad.angle_deg, quad.support)

    def fresh_quads(self) -> list[Quad]:
        """Cards that were not there before, the lowest first.

        Those that lie whole are taken first; what is left of the cards known before explains what shows below them.
        """
        whole, strips = list[Quad](), list[tuple[Quad, Image]]()
        above = np.zeros(self._sheet.shape[:2], np.uint8)
        news = self._changed if self._compared else None
        for quad in quads_in(self._sheet, self._solid, self._size, self._dirty, self._expected, news):
            mask = self._mask(quad)
            visible = np.asarray(mask & (above == 0), np.uint8)
            above |= mask
            if self._is_known(quad) or not self._is_new(visible):
                continue
            if np.count_nonzero(visible) >= WHOLE * np.count_nonzero(mask):
                whole.append(quad)
            else:
                strips.append((msgspec.structs.replace(quad, shown=0.0), visible))
        known = np.zeros_like(above)
        for track in self.remaining(whole)[0]:
            known |= self._mask(self._quad(track.look))
        strange = [quad for quad, visible in strips if self._is_new(np.asarray(visible & (known == 0), np.uint8))]
        return [*strange[::-1], *(msgspec.structs.replace(quad, shown=1.0) for quad in whole[::-1])]

    def _is_new(self, visible: Image) -> bool:
        shown = np.count_nonzero(visible)
        return bool(shown > STRIP * self._area and np.count_nonzero(visible & self._changed) > NEW * shown)

    def strip(self, quad: Quad, quads: Sequence[Quad], parts: PartRecogniser | None) -> Look:
        """A card of which others hide a part, named if what shows of it is like one kind and no other."""
        here = self.found(quad)
        seen = self._mask(quad)
        for other in quads[quads.index(quad) + 1 :]:
            seen = np.asarray(seen & (self._mask(other) == 0), np.uint8)
        looks = Look(here.x_mm, here.y_mm, quad.angle_deg, None, None, Sight.UNKNOWN, 0.0)
        if parts is None:
            return looks
        crop, mask = (self._cut(picture, quad) for picture in (self._sheet, seen))
        naming = parts.name_part(crop, mask)
        if naming.kind == BACK:
            return msgspec.structs.replace(looks, face=Face.DOWN, sight=Sight.SEEN, confidence=naming.confidence)
        if naming.kind is None:
            return looks
        named = msgspec.structs.replace(looks, kind=naming.kind, face=Face.UP, sight=Sight.SEEN)
        return msgspec.structs.replace(named, confidence=naming.confidence)

    def _cut(self, picture: Image, quad: Quad) -> Image:
        """A card with its surroundings, upright, as a recogniser wants it."""
        extent = (self._size[0] * CROP_ROOM, self._size[1] * CROP_ROOM)
        pixels = self._finder.crop_pixels
        corners = Quad(quad.x, quad.y, quad.angle_deg, 1.0).corners(extent)  # bottom left, then clockwise
        target = np.array([[0, pixels[1] - 1], [0, 0], [pixels[0] - 1, 0]], np.float32)
        transform = cv2.getAffineTransform(upright(corners, quad)[:3], target)
        return np.asarray(cv2.warpAffine(picture, transform, pixels, flags=cv2.INTER_LINEAR), np.uint8)

    def remaining(self, fresh: Sequence[Quad]) -> tuple[list[Track], list[Track], list[Track]]:
        """Of the cards known before: those that lie as they did, those that are covered, and those that are gone."""
        over = np.zeros_like(self._solid)
        for quad in fresh:
            over |= self._mask(quad)
        kept, covered, gone = list[Track](), list[Track](), list[Track]()
        for track, visible, still in zip(self._known, self._visible, self._still, strict=True):
            left = np.asarray(visible & (over == 0), np.uint8)
            if still:
                kept.append(track)
            elif np.count_nonzero(left) < STRIP * self._area and self._may_be_under(track, fresh):
                covered.append(_hidden(track))
            elif self._unchanged(left):
                kept.append(track)
            else:
                gone.append(track)
        return kept, covered, gone

    def drawn(self, track: Track) -> bool:
        """Whether the back on a pile is another one than before: no two lie alike to a tenth of a millimetre."""
        zone = zone_of(track.look.x, track.look.y, self._zones)
        if self._before is None or zone is None or zone.order is not Order.PILE or track.look.face is not Face.DOWN:
            return False
        left, top, width, height = cv2.boundingRect(self._mask(self._quad(track.look)))
        part = slice(max(0, top), top + height), slice(max(0, left), left + width)
        old, new = (cv2.cvtColor(picture[part], cv2.COLOR_BGR2GRAY) for picture in (self._before, self._sheet))
        try:
            warp = cv2.findTransformECC(
                old, new, np.eye(2, 3, dtype=np.float32), cv2.MOTION_EUCLIDEAN, PRECISE, np.ones_like(old), 5
            )[1]
        except cv2.error:  # nothing of the one picture is in the other
            return True
        middle = np.array([old.shape[1] / 2, old.shape[0] / 2, 1.0])
        moved = float(np.linalg.norm(np.asarray(warp) @ middle - middle[:2])) / self._finder.sheet.scale
        turned = abs(float(np.degrees(np.arctan2(warp[1, 0], warp[0, 0]))))
        return moved > DRAWN_MM or turned > DRAWN_DEG

    def _may_be_under(self, track: Track, fresh: Sequence[Quad]) -> bool:
        """Outside piles a card that lies just where another lay was put in its place, or is the same, turned over."""
        zone = zone_of(track.look.x, track.look.y, self._zones)
        if zone is not None and zone.order is Order.PILE:
            return True
        places = [self.found(quad) for quad in fresh]
        return all(np.hypot(track.look.x - p.x_mm, track.look.y - p.y_mm) > NEAR_MM for p in places)

    def _dirty(self, blob: Image) -> bool:
        """Whether anything happened in a part of the picture."""
        return bool(np.count_nonzero(blob & self._changed) > DIRTY * self._area)

    def _is_known(self, quad: Quad) -> bool:
        """True if it is a card that still lies as it did."""
        here = self.found(quad)
        return any(still and _at(track.look, here) for track, still in zip(self._known, self._still, strict=True))

    def _unchanged(self, mask: Image) -> bool:
        seen = np.count_nonzero(mask)
        return bool(seen > 0 and np.count_nonzero(mask & self._changed) < UNCHANGED * seen)

    def _quad(self, look: Look) -> Quad:
        x, y = self._finder.sheet.to_px(np.array([[look.x, look.y]]))[0]
        return Quad(float(x), float(y), look.angle, 1.0)

    def _mask(self, quad: Quad) -> Image:
        mask = np.zeros(self._sheet.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.rint(quad.corners(self._size)).astype(np.int32)], 1)
        return mask

    def _expected(self, x: float, y: float) -> float | None:
        (here,) = self._finder.sheet.to_mm(np.array([[x, y]]))
        zone = zone_of(float(here[0]), float(here[1]), self._zones)
        return None if zone is None else lies_at(zone)


def upright(corners: npt.NDArray[np.float32], quad: Quad) -> npt.NDArray[np.float32]:
    """Corners of a rectangle from its own bottom left on, clockwise."""
    turn = np.radians(quad.angle_deg)
    right, low = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    about = corners - np.array([quad.x, quad.y])
    signs = ((-1, 1), (-1, -1), (1, -1), (1, 1))
    return np.stack([corners[int(np.argmax(about @ right * a + about @ low * b))] for a, b in signs]).astype(np.float32)


def lies_at(zone: MatZone) -> float | None:
    """The angle at which a card lies in a zone, as its print suggests; None if it suggests none."""
    match zone.order:
        case Order.SPLAY:
            return zone.direction % 180.0
        case Order.PILE | Order.CELLS:
            box = zone.cells[0] if zone.cells else zone.box
            return 90.0 if box.width > box.height else 0.0
        case _:
            return None


def _changes(sheet: Image, before: Image) -> Image:
    """Mask (0/1) of what looks otherwise than before, by more than light."""
    ratio = np.log((sheet.astype(np.float32) + 8.0) / (before.astype(np.float32) + 8.0))
    ratio -= np.median(ratio[::6, ::6].reshape(-1, 3), axis=0).astype(np.float32)
    return np.asarray(np.abs(cv2.blur(ratio, (3, 3))).max(axis=2) > CHANGE, np.uint8)


def _in_sight(masks: Sequence[Image]) -> list[Image]:
    """Of each mask, the lowest first, what none above it covers."""
    seen: list[Image] = []
    over: Image | None = None
    for mask in reversed(masks):
        seen.append(mask if over is None else np.asarray(mask & (over == 0), np.uint8))
        over = mask if over is None else np.asarray(over | mask, np.uint8)
    return seen[::-1]


def _at(look: Look, here: Found) -> bool:
    turn = abs((look.angle - here.angle_deg + 90.0) % 180.0 - 90.0)
    return float(np.hypot(look.x - here.x_mm, look.y - here.y_mm)) < SAME_MM and turn < SAME_DEG


def _same(look: Look, gone: Sequence[Track], zones: Sequence[MatZone]) -> Track | None:
    """Which of the cards that are gone from their places this one is; None if nobody can tell."""
    zone = zone_of(look.x, look.y, zones)
    if zone is not None and zone.order is Order.PILE and look.kind is None:
        return None  # one back looks like another

    def apart(track: Track) -> float:
        return float(np.hypot(look.x - track.look.x, look.y - track.look.y))

    if look.kind is not None:
        named = [track for track in gone if track.known == look.kind]
        if named:
            return min(named, key=apart)
    near = [track for track in gone if apart(track) < NEAR_MM]
    if len(near) != 1:
        return None
    (was,) = near
    contradicts = None not in (look.kind, was.known) and look.kind != was.known
    doubtful = look.sight is Sight.UNKNOWN
    return None if contradicts or doubtful else was


def _hidden(track: Track) -> Track:
    return msgspec.structs.replace(track, look=msgspec.structs.replace(track.look, sight=Sight.COVERED))


def _topmost(tracks: Iterable[Track], zones: Sequence[MatZone]) -> list[Track]:
    """All but what lies below the top of a pile."""
    kept: list[Track] = []
    full: set[str] = set()
    for track in reversed(list(tracks)):
        zone = zone_of(track.look.x, track.look.y, zones)
        if zone is not None and zone.order is Order.PILE:
            if zone.name in full:
                continue
            full.add(zone.name)
        kept.append(track)
    return kept[::-1]
