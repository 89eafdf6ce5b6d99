"""What an audience must not know changes no byte of its page; and a page that told it would be found out."""

from __future__ import annotations

from functools import cache
from itertools import islice

import msgspec
import pytest

from device.session.matches import record
from device.session.messages import Append, Tick
from device.session.page_views import sheet
from device.session.screens import screens
from device.session.state import MenuState, PanelMode, Play, Session, SharedPanel
from device.session.step import step, wake_at
from engine.entry import Settle, Source
from engine.table import Arrangement, Face, Layout, Piece, ZoneLayout, public
from tests.device.session.leaks import LEAKS, planted
from tests.device.session.stages import SEATS, table
from tests.device.session.twins import GAMES, compared, pairs

QUICK = 400
MANY = 20_000


@pytest.mark.thorough
def test_what_an_audience_must_not_know_changes_no_byte_of_its_page() -> None:
    found = list(compared("quick", QUICK // 2))
    assert [(game, pair.audience) for game, pair, differ in found if differ] == []
    states = [(pair.left.stage.match.state, pair.right.stage.match.state) for _, pair, _ in found]
    assert sum(left != right for left, right in states) > QUICK / 4, "twins that do not differ prove nothing"
    assert {game for game, *_ in found} == set(GAMES)


@pytest.mark.parametrize("name", LEAKS)
def test_a_planted_leak_is_found(name: str) -> None:
    assert any(differ for *_, differ in compared("leaks", QUICK, planted(LEAKS[name])))


@cache
def of_which_one_ends() -> tuple[tuple[Session, Session], ...]:
    """Three pairs with an order that turns a stone up: one match ends by it, as it is believed, and the other does
    not. A wrong answer to a boast ends the match, and a right one does not."""
    found = ((pair.left, pair.right) for pair in pairs("named", "tellstones"))
    ending = (pair for pair in found if (result(pair[0]) is None) != (result(pair[1]) is None))
    return tuple(islice(ending, 3))


def result(session: Session) -> object:
    assert isinstance(session.stage, Play)
    return session.stage.match.result


def test_until_the_stone_is_turned_no_flag_tells_whether_it_was_named_rightly() -> None:
    """Where the match goes on, as it is believed, the next player's clock would run on and fall."""
    for pair in of_which_one_ends():
        later = [step(table(), each, Tick(each.now + 10_000.0)) for each in pair]
        assert [effects for _, effects in later] == [(), ()]
        assert [wake_at(session) for session, _ in later] == [None, None]
        told = [[sheet(table(), session, seat) for seat in (None, "c")] for session, _ in later]
        assert told[0] == told[1]


def test_once_the_stone_is_turned_a_flag_falls_that_was_held() -> None:
    for pair in of_which_one_ends():
        (goes_on,) = (each for each in pair if result(each) is None)
        play = goes_on.stage
        assert isinstance(play, Play)
        held = step(table(), goes_on, Tick(goes_on.now + 10_000.0))[0]
        settled = record(play, (Settle(play.match.at + 10_000.0, Source.BUTTONS),))
        turned = msgspec.structs.replace(held, stage=settled)
        at = wake_at(turned)
        assert at is not None
        assert at < turned.now + 1.0
        assert isinstance(step(table(), turned, Tick(at))[1][0], Append)


def test_until_the_stone_is_turned_neither_clocks_nor_menus_tell_whether_it_was_named_rightly() -> None:
    """Everybody's page, and every display."""
    for pair in of_which_one_ends():
        shown = []
        for stage in (each.stage for each in pair):
            assert isinstance(stage, Play)
            desks = {seat: MenuState(PanelMode.MENU) for seat in SEATS}
            open_menus = msgspec.structs.replace(stage, told=(), desks=desks, shared=SharedPanel())
            session = msgspec.structs.replace(pair[0], stage=open_menus)
            displays = msgspec.structs.replace(table(), panels=SEATS)
            shown.append(screens(displays, session) | {seat: sheet(table(), session, seat).menu for seat in SEATS})
        assert shown[0] == shown[1]


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_pairs() -> None:
    assert [game for game, _, differ in compared("many", MANY) if differ] == []


def test_a_layout_tells_no_face_down_kind_whatever_its_maker_put_there() -> None:
    row = ZoneLayout("line", Arrangement.ROW, (Piece("crown", Face.DOWN), Piece("flag"), None))
    (zone,) = public(Layout((row,))).zones
    assert zone.pieces == (Piece(None, Face.DOWN), Piece("flag"), None)
