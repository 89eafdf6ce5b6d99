"""Estimates how a bad camera would see a set: each reference is spoiled in a few ways and compared with all.

Some pieces score high however they are seen, others lose much to a little blur; what a crop scores says more beside
what its kind is known to score when it is as soft, pale or burnt, and beside what strangers score there.
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
"""How far apart in softness, paleness and burnt share two pictures may be to be spoiled alike."""

ANYWAY = 1e-3
"""Weight of a way to be spoiled that is unlike the crop."""

STRANGERS = 3
"""Pictures of other kinds whose scores are averaged."""


class Expected(NamedTuple):
    """Of pictures as bad as the crop. gap: by how much its kind would lead the next. stranger: what the pieces most
    like its kind score for being it."""

    gap: float
    stranger: float


class Rehearsal(msgspec.Struct, frozen=True):
    """scores: references x ways x kinds. astray: references x ways x 3, what each way changes in a reference's traits.
    owners: the kind of each reference. gap: references x ways; stranger: kinds x ways, see `Expected`."""

    scores: Vectors
    astray: Row
    owners: Owners
    gap: Row
    stranger: Row

    def expected(self, reference: int, kind: int, seen: Traits, straight: Traits) -> Expected:
        """For a crop with the traits `seen` if it is of a kind. reference: one of that kind, with traits `straight`."""
        share = self._share(reference, seen, straight)
        return Expected(float(share @ self.gap[reference]), float(share @ self.stranger[kind]))

    def profile(self, reference: int, seen: Traits, straight: Traits) -> Row:
        """What every kind would score for such a crop if it is of the kind of the reference."""
        return np.asarray(self._share(reference, seen, straight) @ self.scores[reference], np.float64)

    def _share(self, reference: int, seen: Traits, straight: Traits) -> Row:
        """How much each way counts: those most that change the traits as the crop's are changed."""
        far = (self.astray[reference] - (np.array(seen) - np.array(straight))) / NEAR
        share = np.exp(-0.5 * np.einsum("wt,wt->w", far, far)) + ANYWAY
        return np.asarray(share / share.sum(), np.float64)


def rehearsal(scores: Vectors, astray: Row, owners: Owners) -> Rehearsal:
    """owners: -1 for a reference whose kind is not among those of the scores."""
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
    """A canonical picture in every way."""
    return [way(picture) for way in WAYS]


def astray(picture: Image, badly: list[Image]) -> Row:
    """What spoiling changes in the traits of a picture: ways x 3."""
    straight = np.array(traits(picture))
    return np.asarray(np.array([traits(image) for image in badly]) - straight, np.float64)


def _off_centre(picture: Image) -> Image:
    matrix = np.array([[1, 0, 0.035 * SIDE], [0, 1, -0.03 * SIDE]])
    return cv2.warpAffine(picture, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)


def _dark(picture: Image) -> Image:
    """Under half the light, and that warm, with the noise of a sensor."""
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
    """With a lamp mirrored in it. All in parts of the side; wide: standard deviation."""
    along, across = np.mgrid[:SIDE, :SIDE] / SIDE
    shine = 220 * np.exp(-((across - right) ** 2 + (along - down) ** 2) / (2 * wide**2))

    def way(picture: Image) -> Image:
        lit: Image = np.clip(picture + shine[..., None], 0, 255).astype(np.uint8)
        return lit

    return way


def _covered(edge: int) -> Callable[[Image], Image]:
    """A finger over one edge, counted clockwise from the top."""

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
