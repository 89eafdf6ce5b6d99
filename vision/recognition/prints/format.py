"""Converts crops to the format in which prints are compared."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.quantiles import quantiles
from vision.recognition.prints.laying import turn_transform

Floats = npt.NDArray[np.float32]
Shift = tuple[int, int]
Blind = tuple[bool, bool, bool]
"""Useless channels: blue, green, red."""

ROOM = 1.2
"""Size of a crop relative to the card."""

COARSE = 5
"""Reduction of the coarse search."""

BORDER = 5
"""Width of an uncertain border in pixels; half is omitted."""

WASHED = 240.0
"""Level from which colours may clip."""

PAPER, DIM = 0.75, 4.0
"""Quantile of the paper's level; offset against dark noise."""


class Format(msgspec.Struct, frozen=True):
    """A format. size: a print's width and height in pixels; crops are ROOM times as large."""

    size: tuple[int, int]

    @property
    def crop(self) -> tuple[int, int]:
        return round(self.size[0] * ROOM), round(self.size[1] * ROOM)

    def prepare(self, crop: Image, mask: Image | None = None) -> tuple[Floats, Floats]:
        """Return the crop with paper at 1, and the paper's B, G, R shares. mask: visible part."""
        small = cv2.resize(stand_upright(crop), self.crop, interpolation=cv2.INTER_AREA)
        light = np.add(small, np.float32(DIM), dtype=np.float32)
        ground = self._ground(light, mask)
        return np.asarray(light / ground, np.float32), np.asarray(ground / ground.sum(), np.float32)

    def is_washed_out(self, crop: Image, mask: Image | None = None) -> bool:
        """Return True if the paper's colour clips."""
        small = cv2.resize(stand_upright(crop), self.crop, interpolation=cv2.INTER_AREA)
        return bool(self._ground(small.astype(np.float32), mask).max() >= WASHED)

    def _ground(self, light: Floats, mask: Image | None) -> Floats:
        left, top = self._corner(light, (0, 0))
        part = slice(top, top + self.size[1]), slice(left, left + self.size[0])
        sight = np.ones(self.size[::-1], np.bool_) if mask is None else mask[part] > 0
        middle = light[part][sight] if sight.any() else light[part].reshape(-1, 3)
        return quantiles(middle.T, PAPER).astype(np.float32)

    def sight(self, seen: Image | None) -> Image:
        """Return a crop's surely visible part (0/1)."""
        if seen is None:
            return np.ones(self.crop[::-1], np.uint8)
        small = cv2.resize(stand_upright(seen), self.crop, interpolation=cv2.INTER_NEAREST)
        return np.asarray(cv2.erode(small, np.ones((BORDER, BORDER), np.uint8), borderValue=0), np.uint8)

    def inner(self, picture: Floats, shift: Shift = (0, 0)) -> Floats:
        """Return the print's part of a crop, moved by `shift`."""
        left, top = self._corner(picture, shift)
        return picture[top : top + self.size[1], left : left + self.size[0]]

    def _corner(self, picture: Floats, shift: Shift) -> Shift:
        return (picture.shape[1] - self.size[0]) // 2 + shift[0], (picture.shape[0] - self.size[1]) // 2 + shift[1]

    def reduce_print(self, picture: Floats) -> Floats:
        """Return a print reduced for coarse search."""
        size = self.size[0] // COARSE, self.size[1] // COARSE
        return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)

    def start(self, picture: Floats, turn: float, shift: Shift) -> Floats:
        """Return the transform (2 x 3) from print to crop for a view."""
        back = cv2.invertAffineTransform(turn_transform(picture, turn))
        left, top = self._corner(picture, shift)
        return np.column_stack([back[:, :2], back @ np.array([left, top, 1.0])]).astype(np.float32)

    def seen_as(self, picture: Floats, warp: Floats) -> Floats:
        """Extract the print by its transform."""
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(
            cv2.warpAffine(picture, warp, self.size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
        )


def stand_upright(picture: Image) -> Image:
    upright = picture.shape[0] >= picture.shape[1]
    return picture if upright else np.asarray(cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE), np.uint8)


def blind(crop: Image) -> Blind:
    """Return True for each fully clipped channel; False for all if all are clipped."""
    blue, green, red = (bool(level == 255) for level in crop.reshape(-1, 3).min(axis=0))
    return (False, False, False) if blue and green and red else (blue, green, red)


def fill_blind(picture: Floats, which: Blind) -> Floats:
    """Replace blind channels by the others' mean."""
    mixed = np.diag(np.logical_not(which)).astype(np.float32)
    mixed[list(which)] = mixed.sum(axis=0) / mixed.sum()
    return np.asarray(cv2.transform(picture, mixed), np.float32)
