"""How a table is put right: every piece by its own place, in an order in which the places that are told are right."""

from __future__ import annotations

import pytest

from engine.arbiter import agreement, repairs
from engine.arbiter.expectation import Expectation, expectation_of
from engine.table import Arrangement, Face, Layout, Observation, Piece, Sight, Sighting, ZoneLayout, ZoneSight
from engine.text import say
from referee_simulator.conformance.playouts import load

BACK = Piece(None, Face.DOWN)
CROWN, FLAG, KNIGHT, SWORD = map(Piece, ("crown", "flag", "knight", "sword"))
Seen = tuple[int, Piece | None]
"""A track, and what it looks like; None: nobody can tell."""


def sighting(track: int, piece: Piece | None) -> Sighting:
    if piece is None:
        return Sighting(track, None, None, Sight.UNKNOWN, 0.3, 0.0, 0.0, 0.0)
    return Sighting(track, piece.kind, piece.face, Sight.SEEN, 0.99, 0.0, 0.0, 0.0)


def zone(name: str, order: Arrangement, *seen: Seen | None) -> ZoneSight:
    return ZoneSight(name, order, tuple(each and sighting(*each) for each in seen))


def seen(*zones: ZoneSight, strays: tuple[Sighting, ...] = ()) -> Observation:
    return Observation(1, 0.0, zones, strays=strays)


def line(*pieces: Seen) -> ZoneSight:
    return zone("line", Arrangement.ROW, *pieces)


def pool(*pieces: Seen) -> ZoneSight:
    return zone("pool", Arrangement.AREA, *pieces)


def known(before: Observation, **zones: tuple[Piece, ...]) -> Expectation:
    """What should lie in a line and a pool, with the tracks that lay there."""
    orders = {"line": Arrangement.ROW, "pool": Arrangement.AREA}
    layout = Layout(tuple(ZoneLayout(name, orders[name], pieces) for name, pieces in zones.items()))
    return agreement(layout, before).base


def said(expected: Expectation, observation: Observation) -> list[str]:
    return [str(text) for text in repairs(expected, observation)]


BEFORE = known(seen(line((1, KNIGHT)), pool((2, CROWN), (3, FLAG))), line=(KNIGHT,), pool=(CROWN, FLAG))


def test_the_piece_that_is_one_too_many_is_told_from_one_that_was_turned() -> None:
    after = seen(line((1, BACK), (2, CROWN)), pool((3, FLAG)))
    assert said(BEFORE, after) == [
        "Clear place 2 of line.",
        "Turn place 1 of line face up.",
        "Put crown in pool.",
    ]
    unfollowed = seen(line((8, CROWN), (9, BACK)), pool((3, FLAG)))
    assert said(BEFORE, unfollowed)[:2] == [
        "Clear place 1 of line.",
        "Turn place 1 of line face up.",
    ], "with what was too many away it is the first"


def test_pieces_are_taken_away_from_the_right_so_that_the_numbers_stay_true() -> None:
    after = seen(line((2, CROWN), (1, KNIGHT), (3, FLAG)), pool())
    assert said(BEFORE, after)[:2] == [
        "Clear place 3 of line.",
        "Clear place 1 of line.",
    ]


def test_of_hidden_pieces_the_one_that_was_not_there_is_taken_away() -> None:
    before = known(seen(line((1, BACK), (2, BACK))), line=(BACK, BACK))
    assert said(before, seen(line((1, BACK), (7, BACK), (2, BACK)))) == ["Clear place 2 of line."]


def test_a_missing_piece_is_put_where_it_lay() -> None:
    before = known(seen(line((1, KNIGHT), (2, BACK), (3, FLAG))), line=(KNIGHT, BACK, FLAG))
    assert said(before, seen(line((1, KNIGHT), (3, FLAG)))) == ["Move the hidden piece to place 2 of line."]
    assert said(before, seen(line((2, BACK), (3, BACK)))) == [
        "Move knight to place 1 of line.",
        "Turn place 3 of line face up.",
    ]


