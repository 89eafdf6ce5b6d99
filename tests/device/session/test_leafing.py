"""A view of several pages is leafed through with BACK."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from device.screens.render import pages
from device.session.state import LogEvent
from engine.text import Text
from engine.view import Line
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


def test_what_happened_stays_where_it_is_read_while_more_happens(seated: Make) -> None:
    at = seated()
    at.start()

    def tell(first: int, last: int) -> None:
        told = [LogEvent(0.0, Text(f"event {n}"), frozenset("b") if n % 5 else None) for n in range(first, last + 1)]
        stage = msgspec.structs.replace(at.play, told=(*at.play.told, *told))
        at.session = msgspec.structs.replace(at.session, stage=stage)

    def read() -> tuple[list[str], tuple[int, int] | None]:
        shown = at.screen("b")
        return [str(panel.text) for panel in shown.panels if isinstance(panel, Line)], shown.page

    at.session = msgspec.structs.replace(at.session, stage=msgspec.structs.replace(at.play, told=()))
    at.press("b", "next")
    assert read() == (["No moves yet."], (1, 1))
    tell(1, 3)
    assert read() == (["event 1", "event 2", "event 3"], (1, 1)), "there is room below"
    tell(4, 10)
    at.press("b", "back", "next")
    newest = read()
    assert newest == ([f"event {n}" for n in range(7, 11)], (1, 3))
    at.press("b", "next")
    older = read()
    tell(11, 15)
    assert read() == (older[0], (4, 5))
    at.press("b", "next", "next")
    assert read() == (["event 15"], (1, 5))
    at.press("b", "next", "next")
    assert read() == (newest[0], (3, 5))
    at.press("b", "back", "next")
    assert read() == ([f"event {n}" for n in range(12, 16)], (1, 4)), "who comes back begins at what is new"
