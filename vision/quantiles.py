"""Medians and quantiles of small arrays by partition, several times faster than `np.median` and `np.percentile`.

The answers are theirs to the last bit. No value may be NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]


def median(values: Values) -> float:
    """The middle of all values."""
    return float(medians(values.reshape(1, -1))[0])


def medians(rows: Values) -> Values:
    """The middle of each row, N x M; floating-point rows keep their precision."""
    half = rows.shape[1] // 2
    if rows.shape[1] % 2:
        return np.partition(rows, half, axis=1)[:, half]
    middle = np.partition(rows, (half - 1, half), axis=1)[:, half - 1 : half + 1]
    return np.asarray(middle.mean(axis=1))


def quantiles(rows: Values, share: float) -> npt.NDArray[np.float64]:
    """The level of each row, N x M, that a share of its values is below; between two values in proportion."""
    place = share * (rows.shape[1] - 1)
    low = int(place)
    high = min(low + 1, rows.shape[1] - 1)
    side_by_side = np.ascontiguousarray(rows)
    below, above = np.partition(side_by_side, (low, high), axis=1)[:, [low, high]].T.astype(np.float64)
    part = place - low
    # As numpy does it, from the nearer end: rounded alike.
    near = below + (above - below) * part if part < 0.5 else above - (above - below) * (1 - part)
    return np.asarray(near, np.float64)
