"""Faces drawn for the recogniser's tests: letters and shapes on tiles, under a lamp of any colour."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]

INK = {"red": (40, 40, 190), "green": (60, 140, 40), "blue": (170, 80, 30), "black": (30, 25, 25)}


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789?"
"""What stands in letters.png, a square each. OpenCV draws letters otherwise from version to version."""


def tile(letter: str, ink: str = "black", side: int = 120, ground: tuple[int, int, int] = (205, 225, 230)) -> Image:
    """A square tile, filling the picture, with a letter in its middle; " " leaves it empty."""
    share = np.zeros((160, 160)) if letter == " " else _sheet()[:, LETTERS.index(letter)] / 255
    picture = np.round(np.array(ground) + share[..., None] * (np.array(INK[ink]) - ground)).astype(np.uint8)
    return cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA).astype(np.uint8)


@cache
def _sheet() -> Image:
    """rows x letters x columns: how much of each pixel is ink, 0 to 255."""
    sheet = cv2.imread(str(Path(__file__).with_name("letters.png")), cv2.IMREAD_GRAYSCALE)
    assert sheet is not None
    return sheet.reshape(160, len(LETTERS), 160).astype(np.uint8)


def lit(picture: Image, gains: tuple[float, float, float], noise: float = 3.0, seed: int = 1) -> Image:
    """The picture under another lamp: linear light times a gain for blue, green and red, with sensor noise."""
    light = (picture.astype(np.float32) / 255) ** 2.2 * np.asarray(gains, np.float32)
    levels = np.clip(light, 0, 1) ** (1 / 2.2) * 255
    return np.clip(levels + noise * np.random.default_rng(seed).standard_normal(levels.shape), 0, 255).astype(np.uint8)


def turned(picture: Image, angle: float, ground: tuple[int, int, int] = (90, 110, 60)) -> Image:
    """The picture turned clockwise by degrees on a mat of that colour, in a crop of the same size."""
    side = picture.shape[0]
    matrix = cv2.getRotationMatrix2D((side / 2 - 0.5, side / 2 - 0.5), -angle, 1.0)
    return cv2.warpAffine(picture, matrix, (side, side), borderMode=cv2.BORDER_CONSTANT, borderValue=ground).astype(
        np.uint8
    )


def disc(letter: str, ink: str = "black") -> Image:
    """A round stone on the mat."""
    picture = tile(letter, ink)
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.circle(mask, (60, 60), 56, 255, -1, cv2.LINE_AA)
    return np.where(mask[..., None] > 127, picture, np.array((90, 110, 60), np.uint8)).astype(np.uint8)
