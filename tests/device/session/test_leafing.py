"""A view of several pages is leafed through with BACK."""

from __future__ import annotations

from collections.abc import Callable

from device.screens.render import pages
from tests.device.session.conftest import Seated

Make = Callable[..., Seated]


def test_back_leafs_through_a_seats_own_view(seated: Make) -> None:
    at = seated()
    at.start()
    first = at.screen("b")
    at.press("b", "back")
    second = at.screen("b")
    assert (first.leaf, second.leaf) == (0, 1)
    before, after = (pages(screen, (128, 64), "en") for screen in (first, second))
    assert len(before) > 1
    assert [page.tobytes() for page in after] == [page.tobytes() for page in (*before[1:], before[0])]
    assert at.screen("a").leaf == 0
