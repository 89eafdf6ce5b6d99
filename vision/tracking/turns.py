"""Measures a piece's turn between pictures."""

from __future__ import annotations

import math
from functools import cache

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image

STEPS = 128
RINGS = 20
REACH = 0.36
"""Radius compared, in crop sides."""

LEAST_CORRELATION = 0.5

PATTERNED = 10.0
"""RMS gray levels needed to see a turn (measured: plain counters up to 8.2, symbols from 12.8)."""

FIRST = slice(1, 3)
"""First harmonic in a packed spectrum."""

Floats = npt.NDArray[np.float32]


class PolarCrop(msgspec.Struct, frozen=True):
    """A crop in polar coordinates: a turn shifts it along the angle.

    spectrum: of each ring, RINGS x STEPS, as OpenCV packs it.
    length: norm without ring means.
    pattern: also without the first harmonic, due to light or an offset.
    """

    spectrum: Floats
    length: float
    pattern: float

    @property
    def patterned(self) -> bool:
        """Return True if a turn would be visible."""
        return self.pattern > PATTERNED * math.sqrt(RINGS * STEPS)


def polar_crops(crops: Image) -> list[PolarCrop]:
    """Convert crops, N x side x side x 3."""
    if not len(crops):
        return []
    count, side = crops.shape[:2]
    gray = cv2.cvtColor(crops.reshape(-1, side, 3), cv2.COLOR_BGR2GRAY).astype(np.float32)
    x, y = _rings(side)
    every_y = (y + np.arange(0, count * side, side, dtype=np.float32)[:, None, None]).reshape(-1, STEPS)
    rings = cv2.remap(gray, np.tile(x, (count, 1)), every_y, cv2.INTER_LINEAR)
    rings -= rings.mean(axis=1, keepdims=True)
    spectra = np.asarray(cv2.dft(rings, flags=cv2.DFT_ROWS), np.float32).reshape(count, RINGS, STEPS)
    values = rings.reshape(count, -1)
    squares = np.einsum("nv,nv->n", values, values)
    first = spectra[..., FIRST].reshape(count, -1)
    patterns = np.maximum(0.0, squares - 2.0 / STEPS * np.einsum("nv,nv->n", first, first))
    lengths = np.sqrt([squares, patterns]).T.tolist()
    return [PolarCrop(spectrum, *both) for spectrum, both in zip(spectra, lengths, strict=True)]


def turn_between(before: PolarCrop, after: PolarCrop) -> float:
    """Return the turn in degrees clockwise, [-180, 180), by correlation; 0 if unlike."""
    scores = _scores(before, after, patterns=True)
    length = before.pattern * after.pattern
    best = scores.index(max(scores))
    if length == 0 or scores[best] < LEAST_CORRELATION * length:
        return 0.0
    left, top, right = scores[best - 1], scores[best], scores[(best + 1) % STEPS]
    curve = left - 2 * top + right
    fine = 0.5 * (left - right) / curve if curve else 0.0
    turn = (best + fine) * 360.0 / STEPS
    return (turn + 180.0) % 360.0 - 180.0


def gain(before: PolarCrop, after: PolarCrop) -> float:
    """Return the factor by which a turn reduces the difference; 1 if none."""
    length, scores = before.pattern * after.pattern, _scores(before, after, patterns=True)
    return (length - scores[0]) / max(1e-6 * length, length - max(scores)) if length else 1.0


def likeness(before: PolarCrop, after: PolarCrop) -> float:
    """Return the correlation (-1 to 1) without turning."""
    length = before.length * after.length
    return _scores(before, after)[0] / length if length else 0.0


def _scores(before: PolarCrop, after: PolarCrop, *, patterns: bool = False) -> list[float]:
    product = cv2.mulSpectrums(after.spectrum, before.spectrum, cv2.DFT_ROWS, conjB=True).sum(axis=0)[None]
    if patterns:
        product[:, FIRST] = 0.0
    scores: list[float] = cv2.idft(product, flags=cv2.DFT_ROWS | cv2.DFT_SCALE)[0].tolist()
    return scores


@cache
def _rings(side: int) -> tuple[Floats, Floats]:
    middle, reach = (side - 1) / 2, np.arange(RINGS)[:, None] * (REACH * side / RINGS)
    angle = np.arange(STEPS) * (2 * np.pi / STEPS)
    return (middle + reach * np.cos(angle)).astype(np.float32), (middle + reach * np.sin(angle)).astype(np.float32)
