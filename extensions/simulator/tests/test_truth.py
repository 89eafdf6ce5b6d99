"""The virtual table's own truth: where pieces lie, as an onlooker would say."""

from __future__ import annotations

import math
import random
from itertools import combinations

import msgspec
import pytest

from device.games import mats
from device.resources import load_shipped
from engine.table import Arrangement, Face, Layout, Piece, Spot, ZoneLayout
from extensions.simulator.tests.tables import MAT, ZONES, laid
from referee_simulator.table.ground_truth import (
    Body,
    Shape,
    Truth,
    inside,
    layout,
    lift,
    members,
    move,
    remove,
    stack_bodies,
    strays,
    turn,
)
from referee_simulator.table.places import Maintenance, free_place
from referee_simulator.table.setting import set_out
from vision.mat import Mat

LINE = MAT.zones[0]


def ids(truth: Truth) -> dict[str, int]:
    return {body.kind: body.id for body in (*truth.bodies, *truth.away)}


def test_a_row_is_numbered_from_left_to_right() -> None:
    truth = laid(("crown", "sword", "flag"), ("shield",))
    assert [body.kind for body in members(truth, LINE) if body] == ["crown", "sword", "flag"]
    assert layout(truth, MAT, ZONES).at(Spot("line", 1)) == Piece("sword")


def test_what_lies_face_down_shows_no_kind_and_comes_back_as_it_was() -> None:
    truth = laid(("crown", "sword"))
    hidden = turn(truth, ids(truth)["crown"])
    assert layout(hidden, MAT, ("line",)).at(Spot("line", 0)) == Piece(None, Face.DOWN)
    again = turn(hidden, ids(truth)["crown"])
    assert again.body(ids(truth)["crown"]).angle == pytest.approx(truth.body(ids(truth)["crown"]).angle % 360)


def test_what_is_held_lies_nowhere() -> None:
    truth = laid(("crown", "sword"))
    held = lift(truth, ids(truth)["crown"], 20.0)
    assert [body.kind for body in members(held, LINE) if body] == ["sword"]
    assert strays(held, MAT, ZONES) == ()


def test_a_piece_outside_every_zone_is_a_stray() -> None:
    truth = laid(("crown", "sword"))
    out = move(truth, ids(truth)["sword"], 210.0, 240.0)
    assert [body.kind for body in strays(out, MAT, ZONES)] == ["sword"]


def test_a_piece_that_was_taken_away_can_be_put_back() -> None:
    truth = laid(("crown", "sword"))
    gone = remove(truth, ids(truth)["sword"])
    assert [body.kind for body in gone.away] == ["sword"]
    with pytest.raises(KeyError):
        gone.body(ids(truth)["sword"])


def test_the_exchange_of_two_pieces_changes_the_layout_only_if_a_face_shows_it() -> None:
    truth = laid(("crown", "sword"))
    one, two = truth.body(ids(truth)["crown"]), truth.body(ids(truth)["sword"])
    swapped = move(move(truth, one.id, two.x, two.y), two.id, one.x, one.y)
    assert layout(swapped, MAT, ("line",)) != layout(truth, MAT, ("line",))
    down = turn(turn(truth, one.id), two.id)
    both = move(move(down, one.id, two.x, two.y), two.id, one.x, one.y)
    assert layout(both, MAT, ("line",)) == layout(down, MAT, ("line",))
    assert msgspec.json.encode(both) != msgspec.json.encode(down)


def test_a_pile_is_as_high_as_all_of_its_cards() -> None:
    pile = tuple(
        Body(
            number,
            "sea",
            "decktet",
            100.0 + number % 2,
            80.0,
            90.0,
            shape=Shape.CARD,
            width=63,
            height=88,
            thickness=0.3,
        )
        for number in range(36)
    )
    beside = msgspec.structs.replace(pile[0], id=99, x=146.0)
    blocks = stack_bodies((*pile, beside))
    assert [round(body.thickness, 1) for body in blocks] == [*(round(0.3 * n, 1) for n in range(1, 37)), 0.3]
    assert round(stack_bodies((*pile, msgspec.structs.replace(beside, x=143.0)))[-1].thickness, 1) == 11.1


def test_what_was_carried_off_lies_flat_when_it_comes_back() -> None:
    truth = laid(("crown", "sword"))
    (gone,) = remove(lift(truth, ids(truth)["crown"], 30.0, 60.0), ids(truth)["crown"]).away
    assert not gone.held


@pytest.mark.parametrize("seed", range(40))
def test_three_pawns_in_one_sector_lie_beside_each_other(seed: int) -> None:
    """Some across its lines, but with their middles within them, so that each is told there."""
    mat = load_shipped(Mat, "mats", "planetx-expert.toml")
    (sector,) = (zone for zone in mat.zones if zone.name == "sector-1")
    rng, there = random.Random(seed), list[Body]()
    for kind in ("spring", "summer", "autumn"):
        pawn = Body(len(there), kind, "pawns", 0.0, 0.0, width=25.0, height=25.0, thickness=4.0)
        x, y, angle = free_place(rng, sector, there, pawn)
        there.append(msgspec.structs.replace(pawn, x=x, y=y, angle=angle))
    apart = [math.hypot(one.x - other.x, one.y - other.y) for one, other in combinations(there, 2)]
    assert min(apart) > 25.0
    assert all(inside(sector.box, body.x, body.y) for body in there)


@pytest.mark.parametrize("seed", range(20))
def test_nobody_lays_a_piece_on_the_line_between_two_small_cells(seed: int) -> None:
    mat = mats(["runes"])["runes"]
    track = ZoneLayout("life-a", Arrangement.CELLS, (*(None,) * 10, Piece("life"), None))
    (body,) = set_out(Layout((track,)), mat, random.Random(seed), Maintenance(7.0, 180.0)).bodies
    cell = next(zone for zone in mat.zones if zone.name == "life-a").cells[10]
    assert abs(body.x - cell.x - cell.width / 2) <= cell.width / 4
    assert abs(body.y - cell.y - cell.height / 2) <= cell.height / 4
