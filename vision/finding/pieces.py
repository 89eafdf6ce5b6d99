"""Finding pieces on the mat: place, angle and face of each, and objects that are no piece."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.discs import find_discs
from vision.finding.quads import find_quads
from vision.mat import Box, Mat
from vision.recognition.naming import PieceSet
from vision.registration.rectify import Matrix, Projection, Sheet, crop

MARGIN_MM = 15.0
"""How much of the table a sheet shows around the mat."""

SHEET_PIXELS = 335_000
FINEST = 2.0
CROP_PIXELS = 80
RELIEF_PIXELS = 40
CROP_ROOM = 1.2
"""A crop shows the piece and 10% on each side."""

BLANK = 0.12
"""Relief below which a face is blank; see `relief`."""

GRAIN = 1.5
"""Spread that noise leaves after smoothing, over the median of what the smoothing took away."""


class Found(msgspec.Struct, frozen=True):
    """A piece-shaped thing. support: share of its outline that was seen; angle_deg: of its shape, 0 for a disc."""

    x_mm: float
    y_mm: float
    angle_deg: float
    support: float


class PieceFinder:
    """Finds pieces of one set on a mat under one projection."""

    def __init__(self, projection: Projection, mat: Mat, pieces: PieceSet) -> None:
        self.projection, self.mat, self.pieces = projection, mat, pieces
        size = (mat.size_mm[0] + 2 * MARGIN_MM, mat.size_mm[1] + 2 * MARGIN_MM)
        scale = min(FINEST, float(np.sqrt(SHEET_PIXELS / (size[0] * size[1]))))
        self.sheet = Sheet(projection, (-MARGIN_MM, -MARGIN_MM), size, pieces.thickness_mm, scale)
        self._usable = usable(mat, self.sheet)

    def rectify(self, image: Image) -> Image:
        return self.sheet.rectify(image)

    def find(self, sheet: Image) -> list[Found]:
        """Every piece on a rectified picture, best seen first."""
        width, height = (side * self.sheet.scale for side in self.pieces.size_mm)
        if self.pieces.shape == "disc":
            discs = find_discs(sheet, width / 2, self._usable, self._foot())
            shapes = [(disc.x, disc.y, 0.0, disc.support) for disc in discs]
        else:
            quads = find_quads(sheet, (width, height), self._usable)
            shapes = [(quad.x, quad.y, quad.angle_deg, quad.support) for quad in quads]
        if not shapes:
            return []
        places = self.sheet.to_mm(np.array([shape[:2] for shape in shapes]))
        return [Found(float(x), float(y), shape[2], shape[3]) for (x, y), shape in zip(places, shapes, strict=True)]

    def _foot(self) -> Matrix:
        """From a top face's centre on the sheet to where the point of the mat below it appears there."""
        top, ground = self.projection.at_height(self.pieces.thickness_mm), self.projection.at_height(0.0)
        step, (left, up) = 1 / self.sheet.scale, self.sheet.origin_mm
        to_mm = np.array([[step, 0, left + step / 2], [0, step, up + step / 2], [0, 0, 1.0]])
        return np.asarray(np.linalg.inv(to_mm) @ np.linalg.inv(top) @ ground @ to_mm, np.float64)

    def crop(self, image: Image, found: Found) -> Image:
        """The patch of a piece that the recogniser wants."""
        return crop(
            image,
            self.projection,
            (found.x_mm, found.y_mm),
            side_mm=CROP_ROOM * max(self.pieces.size_mm),
            height_mm=self.pieces.thickness_mm,
            pixels=CROP_PIXELS,
            angle_deg=found.angle_deg,
        )

    def footprints(self, found: Sequence[Found]) -> Image:
        """Mask (of the sheet) of all that the found pieces cover, sides and a little shadow included."""
        mask = np.zeros(self.sheet.shape, np.uint8)
        if not found:
            return mask
        centres = np.array([[one.x_mm, one.y_mm] for one in found])
        reach = max(self.pieces.size_mm) / 2 if self.pieces.shape == "disc" else np.hypot(*self.pieces.size_mm) / 2
        for height in (0.0, self.pieces.thickness_mm / 2, self.pieces.thickness_mm):
            pixels = self.projection.at_height(height)
            back = np.linalg.inv(self.projection.at_height(self.pieces.thickness_mm)) @ pixels
            shifted = np.column_stack([centres, np.ones(len(centres))]) @ back.T
            for x, y in np.rint(self.sheet.to_px(shifted[:, :2] / shifted[:, 2:])).astype(int):
                cv2.circle(mask, (int(x), int(y)), round((reach + 3) * self.sheet.scale), 1, -1)
        return mask


def usable(mat: Mat, sheet: Sheet) -> Image:
    """Mask (0 or 1) of the sheet where pieces may lie: the mat without its markers and patches."""
    mask = np.zeros(sheet.shape, np.uint8)
    _fill(mask, sheet, Box(0, 0, *mat.size_mm), 1, 0.0)
    for marker in mat.markers:
        _fill(mask, sheet, Box(marker.x, marker.y, marker.side, marker.side), 0, 4.0)
    for patch in (mat.white, mat.gray):
        _fill(mask, sheet, patch, 0, 2.0)
    return mask


def _fill(mask: Image, sheet: Sheet, box: Box, value: int, room_mm: float) -> None:
    low = np.array([[box.x - room_mm, box.y - room_mm]])
    high = np.array([[box.x + box.width + room_mm, box.y + box.height + room_mm]])
    (left, top), (right, bottom) = np.rint(sheet.to_px(np.vstack([low, high]))).astype(int)
    cv2.rectangle(mask, (int(left), int(top)), (int(right), int(bottom)), value, -1)


def relief(patch: Image) -> float:
    """How much a face shows: the spread of its brightness over its mean, without noise and slow shading.

    Near 0 for a blank back, over 0.3 for a printed symbol; only the inner disc of the crop is looked at.
    """
    gray = cv2.resize(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY), (RELIEF_PIXELS,) * 2, interpolation=cv2.INTER_AREA)
    smooth = cv2.GaussianBlur(gray.astype(np.float32), (0, 0), 0.8)
    inner, places, flatten = _inner()
    values, grain = smooth[inner], (gray - smooth)[inner]
    rest = values - places @ (flatten @ values)
    low, high = np.percentile(rest, (3, 97))
    noise = GRAIN * float(np.median(np.abs(grain)))
    return float(max(0.0, high - low - noise) / (values.mean() + 4.0))


@cache
def _inner() -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The inner disc of a small patch: its mask, its places, and what fits a plane to values there."""
    axis = (np.arange(RELIEF_PIXELS) + 0.5) / RELIEF_PIXELS * 2 - 1
    x, y = np.meshgrid(axis, axis)
    mask = np.asarray(x * x + y * y < (0.76 / CROP_ROOM) ** 2)
    places = np.column_stack([x[mask], y[mask], np.ones(np.count_nonzero(mask))]).astype(np.float32)
    return mask, places, np.linalg.pinv(places).astype(np.float32)
