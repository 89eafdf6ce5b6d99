"""Rows of cards: each act is looked at, and most is told as it lies."""

from __future__ import annotations

import pytest

from tools.bench.card_rows import TURNS, play


@pytest.mark.thorough
def test_what_is_done_to_a_row_is_counted() -> None:
    figures = play(3, seed=77)
    acts = {act: one.right + one.asked + one.wrong for act, one in figures.acts.items()}
    assert list(acts) == ["laid", "turned over", "taken out", "put back", "camera bumped"]
    assert acts["turned over"] == 3 * TURNS
    assert acts["taken out"] == acts["put back"] == acts["camera bumped"] == 3
    assert (figures.wrong, sum(one.wrong for one in figures.acts.values())) == ([], 0)
