"""Finds cards of a splay that were pushed along together, by the strip of each that showed before.

When the oldest card goes, the others close up, and the next one comes to lie on them: all that shows then is strips.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.table import Order
from vision.camera import Image
from vision.cards.cardsheet import CardSheet
from vision.finding.zones import zone_of
from vision.mat import MatZone
from vision.tracking.looks import Look, Track

STRIP_MM, NARROW_MM = 14.0, 8.0
"""So much of a card on the side of the older ones shows, and so much always, also under one that lies askew."""

ALONG_MM, ACROSS_MM = 42.0, 10.0
"""So far cards are pushed along a splay, and so far they may go astray."""

LEAST_MM = 2.5
"""Whoever lies so near its place was not pushed."""

LEAST_AREA = 0.02
"""Share of a card that must have shown of its strip."""

RIM = 5
"""Pixels: half so wide is the rim of a strip that is left out, as other things may lie beside it now."""

ALIKE, LIKE = 0.86, 0.75
"""Correlation of a strip with itself, elsewhere: a wide one alone, and any that went as the cards beside it did."""

TOGETHER_MM, ABOUT_MM = 3.0, 12.0
"""Cards that are pushed together go the same way, but for so much; for the second, if a part is seen plainly or two
parts went the same way.
"""

SAME_MM = 1.0
"""Parts of a strip that went the same way differ by no more."""

Way = tuple[int, int]
"""Pixels right and down."""


def slid(
    on: CardSheet, before: Image, sheet: Image, moved: Sequence[tuple[Track, Image]]
) -> Iterator[tuple[Track, Way]]:
    """Those of the cards that were pushed along their splay, each with its way.

    moved: cards that do not lie as they did, with masks (0/1) of what showed of each.
    """
    sure: dict[str, list[Way]] = {}
    perhaps: list[tuple[Track, str, Way, float]] = []
    told = set[int]()
    for track, visible in moved:
        zone = zone_of(track.look.x_mm, track.look.y_mm, on.zones)
        if zone is None or zone.order is not Order.SPLAY:
            continue
        found: list[tuple[Way, float]] = []
        for wide, alike, way in _ways(on, before, sheet, (track, visible), zone):
            if np.hypot(*way) < LEAST_MM * on.scale or alike < LIKE:
                continue
            if alike >= ALIKE and wide:
                sure.setdefault(zone.name, []).append(way)
                told.add(track.number)
                yield track, way
                break
            found.append((way, alike))
        for way, alike in found:
            twice = sum(np.hypot(way[0] - x, way[1] - y) <= SAME_MM * on.scale for (x, y), _ in found) > 1
            perhaps.append((track, zone.name, way, ABOUT_MM if alike >= ALIKE or twice else TOGETHER_MM))
    for track, name, way, within_mm in perhaps:
        near = [np.hypot(way[0] - other[0], way[1] - other[1]) for other in sure.get(name, [])]
        if near and min(near) <= within_mm * on.scale and track.number not in told:
            told.add(track.number)
            yield track, way


def _ways(
    on: CardSheet, before: Image, sheet: Image, moved: tuple[Track, Image], zone: MatZone
) -> Iterator[tuple[bool, float, Way]]:
    """Where the wide strip of a card went, the narrow one, and either half, with how like they are."""
    track, visible = moved
    wide, narrow = (visible & _strip(on, track.look, zone, width) for width in (STRIP_MM, NARROW_MM))
    for strip in (wide, narrow, *_halves(np.asarray(wide, np.uint8), zone)):
        inner = np.asarray(cv2.erode(strip, np.ones((RIM, RIM), np.uint8)), np.uint8)
        if cv2.countNonZero(inner) > LEAST_AREA * on.area:
            yield strip is wide, *_way(on, before, sheet, inner, zone)


def _halves(strip: Image, zone: MatZone) -> Iterator[Image]:
    """One end of a strip and the other: a card that came to lie askew may hide either."""
    ahead, where = _ahead(zone), np.argwhere(strip)[:, ::-1]
    along = where @ np.array([-ahead[1], ahead[0]])
    for end in (along < np.median(along), along >= np.median(along)) if len(where) else ():
        half = np.zeros_like(strip)
        half[where[end, 1], where[end, 0]] = 1
        yield half


def moved_by(on: CardSheet, track: Track, way: Way) -> Track:
    """The track of a card that went so many pixels right and down."""
    quad = on.quad(track.look)
    here = on.found(msgspec.structs.replace(quad, x=quad.x + way[0], y=quad.y + way[1]))
    return msgspec.structs.replace(track, look=msgspec.structs.replace(track.look, x_mm=here.x_mm, y_mm=here.y_mm))


def strip_of(on: CardSheet, look: Look) -> Image:
    """Mask (0/1) of what always shows of a card in a splay."""
    zone = zone_of(look.x_mm, look.y_mm, on.zones)
    return on.mask(on.quad(look)) if zone is None else _strip(on, look, zone, STRIP_MM)


def _strip(on: CardSheet, look: Look, zone: MatZone, wide_mm: float) -> Image:
    """The part of a card that lies towards the older ones."""
    corners = on.quad(look).corners(on.size)
    ahead = _ahead(zone)
    ranked = corners[np.argsort(corners @ ahead)]
    older, newer = ranked[:2], ranked[2:]
    sides = np.array([older[0] - newer[0], older[0] - newer[1]])
    side = sides[int(np.argmin(np.abs(sides @ np.array([-ahead[1], ahead[0]]))))]
    inward = -side / max(1e-6, float(np.linalg.norm(side))) * wide_mm * on.scale
    mask = np.zeros(on.mask(on.quad(look)).shape, np.uint8)
    cv2.fillConvexPoly(mask, np.rint(np.vstack([older, older[::-1] + inward])).astype(np.int32), 1)
    return mask


def _way(on: CardSheet, before: Image, sheet: Image, strip: Image, zone: MatZone) -> tuple[float, Way]:
    """How far a strip went, at the likeliest, and how like it is what lies there."""
    left, top, width, height = cv2.boundingRect(strip)
    ahead = _ahead(zone)
    reach = np.abs(ahead) * ALONG_MM + np.abs(ahead[::-1]) * ACROSS_MM
    right, down = (int(value) for value in np.rint(reach * on.scale))
    rows = slice(max(0, top - down), min(sheet.shape[0], top + height + down))
    columns = slice(max(0, left - right), min(sheet.shape[1], left + width + right))
    part = slice(top, top + height), slice(left, left + width)
    fits = cv2.matchTemplate(
        np.log(sheet[rows, columns].astype(np.float32) + 8.0),
        np.log(before[part].astype(np.float32) + 8.0),
        cv2.TM_CCOEFF_NORMED,
        mask=strip[part],
    )
    _, most, _, (x, y) = cv2.minMaxLoc(np.nan_to_num(fits, nan=-1.0, posinf=-1.0, neginf=-1.0))
    return most, (columns.start + x - left, rows.start + y - top)


def _ahead(zone: MatZone) -> npt.NDArray[np.float64]:
    """The direction in which a splay grows."""
    turn = np.radians(zone.direction)
    return np.array([np.cos(turn), np.sin(turn)])
