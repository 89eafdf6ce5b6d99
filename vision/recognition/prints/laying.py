"""Aligns prints with crops: transforms (2 x 3) from print to crop pixels."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.recognition.correlation import even_light, gray
from vision.recognition.prints.outline import RIM
from vision.recognition.prints.rigid import laid_rigidly
from vision.recognition.prints.softness import soften, softness

Floats = npt.NDArray[np.float32]

ASTRAY = 10.0
"""Largest correction in pixels."""

STRETCHED, ANYHOW = 0.015, 0.04
"""Stretch that suggests blur or lens error (0.02), and largest possible; another kind may fit stretched."""

GOOD = 0.3
"""Visible share that determines stretch and skew."""

BLUR = 1.5
"""Blur during alignment in pixels."""

STEPS = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 25, 1e-3)


def align(reference: Floats, picture: Floats, mask: Image | None, start: Floats) -> Floats:
    """Refine a print's transform `start`; return it unrefined if that fails. The rim, cut at enrolment, is ignored.
    mask: visible part."""
    whole = mask is None or bool(mask.all())
    sight = np.ones(picture.shape[:2], np.uint8) if mask is None else mask
    shape, affine = reference.shape, good_part(sight, reference.shape)
    inner, other = _lit_alike(reference, picture, sight, start) if affine else _both(reference, picture)
    found = _align_print(inner, other, start, cv2.MOTION_AFFINE, sight) if affine else None
    if found is not None and not (_stretch(found) > STRETCHED if whole else _is_warped(start, found, shape)):
        return found
    if whole:
        found = _align_print(inner, other, start, cv2.MOTION_EUCLIDEAN, sight)
        return start if found is None else _as_soft(reference, picture, found)
    part = _from(laid_rigidly(inner, other, _from(start, RIM), sight), -RIM)
    return start if _has_strayed(start, part, shape) else part


def _as_soft(reference: Floats, picture: Floats, lying: Floats) -> Floats:
    """Align with an equally blurred reference; return `lying` (unstretched) unless still stretched within limits."""
    flags, size = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, reference.shape[1::-1]
    seen = cv2.warpAffine(picture, lying, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    blur = softness(reference, np.asarray(seen, np.float32), np.ones(reference.shape[:2], np.float32))
    if not blur:
        return lying
    sight = np.ones(picture.shape[:2], np.uint8)
    inner, other = _lit_alike(soften(reference, blur), picture, sight, lying)
    found = _align_print(inner, other, lying, cv2.MOTION_AFFINE, sight)
    return found if found is not None and STRETCHED < _stretch(found) <= ANYHOW else lying


def _both(reference: Floats, picture: Floats) -> tuple[Floats, Floats]:
    return np.ascontiguousarray(_blur(reference)[RIM:-RIM, RIM:-RIM]), _blur(picture)


def _lit_alike(reference: Floats, picture: Floats, sight: Image, start: Floats) -> tuple[Floats, Floats]:
    """Return print and crop without slopes of light, which mislead alignment."""
    inner, other = _both(reference, picture)
    there, size = _from(start, RIM), picture.shape[1::-1]
    weight = cv2.warpAffine(np.ones(inner.shape, np.float32), there, size, flags=cv2.INTER_NEAREST) * sight
    back = cv2.warpAffine(weight, there, inner.shape[1::-1], flags=cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP)
    return even_light(inner, np.asarray(back, np.float32)), even_light(other, np.asarray(weight, np.float32))


def _blur(picture: Floats) -> Floats:
    return np.asarray(cv2.GaussianBlur(gray(picture), (0, 0), BLUR), np.float32)


def _align_print(inner: Floats, other: Floats, start: Floats, motion: int, sight: Image) -> Floats | None:
    """Align a print without rim; None if not converging. It is turned upright first: OpenCV derives turns from the
    sine."""
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
    return np.column_stack([warp[:, :2], warp @ np.array([first, first, 1.0])]).astype(np.float32)


def good_part(mask: Image, shape: tuple[int, ...]) -> bool:
    """Return True if enough of a print is visible. shape: height first."""
    return bool(np.count_nonzero(mask) >= GOOD * shape[0] * shape[1])


def _stretch(warp: Floats) -> float:
    return float(np.abs(np.linalg.svd(warp[:, :2])[1] - 1.0).max())


def _is_warped(start: Floats, found: Floats, shape: tuple[int, ...]) -> bool:
    return _stretch(found) > ANYHOW or _has_strayed(start, found, shape)


def _has_strayed(start: Floats, found: Floats, shape: tuple[int, ...]) -> bool:
    corners = np.array([[0, 0, 1.0], [shape[1], shape[0], 1.0]])
    return bool(np.hypot(*((found - start) @ corners.T)).max() > ASTRAY)


def turn_transform(picture: Floats, turn: float) -> Floats:
    """Return the transform that turns a crop back."""
    middle = (picture.shape[1] / 2 - 0.5, picture.shape[0] / 2 - 0.5)
    return np.asarray(cv2.getRotationMatrix2D(middle, turn, 1.0), np.float32)


def half_turn(size: tuple[int, int]) -> Floats:
    """Return a print's half turn, 3 x 3."""
    wide, tall = size
    return np.array([[-1, 0, wide - 1], [0, -1, tall - 1], [0, 0, 1]], np.float32)


def between(one: Floats, other: Floats) -> Floats:
    """Return the transform from one print's pixels to another's on the same crop."""
    back = cv2.invertAffineTransform(other)
    return np.asarray(back[:, :2] @ one + np.pad(back[:, 2:], ((0, 0), (2, 0))), np.float32)
