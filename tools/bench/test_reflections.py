"""Pieces in a lamp's reflection: a camera that can be turned down shows what is printed on them."""

from __future__ import annotations

import pytest

from tests.vision.cards.watched import CARDS
from tools.bench.reflections import STONES, play


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("name", "mat", "kinds", "gained"),
    [("stones", "tellstones", STONES, 0), ("decktet", "runes", CARDS, 1)],
    ids=["stones", "cards"],
)
def test_what_is_burnt_out_is_named_once_exposure_is_turned_down(
    name: str, mat: str, kinds: tuple[str, ...], gained: int
) -> None:
    """Most stones are named even burnt out."""
    figures = play(5, 1126, {name: (mat, kinds)})
    fixed, dimmed = figures.fixed[name], figures.dimmed[name]
    assert figures.pieces == {name: 5}
    assert (fixed.wrong, dimmed.wrong) == (0, 0)
    assert dimmed.right >= 4
    assert dimmed.right - fixed.right >= gained
    assert figures.stops[name] > 0
