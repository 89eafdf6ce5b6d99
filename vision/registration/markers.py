"""The mat's ArUco markers: finding them, fitting the projection, and noticing that mat or camera jumped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import msgspec
import numpy as np

from vision.camera import Image
from vision.mat import Marker, Mat
from vision.registration.lens import Lens, Points, dictionary, typical_lens
from vision.registration.rectify import Projection, apply

REFIT_PX = 0.5
"""Markers off by more than this are fitted anew."""

JUMP_MM = 1.5
"""Markers off by more than this: somebody bumped the mat or the camera."""

WORST_FIT_PX = 3.0
MARGIN = 0.6
"""Room around a marker's last place, in marker sides, in which it is looked for first."""


class Fit(msgspec.Struct, frozen=True):
    """A projection, the markers behind it, and the RMS distance of their corners from it in pixels."""

    projection: Projection
    ids: frozenset[int]
    error_px: float


def corners_mm(marker: Marker) -> Points:
    """The corners of a marker on the mat, clockwise from its top left."""
    x, y, side = marker.x, marker.y, marker.side
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]], np.float64)


class Locator:
    """Finds the markers of one mat and keeps the last good fit while a hand covers some."""

    def __init__(self, mat: Mat, lens: Lens | None = None) -> None:
        self._mat = mat
        self._lens = lens
        self._corners_mm = {marker.id: corners_mm(marker) for marker in mat.markers}
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        self._detector = cv2.aruco.ArucoDetector(dictionary(mat.dictionary), parameters)
        self.fit: Fit | None = None

    def detect(self, gray: Image) -> dict[int, Points]:
        """The mat's markers in a picture: corners (4 x 2 pixels) by id."""
        corners, ids, _ = self._detector.detectMarkers(gray)
        numbers = np.asarray(ids).reshape(-1) if len(corners) else ()
        found = zip(numbers, corners, strict=True)
        return {
            int(number): np.asarray(quad, np.float64).reshape(4, 2)
            for number, quad in found
            if int(number) in self._corners_mm
        }

    def find(self, image: Image) -> dict[int, Points]:
        """Like `detect`, first around the last places; the whole picture only if fewer than two are there."""
        if self.fit is not None:
            numbers = sorted(self._corners_mm)
            near = self._near(image, self.fit.projection, numbers[::2])
            if len(near) == 2 and self._shift(near, self.fit.projection)[0] < REFIT_PX:
                return near  # two opposite ones are where they were: nothing moved
            near |= self._near(image, self.fit.projection, [number for number in numbers if number not in near])
            if len(near) >= 2:
                return near
        return self.detect(_gray(image))

    def _near(self, image: Image, projection: Projection, numbers: Sequence[int]) -> dict[int, Points]:
        """Those of the given markers that are about where the projection expects them."""
        found: dict[int, Points] = {}
        height, width = image.shape[:2]
        for number in numbers:
            expected = projection.pixels(self._corners_mm[number])
            room = MARGIN * float(np.ptp(expected, axis=0).max())
            low = np.maximum(np.floor(expected.min(axis=0) - room), 0).astype(int)
            high = np.minimum(np.ceil(expected.max(axis=0) + room), (width, height)).astype(int)
            if (high - low < 16).any():
                continue
            window = self.detect(_gray(image[low[1] : high[1], low[0] : high[0]]))
            if number in window:
                found[number] = window[number] + low
        return found

    def look(self, image: Image) -> tuple[Fit | None, bool]:
        """The fit for this frame, and whether mat or camera jumped against the fit before. None: never found."""
        found = self.find(image)
        before = self.fit
        if before is None:
            self.fit = self._fitted(found, image.shape[1], image.shape[0])
            return self.fit, False
        shift_px, shift_mm = self._shift(found, before.projection)
        if shift_px > REFIT_PX and len(found) >= min(3, len(self._corners_mm)):
            fresh = self._fitted(found, image.shape[1], image.shape[0])
            self.fit = fresh if fresh is not None else before
        return self.fit, shift_mm > JUMP_MM and len(found) >= 2

    def _shift(self, found: Mapping[int, Points], projection: Projection) -> tuple[float, float]:
        """The median distance of marker corners from where the fit expects them, in pixels and millimetres."""
        if not found:
            return 0.0, 0.0
        seen = np.concatenate([found[number] for number in sorted(found)])
        places = np.concatenate([self._corners_mm[number] for number in sorted(found)])
        apart = np.linalg.norm(projection.pixels(places) - seen, axis=1)
        apart_mm = np.linalg.norm(projection.millimetres(seen) - places, axis=1)
        return float(np.median(apart)), float(np.median(apart_mm))

    def _fitted(self, found: Mapping[int, Points], width: int, height: int) -> Fit | None:
        if len(found) < min(2, len(self._corners_mm)):
            return None
        numbers = sorted(found)
        seen = np.concatenate([found[number] for number in numbers])
        places = np.concatenate([self._corners_mm[number] for number in numbers])
        lens = self._lens.scaled(width, height) if self._lens is not None else _guessed(places, seen, width, height)
        homography, error = _homography(places, seen, lens)
        if homography is None or error > WORST_FIT_PX:
            return None
        return Fit(Projection(homography, lens), frozenset(numbers), error)


def _homography(places: Points, seen: Points, lens: Lens) -> tuple[Points | None, float]:
    flat = lens.undistort(seen)
    found: Any = cv2.findHomography(places, flat)[0]  # None if the points are degenerate, whatever the stubs say
    if found is None:
        return None, float("inf")
    homography = np.asarray(found, np.float64)
    apart = np.linalg.norm(apply(homography, places) - flat, axis=1)
    return homography, float(np.sqrt(np.mean(apart**2)))


def _guessed(places: Points, seen: Points, width: int, height: int) -> Lens:
    """A typical lens with the radial distortion that fits the markers' corners best (all four must be seen).

    A homography cannot bend: what remains over 16 corners far from the centre tells k1 to about a tenth.
    """
    plain = typical_lens(width, height)
    if len(places) < 16:
        return plain
    tried = np.linspace(-0.4, 0.2, 13)
    errors = [_homography(places, seen, typical_lens(width, height, float(k1)))[1] for k1 in tried]
    best = int(np.argmin(errors))
    low, high = tried[max(0, best - 1)], tried[min(len(tried) - 1, best + 1)]
    fine = np.linspace(low, high, 9)
    errors = [_homography(places, seen, typical_lens(width, height, float(k1)))[1] for k1 in fine]
    bent = typical_lens(width, height, float(fine[int(np.argmin(errors))]))
    straight_error = _homography(places, seen, plain)[1]
    return bent if min(errors) < 0.8 * straight_error else plain


def _gray(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8) if image.ndim == 3 else image
