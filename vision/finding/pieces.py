"""Finds a set's pieces on the mat and crops them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image, Pyramid
from vision.finding import discs
from vision.finding.discs import Disc, Edges
from vision.finding.quads import find_quads
from vision.finding.spots import SheetSpot, nearest, remember_spots, unchanged_spots
from vision.finding.where import SearchArea, usable
from vision.mat import Box, Mat, MatZone
from vision.recognition.naming import PieceSet
from vision.registration.rectify import Matrix, Projection, RectifiedSheet, apply, crops

MARGIN_MM = 15.0
"""Margin of the sheet around the mat."""

SHEET_PIXELS = 335_000
FINEST, COARSEST = 2.0, 0.7
"""Bounds of a sheet's pixels per millimetre; between, the frame's."""

SEARCH_RADIUS = 12.0
"""A disc's radius in pixels of the search picture."""

ABOUT = 1.2
"""Search margin around a zone, in radii."""

VOTED = 1.5
"""Noise of a voted place, in search pixels."""

WINDOW_ROOM_MM = 5.0
"""A window's margin beyond the rim, for inexact votes and the base."""

SEEN_WELL = 0.75
"""Support from which the largest disc wins."""

SAME_SIZE = 1.05
"""Ratio of diameters searched as one."""

CROP_PIXELS = 80
CARD_PIXELS = 134
SHADOW_MM = 3.0
CARD_ROOM_MM = 4.0
SUBPIXEL_BITS = 4
SUBPIXEL = 1 << SUBPIXEL_BITS
RELIEF_PIXELS = 40
CROP_ROOM = 1.2
"""Size of a crop relative to the piece."""

BLANK = 0.12
"""Largest `relief` of a blank face."""

GRAIN = 1.5
"""Noise after smoothing relative to the median removed."""


class FoundPiece(msgspec.Struct, frozen=True):
    """A detection.

    angle_deg: of its shape, 0 for a disc.
    support: visible share of its outline.
    across_mm: diameter in sets with several, else 0.
    """

    x_mm: float
    y_mm: float
    angle_deg: float
    support: float
    across_mm: float = 0.0


