"""Compares pictures by ORB keypoints that match in place: evidence that owes nothing to the network.

Keypoints with binary descriptors (Rublee and others, ORB, 2011) are matched by Lowe's ratio test, and those kept that
one similarity transform explains (RANSAC).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.canonical import DETAIL

POINTS = 400
"""Most keypoints in a picture."""

FEWEST = 20
"""Keypoints from which a reference is worth comparing; a plain field has fewer."""

RATIO = 0.85
"""Most distance of the best match, in parts of the second best (Lowe, 2004)."""

NEAR = 6.0
"""Distance in pixels within which a match obeys the transform."""

CELL = 8
"""Side in pixels of a cell in which several matches count as one."""

SCALE, AWAY = 1.33, 0.2
"""Largest change of size, and of the middle's place in parts of DETAIL."""

SOFT = (0.0, 1.0, 2.0, 4.0, 7.0, 11.0, 17.0)
"""Blurs of references tried, as standard deviations in pixels."""


class Keypoints(NamedTuple):
    """A picture's keypoints. places: N x 2, in pixels; descriptors: N x 32, bits."""

    places: npt.NDArray[np.float32]
    descriptors: npt.NDArray[np.uint8]


def keypoints(picture: Image) -> Keypoints:
    """Find the keypoints of a gray picture, DETAIL x DETAIL."""
    orb = cv2.ORB.create(POINTS, fastThreshold=8, edgeThreshold=12)
    found, descriptors = orb.detectAndCompute(picture, np.empty(0, np.uint8))
    if not found:
        return Keypoints(np.zeros((0, 2), np.float32), np.zeros((0, 32), np.uint8))
    return Keypoints(np.array([point.pt for point in found], np.float32), np.asarray(descriptors, np.uint8))


def agreement(crop: Keypoints, reference: Keypoints) -> float:
    """Return the number of matching cells over the root of the lesser number of keypoints.

    0 if the reference is too plain, with fewer than three matches, or without a plausible transform.
    """
    if len(reference.places) < FEWEST:
        return 0.0
    here, there = _match(crop, reference)
    if len(here) < 3:  # two of them always obey one transform
        return 0.0
    transform, kept = cv2.estimateAffinePartial2D(here, there, method=cv2.RANSAC, ransacReprojThreshold=NEAR)
    if transform is None or not _plausible(np.asarray(transform, np.float64)):
        return 0.0
    cells = {(int(across) // CELL, int(down) // CELL) for across, down in there[kept.ravel() > 0]}
    return len(cells) / math.sqrt(min(len(crop.places), len(reference.places)))


class ReferenceKeypoints:
    """Caches the keypoints of references, as soft as the crops compared."""

    def __init__(self, pictures: Sequence[Image]) -> None:
        self._pictures = pictures
        self._sharpness: dict[int, list[float]] = {}
        self._known: dict[tuple[int, int], Keypoints] = {}

    def like(self, crop: Image, number: int) -> Keypoints:
        """Return the keypoints of a reference made as soft as the crop."""
        if number not in self._sharpness:
            self._sharpness[number] = [sharpness(self._blur(number, blur)) for blur in SOFT]
        seen, known = sharpness(crop), self._sharpness[number]
        soft = min(range(len(SOFT)), key=lambda each: abs(known[each] - seen))
        if (number, soft) not in self._known:
            self._known[number, soft] = keypoints(self._blur(number, SOFT[soft]))
        return self._known[number, soft]

    def _blur(self, number: int, blur: float) -> Image:
        picture = self._pictures[number]
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.uint8) if blur else picture


def sharpness(picture: Image) -> float:
    """Return the logarithm of a gray picture's steps between pixels over its contrast, both as root mean squares.

    The picture is halved first, as noise steps by single pixels.
    """
    half = cv2.resize(picture, (DETAIL // 2, DETAIL // 2), interpolation=cv2.INTER_AREA).astype(np.float32)
    across, down = (float(np.square(np.diff(half, axis=axis)).mean()) for axis in (1, 0))
    return math.log(math.sqrt(across + down) / (float(half.std()) + 2) + 1e-3)


def _match(crop: Keypoints, reference: Keypoints) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    if len(crop.places) < 2:
        return crop.places[:0], reference.places[:0]
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(crop.descriptors, reference.descriptors, k=2)
    good = [best for best, second in pairs if best.distance < RATIO * second.distance]
    return crop.places[[match.queryIdx for match in good]], reference.places[[match.trainIdx for match in good]]


def _plausible(transform: npt.NDArray[np.float64]) -> bool:
    scale = math.hypot(transform[0, 0], transform[1, 0])
    middle = np.array([DETAIL / 2, DETAIL / 2])
    away = np.linalg.norm(transform[:, :2] @ middle + transform[:, 2] - middle)
    return 1 / SCALE < scale < SCALE and float(away) <= AWAY * DETAIL
