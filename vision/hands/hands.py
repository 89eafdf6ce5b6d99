"""Detects hands as changes that reach over the mat's edge, and their sides by crossed edges and arm direction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.hands.background import (
    GRAIN,
    SCALE,
    Floats,
    changed_from,
    grain,
    ground_of,
    inverse_of,
    light_of,
    smooth_image,
    steps_stay,
)
from vision.registration.lens import Points

AMBIGUOUS = 0.6
"""Ratio of the second to the first side's crossing that makes the side uncertain."""

LEAST_CROSSED = 6
"""Pixels around an edge that count as crossing it."""

LONG = 2.0
"""Ratio of variances that gives an arm's direction."""

_UPRIGHT = frozenset({"top", "bottom"})


class Reach(msgspec.Struct, frozen=True):
    """Evidence of a hand's origin.

    crossed: pixels around each edge.
    broad, tall: spread along width and height.
    """

    crossed: Mapping[str, int]
    broad: float = 0.0
    tall: float = 0.0

    def and_then(self, later: Reach) -> Reach:
        both = {side: count + self.crossed.get(side, 0) for side, count in later.crossed.items()}
        return Reach({**self.crossed, **both}, self.broad + later.broad, self.tall + later.tall)

    def less(self, thing: Reach) -> Reach:
        """Return the reach less a merged object's crossed pixels, 0 below LEAST_CROSSED; broad and tall stay."""
        more = {side: count - thing.crossed.get(side, 0) for side, count in self.crossed.items()}
        crossed = {side: count if count >= LEAST_CROSSED else 0 for side, count in more.items()}
        return msgspec.structs.replace(self, crossed=crossed)

    def goes_on(self, before: Reach) -> bool:
        """Return True if the hand shares a crossed edge with the earlier picture."""
        now, then = ({side for side, count in one.crossed.items() if count >= LEAST_CROSSED} for one in (self, before))
        return bool(now & then)

    def side(self, seated: frozenset[str]) -> str | None:
        """Return the most crossed side, preferably an occupied one; None if unclear.

        An arm crosses its own edge only by its width, so its direction decides.
        """
        likely = {side: count for side, count in self.crossed.items() if side in seated and count >= LEAST_CROSSED}
        sides = likely or self.crossed
        sides = {side: count for side, count in sides.items() if self._lies_from(side)} or sides
        ranked = Counter(sides).most_common(2)
        best, most = ranked[0]
        alone = most > 0 and (len(ranked) == 1 or ranked[1][1] < AMBIGUOUS * most)
        return best if alone else None

    def _lies_from(self, side: str) -> bool:
        """Return True if the arm's direction suits this side."""
        long, across = (self.tall, self.broad) if side in _UPRIGHT else (self.broad, self.tall)
        return self.crossed[side] >= LEAST_CROSSED and long > LONG * across


def reach_of(part: npt.NDArray[np.bool_], crossed: Mapping[str, int]) -> Reach:
    """Return the reach of a hand's pixels."""
    rows, columns = np.nonzero(part)
    return Reach(dict(crossed), float(np.var(columns)) * len(columns), float(np.var(rows)) * len(rows))


# --- in a picture


LEAST_AREA_MM2 = 350.0
PARTED_MM2 = 2500.0
"""Detached changes this large belong to a hand; pieces are smaller."""

EDGE_MM, RIM_MM = 4.0, 8.0
"""Bands outside and inside an edge; the table may resemble a hand."""

CLEAR_MM = 20.0
PLACE_MM, PLACE = 9.0, 0.4
"""Half a piece's place: at most mm, and in its width."""

BARE = 0.7
"""Changed share at which a piece is gone."""

MAT = 0.3
"""Share unlike the mat below which a place is empty; a piece fills 0.66."""

OTHERWISE, AROUND_MM, BESIDE_MM = 0.5, 5.0, 4.0
"""A piece in shadow remains if less than this share changed beyond light and its steps stay: margin around it, and
margin of hands."""

OBJECT = 0.85
"""Share unlike the mat of an object, more than a shadow or reflection."""

BEYOND_MM, LEAST_BEYOND = 22.0, 40
ARM_MM, LEAN = 45.0, 0.45
"""A hand is beyond a place with this many pixels at this distance; width and lean of an arm."""

Offsets = npt.NDArray[np.float64]


_AWAY: Mapping[str, Callable[[Offsets, Offsets], tuple[Offsets, Offsets]]] = {
    "bottom": lambda right, down: (-down, right),
    "top": lambda right, down: (down, right),
    "left": lambda right, down: (right, down),
    "right": lambda right, down: (-right, down),
}
"""Distances beyond and beside a place, by the hand's side."""