class PieceFinder:
    """Finds a set's pieces under one projection."""

    def __init__(
        self,
        projection: Projection,
        mat: Mat,
        pieces: PieceSet,
        zones: Sequence[MatZone] = (),
        *,
        strays: bool = True,
    ) -> None:
        """zones: of all sets; no disc is sought in other sets' zones. strays: also search outside zones."""
        self.projection, self.mat = projection, mat
        self.pieces = pieces if mat.copies == 1 else msgspec.structs.replace(pieces, unique=False)
        size = (mat.size_mm[0] + 2 * MARGIN_MM, mat.size_mm[1] + 2 * MARGIN_MM)
        scale = min(FINEST, float(np.sqrt(SHEET_PIXELS / (size[0] * size[1]))), max(COARSEST, density(projection, mat)))
        self._room = ((-MARGIN_MM, -MARGIN_MM), size, pieces.thickness_mm)
        self.sheet = RectifiedSheet(projection, *self._room, scale)
        radius = pieces.size_mm[0] / 2
        about = SearchArea.of(pieces.name, zones, ABOUT * radius, strays=strays)
        self._search = self.reduce_sheet(min(scale, SEARCH_RADIUS / radius), about.shown_area(radius))
        self._usable = usable(mat, self.sheet)
        self._centres = about.mark_area(usable(mat, self._search), self._search).astype(np.float32)
        self._foot = self._foot_of_top()
        self._spots: list[SheetSpot] = []
        self._others = [PieceFinder(projection, mat, one, zones, strays=strays) for one in of_other_sizes(self.pieces)]

    def reduce_sheet(self, scale: float, boxes: Sequence[Box] = ()) -> RectifiedSheet:
        """Return a sheet at a scale (pixels per mm). boxes: covered by its rectangle; all if empty."""
        origin, size, height = self._room
        if boxes:
            low = max(origin[0], min(box.x for box in boxes)), max(origin[1], min(box.y for box in boxes))
            right = min(origin[0] + size[0], max(box.x + box.width for box in boxes))
            bottom = min(origin[1] + size[1], max(box.y + box.height for box in boxes))
            origin, size = low, (right - low[0], bottom - low[1])
        shrink = shrink_for(self.projection, self.mat, scale)
        return RectifiedSheet(self.projection, origin, size, height, scale, shrink=shrink)

    def find(self, picture: Pyramid, *, again: bool = False) -> list[FoundPiece]:
        """Return all pieces in no fixed order. again: reuse results of unchanged places."""
        own = self._of_one_size(picture, again)
        if not self._others:
            return own
        every = [(self, own), *((other, other._of_one_size(picture, again)) for other in self._others)]
        return best_sizes(
            msgspec.structs.replace(one, across_mm=finder.pieces.size_mm[0]) for finder, found in every for one in found
        )

    def _of_one_size(self, picture: Pyramid, again: bool) -> list[FoundPiece]:
        width, height = (side * self.sheet.scale for side in self.pieces.size_mm)
        if self.pieces.shape == "disc":
            shapes = [(disc.x, disc.y, 0.0, disc.support) for disc in self._discs(picture, width / 2, again)]
        else:
            quads = find_quads(self.sheet.rectify(picture.image), (width, height), self._usable)
            shapes = [(quad.x, quad.y, quad.angle_deg, quad.support) for quad in quads]
        if not shapes:
            return []
        places = self.sheet.to_mm(np.array([shape[:2] for shape in shapes]))
        return [
            FoundPiece(float(x), float(y), shape[2], shape[3]) for (x, y), shape in zip(places, shapes, strict=True)
        ]

    def _discs(self, picture: Pyramid, radius: float, again: bool) -> list[Disc]:
        votes, spots = self._vote_discs(picture, radius, self._spots if again else ())
        places = [spot.place if spot else vote for vote, spot in zip(votes, spots, strict=True)]
        if not places:
            return []
        reach = int(radius + discs.slack(radius) + WINDOW_ROOM_MM * self.sheet.scale)
        windows, lows = zip(*self.sheet.windows(picture.gray(), np.array(places), reach), strict=True)
        spots = unchanged_spots(spots, windows)
        news = [n for n, spot in enumerate(spots) if spot is None]
        edges = dict(zip(news, discs.edges_of_each([windows[n] for n in news]), strict=True))
        found: list[Disc] = []
        looked: list[SheetSpot] = []
        for n, place in enumerate(places):
            if not all(discs.are_apart(place, other, radius, 2 * discs.MIN_APART - discs.ASTRAY) for other in found):
                continue
            spot = spots[n] or SheetSpot(
                place, windows[n], self._fit_disc(edges[n], windows[n], votes[n], lows[n], radius, picture)
            )
            looked.append(spot)
            disc = spot.disc
            if disc is not None and all(discs.are_apart((disc.x, disc.y), other, radius) for other in found):
                found.append(disc)
        self._spots = remember_spots(looked, self._spots) if again else looked
        return found

    def _vote_discs(
        self, picture: Pyramid, radius: float, known: Sequence[SheetSpot]
    ) -> tuple[list[tuple[float, float]], list[SheetSpot | None]]:
        search = self._search
        small = search.rectify(picture.gray(search.shrink))
        likely = discs.likely_centres(small, radius * search.scale / self.sheet.scale, self._centres)
        places = self.sheet.to_px(search.to_mm(np.array(likely).reshape(-1, 2)))
        spots = nearest(known, places, VOTED * self.sheet.scale / search.scale)
        return [(x, y) for x, y in places.tolist()], spots

    def _fit_disc(
        self,
        rims: Edges,
        window: Image,
        place: tuple[float, float],
        low: tuple[int, int],
        radius: float,
        picture: Pyramid,
    ) -> Disc | None:
        x, y = place
        foot_x, foot_y = apply(self._foot, np.array([place]))[0].tolist()
        disc = discs.best_fit(rims, x - low[0], y - low[1], radius, (foot_x - x, foot_y - y))
        if disc is None or (
            discs.hollow(window, disc) and not self._is_tinted(picture, disc, low, window.shape[0] // 2)
        ):
            return None  # a printed outline
        return Disc(disc.x + low[0], disc.y + low[1], disc.radius, disc.support)

    def _is_tinted(self, picture: Pyramid, disc: Disc, low: tuple[int, int], reach: int) -> bool:
        if picture.image.ndim < 3:
            return False
        middle = np.array([[low[0] + reach, low[1] + reach]])
        ((colour, _),) = self.sheet.windows(picture.image, middle, reach)
        return discs.is_tinted(colour, disc)

    def _foot_of_top(self) -> Matrix:
        """Return the sheet homography from a top face's centre to the mat below."""
        top, ground = self.projection.at_height(self.pieces.thickness_mm), self.projection.at_height(0.0)
        step, (left, up) = 1 / self.sheet.scale, self.sheet.origin_mm
        to_mm = np.array([[step, 0, left + step / 2], [0, step, up + step / 2], [0, 0, 1.0]])
        return np.asarray(np.linalg.inv(to_mm) @ np.linalg.inv(top) @ ground @ to_mm, np.float64)

    @property
    def crop_pixels(self) -> tuple[int, int]:
        """Return a crop's width and height, finer for cards."""
        pixels = CARD_PIXELS if self.pieces.shape == "card" else CROP_PIXELS
        longest = max(self.pieces.size_mm)
        return round(pixels * self.pieces.size_mm[0] / longest), round(pixels * self.pieces.size_mm[1] / longest)

    def crop(self, image: Image, found: FoundPiece) -> Image:
        """Return a piece's patch for the recogniser."""
        return np.asarray(self.crops(image, [found])[0], np.uint8)

    def crops(self, image: Image, found: Sequence[FoundPiece]) -> Image:
        """Return pieces' patches: N x height x width x 3 (`crop_pixels`)."""
        if any(one.across_mm for one in found) and len(found) > 1:
            return np.concatenate([self.crops(image, [one]) for one in found])
        across = found[0].across_mm if found else 0.0
        width, height = (across, across) if across else self.pieces.size_mm
        return crops(
            image,
            self.projection,
            [(one.x_mm, one.y_mm, one.angle_deg) for one in found],
            size_mm=(CROP_ROOM * width, CROP_ROOM * height),
            height_mm=self.pieces.thickness_mm,
            pixels=self.crop_pixels,
        )

    def footprints(self, found: Sequence[FoundPiece], mask: Image, sheet: RectifiedSheet) -> None:
        """Mark (1) in a sheet's mask what pieces cover, with sides and shadow."""
        if not found:
            return
        if self.pieces.shape == "card":
            self._flat_footprints(found, mask, sheet)
            return
        tall = self.pieces.thickness_mm
        reach = max(self.pieces.size_mm) / 2 if self.pieces.shape == "disc" else np.hypot(*self.pieces.size_mm) / 2
        radii = [round(((one.across_mm / 2 or reach) + SHADOW_MM) * sheet.scale * SUBPIXEL) for one in found]
        centres = np.array([[one.x_mm, one.y_mm] for one in found])
        back = np.linalg.inv(self.projection.at_height(sheet.height_mm))
        for height in (0.0, tall / 2, tall):
            places = sheet.to_px(apply(back @ self.projection.at_height(height), centres)) * SUBPIXEL
            for (x, y), radius in zip(np.rint(places).astype(int).tolist(), radii, strict=True):
                cv2.circle(mask, (x, y), radius, 1, -1, shift=SUBPIXEL_BITS)

    def _flat_footprints(self, found: Sequence[FoundPiece], mask: Image, sheet: RectifiedSheet) -> None:
        room = 2 * CARD_ROOM_MM
        size = ((self.pieces.size_mm[0] + room) * sheet.scale, (self.pieces.size_mm[1] + room) * sheet.scale)
        for one in found:
            x, y = sheet.to_px(np.array([[one.x_mm, one.y_mm]]))[0]
            corners = cv2.boxPoints(((float(x), float(y)), size, one.angle_deg))
            cv2.fillPoly(mask, [np.rint(corners).astype(np.int32)], 1)

    @property
    def usable(self) -> Image:
        """Return a mask (0/1) of where pieces may be."""
        return self._usable


def of_other_sizes(pieces: PieceSet) -> list[PieceSet]:
    """Return a set for each further diameter, merging nearly equal ones."""
    sizes: list[float] = []
    for size in sorted(pieces.sizes_mm.values(), reverse=True):
        if all(size < one / SAME_SIZE for one in sizes):
            sizes.append(size)
    return [msgspec.structs.replace(pieces, size_mm=(size, size), sizes_mm={}) for size in sizes]


def best_sizes(found: Iterable[FoundPiece]) -> list[FoundPiece]:
    """Keep one disc per place: the largest well-seen, else the best-seen."""
    kept: list[FoundPiece] = []
    for one in sorted(found, key=lambda each: (each.support < SEEN_WELL, -each.across_mm, -each.support)):
        if all(
            np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm) > max(one.across_mm, other.across_mm) / 2
            for other in kept
        ):
            kept.append(one)
    return kept


