"""The ground that pieces lie on: even cloth or paper under uneven light, and what stands out from it."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

CONTRAST = 0.14
"""Least difference from the ground, in parts of its brightness, in any channel."""

GRAIN = 4
"""The ground is told from a picture this many times smaller."""

NEAR = 0.35
"""Farther from the commonest colour nothing counts as ground at first."""

STEEP = 0.2
"""A step of brightness within three pixels of the smaller picture over which the ground is not followed."""

SPREAD = 3.0
"""Reach, in pixels of the smaller picture, over which what is known of the ground is carried on."""

ROUNDS = 24


def stands_out(sheet: Image, usable: Image) -> Image:
    """Mask (0 or 1) of what differs from the ground's colour, holes filled, thin lines left out."""
    ratio = (sheet.astype(np.float32) + 4.0) / ground(sheet, usable)
    over = np.asarray((np.abs(ratio - 1).max(axis=2) > CONTRAST) & (usable > 0), np.uint8)
    over = np.asarray(cv2.morphologyEx(over, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.uint8)
    contours, _ = cv2.findContours(over, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return np.asarray(cv2.drawContours(np.zeros_like(over), contours, -1, 1, cv2.FILLED), np.uint8)


def ground(sheet: Image, usable: Image) -> Floats:
    """What the bare ground would look like at every pixel: its colour, under light that changes slowly.

    A paraboloid is fitted to what has the commonest colour; from there the ground is followed as far as it goes on
    smoothly, into a lamp's reflection, too, but not over the edge of a piece.
    """
    small = (sheet.shape[1] // GRAIN, sheet.shape[0] // GRAIN)
    light = np.log(cv2.resize(sheet, small, interpolation=cv2.INTER_AREA).astype(np.float32) + 4.0)
    bare = cv2.resize(usable, small, interpolation=cv2.INTER_NEAREST) > 0
    fit = _paraboloid(light, bare)
    around = np.ones((3, 3), np.uint8)
    bare &= (cv2.dilate(light, around) - cv2.erode(light, around)).max(axis=2) < STEEP
    for _ in range(ROUNDS):
        rest = light - fit
        near = (bare & (np.abs(rest).max(axis=2) < CONTRAST)).astype(np.float32)
        known = cv2.GaussianBlur(near, (0, 0), SPREAD)
        carried = cv2.GaussianBlur(rest * near[..., None], (0, 0), SPREAD) / np.maximum(known, 0.02)[..., None]
        fit = fit + carried
    return np.asarray(cv2.resize(np.exp(fit), sheet.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def _paraboloid(light: Floats, bare: npt.NDArray[np.bool_]) -> Floats:
    rows, columns = np.nonzero(bare)
    values, places = light[rows, columns], _terms(columns / light.shape[1], rows / light.shape[0])
    fit = np.zeros((places.shape[1], 3))
    fit[0] = _commonest(values)
    for within in (NEAR, 0.2, 0.12, 0.1):
        near = np.abs(values - places @ fit).max(axis=1) < within
        if np.count_nonzero(near) < 0.05 * len(near):
            break
        fit = np.linalg.lstsq(places[near], values[near], rcond=None)[0]
    y, x = np.mgrid[0 : light.shape[0], 0 : light.shape[1]]
    terms = _terms(x.ravel() / light.shape[1], y.ravel() / light.shape[0])
    return np.asarray((terms @ fit).reshape(light.shape), np.float32)


def _terms(x: Doubles, y: Doubles) -> Doubles:
    """A paraboloid over the sheet."""
    return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])


def _commonest(light: Floats) -> npt.NDArray[np.float64]:
    """The logarithm of the colour that most pixels have, channel by channel about the fullest histogram cell."""
    bins = np.floor(light / 0.25).astype(int)
    keys, counts = np.unique(bins, axis=0, return_counts=True)
    near = np.abs(bins - keys[counts.argmax()]).max(axis=1) <= 1
    return np.asarray(np.median(light[near], axis=0), np.float64)
