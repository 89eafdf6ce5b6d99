"""Hands over the mat: what differs from the mat at rest and reaches over its edge, and from which side it came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.table import Seat
from vision.camera import Image
from vision.channels import extremes

SCALE = 0.5
"""Pixels a millimetre of the coarse sheet in which hands are looked for."""

CHANGE = 0.16
SHADOW = 0.6
"""A pixel darker than at rest in equal parts, down to this share, is in a shadow."""

LEAST_AREA_MM2 = 350.0
EDGE_MM = 4.0
CLEAR_MM = 20.0
PLACE_MM = 9.0
BARE = 0.7
"""So much of a piece's place must look different before the piece counts as gone."""

AMBIGUOUS = 0.6
"""If the second side's share of the edge that is crossed is this much of the first's, the side is not certain."""

Floats = npt.NDArray[np.float32]


class HandSight(msgspec.Struct, frozen=True):
    """Hands in one picture, on the coarse sheet (uint8).

    mask: 0, or the hand's number from 1. changed: 0/1, what differs from the rest before, hands included.
    sides: by hand, the mat's side that it came from; None if it cannot be told.
    """

    mask: Image
    changed: Image
    sides: tuple[str | None, ...]
    margin_mm: float

    @property
    def present(self) -> bool:
        return bool(self.sides)

    def bare(self, x_mm: float, y_mm: float) -> bool:
        """True if no hand is near a place, and it shows something else than at rest."""
        return not _share(self.mask, x_mm, y_mm, CLEAR_MM, self.margin_mm) and (
            _share(self.changed, x_mm, y_mm, PLACE_MM, self.margin_mm) > BARE
        )


def _share(mask: Image, x_mm: float, y_mm: float, reach_mm: float, margin_mm: float) -> float:
    """Share of the pixels within a square around a place that are set."""
    x, y, reach = ((x_mm + margin_mm) * SCALE, (y_mm + margin_mm) * SCALE, reach_mm * SCALE)
    top, left = max(0, round(y - reach)), max(0, round(x - reach))
    part = mask[top : round(y + reach) + 1, left : round(x + reach) + 1]
    return float(np.count_nonzero(part)) / part.size if part.size else 0.0


class HandFinder:
    """Compares coarse sheets with the last one at rest. `margin_mm`: how much of the table the sheet shows around."""

    def __init__(self, size_mm: tuple[float, float], margin_mm: float) -> None:
        self._bands = _bands(size_mm, margin_mm)
        self._margin_mm = margin_mm
        self.reference: Floats | None = None
        """The table at rest, without hands."""

    def rest(self, coarse: Image) -> None:
        """This is what the table looks like without hands."""
        self.reference = coarse.astype(np.float32) + 4.0

    def look(self, coarse: Image) -> HandSight:
        """Hands in a coarse BGR sheet. Before the first rest there are none."""
        if self.reference is None or self.reference.shape != coarse.shape:
            nothing = np.zeros(coarse.shape[:2], np.uint8)
            return HandSight(nothing, nothing, (), self._margin_mm)
        changed = _changed(coarse.astype(np.float32) + 4.0, self.reference)
        closed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
        mask = np.zeros(coarse.shape[:2], np.uint8)
        sides: list[str | None] = []
        for label in range(1, count):
            if stats[label, cv2.CC_STAT_AREA] < LEAST_AREA_MM2 * SCALE * SCALE:
                continue
            part = labels == label
            crossed = {side: int(np.count_nonzero(part & band)) for side, band in self._bands.items()}
            if max(crossed.values()) < 6:
                continue
            sides.append(_side(crossed))
            mask[part] = len(sides)
        return HandSight(mask, changed, tuple(sides), self._margin_mm)


def _bands(size_mm: tuple[float, float], margin_mm: float) -> dict[str, npt.NDArray[np.bool_]]:
    """Pixels of the coarse sheet on either side of each edge of the mat."""
    columns, rows = (round((size + 2 * margin_mm) * SCALE) for size in size_mm)
    x = (np.arange(columns) + 0.5) / SCALE - margin_mm
    y = (np.arange(rows) + 0.5) / SCALE - margin_mm
    width, height = size_mm
    along_x = np.broadcast_to(((x >= -EDGE_MM) & (x <= width + EDGE_MM))[None, :], (rows, columns))
    along_y = np.broadcast_to(((y >= -EDGE_MM) & (y <= height + EDGE_MM))[:, None], (rows, columns))
    return {
        "top": along_x & (np.abs(y) <= EDGE_MM)[:, None],
        "bottom": along_x & (np.abs(y - height) <= EDGE_MM)[:, None],
        "left": along_y & (np.abs(x) <= EDGE_MM)[None, :],
        "right": along_y & (np.abs(x - width) <= EDGE_MM)[None, :],
    }


def _changed(now: Floats, reference: Floats) -> Image:
    """What differs by more than light: pixels brighter, coloured otherwise, or darker than a shadow makes them."""
    ratio = now / reference
    ratio /= np.median(ratio[::4, ::4].reshape(-1, 3), axis=0).astype(np.float32)
    low, high = extremes(ratio)
    different = (high > 1 + CHANGE) | (low < 1 - CHANGE)
    shadow = (high < 1 + CHANGE / 2) & (low > SHADOW) & (high - low < 0.6 * CHANGE)
    return np.asarray(different & ~shadow, np.uint8)


def _side(crossed: Mapping[str, int]) -> str | None:
    (best, most), (_, second) = Counter(crossed).most_common(2)
    return best if second < AMBIGUOUS * most else None


class HandLog:
    """From which sides hands came since the last rest, and what they were over."""

    def __init__(self) -> None:
        self._votes: Counter[str | None] = Counter()
        self._over: dict[str | None, Image] = {}
        self._margin_mm = 0.0

    def note(self, sight: HandSight) -> None:
        self._margin_mm = sight.margin_mm
        for number, side in enumerate(sight.sides, start=1):
            self._votes[side] += 1
            part = np.asarray(sight.mask == number, np.uint8)
            self._over[side] = part | self._over[side] if side in self._over else part

    def seats(self, sides: Mapping[Seat, str], touched: bool) -> frozenset[Seat] | None:
        """The seats whose hands were seen; None if some hand's seat cannot be told, or pieces moved without one."""
        return self._seats(sides, set(self._votes)) if self._votes else None if touched else frozenset()

    def seats_at(self, sides: Mapping[Seat, str], places_mm: Sequence[tuple[float, float]]) -> frozenset[Seat] | None:
        """The seats whose hands were over all of the places, or else over any; None if it cannot be told."""
        over = [
            {side for side, mask in self._over.items() if _share(mask, x, y, CLEAR_MM, self._margin_mm)}
            for x, y in places_mm
        ]
        return self._seats(sides, set.intersection(*over) or set.union(*over)) if over else None

    def _seats(self, sides: Mapping[Seat, str], seen: set[str | None]) -> frozenset[Seat] | None:
        total = sum(self._votes.values())
        if not seen or self._votes[None] > total / 2:
            return None
        clear = {side for side in seen if side is not None and self._votes[side] >= max(1, 0.15 * total)}
        if not clear or not clear <= set(sides.values()):
            return None
        return frozenset(seat for seat, side in sides.items() if side in clear)
