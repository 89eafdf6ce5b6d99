"""Which pieces and places of the mat choose a line: those that a hand touches to carry it out."""

from __future__ import annotations

import pytest

from device.screens.page_view import PageView, Touches
from device.session.page_views import sheet
from tests.device.session.stages import stages, table


def shown(game: str, stage: str, seat: str = "a") -> PageView:
    return sheet(table(), dict(stages(game))[stage], seat)


def by_line(view: PageView) -> dict[str, Touches]:
    return dict(zip(map(str, view.answers.lines), view.answers.touches, strict=True))


def test_a_stone_and_an_end_place_it_and_a_stone_of_the_line_is_hidden() -> None:
    found = by_line(shown("tellstones", "after 0 actions", "b"))
    assert found["Crown to the right end"] == Touches((("pool", 0),), (("line", 0),))
    assert found["Crown to the left end"].places == (("line", 1),)  # as who sits opposite sees it
    assert found["Hide the Knight (place 1)"] == Touches((("line", 0),))


def test_two_stones_of_the_line_are_swapped_and_a_challenge_has_no_trace() -> None:
    found = by_line(shown("tellstones", "after 3 actions"))
    assert found["Swap the Sword and stone 2"] == Touches((("line", 0), ("line", 1)))
    assert found["Peek at stone 2"] == Touches((("line", 1),))
    assert found["Challenge stone 2"] == Touches()


@pytest.mark.parametrize("game", ["tellstones", "fence", "runes", "planetx"])
def test_every_touch_is_of_something_that_the_board_shows(game: str) -> None:
    for _, session in stages(game):
        for seat in ("a", "b"):
            view = sheet(table(), session, seat)
            if not view.answers.touches:
                continue
            assert view.board is not None
            assert len(view.answers.touches) == len(view.answers.lines)
            there = {(piece.zone, piece.index) for piece in view.board.pieces}
            zones = {place.zone for place in view.board.places}
            for each in view.answers.touches:
                assert there.issuperset(each.pieces)
                assert zones.issuperset(zone for zone, _ in each.places)


def test_spectators_touch_nothing() -> None:
    for _, session in stages("tellstones"):
        assert sheet(table(), session, None).answers.touches == ()
