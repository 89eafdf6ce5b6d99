"""Correlates pictures over their visible part, independent of brightness and contrast."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

NONE = 1e-6
"""Regularises even pictures."""


def planar(picture: Floats) -> Floats:
    """Convert H x W x C to C x pixels."""
    return np.array(cv2.split(picture), np.float32).reshape(picture.shape[2], -1)


def gray(picture: Floats) -> Floats:
    """Return the channels' mean, H x W."""
    return np.asarray(cv2.transform(picture, np.full((1, 3), 1 / 3, np.float32)), np.float32)


def even_light(picture: Floats, weight: Floats) -> Floats:
    """Subtract the plane fitted to the visible part (weight over half), against uneven light."""
    plane, values = _slopes(picture.shape[:2]), picture.reshape(picture.shape[0] * picture.shape[1], -1)
    seen = plane * (weight > 0.5).ravel()
    slopes = np.linalg.lstsq(seen @ plane.T, seen @ values, rcond=None)[0]
    return np.asarray(values - plane.T @ slopes, np.float32).reshape(picture.shape)


@lru_cache(maxsize=16)
def _slopes(size: tuple[int, ...]) -> Floats:
    """Return the planes 1, x and y: 3 x pixels."""
    down, across = np.meshgrid(*(np.linspace(-1, 1, count, dtype=np.float32) for count in size), indexing="ij")
    return np.stack([np.ones_like(across), across, down]).reshape(3, -1)


def alike(references: Floats, view: Floats, seen: Floats) -> Floats:
    """Correlate a view (H x W x C) with N references (N x C x pixels) over `seen` (H x W)."""
    share = seen.ravel()
    pictures = np.concatenate([planar(view)[None], references])
    level = np.einsum("ncp,p->nc", pictures, share) / max(NONE, float(share.sum()))
    pictures -= level[..., None]
    pictures *= share
    first, *_ = values = pictures.reshape(len(pictures), -1)
    lengths = np.sqrt(np.einsum("nv,nv->n", values, values)) + NONE
    return np.asarray(np.einsum("nv,v->n", values[1:], first) / (lengths[1:] * lengths[0]), np.float32)


def correlation(one: Floats, other: Floats, weight: Floats | None = None) -> float:
    """Correlate two pictures where weight is over half."""
    seen = np.ones(one.shape[:2], np.float32) if weight is None else (weight > 0.5).astype(np.float32)
    return float(alike(planar(other)[None], one, seen)[0])
