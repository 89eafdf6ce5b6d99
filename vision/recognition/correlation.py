"""How well two pictures agree, brightness and contrast apart, over what is in sight of both."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


def _vector(picture: Floats, weight: Floats | None = None) -> Floats:
    """All values about their mean a channel, as a unit vector."""
    share = np.ones(picture.shape[:2], np.float32) if weight is None else weight
    mean = (picture * share[..., None]).sum(axis=(0, 1)) / max(1e-6, float(share.sum()))
    flat = ((picture - mean) * share[..., None]).ravel()
    return np.asarray(flat / (np.linalg.norm(flat) + 1e-6), np.float32)


def alike(references: Floats, view: Floats, seen: Floats) -> Floats:
    """Correlation of a view with each of N references, over what is seen."""
    share = seen[..., None]
    total = max(1e-6, float(seen.sum()))
    level = (references * share).sum(axis=(1, 2), keepdims=True) / total
    flat = ((references - level) * share).reshape(len(references), -1)
    return np.asarray(flat @ _vector(view, seen) / (np.linalg.norm(flat, axis=1) + 1e-6), np.float32)


def correlation(one: Floats, other: Floats, weight: Floats | None = None) -> float:
    share = None if weight is None else (weight > 0.5).astype(np.float32)
    return float(_vector(one, share) @ _vector(other, share))
