"""Medians and quantiles by partition say what numpy says, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from vision.quantiles import median, medians, quantiles


@pytest.mark.parametrize("kind", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 3, 10, 77, 500])
def test_ranks_are_those_of_numpy(kind: type, count: int) -> None:
    rows: npt.NDArray[Any] = (np.random.default_rng(count).random((3, count)) * 255).astype(kind)
    assert np.array_equal(medians(rows), np.median(rows, axis=1))
    assert median(rows) == np.median(rows)
    for share in (0.0, 0.25, 0.5, 0.75, 0.98, 1.0):
        assert np.array_equal(quantiles(rows, share), np.percentile(rows.astype(np.float64), 100 * share, axis=1))
