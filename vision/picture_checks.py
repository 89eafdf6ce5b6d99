"""Corrects colours by the mat's white and gray patches; detects dark, glaring and frozen pictures."""

from __future__ import annotations

from typing import TypeAlias

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.table import Health
from vision.camera import Frame, Image
from vision.mat import Box, Mat
from vision.quantiles import quantiles
from vision.registration.rectify import Projection

WHITE, GRAY = 235.0, 118.0
"""Corrected levels of the patches, in 8-bit sRGB."""

NO_SPAN, LIT = 0.1, 1.35
"""Least difference of the patches, and largest gain over the white one's, unless the gray one reflects a lamp."""

LEAST_CLEAR, CLEAR = 0.98, 245.0
"""Unclipped share required of a patch, and level to darken others to."""

OFFSET, INK = 4.0, 0.03
"""Added to levels against dark noise; quantile of a card taken as ink."""

PAPER_WITHIN = 0.25
"""Distance to the next blank paper, in shorter sides of a card."""

DARK = 14
BRIGHTEST = 0.98
"""Share of a dark picture below twice DARK."""

SATURATED = 252
"""Level of clipping."""

BURNT, SHOWN, EDGE = 0.2, 0.4, 0.1
"""A card's channel is ignored above this burnt share if no other is half as burnt and one shows SHOWN of its ink. EDGE:
margin."""

GLARE_SHARE = 0.35
FROZEN_S = 3.0


Gain: TypeAlias = "tuple[float, float, float]"
"""Blue, green, red."""

OTHER_LAMP = 1.6
"""Change of a channel's gain that indicates another lamp."""


class ColourCorrection(msgspec.Struct, frozen=True):
    """A correction per channel (B, G, R): gain * value + offset."""

    gain: Gain = (1.0, 1.0, 1.0)
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def headroom(self) -> float:
        """Return the brightest measurable level relative to white paper."""
        return min(float(gain * 255.0 + offset) for gain, offset in zip(self.gain, self.offset, strict=True)) / WHITE

    def apply(self, image: Image) -> Image:
        """Return a corrected BGR picture, or stack of them."""
        if not image.size:
            return image
        values = np.arange(256, dtype=np.float32)[:, None]
        table = np.clip(values * np.array(self.gain) + np.array(self.offset), 0, 255).astype(np.uint8)
        corrected = cv2.LUT(image.reshape(-1, image.shape[-2], 3), table.reshape(1, 256, 3))
        return np.asarray(corrected, np.uint8).reshape(image.shape)

    def dim(self, level: float) -> ColourCorrection:
        """Return the correction for gray levels `level` times as high."""
        return msgspec.structs.replace(self, gain=_triple(np.array(self.gain) / level))

    def unclip(self, patches: Image) -> Image:
        """Return corrected patches, N x H x W x 3, each darkened as far as its reflections would clip."""
        corrected = self.apply(patches)
        gain, offset = np.array(self.gain), np.array(self.offset)
        for patch, result, clear in zip(patches, corrected, _clear(corrected), strict=True):
            if clear > LEAST_CLEAR:
                continue
            scale = min(1.0, CLEAR / max(1.0, float((_highest(patch) * gain + offset).max())))
            darker = ColourCorrection(_triple(gain * scale), _triple(offset * scale))
            result[:] = darker.apply(patch)
        return corrected

    def legible(self, patch: Image, seen: Image | None = None) -> Image:
        """Return a card's picture, H x W x 3, corrected, with clipped light evened out and a burnt-out channel ignored.
        seen: visible mask (0/1)."""
        corrected = self.apply(patch)
        shown = corrected if seen is None else corrected[seen > 0][:, None]
        if shown.size and _clear(shown[None])[0] <= LEAST_CLEAR:
            corrected = _relit(np.asarray(self.unclip(patch[None])[0], np.uint8))
        blind = _blind(patch[_inner(patch)].reshape(-1, 3) if seen is None else patch[seen > 0])
        if any(blind):
            corrected[..., blind] = 255
        return corrected


def _inner(patch: Image) -> tuple[slice, slice]:
    down, across = (max(1, round(EDGE * side)) for side in patch.shape[:2])
    return slice(down, -down), slice(across, -across)


def _blind(pixels: Image) -> list[bool]:
    """Flag the unreliable channel (B, G, R) of N x 3 pixels, if any."""
    burnt = (pixels >= SATURATED).mean(axis=0)
    third, second, worst = (int(channel) for channel in np.argsort(burnt, kind="stable"))
    if burnt[worst] <= BURNT or burnt[second] > max(BURNT, burnt[worst] / 2):
        return [False] * 3
    ink, paper = (quantiles(pixels.T, share) + OFFSET for share in (INK, 0.5))
    contrast = 1.0 - ink / paper
    shown = max(contrast[second], contrast[third]) >= SHOWN * contrast[worst]
    return [channel == worst and bool(shown) for channel in range(3)]


