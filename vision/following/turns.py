"""By how much a piece was turned between two pictures of it."""

from __future__ import annotations

import cv2
import numpy as np

from vision.camera import Image

STEPS = 128
RINGS = 20
LEAST_CORRELATION = 0.5


def turn_between(before: Image, after: Image) -> float:
    """Degrees clockwise, in (-180, 180], that best turn one crop into the other; 0 if they do not resemble.

    Both are unrolled around their centre and correlated along the angle, refined by a parabola.
    """
    one, other = _unrolled(before), _unrolled(after)
    spectrum = np.conj(np.fft.rfft(one, axis=0)) * np.fft.rfft(other, axis=0)
    scores = np.fft.irfft(spectrum.sum(axis=1), STEPS)
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    best = int(scores.argmax())
    if length == 0 or scores[best] < LEAST_CORRELATION * length:
        return 0.0
    left, top, right = scores[best - 1], scores[best], scores[(best + 1) % STEPS]
    curve = left - 2 * top + right
    fine = 0.5 * (left - right) / curve if curve else 0.0
    turn = (best + fine) * 360.0 / STEPS
    return float((turn + 180.0) % 360.0 - 180.0)


def likeness(before: Image, after: Image) -> float:
    """Correlation (-1 to 1) of two crops of a piece that was not turned."""
    one, other = _unrolled(before), _unrolled(after)
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float((one * other).sum()) / length if length else 0.0


def _unrolled(patch: Image) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Angle by radius, each ring without its mean."""
    gray = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY) if patch.ndim == 3 else patch
    side = gray.shape[0]
    centre = ((side - 1) / 2, (side - 1) / 2)
    polar = cv2.warpPolar(gray.astype(np.float32), (RINGS, STEPS), centre, side * 0.36, cv2.INTER_LINEAR)
    rings: np.ndarray[tuple[int, int], np.dtype[np.float32]] = polar - polar.mean(axis=0)
    return rings