class HandSight(msgspec.Struct, frozen=True):
    """Hands in a coarse sheet (uint8).

    mask: 0, or the hand's number.
    changed: 0/1, since the last rest, hands included.
    filled: 0/1, unlike the bare mat.
    occupied: 0/1, pieces at the last rest.
    place_mm, whole_mm: half a piece's inner and whole place.
    sides: by hand; None if unknown.
    light: 3 x rows x columns.
    apart: 0/1, detached parts of hands.
    """

    mask: Image
    changed: Image
    filled: Image
    occupied: Image
    sides: tuple[str | None, ...]
    margin_mm: float
    reaches: tuple[Reach, ...] = ()
    place_mm: float = PLACE_MM
    whole_mm: float = PLACE_MM
    light: Floats | None = None
    before: RestSheet | None = None
    apart: Image | None = None

    @property
    def present(self) -> bool:
        return bool(self.sides)

    def bare(self, x_mm: float, y_mm: float) -> bool:
        """Return True if a place shows the mat, or its piece changed without a hand or object there."""
        unlike = share(self.filled, x_mm, y_mm, self.place_mm, self.margin_mm)
        if unlike < MAT and not self._reached_over(x_mm, y_mm):
            return not self._lies_still(x_mm, y_mm)
        if unlike > OBJECT or self.near(x_mm, y_mm):
            return False
        occupied = share(self.occupied, x_mm, y_mm, self.place_mm, self.margin_mm) > 0.5
        return occupied and share(self.changed, x_mm, y_mm, self.place_mm, self.margin_mm) > BARE

    def altered_share(self, x_mm: float, y_mm: float) -> float:
        return share(self.changed, x_mm, y_mm, self.place_mm, self.margin_mm)

    def _lies_still(self, x_mm: float, y_mm: float) -> bool:
        """Return True if a piece in shadow is still visible."""
        if self.light is None or self.before is None or self.altered_share(x_mm, y_mm) >= OTHERWISE:
            return False
        rows, columns = _around(x_mm, y_mm, self.whole_mm, self.margin_mm)
        light, before, ground = (each[:, rows, columns] for each in (self.light, self.before.light, self.before.ground))
        if not light.size:
            return False
        near = cv2.dilate(self.mask, np.ones([2 * round(BESIDE_MM * SCALE) + 1] * 2, np.uint8))
        return steps_stay(light, before, ground, np.asarray(near[rows, columns] == 0, np.uint8))

    def _reached_over(self, x_mm: float, y_mm: float) -> bool:
        """Return True if a hand beyond a place may cover it with its arm."""
        rows, columns = np.nonzero(self.mask)
        if not len(rows):
            return False
        right, down = columns / SCALE - self.margin_mm - x_mm, rows / SCALE - self.margin_mm - y_mm
        number = self.mask[rows, columns]
        for hand, side in enumerate(self.sides, start=1):
            for away, aside in [_AWAY[side](right, down)] if side else [way(right, down) for way in _AWAY.values()]:
                beyond = (number == hand) & (away > BEYOND_MM) & (np.abs(aside) < ARM_MM + LEAN * away)
                if np.count_nonzero(beyond) >= LEAST_BEYOND:
                    return True
        return False

    def near(self, x_mm: float, y_mm: float) -> bool:
        """Return True if a hand is at a place."""
        return share(self.mask, x_mm, y_mm, CLEAR_MM, self.margin_mm) > 0


def broad(changed: Image) -> Image:
    """Return changes (0/1) without thin lines from misalignment or noise."""
    size = np.ones((3, 3), np.uint8)
    return np.asarray(
        cv2.morphologyEx(cv2.morphologyEx(changed, cv2.MORPH_OPEN, size), cv2.MORPH_CLOSE, size), np.uint8
    )


def share(mask: Image, x_mm: float, y_mm: float, reach_mm: float, margin_mm: float) -> float:
    """Return the share of set pixels in a square around a place; 0 beyond the mask."""
    part = mask[_around(x_mm, y_mm, reach_mm, margin_mm)]
    return float(np.count_nonzero(part)) / part.size if part.size else 0.0


def _around(x_mm: float, y_mm: float, reach_mm: float, margin_mm: float) -> tuple[slice, slice]:
    x, y, reach = ((x_mm + margin_mm) * SCALE, (y_mm + margin_mm) * SCALE, reach_mm * SCALE)
    rows, columns = (slice(max(0, round(at - reach)), max(0, round(at + reach) + 1)) for at in (y, x))
    return rows, columns


