"""What a table does to a picture, in two strengths: light, exposure, blur, glare, a bad crop, few pixels, a hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

WOOD = (70, 105, 150)
"""Blue, green and red of a table."""

Image = npt.NDArray[np.uint8]
Change = Callable[[Image, np.random.Generator], Image]


class Perturbation(NamedTuple):
    """A change to a crop. mild: at least 90% must still be named; severe: 50%; wrong names at most 0.5% in both."""

    name: str
    strength: Literal["mild", "severe"]
    apply: Change


def in_light(gains: tuple[float, float, float], noise: float = 0.0) -> Change:
    """Linear light times a gain for blue, green and red, then sensor noise (standard deviation in gray levels)."""

    def change(image: Image, dice: np.random.Generator) -> Image:
        light = (image.astype(np.float32) / 255) ** 2.2 * np.asarray(gains, np.float32)
        levels = np.clip(light, 0, 1) ** (1 / 2.2) * 255 + noise * dice.standard_normal(image.shape)
        return np.clip(levels, 0, 255).astype(np.uint8)

    return change


def blur(part: float) -> Change:
    """Out of focus: a disc whose diameter is a part of the piece."""

    def change(image: Image, dice: np.random.Generator) -> Image:
        width = max(1.0, part * min(image.shape[:2]))
        reach = int(np.ceil(width / 2))
        down, right = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        kernel = np.clip(width / 2 + 0.5 - np.hypot(down, right), 0, 1).astype(np.float32)
        return cv2.filter2D(image, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE).astype(np.uint8)

    return change


def glare(part: float) -> Change:
    """A lamp mirrored somewhere in the face, `part` of the side wide (standard deviation), white in its middle."""

    def change(image: Image, dice: np.random.Generator) -> Image:
        height, width = image.shape[:2]
        down, right = np.mgrid[:height, :width]
        y, x = dice.uniform(0.2, 0.8, 2) * (height, width)
        far = ((down - y) ** 2 + (right - x) ** 2) / (2 * (part * min(height, width)) ** 2)
        lit: Image = np.clip(image + 220 * np.exp(-far)[..., None], 0, 255).astype(np.uint8)
        return lit

    return change


def shift(part: float) -> Change:
    """The crop off centre by a part of its side, in any direction."""

    def change(image: Image, dice: np.random.Generator) -> Image:
        angle = dice.uniform(0, 2 * np.pi)
        height, width = image.shape[:2]
        right, down = part * width * np.cos(angle), part * height * np.sin(angle)
        matrix = np.array([[1, 0, right], [0, 1, down]], np.float32)
        return cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE).astype(np.uint8)

    return change


def off_centre(part: float) -> Change:
    """The same, and what comes in is drawn: it repeats the edge, is the other side of the piece, or wood."""

    def change(image: Image, dice: np.random.Generator) -> Image:
        border = (cv2.BORDER_REPLICATE, cv2.BORDER_WRAP, cv2.BORDER_CONSTANT)[int(dice.integers(3))]
        angle = dice.uniform(0, 2 * np.pi)
        height, width = image.shape[:2]
        right, down = part * width * np.cos(angle), part * height * np.sin(angle)
        matrix = np.array([[1, 0, right], [0, 1, down]], np.float32)
        return cv2.warpAffine(image, matrix, (width, height), borderMode=border, borderValue=WOOD).astype(np.uint8)

    return change


def pixels(side: int) -> Change:
    """As few pixels along the shorter edge as a camera far away gives."""

    def change(image: Image, dice: np.random.Generator) -> Image:
        scale = side / min(image.shape[:2])
        method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        return cv2.resize(image, None, fx=scale, fy=scale, interpolation=method).astype(np.uint8)

    return change


def cover(part: float) -> Change:
    """A finger or a sleeve over a part of the picture, from one side."""

    def change(image: Image, dice: np.random.Generator) -> Image:
        height, width = image.shape[:2]
        down, right = np.mgrid[:height, :width]
        angle = dice.uniform(0, 2 * np.pi)
        along = (right / width - 0.5) * np.cos(angle) + (down / height - 0.5) * np.sin(angle)
        skin = np.array(dice.choice([[120, 150, 205], [60, 85, 140], [90, 60, 50]]), np.uint8)
        return np.where((along > np.quantile(along, 1 - part))[..., None], skin, image).astype(np.uint8)

    return change


PERTURBATIONS = (
    Perturbation("as taken", "mild", in_light((1, 1, 1))),
    Perturbation("warm lamp", "mild", in_light((0.62, 0.95, 1.25))),
    Perturbation("cool sky", "mild", in_light((1.3, 1.0, 0.72))),
    Perturbation("-1.5 stop, noise", "severe", in_light((0.35, 0.35, 0.35), noise=8)),
    Perturbation("blur 1/8 piece", "mild", blur(1 / 8)),
    Perturbation("blur 1/4 piece", "severe", blur(1 / 4)),
    Perturbation("small glare", "mild", glare(0.08)),
    Perturbation("large glare", "severe", glare(0.2)),
    Perturbation("shift 5%", "mild", shift(0.05)),
    Perturbation("96 pixels", "mild", pixels(96)),
    Perturbation("48 pixels", "mild", pixels(48)),
    Perturbation("32 pixels", "mild", pixels(32)),
    Perturbation("16 pixels", "severe", pixels(16)),
    Perturbation("covered 10%", "mild", cover(0.10)),
    Perturbation("covered 25%", "severe", cover(0.25)),
)

OFF_CENTRE = tuple(
    Perturbation(f"off centre {part:.0%}", "severe", off_centre(part)) for part in (0.0, 0.1, 0.15, 0.2, 0.3, 0.4)
)
"""For `python -m tools.bench.bench_recogniser --off-centre`."""
