"""What a table does to a photograph, drawn again each time: blur, glare, few pixels, cover, a bad crop, other lamps.

References stay as they were taken: an owner enrols in peace, and plays in a hurry.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Change = Callable[[Image, np.random.Generator], Image]

TWICE = 0.25
"""Share of spoiled pictures that suffer two things at once."""


def spoil_picture(picture: Image, dice: np.random.Generator) -> Image:
    """The picture after one or two mishaps; as it was in every fifth case."""
    if dice.random() < 0.2:
        return picture
    for _ in range(2 if dice.random() < TWICE else 1):
        picture = CHANGES[int(dice.choice(len(CHANGES), p=OFTEN))](picture, dice)
    return picture


def lamps(picture: Image, dice: np.random.Generator) -> Image:
    """Another colour of light, darker or lighter, with sensor noise; sometimes two lamps, one from each side."""
    gains = np.exp(dice.normal(0, 0.25, (1, 1, 3)) + dice.normal(-0.3, 0.5))
    if dice.random() < 0.4:
        side = picture.shape[0]
        other = gains * np.exp(dice.normal(0, 0.2, 3))
        angle = dice.uniform(0, 2 * np.pi)
        down, right = np.mgrid[:side, :side] / side - 0.5
        share = 1 / (1 + np.exp(-(right * np.cos(angle) + down * np.sin(angle)) * dice.uniform(1, 12)))[..., None]
        gains = gains * share + other * (1 - share)
    light = (picture.astype(np.float32) / 255) ** 2.2 * gains
    noise = dice.choice([0, 2, 5, 9]) * dice.standard_normal(picture.shape)
    return np.asarray(np.clip(np.clip(light, 0, 1) ** (1 / 2.2) * 255 + noise, 0, 255), np.uint8)


def unfocus(picture: Image, dice: np.random.Generator) -> Image:
    """A disc of up to a quarter of the picture, or a straight smear."""
    side = picture.shape[0]
    width = side * dice.uniform(0.04, 0.25)
    reach = int(np.ceil(width / 2))
    down, right = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    far = np.hypot(down, right)
    if dice.random() < 0.2:
        angle = dice.uniform(0, np.pi)
        far = np.maximum(np.abs(right * np.sin(angle) - down * np.cos(angle)) * width, far)
    kernel = np.clip(width / 2 + 0.5 - far, 0, 1).astype(np.float32)
    return cv2.filter2D(picture, -1, kernel / kernel.sum(), borderType=cv2.BORDER_REPLICATE).astype(np.uint8)


def few_pixels(picture: Image, dice: np.random.Generator) -> Image:
    """From 12 pixels up, made large again."""
    side = picture.shape[0]
    size = int(np.exp(dice.uniform(np.log(12), np.log(side))))
    small = cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (side, side), interpolation=cv2.INTER_LINEAR).astype(np.uint8)


def glare(picture: Image, dice: np.random.Generator) -> Image:
    """A lamp or a window mirrored in the face: a soft spot, a streak, or a patch with edges."""
    side = picture.shape[0]
    down, right = np.mgrid[:side, :side].astype(np.float32) / side
    y, x = dice.uniform(0, 1, 2)
    angle = dice.uniform(0, np.pi)
    along = (right - x) * np.cos(angle) + (down - y) * np.sin(angle)
    across = (down - y) * np.cos(angle) - (right - x) * np.sin(angle)
    wide = dice.uniform(0.04, 0.24)
    long = wide * dice.choice([1.0, 1.0, dice.uniform(1, 4)])
    if dice.random() < 0.3:
        edge = dice.uniform(0.01, 0.06)
        inside = np.maximum(np.abs(along) - long, np.abs(across) - wide) / edge
        shine = 1 / (1 + np.exp(np.clip(inside, -20, 20)))
    else:
        shine = np.exp(-((along / long) ** 2 + (across / wide) ** 2) / 2)
    return np.asarray(np.clip(picture + dice.uniform(60, 255) * shine[..., None], 0, 255), np.uint8)


def off_centre(picture: Image, dice: np.random.Generator) -> Image:
    """Shifted by up to a twelfth, scaled by up to 8%, turned by up to 6 degrees."""
    side = picture.shape[0]
    middle = side / 2 - 0.5
    matrix = cv2.getRotationMatrix2D((middle, middle), dice.uniform(-6, 6), float(np.exp(dice.normal(0, 0.04))))
    angle, far = dice.uniform(0, 2 * np.pi), side * dice.uniform(0, 0.08)
    matrix[:, 2] += far * np.cos(angle), far * np.sin(angle)
    return cv2.warpAffine(picture, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE).astype(np.uint8)


def displace(picture: Image, dice: np.random.Generator) -> Image:
    """Off by a twelfth to two fifths of its side, as a finder gone wrong cuts it; what comes in repeats the edge."""
    side = picture.shape[0]
    angle, far = dice.uniform(0, 2 * np.pi), side * dice.uniform(0.08, 0.4)
    matrix = np.array([[1, 0, far * np.cos(angle)], [0, 1, far * np.sin(angle)]], np.float32)
    return cv2.warpAffine(picture, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE).astype(np.uint8)


def cover(picture: Image, dice: np.random.Generator) -> Image:
    """A finger, a sleeve or another piece over up to 30%, from one side."""
    side = picture.shape[0]
    down, right = np.mgrid[:side, :side] / side - 0.5
    angle = dice.uniform(0, 2 * np.pi)
    along = right * np.cos(angle) + down * np.sin(angle)
    if dice.random() < 0.4:
        along = along - dice.uniform(0.5, 2) * (down * np.cos(angle) - right * np.sin(angle)) ** 2
    tint = (
        dice.choice([[120, 150, 205], [60, 85, 140], [90, 60, 50]]) if dice.random() < 0.5 else dice.uniform(0, 255, 3)
    )
    shade = dice.normal(0, 6, picture.shape) + np.asarray(tint)
    over = (along > np.quantile(along, 1 - dice.uniform(0.03, 0.3)))[..., None]
    return np.where(over, np.clip(shade, 0, 255), picture).astype(np.uint8)


CHANGES: tuple[Change, ...] = (lamps, unfocus, few_pixels, glare, off_centre, cover)
OFTEN = (0.2, 0.2, 0.15, 0.15, 0.15, 0.15)
