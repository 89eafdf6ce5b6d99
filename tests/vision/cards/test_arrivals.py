"""What came: strips of cards, and what only seems to be one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from vision.cards.arrivals import Arrivals
from vision.cards.comparing import RestComparison


@pytest.mark.parametrize(
    ("looked_otherwise", "through"),
    [
        pytest.param((slice(20, 80), slice(20, 30)), False, id="all of it"),
        pytest.param((slice(22, 78), slice(21, 29)), False, id="all but a rim"),
        pytest.param((slice(20, 60), slice(20, 30)), True, id="two thirds of it"),
        pytest.param((slice(20, 80), slice(20, 23)), True, id="a line"),
    ],
)
def test_ground_shows_through_a_strip_of_which_much_never_looked_otherwise(
    looked_otherwise: tuple[slice, slice], *, through: bool
) -> None:
    """At a second look nothing changes any more; what came before then, and was not read, is remembered."""
    empty = np.zeros((100, 100), np.uint8)
    strip, strange = empty.copy(), empty.copy()
    strip[20:80, 20:30] = strange[looked_otherwise] = 1
    work = SimpleNamespace(before=np.zeros((100, 100, 3), np.uint8), lay=empty, changed=empty, strange=strange)
    assert Arrivals(cast(RestComparison, work))._lets_ground_through(strip) is through
