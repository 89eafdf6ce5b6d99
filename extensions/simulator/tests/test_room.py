"""Hands make room as hands can: no stone goes through another, and what is laid aside touches nothing."""

from __future__ import annotations

import math
import random

import msgspec
import pytest

from referee_simulator.hands.room import aside, beside, in_the_way, pushes
from referee_simulator.table.ground_truth import Body, Shape

MAT = (420.0, 297.0)


def stone(number: int, x: float, y: float = 160.0) -> Body:
    return Body(number, f"kind{number}", "stones", x, y)


@pytest.mark.parametrize("by", [50.0, -50.0])
def test_a_row_is_pushed_from_the_end_that_it_goes_to(by: float) -> None:
    row = [stone(1, 150), stone(2, 190), stone(3, 230)]
    steps = [(body, (body.x + by * (1 + 0.1 * n), body.y, 0.0)) for n, body in enumerate(row)]
    lying = {body.id: body.x for body in row}
    for group, dx, dy in pushes(steps):
        assert dy == 0
        for body in group:
            crossed = [x for key, x in lying.items() if key not in {b.id for b in group}]
            assert all((x - body.x) * (x - body.x - dx) > 0 for x in crossed)
        lying |= {body.id: body.x + dx for body in group}


def test_neighbours_that_go_equally_far_go_together() -> None:
    steps = [(stone(n, 100.0 + 40 * n), (120.0 + 40 * n, 160.0, 0.0)) for n in range(3)]
    assert [(len(group), dx, dy) for group, dx, dy in pushes(steps)] == [(3, 20.0, 0.0)]


def test_what_lies_in_a_push_is_in_the_way() -> None:
    assert in_the_way(stone(9, 200), [(stone(1, 150), (180.0, 160.0, 0.0))])
    assert in_the_way(stone(9, 200), [(stone(1, 150), (250.0, 160.0, 0.0))])
    assert not in_the_way(stone(9, 200), [(stone(1, 150), (100.0, 160.0, 0.0))])


@pytest.mark.parametrize("side", ["top", "bottom", "left", "right"])
def test_what_is_laid_aside_touches_nothing(side: str) -> None:
    rng = random.Random(3)
    row = [stone(n, 60.0 + 46 * n) for n in range(7)]
    pool = [stone(10 + n, 70.0 + 60 * n, 90.0) for n in range(5)]
    for body in row:
        others = [b for b in (*row, *pool) if b is not body]
        x, y, _ = aside(body, others, MAT, side, rng)
        assert min(math.hypot(x - b.x, y - b.y) for b in others) >= body.width
        assert 0 < x < MAT[0]
        assert 0 < y < MAT[1]


def test_no_stone_is_laid_half_on_another() -> None:
    """A stone that misses its mark towards its neighbour ends up beside it; one between two fits between them."""
    row = [stone(1, 100), stone(2, 175)]
    assert beside(stone(3, 300), (140.0, 161.0, 7.0), row) == (140.0, 161.0, 7.0)
    x, y, angle = beside(stone(3, 300), (129.0, 161.0, 7.0), row)
    assert math.hypot(x - 100, y - 160) >= 34.0
    assert (round(x), round(y), angle) == (134, 161, 7.0)
    rng = random.Random(5)
    for _ in range(200):
        x, y, _ = beside(stone(3, 300), (rng.uniform(95, 180), rng.uniform(150, 170), 0.0), row)
        assert min(math.hypot(x - b.x, y - b.y) for b in row) >= 34.0


def test_what_a_stone_was_or_a_card_is_in_no_stone_s_way() -> None:
    assert beside(stone(1, 100), (101.0, 160.0, 0.0), [stone(1, 100)]) == (101.0, 160.0, 0.0)
    card = msgspec.structs.replace(stone(2, 100), shape=Shape.CARD)
    assert beside(stone(1, 100), (101.0, 160.0, 0.0), [card]) == (101.0, 160.0, 0.0)
    assert beside(card, (101.0, 160.0, 0.0), [stone(1, 100)]) == (101.0, 160.0, 0.0)
