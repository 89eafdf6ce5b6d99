"""Setting up: stones, first stone, who starts (T1-T8)."""

from __future__ import annotations

import pytest

from engine.errors import Invalid
from engine.table import Arrangement, Face, Seat
from engine.tellstones.line import KINDS, NAMES
from referee_simulator.conformance.playouts import load
from tests.engine.specs import spec
from tests.engine.tellstones.tables import DUEL, GAME, TEAMS, broken, fresh, play, refused, row, verbs


@pytest.mark.clause("T1")
@pytest.mark.parametrize("seats", [(), ("a",), ("a", "b", "c"), ("a", "a")])
def test_two_or_four_may_play(seats: tuple[str, ...]) -> None:
    with pytest.raises(Invalid, match="two or by four"):
        fresh(seats)
    assert fresh(DUEL).seats == DUEL
    assert fresh(TEAMS).seats == TEAMS


@pytest.mark.clause("T2")
def test_there_are_seven_different_stones() -> None:
    assert len(KINDS) == len(set(KINDS)) == 7
    assert tuple(str(NAMES[kind]) for kind in KINDS) == tuple(kind.capitalize() for kind in KINDS)
    state = fresh()
    assert sorted((*state.mats[0].pool, state.mats[0].line[0].kind)) == sorted(KINDS)


@pytest.mark.clause("T4", "T5")
def test_one_stone_lies_on_the_line_and_six_in_the_pool_face_up() -> None:
    line, pool = GAME.layout(fresh(first_stone="scales")).zones
    assert (line.zone, line.order) == ("line", Arrangement.ROW)
    assert [piece.kind for piece in line.pieces if piece] == ["scales"]
    assert (pool.zone, pool.order) == ("pool", Arrangement.AREA)
    assert [piece.kind for piece in pool.pieces if piece] == ["crown", "flag", "hammer", "knight", "shield", "sword"]
    assert all(piece and piece.face is Face.UP for piece in (*line.pieces, *pool.pieces))


@pytest.mark.clause("T7")
def test_the_first_stone_is_drawn_by_the_seed() -> None:
    drawn = [fresh(seed=seed).mats[0].line[0] for seed in range(200)]
    assert {stone.kind for stone in drawn} == set(KINDS)
    assert not any(stone.down for stone in drawn)
    assert fresh(seed=5) == fresh(seed=5)


@pytest.mark.clause("T7", "T53")
def test_the_scales_may_be_first_by_custom() -> None:
    assert {row(fresh(seed=seed, first_stone="scales")) for seed in range(20)} == {"scales"}


@pytest.mark.clause("T7")
def test_the_player_who_does_not_start_may_choose_the_first_stone() -> None:
    state = fresh(first_stone="chosen", starter="a")
    assert row(state) == ""
    assert GAME.actors(state) == {"b"}
    assert verbs(state, "b") == {"first"}
    assert broken(state, "a: first crown") == ("T7",)
    assert broken(state, "b: boast") == ("T7", "T49")
    state = play(state, "b: first crown")
    assert row(state) == "crown"
    assert GAME.actors(state) == {"a"}
    assert state.turn == 1
    assert broken(state, "a: first sword") == ("T7",)
    assert refused(state, "a: first") == "ambiguous"
    assert refused(state, "a: first pebble") == "invalid"


@pytest.mark.clause("T8")
def test_a_coin_may_decide_who_starts() -> None:
    starters = [fresh(seed=seed, starter="coin").active for seed in range(100)]
    assert 30 < starters.count("a") < 70
    assert set(starters) == {"a", "b"}
    assert {fresh(TEAMS, seed, starter="coin").active for seed in range(100)} == set(TEAMS)


@pytest.mark.clause("T8")
def test_nobody_begins_unasked() -> None:
    """A coin decides, unless the table wants it otherwise. Matches from before the coin was the default keep seat A."""
    options = load("tellstones", {})[1]
    assert options["starter"] == "coin"
    option = next(each for each in spec("tellstones").options if each.name == "starter")
    assert (option.values[:3], option.earlier) == (("coin", "elder", "last"), "a")


@pytest.mark.clause("T8", "T53", "T63")
@pytest.mark.parametrize("by", ["elder", "last"])
@pytest.mark.parametrize("seats", [DUEL, TEAMS])
@pytest.mark.parametrize("first_stone", ["scales", "chosen"])
def test_the_table_asks_who_begins_and_any_seat_may_answer(by: str, seats: tuple[Seat, ...], first_stone: str) -> None:
    state = fresh(seats, starter=by, first_stone=first_stone)
    assert GAME.actors(state) == set(seats)
    assert all(verbs(state, seat) == {"starts"} for seat in seats)
    assert [choice.word for choice in GAME.choices(state, "b", ("starts",))] == [*seats]
    assert broken(state, "a: boast") == ("T8", "T49")
    assert refused(state, "a: starts") == "ambiguous"
    assert refused(state, "a: starts x") == "invalid"
    after = play(state, "b: starts b")
    assert after.active == "b"
    if first_stone == "chosen":
        assert GAME.actors(after) == {seats[2 % len(seats)]}
        after = play(after, f"{seats[2 % len(seats)]}: first crown")
    assert GAME.actors(after) == {"b"}
    assert after.turn == 1
    assert broken(after, "b: starts a") == ("T8",)


@pytest.mark.clause("T8", "T53", "T63")
def test_the_table_may_decide_who_starts() -> None:
    assert GAME.actors(fresh(starter="b")) == {"b"}
    assert GAME.actors(fresh(TEAMS, starter="d")) == {"d"}
    with pytest.raises(Invalid, match="Nobody sits at seat c"):
        fresh(DUEL, starter="c")
