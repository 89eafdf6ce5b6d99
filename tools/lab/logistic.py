"""Fits logistic functions by Newton's method."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

STEADY = 2e-4
"""Ridge of the fit, in parts of all weight."""

CLOSE = 1e-6
"""A step that changes nothing any more."""


def logistic(features: Rows, right: Bools, weights: Rows) -> Rows:
    """Return the coefficients, the last one the offset. features: rows x kinds of evidence."""
    rows = np.column_stack([features, np.ones(len(features))])
    fitted = np.zeros(rows.shape[1])
    ridge = STEADY * weights.sum()
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(rows @ fitted, -30, 30)))
        bend = rows.T @ (rows * (weights * chance * (1 - chance))[:, None])
        slope = rows.T @ (weights * (right - chance)) - ridge * fitted
        step = np.linalg.solve(bend + ridge * np.eye(len(fitted)), slope)
        fitted = fitted + step
        if np.abs(step).max() < CLOSE:
            break
    return fitted
