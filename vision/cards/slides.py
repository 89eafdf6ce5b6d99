"""Finds pushed splayed cards, as when a splay closes up, by strips visible before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.table import Arrangement
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.cards.changes import RIM
from vision.finding.zones import zone_of
from vision.mat import MatZone
from vision.tracking.looks import Look, Track

STRIP_MM, NARROW_MM = 14.0, 8.0
"""Strip visible towards older cards, and the part always visible."""

ALONG_MM, ACROSS_MM = 42.0, 10.0
"""Largest push along and across a splay."""

LEAST_MM = 2.5
"""Smallest push."""

ORDER_MM, APART_MM = 1.0, 4.0
"""Tolerance of passing another card, and of approaching it from twice as far."""

LEAST_AREA = 0.02
"""Least strip area in cards."""

ALIKE, LIKE = 0.86, 0.75
"""Correlation of a wide strip alone, and of any moving with its neighbours."""

TOGETHER_MM, ABOUT_MM = 3.0, 12.0
"""Tolerance of common motion; larger if plainly seen or twice found."""

SAME_MM = 1.0
"""Tolerance between parts of a strip."""

Way = tuple[int, int]
"""Pixels right and down."""


class FoundStrip(NamedTuple):
    """A strip's new place. wide: the whole strip."""

    wide: bool
    alike: float
    way: Way

    @property
    def plain(self) -> bool:
        """Return True if it proves a push alone."""
        return self.wide and self.alike >= ALIKE


def slid(
    on: CardSheet, before: Image, sheet: Image, moved: Sequence[tuple[Track, Image]], still: Sequence[Track] = ()
) -> dict[Track, Way]:
    """Return the pushed cards with their motions. moved: changed cards with visible masks (0/1); still: others."""
    found = {one[0]: _find_pushes(on, before, sheet, one) for one in moved}
    plainly = {track: ways[0].way for track, ways in found.items() if ways and ways[0].plain}
    told = sure = _in_order(on, plainly, still)
    for card in moved:
        if card[0] in plainly.keys() - sure:
            about = [way for track, way in sure.items() if splay_of(on, track.look) == splay_of(on, card[0].look)]
            found[card[0]] = _find_pushes(on, before, sheet, card, every=True, about=about)
    for track, ways in found.items():
        together = [way for one, way in sure.items() if splay_of(on, one.look) == splay_of(on, track.look)]
        for one in ways:
            near = [float(np.hypot(one.way[0] - x, one.way[1] - y)) / on.scale for x, y in together]
            if track not in told and min(near, default=ACROSS_MM + ALONG_MM) <= _within_mm(on, one, ways):
                told = {**told, track: one.way}
    return _in_order(on, told, still)


def _find_pushes(
    on: CardSheet,
    before: Image,
    sheet: Image,
    moved: tuple[Track, Image],
    *,
    every: bool = False,
    about: Sequence[Way] = (),
) -> list[FoundStrip]:
    """Return possible pushes, the first plain one alone unless `every`. about: neighbours' ways to search."""
    zone, found = splay_of(on, moved[0].look), list[FoundStrip]()
    for one in _ways(on, before, sheet, moved, zone, about) if zone is not None else ():
        if np.hypot(*one.way) >= LEAST_MM * on.scale and one.alike >= LIKE:
            found.append(one)
            if one.plain and not every:
                break
    return found


def _within_mm(on: CardSheet, one: FoundStrip, ways: Sequence[FoundStrip]) -> float:
    """Return the allowed difference from the neighbours' motion."""
    alike = sum(np.hypot(one.way[0] - x, one.way[1] - y) <= SAME_MM * on.scale for _, _, (x, y) in ways)
    return ABOUT_MM if one.alike >= ALIKE or alike > 1 else TOGETHER_MM


def splay_of(on: CardSheet, look: Look) -> MatZone | None:
    """Return the splay zone under a card, or None."""
    return splay_at(on, look.x_mm, look.y_mm)


def splay_at(on: CardSheet, x_mm: float, y_mm: float) -> MatZone | None:
    """Return the splay zone at a place, or None."""
    zone = zone_of(x_mm, y_mm, on.zones)
    return zone if zone is not None and zone.order is Arrangement.SPLAY else None


def _in_order(on: CardSheet, ways: Mapping[Track, Way], still: Sequence[Track]) -> dict[Track, Way]:
    """Drop pushes, those passing most others first, until no card passes another."""
    left = dict(ways)
    while True:
        passed = {track: _count_passed(on, track, left, still) for track in left}
        most = max(passed.values(), default=0)
        if not most:
            return left
        left = {track: way for track, way in left.items() if passed[track] < most}


