"""Estimates scores of badly seen pieces by spoiling each reference in several ways.

Some pieces keep high scores, others lose much by slight blur; a score is judged beside those of its kind and of
strangers in equally bad pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.canonical import SIDE
from vision.recognition.embedding import Vectors
from vision.recognition.traits import Traits, traits

Row = npt.NDArray[np.float64]
Owners = npt.NDArray[np.intp]

NEAR = np.array([0.35, 0.35, 0.05])
"""Tolerances of softness, paleness and burnt share."""

ANYWAY = 1e-3
"""Weight of dissimilar ways."""

STRANGERS = 3
"""Other kinds' pictures averaged."""


class Expected(NamedTuple):
    """Expected in equally bad pictures: the kind's lead, and similar strangers' score."""

    gap: float
    stranger: float


class Rehearsal(msgspec.Struct, frozen=True):
    """Scores of spoiled references.

    scores: references x ways x kinds.
    astray: change of traits, references x ways x 3.
    owners: kind per reference.
    gap: references x ways; stranger: kinds x ways.
    """

    scores: Vectors
    astray: Row
    owners: Owners
    gap: Row
    stranger: Row

    def expected(self, reference: int, kind: int, seen: Traits, straight: Traits) -> Expected:
        """Return expectations for a crop of this kind. seen, straight: traits of crop and reference."""
        share = self._share(reference, seen, straight)
        return Expected(float(share @ self.gap[reference]), float(share @ self.stranger[kind]))

    def profile(self, reference: int, seen: Traits, straight: Traits) -> Row:
        """Return the scores to expect for each kind, if the crop shows this reference. seen, straight: traits of crop
        and reference."""
        return np.asarray(self._share(reference, seen, straight) @ self.scores[reference], np.float64)

    def _share(self, reference: int, seen: Traits, straight: Traits) -> Row:
        far = (self.astray[reference] - (np.array(seen) - np.array(straight))) / NEAR
        share = np.exp(-0.5 * np.einsum("wt,wt->w", far, far)) + ANYWAY
        return np.asarray(share / share.sum(), np.float64)


def rehearsal(scores: Vectors, astray: Row, owners: Owners) -> Rehearsal:
    """Build it. owners: -1 for kinds without scores."""
    count, ways, kinds = scores.shape
    mine = owners[:, None] == np.arange(kinds)
    own = scores[np.arange(count), :, owners]
    stranger = np.zeros((kinds, ways))
    for kind in range(kinds):
        others = np.sort(scores[~mine[:, kind] & (owners >= 0), :, kind], axis=0)[-STRANGERS:]
        stranger[kind] = others.mean(axis=0) if len(others) else 0.0
    rivals = np.where(mine[:, None, :], 0.0, scores).max(axis=2)
    return Rehearsal(scores, astray, owners, (own - rivals).astype(np.float64), stranger)


def spoiled(picture: Image) -> list[Image]:
    """Spoil a canonical picture in every way."""
    return [way(picture) for way in WAYS]


def astray(picture: Image, badly: list[Image]) -> Row:
    """Return changes of traits: ways x 3."""
    straight = np.array(traits(picture))
    return np.asarray(np.array([traits(image) for image in badly]) - straight, np.float64)


def _off_centre(picture: Image) -> Image:
    matrix = np.array([[1, 0, 0.035 * SIDE], [0, 1, -0.03 * SIDE]])
    return cv2.warpAffine(picture, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)


def _dark(picture: Image) -> Image:
    levels = np.arange(256)[:, None] / 255
    table = 255 * levels * np.array([0.5, 0.6, 0.75]) ** (1 / 2.2)
    lit = np.stack([table[:, channel][picture[..., channel]] for channel in range(3)], axis=2)
    noise = 6 * np.random.default_rng(1).standard_normal(picture.shape)
    return np.clip(lit + noise, 0, 255).astype(np.uint8)


def _unfocused(part: float) -> Callable[[Image], Image]:
    reach = int(part * SIDE / 2) + 1
    down, right = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    disc = np.clip(part * SIDE / 2 + 0.5 - np.hypot(down, right), 0, 1).astype(np.float32)
    disc /= disc.sum()

    def way(picture: Image) -> Image:
        return cv2.filter2D(picture, -1, disc, borderType=cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)

    return way


def _mirroring(right: float, down: float, wide: float) -> Callable[[Image], Image]:
    """Add a reflection; all in sides, wide: standard deviation."""
    along, across = np.mgrid[:SIDE, :SIDE] / SIDE
    shine = 220 * np.exp(-((across - right) ** 2 + (along - down) ** 2) / (2 * wide**2))

    def way(picture: Image) -> Image:
        lit: Image = np.clip(picture + shine[..., None], 0, 255).astype(np.uint8)
        return lit

    return way


def _covered(edge: int) -> Callable[[Image], Image]:
    def way(picture: Image) -> Image:
        under = np.rot90(picture, edge).copy()
        under[: SIDE // 8] = (90, 120, 170)
        return np.ascontiguousarray(np.rot90(under, -edge))

    return way


WAYS: tuple[Callable[[Image], Image], ...] = (
    _off_centre,
    _dark,
    _unfocused(0.1),
    _unfocused(0.2),
    _mirroring(0.6, 0.4, 0.1),
    _unfocused(0.25),
    *(_mirroring(right, down, 0.2) for right in (0.35, 0.65) for down in (0.35, 0.65)),
    *(_covered(edge) for edge in range(4)),
)
