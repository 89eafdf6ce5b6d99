"""What an audience must not know changes no byte of its page; and a page that told it would be found out."""

from __future__ import annotations

import pytest

from engine.table import Face, Layout, Order, Piece, ZoneLayout, public
from tests.device.session.leaks import LEAKS
from tests.device.session.twins import GAMES, compared

QUICK = 400
MANY = 20_000


def test_what_an_audience_must_not_know_changes_no_byte_of_its_page() -> None:
    found = list(compared("quick", QUICK))
    assert [(game, pair.audience) for game, pair, differ in found if differ] == []
    states = [(pair.left.stage.match.state, pair.right.stage.match.state) for _, pair, _ in found]
    assert sum(left != right for left, right in states) > QUICK / 2, "twins that do not differ prove nothing"
    assert {game for game, *_ in found} == set(GAMES)


@pytest.mark.parametrize("name", LEAKS)
def test_a_planted_leak_is_found(name: str) -> None:
    assert any(differ for *_, differ in compared("leaks", QUICK, LEAKS[name]))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_pairs() -> None:
    assert [game for game, _, differ in compared("many", MANY) if differ] == []


def test_a_layout_tells_no_face_down_kind_whatever_its_maker_put_there() -> None:
    row = ZoneLayout("line", Order.ROW, (Piece("crown", Face.DOWN), Piece("flag"), None))
    (zone,) = public(Layout((row,))).zones
    assert zone.pieces == (Piece(None, Face.DOWN), Piece("flag"), None)
