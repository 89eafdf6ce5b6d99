"""Boosted trees as plain numbers."""

from __future__ import annotations

import numpy as np
import pytest

from vision.recognition.trees import Forest, Trees

TWO = Trees(
    value=((0, -1, 1, -1, -1), (-1,)),
    bar=((0.5, -1.0, 2.0, 3.0, 7.0), (0.25,)),
    low=((1, 0, 3, 0, 0), (0,)),
    high=((2, 0, 4, 0, 0), (0,)),
    scale=2.0,
    offset=0.5,
)
"""One asks whether the first value is at most 0.5, then whether the second is at most 2; the other adds a quarter."""


@pytest.mark.parametrize(("values", "leaf"), [((0.5, 9), -1.0), ((0.6, 2.0), 3.0), ((0.6, 2.1), 7.0)])
def test_each_tree_adds_the_leaf_that_its_questions_lead_to(values: tuple[float, float], leaf: float) -> None:
    assert Forest(TWO).height(np.array(values)) == pytest.approx(0.5 + 2 * (leaf + 0.25))
