"""Finds the mat's markers, fits the projection and notices jumps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.mat import QUIET, Marker, Mat
from vision.quantiles import median
from vision.registration.lens import Lens, Points, dictionary, typical_lens
from vision.registration.rectify import Matrix, Projection, apply
from vision.registration.steady import ENOUGH, EXPLAINED_PX, MOST_PX, WIDTH

REFIT_PX = 0.5
"""Shift of markers that requires a new fit."""

DRIFT_PX, STEADY = 0.15, 0.25
"""Smoothed shift that requires a new fit (pixels), and weight of the newest picture."""

CELL_PX = 4
ALIKE = 0.8
"""Correlation with the print that confirms a marker."""

CORNER_REACH, CELL_REACH = 4, 0.3
"""Search radius of a corner in pixels, and in marker cells to exclude print."""

CORNER_STEPS = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_COUNT, 12, 0.02)

JUMP_MM = 1.5
"""Shift that means a bump."""

WORST_FIT_PX = 3.0
MARGIN = 0.6
"""Search margin in marker sides."""


TELLING = 2
"""Markers that prove another mat or a mirrored picture."""


class MarkerFit(msgspec.Struct, frozen=True):
    """A projection fitted to markers. error_px: RMS residual of corners."""

    projection: Projection
    ids: frozenset[int]
    error_px: float


class ExpectedMarker(msgspec.Struct, frozen=True):
    """A marker's expected place: corners (4 x 2 pixels), homography from the print, search radius in pixels."""

    corners: Points
    square: npt.NDArray[np.float64]
    reach: int

    @classmethod
    def of(cls, corners: Points, side: int) -> ExpectedMarker:
        """Build a marker's place from corners. side: the print's pixels."""
        cell = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean()) * CELL_PX / side
        reach = max(1, min(CORNER_REACH, round(CELL_REACH * cell)))
        square = cv2.getPerspectiveTransform(_ends(side).astype(np.float32), corners.astype(np.float32))
        return cls(corners, np.asarray(square, np.float64), reach)

    def refine_corners(self, gray: Image, near: Points, low: Points) -> Points | None:
        """Return the exact corners (4 x 2 pixels); None if one is outside `gray`, or displaced against the others, so
        covered. low: top left pixel of `gray`."""
        exact = np.ascontiguousarray((near - low)[:, None], np.float32)
        if (exact < 0).any() or (exact >= gray.shape[::-1]).any():  # the camera was bumped: it is partly out of sight
            return None
        cv2.cornerSubPix(gray, exact, (self.reach, self.reach), (-1, -1), CORNER_STEPS)
        corners = np.asarray(exact[:, 0] + low, np.float64)
        off = corners - self.corners
        apart = np.hypot(*(off - off.mean(axis=0)).T)
        return corners if float(np.sqrt(np.mean(apart**2))) <= EXPLAINED_PX else None

    def within(self, width: int, height: int) -> bool:
        """Return True if the marker is inside a picture with margin."""
        limit = width - CORNER_REACH - 2, height - CORNER_REACH - 2
        return not ((self.corners < CORNER_REACH + 1).any() or (self.corners > limit).any())


class MarkerWindow(msgspec.Struct, frozen=True):
    """A part of the picture around a marker. low: its top left pixel; square: homography from the print; room:
    displacement in print pixels."""

    place: ExpectedMarker
    rows: slice
    columns: slice
    low: Points
    square: Matrix
    printed: Image
    room: int

    @classmethod
    def of(cls, place: ExpectedMarker, printed: Image, size: tuple[int, int]) -> MarkerWindow:
        most, side = MOST_PX * size[0] / WIDTH, len(printed)
        reach = round(most) + CORNER_REACH
        low = np.maximum(np.floor(place.corners.min(axis=0)).astype(int) - reach, 0)
        high = np.minimum(np.ceil(place.corners.max(axis=0)).astype(int) + reach, size)
        room = math.ceil(most * side / float(np.linalg.norm(place.corners[1] - place.corners[0])))
        square = _move_points(-low[0], -low[1]) @ place.square
        return cls(place, slice(low[1], high[1]), slice(low[0], high[0]), low, square, printed, room)

    def corners(self, image: Image) -> Points | None:
        """Return the marker's corners (4 x 2 pixels); None if not seen."""
        gray = _gray(image[self.rows, self.columns])
        near = self._near(gray)
        if near is None:
            return None
        return self.place.refine_corners(gray, near + self.low, self.low)

    def _near(self, gray: Image) -> Points | None:
        if not gray.size:
            return None
        side, flags = len(self.printed), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        for room in (0, self.room):  # first where it is expected
            size = side + 2 * room, side + 2 * room
            square = self.square @ _move_points(-room, -room) if room else self.square
            patch = cv2.warpPerspective(gray, square, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
            _, best, _, (right, below) = cv2.minMaxLoc(cv2.matchTemplate(patch, self.printed, cv2.TM_CCOEFF_NORMED))
            if best >= ALIKE:
                moved = right - room, below - room
                return apply(self.square, _ends(side) + moved) if any(moved) else self.place.corners - self.low
        return None


def _move_points(right: float, below: float) -> Matrix:
    return np.array([[1.0, 0.0, right], [0.0, 1.0, below], [0.0, 0.0, 1.0]])


def _ends(side: int) -> Points:
    end = side - 0.5
    return np.array([[-0.5, -0.5], [end, -0.5], [end, end], [-0.5, end]], np.float64)


def corners_mm(marker: Marker) -> Points:
    """Return a marker's corners, clockwise from top left."""
    x, y, side = marker.x, marker.y, marker.side
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]], np.float64)


