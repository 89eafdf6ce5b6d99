"""Cards of piles and splays as hands leave them, whichever side the seat is on."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from device import games
from engine.catalogue import complete
from engine.table import Arrangement, Face, Layout, Move, Piece, Spot, Trace, ZoneLayout
from referee_simulator.dealers import dealer
from referee_simulator.hands.acts import Doer, carry_out
from referee_simulator.hands.scripts import finish
from referee_simulator.table.ground_truth import Truth, lying, members
from referee_simulator.table.holding import Holding, shown_last
from referee_simulator.table.places import Maintenance
from referee_simulator.table.setting import set_out

MAT = games.mats(["runes-four"])["runes-four"]
ZONES = {zone.name: zone for zone in MAT.zones}
CARDS = ("castle", "island", "origin", "discovery")


@pytest.mark.parametrize("seat", "abcd")
def test_a_splay_closes_up_before_the_next_card_comes(seat: str) -> None:
    name = f"sequence-{seat}"
    full = Layout((ZoneLayout(name, Arrangement.SPLAY, tuple(map(Piece, CARDS))),))
    truth = set_out(full, MAT, random.Random(1), Maintenance(1.0, 1.0, 1.0))
    oldest = next(body for body in truth.bodies if body.kind == "castle")
    coming = replace(oldest, kind="end")
    truth = Truth(tuple(body for body in truth.bodies if body.id != oldest.id), (coming,))
    before = Layout((ZoneLayout(name, Arrangement.SPLAY, tuple(map(Piece, CARDS[1:]))),))
    after = Layout((ZoneLayout(name, Arrangement.SPLAY, tuple(map(Piece, (*CARDS[1:], "end")))),))
    doer = Doer(seat, "top", Maintenance(1.0, 1.0, 1.0))
    trace = Trace(after, (Move(None, Spot(name, 3)),))
    scripts = carry_out(trace, before, truth, mat=MAT, doer=doer, rng=random.Random(2), begins=0.0)
    lies = [body for body in members(finish(truth, scripts), ZONES[name]) if body is not None]
    assert [body.kind for body in lies] == [*CARDS[1:], "end"]
    skew = [(body.angle - ZONES[name].direction + 90.0) % 180.0 - 90.0 for body in lies]
    assert max(map(abs, skew)) <= 1.0, "cards lie as the seat sees them upright"
    assert [body.kind for body in finish(truth, scripts).bodies] == [*CARDS[1:], "end"], "the newer lie on the older"


def test_an_older_card_of_a_splay_is_turned_over_where_it_lies_below_the_newer_ones() -> None:
    open_to, name = Piece(None, Face.DOWN), "sequence-a"
    before = Layout((ZoneLayout(name, Arrangement.SPLAY, tuple(map(Piece, CARDS))),))
    after = Layout((ZoneLayout(name, Arrangement.SPLAY, (Piece(CARDS[0]), open_to, *map(Piece, CARDS[2:]))),))
    truth = set_out(before, MAT, random.Random(1), Maintenance(1.0, 1.0, 1.0))
    trace = Trace(after, turned=frozenset({Spot(name, 1)}))
    scripts = carry_out(trace, before, truth, mat=MAT, doer=Doer("a", "bottom"), rng=random.Random(2), begins=0.0)
    done = finish(truth, scripts)
    assert [body.kind for body in done.bodies] == list(CARDS)
    assert [body.face for body in done.bodies] == [Face.UP, Face.DOWN, Face.UP, Face.UP]


def test_hidden_piles_are_renamed_after_a_shuffle_that_nobody_saw() -> None:
    spec = games.spec("runes")
    rules = games.game(spec)
    seats = ("a", "b", "c")
    state = rules.setup(complete(spec.options, {}), seats, 1)
    holder = dealer(spec, rules)
    assert holder is not None
    before, shuffled = Holding(holder, state, seats, 1), Holding(holder, state, seats, 2)
    truth = set_out(rules.layout(state), MAT, random.Random(1), Maintenance(1.0, 1.0), before)
    renamed = shuffled.rename_piles(truth, MAT)
    assert [body.kind for body in lying(truth, ZONES["pile"])] == list(before.stacks["pile"])
    assert [body.kind for body in lying(renamed, ZONES["pile"])] == list(shuffled.stacks["pile"])
    open_pile = Truth(tuple(replace(body, face=Face.UP) for body in truth.bodies), truth.away)
    assert shuffled.rename_piles(open_pile, MAT) == open_pile


def test_open_discards_change_only_when_a_hand_lays_a_card_on_them() -> None:
    top = set_out(
        Layout((ZoneLayout("discards", Arrangement.PILE, (Piece("end"),)),)),
        MAT,
        random.Random(1),
        Maintenance(1.0, 1.0),
    )
    assert shown_last(("end", "castle", "island"), top.bodies) == ("castle", "island", "end")
    assert shown_last(("castle", "island"), ()) == ("castle", "island")
