"""Finds squares and cards of known size, apart or overlapping, on plain ground.

Cards are peeled from the top, where all sides show. A rectangle needs edges along visible sides and foreground inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.fitting import place_exactly, settle_edges
from vision.finding.ground import stands_out
from vision.finding.quad import Quad, fold_angle
from vision.finding.upright import COVERAGE, FILL, LEAST_SHOWN, turns, upright

Floats = npt.NDArray[np.float32]

LEAST_BLOB = 0.5
"""Least foreground relative to a piece's area."""

CROSSWISE = 0.7
"""Weight of a rectangle across the expected direction."""

EXPLAINED = 0.5
"""Weight of covering pixels to be explained."""

TAKEN = 0.5
"""Penalty for covering pixels possibly of others."""

SEARCH_SIDE = 60.0
"""Longer side of a piece in the search picture, in pixels."""

ALONE, CLEARLY = 0.04, 0.6
"""Size deviation and support of a single separate rectangle."""

LIKELIEST = 10
"""Candidates fitted to edges."""


def find_quads(sheet: Image, size: tuple[float, float], usable: Image) -> list[Quad]:
    """Return all rectangles of about `size` (pixels), each component's from the uppermost down."""
    return quads_in(sheet, stands_out(sheet, usable), size)


Expected = Callable[[float, float], "float | None"]
"""Expected angle at a sheet position, or None."""