def paper_mm(marker: Marker) -> Points:
    """Return the corners of a marker's white square, clockwise from top left."""
    return corners_mm(marker) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * marker.side * QUIET


class Locator:
    """Finds a mat's markers and keeps the last good fit while some are covered."""

    def __init__(self, mat: Mat, lens: Lens | None = None) -> None:
        self._lens = lens
        self.corners_mm = {marker.id: corners_mm(marker) for marker in mat.markers}
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        words = dictionary(mat.dictionary)
        self._detector = cv2.aruco.ArucoDetector(words, parameters)
        side = (words.markerSize + 2) * CELL_PX
        drawn = {number: cv2.aruco.generateImageMarker(words, number, side) for number in self.corners_mm}
        self._prints = {number: np.asarray(each, np.uint8) for number, each in drawn.items()}
        self._expected: dict[int, ExpectedMarker] = {}
        self._windows: dict[int, MarkerWindow] = {}
        self._first: dict[int, Points] = {}
        self._steady: dict[int, Points] = {}
        self._size = (0, 0)
        self.fit: MarkerFit | None = None
        self.seen: dict[int, Points] = {}
        """Corners (4 x 2 pixels) by id in the last picture."""
        self.strange: frozenset[int] = frozenset()
        """Other mats' ids in it, known only after a full search."""

    def detect(self, gray: Image) -> dict[int, Points]:
        """Return the mat's markers: corners (4 x 2 pixels) by id."""
        found = self._detect_all(gray)
        return {number: found[number] for number in found if number in self.corners_mm}

    def is_mirrored(self, image: Image) -> bool:
        """Return True if the mirrored picture shows the mat's markers."""
        return len(self.detect(np.ascontiguousarray(_gray(image)[:, ::-1]))) >= TELLING

    def _detect_all(self, gray: Image) -> dict[int, Points]:
        corners, ids, _ = self._detector.detectMarkers(gray)
        numbers = np.asarray(ids).reshape(-1) if len(corners) else ()
        found = zip(numbers, corners, strict=True)
        return {int(number): np.asarray(quad, np.float64).reshape(4, 2) for number, quad in found}

    def find(self, image: Image) -> dict[int, Points]:
        """Find the mat's markers like `detect`, but first near their last places.

        Set `strange` to other mats' ids, which only a full search finds.
        """
        gray = _gray(image)
        self.strange = frozenset()
        if self.fit is not None:
            held = self._confirm_markers(gray)
            if len(held) >= 2 and self._shift_px(held) < REFIT_PX:
                unseen = self.corners_mm.keys() - self.fit.ids - held.keys()
                return held | self._near(gray, self.fit.projection, sorted(unseen))
            near = self._near(gray, self.fit.projection, sorted(self.corners_mm))
            if near.keys() == self.corners_mm.keys() or (
                len(near) >= 2 and self._shift_mm(near, self.fit.projection) <= JUMP_MM
            ):
                return near
        found = self._detect_all(gray)
        own = {number: found[number] for number in found if number in self.corners_mm}
        self.strange = frozenset(found.keys() - own.keys())
        return own

    def _confirm_markers(self, gray: Image) -> dict[int, Points]:
        height, width = gray.shape[:2]
        held: dict[int, Points] = {}
        for number, place in self._expected.items():
            if not place.within(width, height):
                continue
            printed = self._prints[number]
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            patch = cv2.warpPerspective(gray, place.square, printed.shape, flags=flags)
            if float(cv2.matchTemplate(patch, printed, cv2.TM_CCOEFF_NORMED)[0, 0]) < ALIKE:
                continue
            corners = place.refine_corners(gray, place.corners, np.zeros(2))
            if corners is not None:
                held[number] = corners
        return held

    def track_markers(self, image: Image) -> dict[int, Points]:
        """Return the fit's markers in a slightly displaced picture, by id, searching only their surroundings."""
        if self.fit_for(image) is None:
            return {}
        seen = {number: window.corners(image) for number, window in self._windows.items()}
        return {number: corners for number, corners in seen.items() if corners is not None}

    def _near(self, gray: Image, projection: Projection, numbers: Sequence[int]) -> dict[int, Points]:
        found: dict[int, Points] = {}
        height, width = gray.shape[:2]
        for number in numbers:
            expected = projection.pixels(self.corners_mm[number])
            room = MARGIN * float(np.ptp(expected, axis=0).max())
            low = np.maximum(np.floor(expected.min(axis=0) - room), 0).astype(int)
            high = np.minimum(np.ceil(expected.max(axis=0) + room), (width, height)).astype(int)
            if (high - low < 16).any():
                continue
            window = self.detect(gray[low[1] : high[1], low[0] : high[0]])
            if number in window:
                found[number] = window[number] + low
        return found

    @property
    def places(self) -> dict[int, Points]:
        """Return each marker's expected corners (4 x 2 pixels) by id."""
        return {number: place.corners for number, place in self._expected.items()}

    def fit_for(self, image: Image) -> MarkerFit | None:
        """Return the fit for this picture size, or None."""
        return self.fit if (image.shape[1], image.shape[0]) == self._size else None

    def is_confirmed(self) -> bool:
        """Return True if the last picture's markers lie where the fit has them."""
        return (
            self.fit is not None and len(self.seen) >= 2 and self._shift_mm(self.seen, self.fit.projection) <= JUMP_MM
        )

    def forget(self) -> None:
        """Take the next picture as the first."""
        self.fit = None

    def look(self, image: Image) -> tuple[MarkerFit | None, bool]:
        """Update `fit` and `seen`; return the fit, if any, and True after a jump. Drift is followed slowly against
        noise; more markers cause a new fit. Raises LensUnfit."""
        size = (image.shape[1], image.shape[0])
        before = self.fit = self.fit_for(image)  # None for another picture size, though the view is the same
        self._size = size
        found = self.seen = self.find(image)
        if before is None:
            self._adopt(self._fit_markers(found, size), found)
            return self.fit, False
        known = {number: found[number] for number in found if number in before.ids} or found
        off = self._shift_px(known) > REFIT_PX
        jumped = off and len(known) >= 2 and self._shift_mm(known, before.projection) > JUMP_MM
        enough = len(found) >= min(ENOUGH, len(self.corners_mm))
        if enough and (off or len(found) > len(before.ids)):
            self._adopt(self._fit_markers(found, size, None if jumped else before), found)
        elif enough:
            self._drift(found, before, size)
        return self.fit, jumped

    def _drift(self, found: Mapping[int, Points], before: MarkerFit, size: tuple[int, int]) -> None:
        for number, corners in found.items():
            steady = self._steady.setdefault(number, self._first.setdefault(number, corners))
            self._steady[number] = steady + STEADY * (corners - steady)
        steady_now = {number: self._steady[number] for number in found}
        if _median_apart(steady_now, self._first) > DRIFT_PX:
            off = np.mean([self._steady[number] - self._first[number] for number in found], axis=(0, 1))
            covered = {
                number: self._first.get(number, place.corners) + off
                for number, place in self._expected.items()
                if number in before.ids and number not in found
            }  # hidden markers are assumed to move alike: a fit without them would bend there
            self._adopt(self._fit_markers(covered | steady_now, size, before), covered | steady_now)

    def _adopt(self, fit: MarkerFit | None, found: Mapping[int, Points]) -> None:
        """Adopt a fit; expect markers where seen, others by the fit."""
        if fit is not None:
            self.fit = fit
            places = {number: fit.projection.pixels(mm) for number, mm in self.corners_mm.items()} | dict(found)
            self._expected = {
                number: ExpectedMarker.of(corners, len(self._prints[number])) for number, corners in places.items()
            }
            self._windows = {
                number: MarkerWindow.of(self._expected[number], self._prints[number], self._size)
                for number in sorted(fit.ids)
            }
            self._first, self._steady = dict(found), {}

    def _shift_px(self, found: Mapping[int, Points]) -> float:
        expected = {number: place.corners for number, place in self._expected.items()}
        return _median_apart(found, expected) if found else 0.0

    def _shift_mm(self, found: Mapping[int, Points], projection: Projection) -> float:
        seen = {number: projection.millimetres(corners) for number, corners in found.items()}
        return _median_apart(seen, self.corners_mm)

    def _fit_markers(
        self, found: Mapping[int, Points], size: tuple[int, int], before: MarkerFit | None = None
    ) -> MarkerFit | None:
        """Fit the markers. before: its lens is kept unless there are more markers."""
        if len(found) < min(2, len(self.corners_mm)):
            return None
        numbers = sorted(found)
        seen = np.concatenate([found[number] for number in numbers])
        places = np.concatenate([self.corners_mm[number] for number in numbers])
        if self._lens is not None:
            lens = self._lens.scale(*size)
        elif before is not None and len(before.ids) >= len(found):
            lens = before.projection.lens
        else:
            lens, _ = _guess_lens(places, seen, *size)
        homography, error = _homography(places, seen, lens)
        if homography is None or error > WORST_FIT_PX:
            return None
        return MarkerFit(Projection(homography, lens), frozenset(numbers), error)


