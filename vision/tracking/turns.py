"""Measures by how much a piece was turned between two pictures of it."""

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
"""Radius of what is compared, in parts of a crop's side."""

LEAST_CORRELATION = 0.5

PATTERNED = 10.0
"""Gray levels (root mean square) that a face must show all round to be seen turning. Plain counters in poor light show
up to 8.2, mere noise; symbols of stones 12.8 and more."""

FIRST = slice(1, 3)
"""Where a packed spectrum holds the first harmonic."""

Floats = npt.NDArray[np.float32]


class PolarCrop(msgspec.Struct, frozen=True):
    """A crop around its centre, ring by ring: a turn of the piece only shifts it along the angle.

    spectrum: of each ring, RINGS x STEPS, packed as OpenCV packs it. length: of all values, each ring without its mean.
    pattern: the same without the first harmonic too: light from one side, or a middle that is a little off, makes that
    of any face, so it says nothing of a turn.
    """

    spectrum: Floats
    length: float
    pattern: float

    @property
    def patterned(self) -> bool:
        """True if the face shows enough to be seen turning."""
        return self.pattern > PATTERNED * math.sqrt(RINGS * STEPS)


def polar_crops(crops: Image) -> list[PolarCrop]:
    """Several crops, N x side x side x 3."""
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
    """Degrees clockwise, in (-180, 180], that best turn one crop into the other; 0 if they do not resemble.

    Both are correlated along the angle, refined by a parabola.
    """
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
    """So many times less of the difference of two crops is left if a turn explains it: 1 if none does better."""
    length, scores = before.pattern * after.pattern, _scores(before, after, patterns=True)
    return (length - scores[0]) / max(1e-6 * length, length - max(scores)) if length else 1.0


def likeness(before: PolarCrop, after: PolarCrop) -> float:
    """Correlation (-1 to 1) of two crops of a piece that was not turned."""
    length = before.length * after.length
    return _scores(before, after)[0] / length if length else 0.0


def _scores(before: PolarCrop, after: PolarCrop, *, patterns: bool = False) -> list[float]:
    """How well two crops, or their patterns alone, agree, by the steps that the first is turned."""
    product = cv2.mulSpectrums(after.spectrum, before.spectrum, cv2.DFT_ROWS, conjB=True).sum(axis=0)[None]
    if patterns:
        product[:, FIRST] = 0.0
    scores: list[float] = cv2.idft(product, flags=cv2.DFT_ROWS | cv2.DFT_SCALE)[0].tolist()
    return scores


@cache
def _rings(side: int) -> tuple[Floats, Floats]:
    """Columns and rows of a crop of that side at which it is sampled: RINGS x STEPS."""
    middle, reach = (side - 1) / 2, np.arange(RINGS)[:, None] * (REACH * side / RINGS)
    angle = np.arange(STEPS) * (2 * np.pi / STEPS)
    return (middle + reach * np.cos(angle)).astype(np.float32), (middle + reach * np.sin(angle)).astype(np.float32)
