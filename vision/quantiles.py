"""Computes medians and quantiles of small arrays, identical to NumPy's but faster. NaN is not allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]


def median(values: Values) -> float:
    """Return the median of all values."""
    return float(medians(values.reshape(1, -1))[0])


def medians(rows: Values) -> Values:
    """Return the median of each row, N x M; floats keep their precision."""
    half = rows.shape[1] // 2
    if rows.shape[1] % 2:
        return np.partition(rows, half, axis=1)[:, half]
    middle = np.partition(rows, (half - 1, half), axis=1)[:, half - 1 : half + 1]
    return np.asarray(middle.mean(axis=1))


def quantiles(rows: Values, share: float) -> npt.NDArray[np.float64]:
    """Return the quantile `share` of each row, N x M, linearly interpolated."""
    place = share * (rows.shape[1] - 1)
    low = int(place)
    high = min(low + 1, rows.shape[1] - 1)
    side_by_side = np.ascontiguousarray(rows)
    below, above = np.partition(side_by_side, (low, high), axis=1)[:, [low, high]].T.astype(np.float64)
    part = place - low
    # From the nearer end, as numpy does, to round alike.
    near = below + (above - below) * part if part < 0.5 else above - (above - below) * (1 - part)
    return np.asarray(near, np.float64)