def _count_passed(on: CardSheet, track: Track, ways: Mapping[Track, Way], still: Sequence[Track]) -> int:
    """Count cards of its splay that this one would pass or push aside."""
    zone = splay_of(on, track.look)
    if zone is None:
        return 0
    onward = ahead(zone)

    def along(one: Track) -> tuple[float, float]:
        before = float(np.array([one.look.x_mm, one.look.y_mm]) @ onward)
        return before, before + float(np.array(ways.get(one, (0, 0))) @ onward) / on.scale

    was, lies = along(track)
    others = [along(one) for one in (*ways, *still) if one is not track and splay_of(on, one.look) == zone]
    return sum(
        ((was - its) * (lies - now) < 0 and abs(lies - now) > ORDER_MM)
        or (abs(lies - now) < APART_MM and abs(was - its) > 2 * APART_MM)
        for its, now in others
    )


def _ways(
    on: CardSheet, before: Image, sheet: Image, moved: tuple[Track, Image], zone: MatZone, about: Sequence[Way]
) -> Iterator[FoundStrip]:
    """Yield motions of the wide and narrow strip and halves."""
    track, visible = moved
    wide, narrow = (visible & _strip(on, track.look, zone, width) for width in (STRIP_MM, NARROW_MM))
    for strip in (wide, narrow, *_halves(np.asarray(wide, np.uint8), zone)):
        inner = np.asarray(cv2.erode(strip, np.ones((RIM, RIM), np.uint8)), np.uint8)
        if cv2.countNonZero(inner) > LEAST_AREA * on.area:
            found = [_way(on, before, sheet, inner, zone, each) for each in set(about) or (None,)]
            yield FoundStrip(strip is wide, *max(found))


def _halves(strip: Image, zone: MatZone) -> Iterator[Image]:
    """Yield a strip's halves; a skew card may hide either end."""
    onward, where = ahead(zone), np.argwhere(strip)[:, ::-1]
    along = where @ np.array([-onward[1], onward[0]])
    for end in (along < np.median(along), along >= np.median(along)) if len(where) else ():
        half = np.zeros_like(strip)
        half[where[end, 1], where[end, 0]] = 1
        yield half


def moved_by(on: CardSheet, track: Track, way: Way) -> Track:
    """Return a track moved by pixels."""
    quad = on.quad(track.look)
    here = on.to_piece(msgspec.structs.replace(quad, x=quad.x + way[0], y=quad.y + way[1]))
    return msgspec.structs.replace(track, look=msgspec.structs.replace(track.look, x_mm=here.x_mm, y_mm=here.y_mm))


def strip_of(on: CardSheet, look: Look) -> Image:
    """Return the strip (0/1) that newer cards leave visible; outside zones the whole card."""
    zone = zone_of(look.x_mm, look.y_mm, on.zones)
    return on.mask(on.quad(look)) if zone is None else _strip(on, look, zone, STRIP_MM)


def _strip(on: CardSheet, look: Look, zone: MatZone, wide_mm: float) -> Image:
    corners = on.quad(look).corners(on.size)
    onward = ahead(zone)
    ranked = corners[np.argsort(corners @ onward, kind="stable")]
    older, newer = ranked[:2], ranked[2:]
    sides = np.array([older[0] - newer[0], older[0] - newer[1]])
    side = sides[int(np.argmin(np.abs(sides @ np.array([-onward[1], onward[0]]))))]
    inward = -side / max(1e-6, float(np.linalg.norm(side))) * wide_mm * on.scale
    mask = np.zeros(on.mask(on.quad(look)).shape, np.uint8)
    cv2.fillConvexPoly(mask, np.rint(np.vstack([older, older[::-1] + inward])).astype(np.int32), 1)
    return mask


def _way(
    on: CardSheet, before: Image, sheet: Image, strip: Image, zone: MatZone, about: Way | None
) -> tuple[float, Way]:
    """Return a strip's best correlation (-1 beyond the sheet) and its motion in sheet pixels. strip: mask (0/1). about:
    motion to search near."""
    left, top, width, height = cv2.boundingRect(strip)
    onward = np.abs(ahead(zone))
    reach = onward * ALONG_MM + onward[::-1] * ACROSS_MM if about is None else np.full(2, ABOUT_MM)
    right, down = (int(value) for value in np.rint(reach * on.scale))
    to_x, to_y = about or (0, 0)
    rows = slice(max(0, top + to_y - down), min(sheet.shape[0], top + to_y + height + down))
    columns = slice(max(0, left + to_x - right), min(sheet.shape[1], left + to_x + width + right))
    part = slice(top, top + height), slice(left, left + width)
    if rows.stop - rows.start < height or columns.stop - columns.start < width:
        return -1.0, (0, 0)
    fits = cv2.matchTemplate(
        np.log(sheet[rows, columns].astype(np.float32) + 8.0),
        np.log(before[part].astype(np.float32) + 8.0),
        cv2.TM_CCOEFF_NORMED,
        mask=strip[part],
    )
    _, most, _, (x, y) = cv2.minMaxLoc(np.nan_to_num(fits, nan=-1.0, posinf=-1.0, neginf=-1.0))
    return most, (columns.start + x - left, rows.start + y - top)


def ahead(zone: MatZone) -> npt.NDArray[np.float64]:
    """Return a splay's direction as a unit vector."""
    turn = np.radians(zone.direction)
    return np.array([np.cos(turn), np.sin(turn)])
