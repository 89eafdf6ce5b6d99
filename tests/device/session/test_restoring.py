"""Put back, but the camera lost sight of a hidden stone: the players are asked, and nobody is stuck."""

from __future__ import annotations

import msgspec
import pytest

from device.session.messages import Tick
from device.session.state import ProposalKind
from engine.arbiter.expectation import Handling
from engine.entry import Act
from engine.table import Layout, Move, Piece, Seat, Spot, Trace
from tests.device.session.conftest import Mat, Seated

ONE, OTHER = Spot("line", 0), Spot("line", 1)


def do(table: Seated, lying: Mat, seat: Seat, words: str, hand: Seat) -> None:
    lying.do(table.trace(seat, tuple(words.split())))
    table.see(lying.observe(0.0, frozenset(hand)))
    assert isinstance(table.entries[-1], Act)


@pytest.fixture
def exchanged(begun: tuple[Seated, Mat]) -> tuple[Seated, Mat]:
    """Two hidden stones were exchanged without an order, and the referee said so; b is to order."""
    table, lying = begun
    do(table, lying, "a", "place crown right", "b")
    do(table, lying, "b", "hide scales", "a")
    do(table, lying, "a", "hide crown", "b")
    lying.do(Trace(table.layout(), moves=(Move(ONE, OTHER), Move(OTHER, ONE))))
    table.see(lying.observe(0.0, frozenset("b")))
    table.now += 10.0
    table.give(Tick(table.now))
    assert table.play.case.disorder
    assert table.play.proposal is None, "nobody had a chance yet to put it right"
    return table, lying


def handled(table: Seated, lying: Mat) -> None:
    """Both stones were handled once more, and vision did not see them change places."""
    tracks = [holding.track for holding in lying.now.zones[0][2] if holding is not None]
    handling = tuple(Handling(track, True, frozenset()) for track in tracks)
    lying.now = msgspec.structs.replace(lying.now, handled=handling)
    table.see(lying.observe(0.0, frozenset("b")))


def test_all_seats_can_say_that_it_was_put_right(exchanged: tuple[Seated, Mat]) -> None:
    table, lying = exchanged
    count = len(table.entries)
    handled(table, lying)
    assert table.play.proposal is not None
    assert table.play.proposal.kind is ProposalKind.RESTORED
    table.pick("a", "Agree")
    assert table.play.case.disorder, "one seat alone settles nothing"
    table.pick("b", "Agree")
    assert not table.play.case.disorder
    assert table.screen("a").alert is None
    assert len(table.entries) == count
    do(table, lying, "b", "place flag left", "a")


def test_who_did_not_see_it_put_right_refuses(exchanged: tuple[Seated, Mat]) -> None:
    table, lying = exchanged
    handled(table, lying)
    table.pick("a", "Decline")
    assert table.play.proposal is None
    assert table.play.case.disorder
    assert table.screen("b").alert is not None
    handled(table, lying)
    assert table.play.proposal is not None, "asked again once something was done about it"


def test_the_question_lapses_when_the_camera_sees_it_put_right(exchanged: tuple[Seated, Mat]) -> None:
    table, lying = exchanged
    handled(table, lying)
    lying.do(Trace(table.layout(), moves=(Move(ONE, OTHER), Move(OTHER, ONE))))
    table.see(lying.observe(0.0, frozenset("b")))
    assert table.play.proposal is None
    assert not table.play.case.disorder


def test_nobody_is_asked_while_something_plainly_lies_wrong(exchanged: tuple[Seated, Mat]) -> None:
    table, lying = exchanged
    line, *rest = table.layout().zones
    shown = msgspec.structs.replace(line, pieces=(Piece("crown"), *line.pieces[1:]))
    lying.do(Trace(Layout((shown, *rest)), turned=frozenset({ONE})))
    table.see(lying.observe(0.0, frozenset("b")))
    assert table.play.proposal is None
    assert table.play.case.disorder
