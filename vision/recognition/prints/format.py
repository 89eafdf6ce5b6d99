"""The size at which prints are compared, and how crops are brought to it."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.quantiles import quantiles
from vision.recognition.prints.laying import turned

Floats = npt.NDArray[np.float32]
Shift = tuple[int, int]
Blind = tuple[bool, bool, bool]
"""Whether nothing can be told by blue, green and red."""

ROOM = 1.2
"""A crop shows the card and so much around it: a tenth on each side."""

COARSE = 5
"""So many times smaller all kinds are compared at first."""

BORDER = 5
"""So wide is the border, in pixels, where it is not sure whether a card shows or the one that lies on it: half of it is
left out."""

WASHED = 240.0
"""A level from which one of the colours may be brighter than is seen."""

PAPER, DIM = 0.75, 4.0
"""So much of a print is no brighter than its paper; what is added to every level, so that the dark is no contrast."""


class Format(msgspec.Struct, frozen=True):
    """size: width and height of a print, in pixels, as it is compared. A crop shows ROOM times as much."""

    size: tuple[int, int]

    @property
    def crop(self) -> tuple[int, int]:
        """Width and height of a crop."""
        return round(self.size[0] * ROOM), round(self.size[1] * ROOM)

    def prepared(self, crop: Image, mask: Image | None = None) -> tuple[Floats, Floats]:
        """The crop with its margin, at this size, paper at 1; and the paper's blue, green and red, in shares of it all.

        mask: where the card is in sight.
        """
        small = cv2.resize(stood(crop), self.crop, interpolation=cv2.INTER_AREA)
        light = np.add(small, np.float32(DIM), dtype=np.float32)
        ground = self._ground(light, mask)
        return np.asarray(light / ground, np.float32), np.asarray(ground / ground.sum(), np.float32)

    def washed(self, crop: Image, mask: Image | None = None) -> bool:
        """Whether what the card is printed on is so bright that its colour is not seen."""
        small = cv2.resize(stood(crop), self.crop, interpolation=cv2.INTER_AREA)
        return bool(self._ground(small.astype(np.float32), mask).max() >= WASHED)

    def _ground(self, light: Floats, mask: Image | None) -> Floats:
        """The colour of what the card is printed on."""
        left, top = self._corner(light, (0, 0))
        part = slice(top, top + self.size[1]), slice(left, left + self.size[0])
        sight = np.ones(self.size[::-1], np.bool_) if mask is None else mask[part] > 0
        middle = light[part][sight] if sight.any() else light[part].reshape(-1, 3)
        return quantiles(middle.T, PAPER).astype(np.float32)

    def sight(self, seen: Image | None) -> Image:
        """Where the card is surely in sight (0/1), in a crop of this size. seen: the same of a crop of any size."""
        if seen is None:
            return np.ones(self.crop[::-1], np.uint8)
        small = cv2.resize(stood(seen), self.crop, interpolation=cv2.INTER_NEAREST)
        return np.asarray(cv2.erode(small, np.ones((BORDER, BORDER), np.uint8), borderValue=0), np.uint8)

    def inner(self, picture: Floats, shift: Shift = (0, 0)) -> Floats:
        """The print in a crop that is off by so much."""
        left, top = self._corner(picture, shift)
        return picture[top : top + self.size[1], left : left + self.size[0]]

    def _corner(self, picture: Floats, shift: Shift) -> Shift:
        """Top left of the print in a crop that is off by so much."""
        return (picture.shape[1] - self.size[0]) // 2 + shift[0], (picture.shape[0] - self.size[1]) // 2 + shift[1]

    def reduced(self, picture: Floats) -> Floats:
        """A print as all kinds are compared at first."""
        size = self.size[0] // COARSE, self.size[1] // COARSE
        return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)

    def start(self, picture: Floats, turn: float, shift: Shift) -> Floats:
        """2 x 3, from a print's pixels to the crop's, as the crop was seen to agree with it roughly."""
        back = cv2.invertAffineTransform(turned(picture, turn))
        left, top = self._corner(picture, shift)
        return np.column_stack([back[:, :2], back @ np.array([left, top, 1.0])]).astype(np.float32)

    def seen_as(self, picture: Floats, warp: Floats) -> Floats:
        """The print that lies so in a crop (2 x 3, from its pixels to the crop's)."""
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(
            cv2.warpAffine(picture, warp, self.size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
        )


def stood(picture: Image) -> Image:
    """A picture with its longer side upright."""
    upright = picture.shape[0] >= picture.shape[1]
    return picture if upright else np.asarray(cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE), np.uint8)


def blind(crop: Image) -> Blind:
    """Which channels are burnt out all over, and tell nothing. None if all are."""
    blue, green, red = (bool(level == 255) for level in crop.reshape(-1, 3).min(axis=0))
    return (False, False, False) if blue and green and red else (blue, green, red)


def filled(picture: Floats, which: Blind) -> Floats:
    """A picture, H x W x 3, whose blind channels show the mean of the others."""
    mixed = np.diag(np.logical_not(which)).astype(np.float32)
    mixed[list(which)] = mixed.sum(axis=0) / mixed.sum()
    return np.asarray(cv2.transform(picture, mixed), np.float32)