def quads_in(
    sheet: Image,
    solid: Image,
    size: tuple[float, float],
    wanted: Callable[[Image], bool] = lambda _: True,
    expected: Expected = lambda _x, _y: None,
    telling: Image | None = None,
    known: Image | None = None,
    taken: Image | None = None,
) -> list[Quad]:
    """Return rectangles in a foreground mask, ordered as by `find_quads`.

    wanted: selects components.
    telling: mask (0/1) that must be covered in part.
    known: mask of what hides rectangles.
    taken: mask to avoid.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=4)
    found: list[Quad] = []
    room = 6
    for label in range(1, count):
        left, top, width, height, area = (int(v) for v in stats[label])
        part = np.asarray(labels == label, np.uint8)
        if area < LEAST_BLOB * size[0] * size[1] or not wanted(part):
            continue
        rows = slice(max(0, top - room), top + height + room)
        columns = slice(max(0, left - room), left + width + room)
        low = (columns.start, rows.start)
        blob = Component(sheet[rows, columns], part[rows, columns], size, _move_expected(expected, low))
        if telling is not None:
            blob.explain(telling[rows, columns])
        if known is not None:
            blob.hide(known[rows, columns])
        if taken is not None:
            blob.leave(taken[rows, columns])
        found += [msgspec.structs.replace(quad, x=quad.x + low[0], y=quad.y + low[1]) for quad in blob.peel()]
    return found


def _move_expected(expected: Expected, low: tuple[int, int]) -> Expected:
    return lambda x, y: expected(x + low[0], y + low[1])


class Component:
    """A connected component of the foreground."""

    def __init__(
        self, sheet: Image, solid: Image, size: tuple[float, float], expected: Expected = lambda _x, _y: None
    ) -> None:
        self.size, self._expected = size, expected
        self._telling: Image | None = None
        self._taken: Image | None = None
        self._solid = solid
        light = cv2.GaussianBlur(np.log(sheet.astype(np.float32) + 8.0), (0, 0), 0.7)
        rim = cv2.GaussianBlur(solid.astype(np.float32), (0, 0), 0.7)
        self._light: Floats = np.dstack([light, rim]).astype(np.float32)
        self._hidden = np.zeros(solid.shape, np.uint8)
        self._scale = min(1.0, SEARCH_SIDE / max(size))
        reduced = (round(solid.shape[1] * self._scale), round(solid.shape[0] * self._scale))
        self._small = np.asarray(cv2.resize(self._light, reduced, interpolation=cv2.INTER_AREA), np.float32)

    def explain(self, telling: Image) -> None:
        """Prefer rectangles that cover more of this mask (0/1); require some, unless one lies alone."""
        self._telling = np.asarray(telling & self._solid, np.uint8)

    def hide(self, known: Image) -> None:
        """Treat this mask (0/1) as hidden."""
        self._hidden |= known

    def leave(self, taken: Image) -> None:
        """Prefer rectangles that cover less of this mask (0/1)."""
        self._taken = taken

    def _takes(self, quad: Quad) -> float:
        if self._taken is None:
            return 0.0
        shown = np.asarray(self._covered_mask(quad) & (self._hidden == 0), np.uint8)
        return float(np.count_nonzero(shown & self._taken)) / max(1, int(np.count_nonzero(shown)))

    def _covered_mask(self, quad: Quad) -> Image:
        mask = np.zeros(self._solid.shape, np.uint8)
        cv2.fillPoly(mask, [np.rint(quad.corners(self.size)).astype(np.int32)], 1)
        return mask

    def _explains(self, quad: Quad) -> float:
        if self._telling is None:
            return 1.0
        left = self._left_to_tell()
        return float(np.count_nonzero(left & self._covered_mask(quad))) / max(1, int(np.count_nonzero(left)))

    def _left_to_tell(self) -> Image:
        assert self._telling is not None
        return np.asarray(self._telling & (self._hidden == 0), np.uint8)

    def peel(self) -> Iterator[Quad]:
        """Yield rectangles from the uppermost down."""
        area = self.size[0] * self.size[1]
        while True:
            left = np.asarray((self._solid > 0) & (self._hidden == 0), np.uint8)
            left = np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.uint8)
            if np.count_nonzero(left) < LEAST_SHOWN * area:
                return
            best = self._best(left)
            if best is None:
                return
            there = place_exactly(self._light, self._hidden, best, self.size)
            best = there if self._uncovers(there) else best
            yield best
            cv2.fillPoly(self._hidden, [np.rint(best.corners(self.size)).astype(np.int32)], 1)

    def _alone(self, left: Image) -> Quad | None:
        (x, y), (width, height), turn = cv2.minAreaRect(cv2.findNonZero(left))
        if (width > height) != (self.size[0] > self.size[1]):
            width, height, turn = height, width, turn + 90.0
        off = max(abs(width / self.size[0] - 1), abs(height / self.size[1] - 1))
        if off > ALONE or cv2.countNonZero(left) < FILL * width * height:
            return None
        quad = self._lay_over(Quad(x, y, fold_angle(turn, self.size), 1.0))
        return quad if quad.support >= CLEARLY and self._uncovers(quad) else None

    def _best(self, left: Image) -> Quad | None:
        alone = self._alone(left)
        if alone is not None:
            return alone
        telling = None if self._telling is None else self._reduce_image(self._left_to_tell())
        solid, hidden, left = (self._reduce_image(mask) for mask in (self._solid, self._hidden, left))
        extent = self.size[0] * self._scale, self.size[1] * self._scale
        found = [
            quad
            for turn in turns(self._small, left if telling is None or not telling.any() else telling)
            for quad in upright(self._small, solid, hidden, turn, extent, telling)
        ]
        likely = sorted((self._full(quad) for quad in found), key=lambda quad: -self._worth(quad))[:LIKELIEST]
        laid = [quad for quad in map(self._lay_over, likely) if self._uncovers(quad)]
        best = max(laid, key=self._worth, default=None)
        return best if best is not None and best.support >= COVERAGE else None

    def _uncovers(self, quad: Quad) -> bool:
        """Return True if new foreground is covered, to guarantee progress."""
        shown = np.count_nonzero(self._covered_mask(quad) & self._solid & (self._hidden == 0))
        return bool(shown > LEAST_SHOWN / 2 * self.size[0] * self.size[1])

    def _full(self, quad: Quad) -> Quad:
        return msgspec.structs.replace(quad, x=(quad.x + 0.5) / self._scale - 0.5, y=(quad.y + 0.5) / self._scale - 0.5)

    def _worth(self, quad: Quad) -> float:
        expected = self._expected(quad.x, quad.y)
        crosswise = expected is not None and abs((quad.angle_deg - expected + 90.0) % 180.0 - 90.0) > 45.0
        plain = quad.support * (0.9 + 0.1 * quad.shown) * (CROSSWISE if crosswise else 1.0)
        return plain * (1.0 - EXPLAINED + EXPLAINED * self._explains(quad)) * (1.0 - TAKEN * self._takes(quad))

    def _reduce_image(self, mask: Image) -> Image:
        return np.asarray(cv2.resize(mask, self._small.shape[1::-1], interpolation=cv2.INTER_NEAREST), np.uint8)

    def _lay_over(self, quad: Quad) -> Quad:
        for _ in range(2):
            quad = settle_edges(self._light, self._hidden, quad, self.size)
        return quad