def density(projection: Projection, mat: Mat) -> float:
    """Return frame pixels per millimetre at the mat's middle."""
    width, height = mat.size_mm
    middle = projection.pixels(np.array([[width / 2, height / 2], [width / 2 + 1, height / 2]]))
    return float(np.linalg.norm(middle[1] - middle[0]))


def shrink_for(projection: Projection, mat: Mat, scale: float) -> int:
    """Return the possible reduction (1, 2 or 4) of frames for this scale."""
    finer = density(projection, mat) / scale
    return 4 if finer >= 4 else 2 if finer >= 2 else 1


def relief(patch: Image) -> float:
    """Return a patch's relief (`reliefs`)."""
    return reliefs(patch[None])[0]


def reliefs(patches: Image) -> list[float]:
    """Return faces' contrast over mean: blank about 0, symbols over 0.3. patches: N x H x W x 3."""
    if not len(patches):
        return []
    size = (RELIEF_PIXELS, RELIEF_PIXELS * len(patches))
    tall = cv2.resize(patches.reshape(-1, *patches.shape[2:]), size, interpolation=cv2.INTER_AREA)
    gray = cv2.cvtColor(tall, cv2.COLOR_BGR2GRAY).astype(np.float32)
    smooth = cv2.GaussianBlur(gray, (0, 0), 0.8)
    inner, places, flatten = _inner()
    values = smooth.reshape(len(patches), -1)[:, inner]
    rest = values - (values @ flatten.T) @ places.T
    last = len(inner) - 1
    ends = [round(0.03 * last), round(0.97 * last)]
    low, high = np.partition(rest, ends, axis=1)[:, ends].T
    noise = np.abs(gray.reshape(len(patches), -1)[:, inner] - values)
    grain = np.partition(noise, last // 2, axis=1)[:, last // 2]
    shown = np.maximum(0.0, high - low - GRAIN * grain) / (values.mean(axis=1) + 4.0)
    return [float(one) for one in shown]


@cache
def _inner() -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return a small patch's inner disc: pixels, coordinates and plane-fitting matrix."""
    axis = (np.arange(RELIEF_PIXELS) + 0.5) / RELIEF_PIXELS * 2 - 1
    x, y = (grid.ravel() for grid in np.meshgrid(axis, axis))
    inner = np.flatnonzero(x * x + y * y < (0.76 / CROP_ROOM) ** 2)
    places = np.column_stack([x[inner], y[inner], np.ones(len(inner))]).astype(np.float32)
    return inner, places, np.linalg.pinv(places).astype(np.float32)
