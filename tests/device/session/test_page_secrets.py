"""What an audience must not know changes no byte of its page; and a page that told it would be found out."""

from __future__ import annotations

import msgspec
import pytest

from device.session.screens import screens
from device.session.sheets import sheet
from device.session.state import Desk, Mode, Play, SharedPanel
from engine.table import Face, Layout, Order, Piece, ZoneLayout, public
from tests.device.session.leaks import LEAKS, planted
from tests.device.session.stages import SEATS, table
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
    assert any(differ for *_, differ in compared("leaks", QUICK, planted(LEAKS[name])))


def test_until_the_stone_is_turned_neither_clocks_nor_menus_tell_whether_it_was_named_rightly() -> None:
    """Everybody's page, and every display: a wrong answer to a boast ends the match, and a right one does not."""
    pairs = (pair for game, pair, _ in compared("named", 4 * MANY) if game == "tellstones")
    ends = 0
    for pair in pairs:
        here, there = pair.left.stage, pair.right.stage
        assert isinstance(here, Play)
        assert isinstance(there, Play)
        if (here.match.result is None) == (there.match.result is None):
            continue
        ends += 1
        shown = []
        for stage in (here, there):
            desks = {seat: Desk(Mode.MENU) for seat in SEATS}
            open_menus = msgspec.structs.replace(stage, told=(), desks=desks, shared=SharedPanel())
            session = msgspec.structs.replace(pair.left, stage=open_menus)
            displays = msgspec.structs.replace(table(), panels=SEATS)
            shown.append(screens(displays, session) | {seat: sheet(table(), session, seat).menu for seat in SEATS})
        assert shown[0] == shown[1]
        if ends == 3:
            return
    raise AssertionError("no pair of which one match ends")


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_pairs() -> None:
    assert [game for game, _, differ in compared("many", MANY) if differ] == []


def test_a_layout_tells_no_face_down_kind_whatever_its_maker_put_there() -> None:
    row = ZoneLayout("line", Order.ROW, (Piece("crown", Face.DOWN), Piece("flag"), None))
    (zone,) = public(Layout((row,))).zones
    assert zone.pieces == (Piece(None, Face.DOWN), Piece("flag"), None)