def _median_apart(found: Mapping[int, Points], places: Mapping[int, Points]) -> float:
    across = np.concatenate([corners - places[number] for number, corners in found.items()])
    return median(np.hypot(across[:, 0], across[:, 1]))


def _homography(places: Points, seen: Points, lens: Lens) -> tuple[Points | None, float]:
    flat = lens.undistort(seen)
    found: Any = cv2.findHomography(places, flat)[0]  # None if the points are degenerate, whatever the stubs say
    if found is None:
        return None, float("inf")
    homography = np.asarray(found, np.float64)
    apart = np.linalg.norm(apply(homography, places) - flat, axis=1)
    return homography, float(np.sqrt(np.mean(apart**2)))


def _guess_lens(places: Points, seen: Points, width: int, height: int) -> tuple[Lens, float]:
    """Return a typical lens with fitted radial distortion, and the markers' shrinkage by blur.

    Residuals of a homography over 16 corners give k1. White bleeds into blurred markers equally at all sides, unlike
    distortion, so both are estimated together.
    """
    if len(places) < 16:
        return typical_lens(width, height), 0.0

    def error(k1: float, bleed: float) -> float:
        return _homography(shrunk(places, bleed), seen, typical_lens(width, height, k1))[1]

    found = min((error(k1, bleed), k1, bleed) for k1 in np.linspace(-0.4, 0.2, 13) for bleed in (-0.1, 0.1, 0.3))
    for reach, finer in ((0.05, 0.15), (0.015, 0.05)):
        k1s, bleeds = found[1] + np.linspace(-reach, reach, 7), found[2] + np.linspace(-finer, finer, 5)
        found = min((error(float(k1), float(bleed)), float(k1), float(bleed)) for k1 in k1s for bleed in bleeds)
    return typical_lens(width, height, float(found[1])), float(found[2])


def shrunk(corners: Points, bleed_mm: float) -> Points:
    """Move markers' sides inwards by `bleed_mm`; four corners each."""
    quads = corners.reshape(-1, 4, 2)
    middles = quads.mean(axis=1, keepdims=True)
    reach = np.abs(quads - middles).max(axis=(1, 2), keepdims=True)
    return np.asarray((middles + (quads - middles) * (1 - bleed_mm / reach)).reshape(-1, 2), np.float64)


def _gray(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8) if image.ndim == 3 else image


# --- another mat


def mats_like(mat: Mat, known: Iterable[Mat]) -> dict[str, Mat]:
    """Return the known mats with this mat's ArUco dictionary by name, itself included."""
    return {other.name: other for other in known if other.dictionary == mat.dictionary}


def lies_instead(locator: Locator | None, others: Mapping[str, Mat]) -> str:
    """Return the name of another mat seen instead; "" if none or several fit."""
    if locator is None or locator.seen:
        return ""
    counted = {name: sum(m.id in locator.strange for m in mat.markers) for name, mat in others.items()}
    told = [name for name, count in counted.items() if count >= TELLING]
    return told[0] if len(told) == 1 else ""