def _relit(patch: Image) -> Image:
    light = np.add(patch, np.float32(OFFSET), dtype=np.float32)
    side = round(PAPER_WITHIN * min(patch.shape[:2])) | 1
    brightest = cv2.dilate(light, np.ones((side, side), np.uint8))
    paper = cv2.GaussianBlur(brightest, (0, 0), side / 2)
    usual = np.median(paper.reshape(-1, 3), axis=0)
    return np.asarray(np.clip(light / paper * usual - OFFSET, 0, 255), np.uint8)


def _clear(patches: Image) -> list[float]:
    if not patches.size:
        return []
    tall = patches.reshape(-1, *patches.shape[2:])
    mask = np.asarray(cv2.inRange(tall, (0, 0, 0), (254, 254, 254)), np.uint8).reshape(len(patches), -1)
    return [cv2.countNonZero(pixels) / pixels.size for pixels in mask]


def _triple(values: npt.NDArray[np.float64]) -> Gain:
    first, second, third = values.tolist()
    return first, second, third


def _highest(patch: Image) -> npt.NDArray[np.float64]:
    return quantiles(patch[::3, ::3].reshape(-1, 3).T, 0.98)


def measure(image: Image, projection: Projection, mat: Mat) -> ColourCorrection | None:
    """Return the correction by the patches; None if covered, uneven, clipped, alike, dark or outside."""
    corners = projection.pixels(np.concatenate([_inside(mat.white), _inside(mat.gray)]))
    white, gray = _patch(image, corners[:4]), _patch(image, corners[4:])
    if white is None or gray is None or (white > SATURATED).any():
        return None
    if (white - gray < NO_SPAN * white).any():
        return None
    gain, alone = (WHITE - GRAY) / (white - gray), WHITE / white
    if (gain > LIT * alone).any():
        gain = alone
    offset = WHITE - gain * white
    if (gain > 8).any():
        return None
    return ColourCorrection(_triple(gain), _triple(offset))


def white_patch(image: Image, projection: Projection, mat: Mat) -> Gain | None:
    """Return the white patch's levels (B, G, R); None if covered, uneven or outside."""
    levels = _patch(image, projection.pixels(_inside(mat.white)))
    return None if levels is None else _triple(levels)


def _inside(box: Box) -> npt.NDArray[np.float64]:
    # Below the middle, through which the paper's sheets may be joined.
    inset = np.array([[0.25, 0.58], [0.75, 0.58], [0.75, 0.9], [0.25, 0.9]])
    return np.asarray(np.array([box.x, box.y]) + inset * np.array([box.width, box.height]), np.float64)


def _patch(image: Image, corners: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
    left, top = np.floor(corners.min(axis=0)).astype(int).tolist()
    right, bottom = np.ceil(corners.max(axis=0)).astype(int).tolist()
    if min(left, top) < 0 or right > image.shape[1] or bottom > image.shape[0] or min(right - left, bottom - top) < 3:
        return None
    inside = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillConvexPoly(inside, np.rint(corners - (left + 0.5, top + 0.5)).astype(np.int32), 1)
    mean, spread = cv2.meanStdDev(image[top:bottom, left:right], mask=inside)
    even = (spread < np.maximum(10.0, 0.12 * mean)).all()
    return np.asarray(mean[:, 0], np.float64) if even else None


class Lamp:
    """Detects a change of lamp since exposure and gains were locked."""

    def __init__(self) -> None:
        self._locked_at: Gain | None = None
        self._told: tuple[Gain, bool] | None = None
        self._dazzled = False

    def has_changed(self, gain: Gain, dazzled: bool) -> bool:
        """Return True once per change of gain since the lock, and when white begins to clip. gain: at rest (B, G, R),
        relative to the locked exposure; dazzled: white is clipped."""
        if (gain, dazzled) == self._told:
            return False  # nothing was measured since
        self._told = None
        if dazzled and not self._dazzled:
            other = True
        elif dazzled or self._locked_at is None:
            other, self._locked_at = False, gain
        else:
            pairs = zip(gain, self._locked_at, strict=True)
            other = max(max(now, was) / min(now, was) for now, was in pairs) > OTHER_LAMP
        self._dazzled = dazzled
        if other:
            self._locked_at, self._told = None, (gain, dazzled)
        return other


class Watch:
    """Judges frames by their small gray picture: dark, glaring or frozen."""

    def __init__(self) -> None:
        self._last: Image | None = None
        self._fresh_at = 0.0

    def judge(self, frame: Frame) -> Health:
        small = frame.small
        if self._last is None or self._last.shape != small.shape or not np.array_equal(self._last, small):
            self._last, self._fresh_at = small, frame.at
        upto = np.cumsum(cv2.calcHist([small], [0], None, [256], [0, 256])) / small.size
        if upto[2 * DARK] > BRIGHTEST or cv2.mean(small)[0] < DARK:
            return Health.DARK  # before frozen ones: behind a cap all pictures are alike
        if frame.at - self._fresh_at >= FROZEN_S:
            return Health.NO_FRAMES
        return Health.GLARE if 1 - upto[SATURATED - 1] > GLARE_SHARE else Health.OK
