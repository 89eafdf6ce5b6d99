"""The transform from a print to a crop of it: a 2 x 3 matrix, from the print's pixels to the crop's."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.correlation import evened, gray
from vision.recognition.prints.outline import RIM
from vision.recognition.prints.rigid import laid_rigidly
from vision.recognition.prints.softness import softened, softness

Floats = npt.NDArray[np.float32]

ASTRAY = 10.0
"""Pixels: farther off its rough place no part of a print lies."""

STRETCHED, ANYHOW = 0.015, 0.04
"""A print that seems larger or smaller than enrolled by more than the first, in any direction, has a softer picture or
is pressed together, as by a lens that is told a little wrongly (0.02). By more than the second none is: a kind may be
stretched over another.
"""

GOOD = 0.3
"""Share of a print in sight from which it tells of stretch and skew: a strip tells of neither."""

BLUR = 1.5
"""Pixels of blur under which a print is laid over a crop."""

STEPS = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 25, 1e-3)


def aligned(reference: Floats, picture: Floats, mask: Image | None, start: Floats) -> Floats:
    """Where the crop looks most like the reference. start: about there. mask: where the print is in sight.

    The reference's rim is left out: it is the boldest edge of all, and lies wherever the card was cut out at enrolment.
    """
    whole = mask is None or bool(mask.all())
    sight = np.ones(picture.shape[:2], np.uint8) if mask is None else mask
    shape, affine = reference.shape, good_part(sight, reference.shape)
    inner, other = _lit_alike(reference, picture, sight, start) if affine else _both(reference, picture)
    found = _laid(inner, other, start, cv2.MOTION_AFFINE, sight) if affine else None
    if found is not None and not (_stretch(found) > STRETCHED if whole else _warped(start, found, shape)):
        return found
    if whole:
        found = _laid(inner, other, start, cv2.MOTION_EUCLIDEAN, sight)
        return start if found is None else _as_soft(reference, picture, found)
    part = _from(laid_rigidly(inner, other, _from(start, RIM), sight), -RIM)
    return start if _strayed(start, part, shape) else part


def _as_soft(reference: Floats, picture: Floats, lying: Floats) -> Floats:
    """Where the crop looks most like the reference made as soft, if it still seems stretched, by no more than may be.

    lying: where it does without being stretched; there, too, if the picture is as sharp as the print.
    """
    flags, size = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, reference.shape[1::-1]
    seen = cv2.warpAffine(picture, lying, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    blur = softness(reference, np.asarray(seen, np.float32), np.ones(reference.shape[:2], np.float32))
    if not blur:
        return lying
    sight = np.ones(picture.shape[:2], np.uint8)
    inner, other = _lit_alike(softened(reference, blur), picture, sight, lying)
    found = _laid(inner, other, lying, cv2.MOTION_AFFINE, sight)
    return found if found is not None and STRETCHED < _stretch(found) <= ANYHOW else lying


def _both(reference: Floats, picture: Floats) -> tuple[Floats, Floats]:
    """A print without its rim and a crop, H x W, as the one is laid over the other."""
    return np.ascontiguousarray(_blurred(reference)[RIM:-RIM, RIM:-RIM]), _blurred(picture)


def _lit_alike(reference: Floats, picture: Floats, sight: Image, start: Floats) -> tuple[Floats, Floats]:
    """The same without the slope of either's light where the print is in sight: it would lie where the slopes agree,
    stretched and beside its place. start: about where it lies.
    """
    inner, other = _both(reference, picture)
    there, size = _from(start, RIM), picture.shape[1::-1]
    weight = cv2.warpAffine(np.ones(inner.shape, np.float32), there, size, flags=cv2.INTER_NEAREST) * sight
    back = cv2.warpAffine(weight, there, inner.shape[1::-1], flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP)
    return evened(inner, np.asarray(back, np.float32)), evened(other, np.asarray(weight, np.float32))


def _blurred(picture: Floats) -> Floats:
    """H x W, as prints are laid over crops."""
    return np.asarray(cv2.GaussianBlur(gray(picture), (0, 0), BLUR), np.float32)


def _laid(inner: Floats, other: Floats, start: Floats, motion: int, sight: Image) -> Floats | None:
    """Where a print without its rim looks most alike; None if that converges nowhere: they have nothing in common.

    OpenCV takes a turn for what its sine alone says, and finds none by 90 degrees or across it: the print is turned to
    lie upright before.
    """
    there = _from(start, RIM)
    quarters = round(float(np.degrees(np.arctan2(there[1, 0], there[0, 0]))) / -90.0) % 4
    back = np.eye(3, dtype=np.float32)
    for wide in [inner.shape[1 - n % 2] for n in range(quarters)]:
        back = back @ np.array([[0, -1, wide - 1], [1, 0, 0], [0, 0, 1]], np.float32)
    upright = np.ascontiguousarray(np.rot90(inner, quarters))
    try:
        found = cv2.findTransformECC(upright, other, there @ back, motion, STEPS, sight, 1)[1]
    except cv2.error:
        return None
    return _from(np.asarray(found @ np.linalg.inv(back), np.float32), -RIM)


def _from(warp: Floats, first: int) -> Floats:
    """The transform of the print without its first rows and columns, so many of each."""
    return np.column_stack([warp[:, :2], warp @ np.array([first, first, 1.0])]).astype(np.float32)


def good_part(mask: Image, shape: tuple[int, ...]) -> bool:
    """Whether a good part of a print is in sight. mask: where (0/1). shape: the print's, height first."""
    return bool(np.count_nonzero(mask) >= GOOD * shape[0] * shape[1])


def _stretch(warp: Floats) -> float:
    return float(np.abs(np.linalg.svd(warp[:, :2])[1] - 1.0).max())


def _warped(start: Floats, found: Floats, shape: tuple[int, ...]) -> bool:
    """Return True if a print of which a part is in sight cannot lie so: it would be stretched, or be too far off."""
    return _stretch(found) > ANYHOW or _strayed(start, found, shape)


def _strayed(start: Floats, found: Floats, shape: tuple[int, ...]) -> bool:
    """True if two placings of a print are farther apart than any crop is off."""
    corners = np.array([[0, 0, 1.0], [shape[1], shape[0], 1.0]])
    return bool(np.hypot(*((found - start) @ corners.T)).max() > ASTRAY)


def turned(picture: Floats, turn: float) -> Floats:
    """From a crop to the crop turned back, by so many degrees, about its middle."""
    middle = (picture.shape[1] / 2 - 0.5, picture.shape[0] / 2 - 0.5)
    return np.asarray(cv2.getRotationMatrix2D(middle, turn, 1.0), np.float32)


def half_turn(size: tuple[int, int]) -> Floats:
    """3 x 3, from a print's pixels to those of the print turned by 180 degrees. size: its width and height."""
    wide, tall = size
    return np.array([[-1, 0, wide - 1], [0, -1, tall - 1], [0, 0, 1]], np.float32)


def between(one: Floats, other: Floats) -> Floats:
    """From the pixels of one print to those of another that was laid over the same crop."""
    back = cv2.invertAffineTransform(other)
    return np.asarray(back[:, :2] @ one + np.pad(back[:, 2:], ((0, 0), (2, 0))), np.float32)
