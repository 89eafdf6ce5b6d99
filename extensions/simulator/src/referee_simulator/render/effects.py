"""Effects of real cameras: tremble, rolling shutter, flicker, shot noise, sharpening, JPEG.

Functions map BGR pictures by scene and picture number only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from referee_simulator.table.scenes import Scene
from vision.camera import Image

WIDTH = 1280

BANDS = 2.0
"""Bands per picture: 100 Hz at about 20 ms of readout."""

SHARPENED_PX = 1.0
"""Standard deviation of sharpening in pixels; ISPs' kernels are 3 to 5 wide."""

AROUND = 128
"""Gray level of what a phone's page leaves out (camera.js)."""

_TREMBLE, _BANDS, _SHOT = 0x7E3B, 0xBA4D, 0x5407
_POOL = 128


def tremble_of(scene: Scene, size: tuple[int, int], serial: int, *, moving: bool) -> npt.NDArray[np.float64]:
    """Return the transform (2 x 3) to a trembling picture, which a rolling shutter skews and stretches."""
    rng = np.random.default_rng([scene.seed, _TREMBLE, serial])
    width, height = size
    rest, busy = scene.tremble_px, scene.tremble_hand_px
    spread = (busy if moving else rest) * width / WIDTH
    harder = busy / rest if moving and rest else 1.0
    across, down, turn, skew, stretch = rng.normal(0.0, 1.0, 5).tolist()
    angle = math.radians(scene.tremble_deg * harder * turn)
    cos, sin = math.cos(angle), math.sin(angle)
    skew, stretch = (scene.rolling * spread * each / height for each in (skew, stretch))
    linear = np.array([[cos, -sin + skew], [sin, cos + stretch]])
    middle = np.array([width, height]) / 2
    return np.column_stack([linear, middle - linear @ middle + spread * np.array([across, down])])


def tremble(picture: Image, scene: Scene, serial: int, *, moving: bool) -> Image:
    """Apply camera tremble."""
    if not (scene.tremble_px or scene.tremble_hand_px or scene.tremble_deg):
        return picture
    height, width = picture.shape[:2]
    matrix = tremble_of(scene, (width, height), serial, moving=moving)
    moved = cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def add_bands(picture: Image, scene: Scene, serial: int) -> Image:
    """Apply mains flicker as wandering bands."""
    if not scene.banding:
        return picture
    phase = float(np.random.default_rng([scene.seed, _BANDS, serial]).uniform(0, 2 * math.pi))
    rows = np.linspace(0, 2 * math.pi * BANDS, picture.shape[0], dtype=np.float32)
    light = 1.0 + scene.banding * np.sin(rows + phase)
    return np.asarray(np.clip(np.rint(picture * light[:, None, None].astype(np.float32)), 0, 255), np.uint8)


def shot(picture: Image, scene: Scene, serial: int) -> Image:
    if not scene.shot:
        return picture
    height, width = picture.shape[:2]
    rng = np.random.default_rng([scene.seed, _SHOT, serial])
    right, below = (int(each) for each in rng.integers(0, _POOL, 2))
    grains = _grains(scene.seed, height + _POOL, width + _POOL)
    spread = scene.shot * np.sqrt(np.arange(256, dtype=np.float32) / 255)
    noise = cv2.LUT(picture, spread) * grains[below : below + height, right : right + width]
    return np.clip(np.rint(picture + noise), 0, 255).astype(np.uint8)


@lru_cache(maxsize=1)
def _grains(seed: int, height: int, width: int) -> npt.NDArray[np.float32]:
    grains = np.empty((height, width, 3), np.float32)
    cv2.setRNGSeed(seed & 0x7FFFFFFF)
    cv2.randn(grains, np.zeros(3), np.ones(3))
    return grains


def sharpen_picture(picture: Image, scene: Scene) -> Image:
    """Sharpen as cameras do."""
    if not scene.sharpen:
        return picture
    soft = cv2.GaussianBlur(picture, (0, 0), SHARPENED_PX)
    return np.asarray(cv2.addWeighted(picture, 1 + scene.sharpen, soft, -scene.sharpen, 0), np.uint8)


def compress(picture: Image, scene: Scene) -> Image:
    if not scene.jpeg:
        return picture
    _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, round(scene.jpeg)])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def answered_stops(scene: Scene, usual: Image, now: Image) -> float:
    """Return the stops by which auto exposure brightens (below 0: darkens). usual: without hands."""
    if not scene.answer:
        return 0.0
    before, after = (max(1.0, float(np.mean(cv2.mean(each)[:3]))) for each in (usual, now))
    return scene.answer * math.log2(before / after)


def gray_outside(picture: Image, corners: Sequence[float]) -> Image:
    """Paint a picture gray outside four corners (x and y as shares), as a phone's page does."""
    height, width = picture.shape[:2]
    shown = np.zeros((height, width), np.uint8)
    cv2.fillPoly(shown, [np.rint(np.reshape(corners, (4, 2)) * (width, height)).astype(np.int32)], 1)
    return np.where(shown[..., None] > 0, picture, np.uint8(AROUND))