class RestSheet(msgspec.Struct, frozen=True):
    """A coarse sheet at rest.

    light, ground: reciprocals with pieces and of the bare mat, 3 x rows x columns.
    pieces: 0/1, visible ones.
    unknown: 0/1, other objects and covered pieces.
    reached: something temporary may reach over the edge.
    earlier: reciprocal light of the last rest without it.
    smooth: smoothed against noise.
    """

    coarse: Image
    light: Floats
    ground: Floats
    pieces: Image
    unknown: Image
    reached: bool = True
    earlier: Floats | None = None
    smooth: bool = False


class HandFinder:
    """Compares coarse sheets with the last rest.

    margin_mm: around the mat.
    sides: those with players.
    least_mm: width of the smallest piece.
    most_mm: width and height of the largest.
    markers: corners (4 x 2 mm) of their squares.
    """

    def __init__(
        self,
        size_mm: tuple[float, float],
        margin_mm: float,
        sides: frozenset[str] = frozenset(),
        least_mm: float = PLACE_MM / PLACE,
        most_mm: tuple[float, float] = (0.0, 0.0),
        markers: Sequence[Points] = (),
    ) -> None:
        self._bands = _bands(size_mm, margin_mm)
        self._inside, self._beyond = _inside(size_mm, margin_mm, RIM_MM), ~_inside(size_mm, margin_mm, -EDGE_MM)
        for corners in markers:
            cv2.fillPoly(self._inside.view(np.uint8), [np.rint((corners + margin_mm) * SCALE).astype(np.int32)], 0)
        self._most = (most_mm[0] + 2 * RIM_MM) * (most_mm[1] + 2 * RIM_MM) * SCALE * SCALE
        self._margin_mm = margin_mm
        self._sides, self._place_mm, self._whole_mm = sides, min(PLACE_MM, PLACE * least_mm), least_mm / 2 + AROUND_MM
        self.reference: RestSheet | None = None
        """The last rest."""

    def rest(self, coarse: Image, pieces: Image | None = None, unknown: Image | None = None) -> None:
        """Take the table without hands as reference. pieces, unknown (other objects): 0/1; both stay as they were
        without `pieces`."""
        none, last = np.zeros(coarse.shape[:2], np.uint8), self.reference
        reached, earlier = True, None
        if last is not None and pieces is None:
            pieces, unknown, reached, earlier = last.pieces, last.unknown, last.reached, last.earlier
        elif last is not None:
            reached, earlier = self._still_reached(coarse, last), last.earlier if last.reached else last.light
        self._refer(coarse, none if pieces is None else pieces, none if unknown is None else unknown, reached, earlier)

    def _still_reached(self, coarse: Image, last: RestSheet) -> bool:
        sight = self.look(coarse, shadows=True)
        if not sight.present:
            return last.reached and last.earlier is not None
        return not self.is_gone(coarse, sight, shadows=True)

    def hide(self, unknown: Image) -> None:
        """Mark a mask (0/1) of covered pieces as unknown in the reference, if any."""
        last = self.reference
        if last is not None:
            both = np.asarray(last.unknown | unknown, np.uint8)
            self._refer(last.coarse, last.pieces, both, last.reached, last.earlier)

    def _refer(self, coarse: Image, pieces: Image, unknown: Image, reached: bool, earlier: Floats | None) -> None:
        light, smooth = self._light(coarse)
        ground = ground_of(coarse, light, np.asarray(pieces | unknown, np.uint8))
        inverse, bare = inverse_of(light), inverse_of(ground)
        self.reference = RestSheet(coarse, inverse, bare, pieces, unknown, reached, earlier, smooth)

    def _light(self, coarse: Image) -> tuple[Floats, bool]:
        light, last = light_of(coarse), self.reference
        smooth = (last is not None and last.smooth) or grain(light) > GRAIN
        return (smooth_image(light) if smooth else light), smooth

    def look(self, coarse: Image, *, shadows: bool = False) -> HandSight:
        """Find hands in a coarse BGR sheet, none before the first rest or for another size. shadows: count as hands."""
        if self.reference is None or self.reference.coarse.shape != coarse.shape:
            nothing = np.zeros(coarse.shape[:2], np.uint8)
            return HandSight(nothing, nothing, nothing, nothing, (), self._margin_mm, (), self._place_mm)
        now, _ = self._light(coarse)
        changed = changed_from(now, self.reference.light, shadows=shadows)
        filled = changed_from(now, self.reference.ground)
        closed = broad(changed)
        mask = np.zeros(coarse.shape[:2], np.uint8)
        least = LEAST_AREA_MM2 * SCALE * SCALE
        if cv2.countNonZero(closed) < least:
            return self._sight(mask, changed, filled, (), now)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
        apart: list[int] = []
        edges: list[dict[str, int]] = []
        for label in range(1, count):
            if stats[label, cv2.CC_STAT_AREA] < least:
                continue
            part = np.asarray(labels == label)
            crossed = {side: int(np.count_nonzero(part & band)) for side, band in self._bands.items()}
            if max(crossed.values()) < LEAST_CROSSED:
                apart.append(label)
                continue
            edges.append(crossed)
            mask[part] = len(edges)
        parted = [n for n in apart if edges and stats[n, cv2.CC_STAT_AREA] >= PARTED_MM2 * SCALE * SCALE]
        away = np.isin(labels, parted) if parted else None
        if away is not None:  # a cuff in the mat's colour parts a hand from its arm
            mask[away] = 1 if len(edges) == 1 else _largest(mask)
        reaches = [reach_of(np.asarray(mask == number), crossed) for number, crossed in enumerate(edges, start=1)]
        seen = self._sight(mask, changed, filled, tuple(reaches), now)
        return seen if away is None else msgspec.structs.replace(seen, apart=away.astype(np.uint8))

    def _sight(
        self, mask: Image, changed: Image, filled: Image, reaches: tuple[Reach, ...], light: Floats
    ) -> HandSight:
        last = self.reference
        assert last is not None
        sides = tuple(reach.side(self._sides) for reach in reaches)
        return HandSight(
            mask,
            changed,
            filled,
            last.pieces,
            sides,
            self._margin_mm,
            reaches,
            self._place_mm,
            self._whole_mm,
            light,
            last,
        )

    def is_gone(self, coarse: Image, sight: HandSight, *, shadows: bool = False) -> bool:
        """Return True if supposed hands are unchanged from an earlier rest without any, as when a shadow has left."""
        last = self.reference
        if last is None or not last.reached or last.earlier is None or last.earlier.shape[1:] != coarse.shape[:2]:
            return False
        now = changed_from(self._light(coarse)[0], last.earlier, shadows=shadows)
        still = np.asarray((sight.mask > 0) & (now > 0))
        solid = cv2.morphologyEx(still.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        crossed = any(int(np.count_nonzero(still & band)) >= LEAST_CROSSED for band in self._bands.values())
        return not (crossed or cv2.countNonZero(solid))

    def lies(self, sight: HandSight) -> bool:
        """Return True if supposed hands, now at rest, are none: of the size of a piece and not beyond the edge, or
        nothing but the edge and the markers, where the least tremble is a change."""
        inside, beyond = (
            np.bincount(sight.mask[part], minlength=len(sight.sides) + 1)[1:] for part in (self._inside, self._beyond)
        )
        piece = (inside <= self._most) & (beyond < LEAST_CROSSED)
        return bool((piece | (inside < LEAST_AREA_MM2 * SCALE * SCALE)).all())


def _largest(mask: Image) -> int:
    return int(np.bincount(mask[mask > 0]).argmax())


def _inside(size_mm: tuple[float, float], margin_mm: float, rim_mm: float) -> npt.NDArray[np.bool_]:
    """Return the pixels at least so far inside the edge."""
    columns, rows = (round((size + 2 * margin_mm) * SCALE) for size in size_mm)
    rim = round((margin_mm + rim_mm) * SCALE)
    inside = np.zeros((rows, columns), np.bool_)
    inside[rim : rows - rim, rim : columns - rim] = True
    return inside


def _bands(size_mm: tuple[float, float], margin_mm: float) -> dict[str, npt.NDArray[np.bool_]]:
    columns, rows = (round((size + 2 * margin_mm) * SCALE) for size in size_mm)
    x = (np.arange(columns) + 0.5) / SCALE - margin_mm
    y = (np.arange(rows) + 0.5) / SCALE - margin_mm
    width, height = size_mm
    along_x = np.broadcast_to(((x >= -EDGE_MM) & (x <= width + EDGE_MM))[None, :], (rows, columns))
    along_y = np.broadcast_to(((y >= -EDGE_MM) & (y <= height + EDGE_MM))[:, None], (rows, columns))
    return {
        "top": along_x & _near(y)[:, None],
        "bottom": along_x & _near(height - y)[:, None],
        "left": along_y & _near(x)[None, :],
        "right": along_y & _near(width - x)[None, :],
    }


def _near(inwards_mm: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.bool_]:
    return (inwards_mm >= -EDGE_MM) & (inwards_mm <= RIM_MM)