def test_two_in_each_others_place_are_exchanged_and_only_they() -> None:
    before = known(seen(line((1, KNIGHT), (2, SWORD), (3, FLAG))), line=(KNIGHT, SWORD, FLAG))
    assert said(before, seen(line((3, FLAG), (2, SWORD), (1, KNIGHT)))) == ["Swap places 1 and 3 of line."]
    assert said(before, seen(line((3, FLAG), (2, SWORD), (1, BACK)))) == [
        "Swap places 1 and 3 of line.",
        "Turn place 1 of line face up.",
    ]
    assert said(before, seen(line((9, CROWN), (1, KNIGHT), (3, FLAG)))) == [
        "Move knight to place 1 of line.",
        "Move sword to place 2 of line.",
    ]


def test_what_is_seen_nowhere_may_be_covered_where_it_belongs() -> None:
    assert said(BEFORE, seen(line((1, KNIGHT)), pool((2, CROWN)))) == ["Put flag in pool, uncovered."]
    stray = seen(line((1, KNIGHT)), pool((2, CROWN)), strays=(sighting(3, FLAG),))
    assert said(BEFORE, stray) == ["Put flag in pool.", "Outside every zone: flag."]
    assert said(BEFORE, seen(line((1, KNIGHT)), pool((2, CROWN), (3, None)))) == [], "it may be the flag"


def test_what_does_not_belong_in_an_area_is_named() -> None:
    assert said(BEFORE, seen(line((1, KNIGHT)), pool((2, CROWN), (3, FLAG), (4, SWORD)))) == ["Take sword out of pool."]
    found = seen(line((1, KNIGHT)), pool((2, CROWN), (3, FLAG), (4, BACK)))
    assert said(BEFORE, found) == ["Take 1 piece out of pool."]
    found = seen(line((1, KNIGHT)), pool((2, CROWN), (3, FLAG), (4, None)))
    assert said(BEFORE, found) == ["Take 1 piece out of pool."]


def test_what_lies_in_the_wrong_area_is_told_once() -> None:
    areas = Layout((ZoneLayout("pool", Arrangement.AREA, (CROWN,)), ZoneLayout("box", Arrangement.AREA, (FLAG,))))
    wrong = seen(pool((1, CROWN), (2, FLAG)), zone("box", Arrangement.AREA))
    assert said(expectation_of(areas, {}), wrong) == ["Put flag in box."]


def test_of_a_pile_the_top_is_named() -> None:
    expected = expectation_of(
        Layout((ZoneLayout("discards", Arrangement.PILE, (KNIGHT,)), ZoneLayout("rest", Arrangement.PILE, ()))), {}
    )
    right = zone("discards", Arrangement.PILE, (1, KNIGHT))
    assert said(expected, seen(right)) == []
    assert said(expected, seen(zone("discards", Arrangement.PILE, (1, FLAG)))) == ["Put knight on top of discards."]
    assert said(expected, seen(zone("discards", Arrangement.PILE))) == ["Put knight on discards."]
    assert said(expected, seen(right, zone("rest", Arrangement.PILE, (2, FLAG)))) == ["Take everything off rest."]
    assert said(expected, seen(right, zone("rest", Arrangement.PILE, (2, None)))) == []


def test_cells_are_called_as_people_call_them() -> None:
    names = (say("the start"), say("square {square}", square=1))
    track = ZoneLayout("track", Arrangement.CELLS, (None, KNIGHT), places=names)
    expected = expectation_of(Layout((track,)), {})
    assert said(expected, seen(zone("track", Arrangement.CELLS, (1, KNIGHT), None))) == ["Move knight to square 1."]
    assert said(expected, seen(zone("track", Arrangement.CELLS, (2, FLAG), (1, KNIGHT)))) == ["Clear the start."]
    assert said(expected, seen(zone("track", Arrangement.CELLS, None, (1, BACK)))) == ["Turn square 1 face up."]


@pytest.mark.clause("F2")
def test_squares_of_the_strip_have_the_numbers_of_the_displays() -> None:
    """F2: ten squares between two zones; stamina begins at 0; a weapon's positions have names."""
    game, options = load("fence", {"starter": "a"})
    layout = game.layout(game.setup(options, ("a", "b"), 1))
    nothing = seen(*(zone(each.zone, each.order) for each in layout.zones))
    told = said(expectation_of(layout, {}), nothing)
    assert told[:6] == [
        "Move green to square 4.",
        "Move red to square 7.",
        "Move green-weapon to Point-in-Line (Green).",
        "Move red-weapon to Point-in-Line (Red).",
        "Move green-stamina to stamina 6 of Green.",
        "Move red-stamina to stamina 6 of Red.",
    ]
