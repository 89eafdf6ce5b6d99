"""Hands do what a trace shows, and put it back."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.table import Layout, Move, Piece, Spot, Trace
from extensions.simulator.tests.tables import MAT, NEAT, ZONES, laid, layout_of
from referee_simulator.hands.acts import Doer, carry_out
from referee_simulator.hands.restoring import put_back
from referee_simulator.hands.scripts import Script, finish, perform
from referee_simulator.table.ground_truth import Truth, layout, members, remove, strays, turn

DOER = Doer("b", "top", NEAT)
SEVEN = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")


def act(truth: Truth, trace: Trace, seed: int = 1, doer: Doer = DOER) -> tuple[Truth, tuple[Script, ...]]:
    before = layout(truth, MAT, ZONES)
    scripts = carry_out(trace, before, truth, mat=MAT, doer=doer, rng=random.Random(seed), begins=0.0)
    return finish(truth, scripts), scripts


def kinds(truth: Truth) -> list[str]:
    return [body.kind for body in members(truth, MAT.zones[0]) if body is not None]


def test_an_exchange_puts_each_in_the_others_place() -> None:
    truth = laid(SEVEN[:4])
    moves = (Move(Spot("line", 0), Spot("line", 2)), Move(Spot("line", 2), Spot("line", 0)))
    after, scripts = act(truth, Trace(layout(truth, MAT, ZONES), moves))
    assert kinds(after) == ["sword", "shield", "crown", "flag"]
    assert 2.0 < scripts[0].ends < 12.0


def test_a_peek_leaves_the_table_as_it_was_but_for_some_millimetres() -> None:
    truth = turn(laid(SEVEN[:3]), 1)
    after, scripts = act(truth, Trace(layout(truth, MAT, ZONES), lifted=frozenset({Spot("line", 1)})))
    assert kinds(after) == kinds(truth)
    middle, hands = perform(truth, scripts, scripts[0].ends / 2)
    assert middle.body(1).held
    assert len(hands) == 1
    assert 30.0 < abs(middle.body(1).tilt_deg) < 90.0


@pytest.mark.parametrize("place", range(7))
def test_a_stone_goes_anywhere_in_a_row_however_full_it_is(place: int) -> None:
    truth = laid(SEVEN[:6], SEVEN[6:])
    line = [*SEVEN[:6]]
    line.insert(place, SEVEN[6])
    trace = Trace(layout_of(tuple(line), ()), (Move(Spot("pool", 0), Spot("line", place)),))
    after, _ = act(truth, trace)
    assert kinds(after) == line
    assert strays(after, MAT, ZONES) == ()
    gaps = [body for body in members(after, MAT.zones[0]) if body is not None]
    assert all(right.x - left.x > 34 for left, right in itertools.pairwise(gaps))


def test_what_leaves_the_table_is_away_and_can_be_brought_back() -> None:
    truth = laid(SEVEN[:3])
    after, _ = act(truth, Trace(layout(truth, MAT, ZONES), (Move(Spot("line", 1), None),)))
    assert [body.kind for body in after.away] == ["shield"]
    scripts = put_back(truth, after, mat=MAT, doer=DOER, rng=random.Random(2), begins=0.0)
    assert kinds(finish(after, scripts)) == kinds(truth)


def test_a_trace_that_the_table_does_not_hold_is_an_error() -> None:
    truth = laid(SEVEN[:2])
    trace = Trace(Layout(()), (Move(Spot("line", 5), Spot("line", 0)),))
    with pytest.raises(KeyError):
        act(truth, trace)


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_whatever_was_done_can_be_put_back(seed: int) -> None:
    rng = random.Random(seed)
    order = list(SEVEN)
    rng.shuffle(order)
    count = rng.randint(2, 6)
    truth = laid(tuple(order[:count]), tuple(order[count:]), seed)
    for body in members(truth, MAT.zones[0]):
        if body is not None and rng.random() < 0.5:
            truth = turn(truth, body.id)
    messed = _messed(truth, rng)
    scripts = put_back(truth, messed, mat=MAT, doer=DOER, rng=rng, begins=0.0)
    restored = finish(messed, scripts)
    assert layout(restored, MAT, ZONES) == layout(truth, MAT, ZONES)
    assert kinds(restored) == kinds(truth)


def _messed(truth: Truth, rng: random.Random) -> Truth:
    before = layout(truth, MAT, ZONES)
    size = len(before.zone("line").pieces)
    a, b = rng.sample(range(size), 2)
    spot = Spot("line", a)
    match rng.randrange(4):
        case 0:
            return turn(truth, next(x for x in members(truth, MAT.zones[0]) if x is not None).id)
        case 1:
            return remove(truth, rng.choice(truth.bodies).id)
        case 2:
            moves = (Move(spot, Spot("line", b)), Move(Spot("line", b), spot))
            return act(truth, Trace(before, moves), rng.randrange(99))[0]
        case _:
            return act(truth, Trace(before, (Move(spot, Spot("line", b)),)), rng.randrange(99))[0]


def test_a_carried_piece_stays_in_the_hand() -> None:
    truth = laid(SEVEN[:2])
    moves = (Move(Spot("line", 0), Spot("line", 1)), Move(Spot("line", 1), Spot("line", 0)))
    _, scripts = act(truth, Trace(layout(truth, MAT, ZONES), moves))
    steps = [perform(truth, scripts, at / 100) for at in range(round(scripts[0].ends * 100))]
    for now, hands in steps:
        for body in now.bodies:
            if body.lift_mm > 5:
                assert abs(hands[0].x - body.x) + abs(hands[0].y - body.y) < 20
    path = [next(b for b in now.bodies if b.id == 0) for now, _ in steps]
    assert all(abs(p.x - q.x) < 12 and abs(p.y - q.y) < 12 for p, q in itertools.pairwise(path))
    assert Piece("crown") in layout(steps[0][0], MAT, ZONES).zone("line").pieces
