"""Peek, and peek three (T29-T32)."""

from __future__ import annotations

import pytest

from engine.tellstones.match import Rulings
from tests.engine.tellstones.tables import GAME, broken, lying, play, refused, row, step, verbs


@pytest.mark.clause("T29")
def test_one_face_down_stone_is_looked_at() -> None:
    state = lying("crown* sword*")
    after, told = step(state, "a: peek 2")
    assert told == ("A looks at stone 2.",)
    assert row(after) == row(state)
    assert GAME.actors(after) == {"b"}


@pytest.mark.clause("T29")
def test_looking_reveals_so_undo_stops_there() -> None:
    state = lying("crown* sword*")
    events = GAME.apply(state, "a", GAME.read(state, "a", ("peek", "1")))[1]
    assert all(event.reveals for event in events)


@pytest.mark.clause("T29")
def test_only_face_down_stones_are_looked_at() -> None:
    assert broken(lying("crown sword*"), "a: peek 1") == ("T29",)
    assert broken(lying("crown sword*"), "a: peek crown") == ("T29",)
    assert broken(lying("crown sword*"), "a: peek flag") == ("T29",)
    assert broken(lying("crown sword*"), "a: peek b 2") == ("T29",)
    assert refused(lying("crown sword*"), "a: peek sword") == "ambiguous"
    assert "peek" not in verbs(lying("crown"), "a")


@pytest.mark.clause("T30")
@pytest.mark.parametrize(("scored", "peeks"), [(0, 1), (6, 1), (7, 3), (8, 3)])
def test_three_may_be_looked_at_after_the_opponent_scored(scored: int, peeks: int) -> None:
    state = lying("crown* sword* flag* scales*", scored=(0, scored))
    assert GAME.view(state, "a").facts["peeks"] == peeks
    for place in range(1, peeks + 1):
        assert GAME.actors(state) == {"a"}
        state = play(state, f"a: peek {place}")
    assert GAME.actors(state) == {"b"}
    assert state.turn == 10


@pytest.mark.clause("T30")
def test_ones_own_point_gives_no_more_peeks() -> None:
    assert GAME.view(lying("crown* sword*", scored=(8, 0)), "a").facts["peeks"] == 1


@pytest.mark.clause("T31")
@pytest.mark.parametrize(
    ("rule", "peeks"),
    [("two-turns", {7: 3, 8: 3}), ("previous-turn", {7: 1, 8: 3}), ("never", {7: 1, 8: 1})],
)
def test_the_exception_may_be_narrower(rule: str, peeks: dict[int, int]) -> None:
    for scored, count in peeks.items():
        state = lying("crown* sword* flag*", scored=(0, scored), rules=Rulings(peek_three=rule))
        assert GAME.view(state, "a").facts["peeks"] == count


@pytest.mark.clause("T32")
def test_fewer_may_be_looked_at_but_none_twice() -> None:
    state = play(lying("crown* sword* flag*", scored=(0, 8)), "a: peek 2")
    assert verbs(state, "a") == {"peek", "stop"}
    assert [choice.word for choice in GAME.choices(state, "a", ("peek",))] == ["1", "3"]
    assert broken(state, "a: peek 2") == ("T32",)
    assert broken(state, "a: hide 1") == ("T9", "T20")
    assert broken(state, "b: peek 1") == ("T9",)
    assert GAME.actors(play(state, "a: stop")) == {"b"}


@pytest.mark.clause("T32")
def test_no_more_stones_than_lie_face_down() -> None:
    state = play(lying("crown* sword* flag", scored=(0, 8)), "a: peek 2", "a: peek 1")
    assert GAME.actors(state) == {"b"}


@pytest.mark.clause("T30", "T32")
@pytest.mark.parametrize(
    ("scoring", "peeks"),
    [
        (("a: challenge 1", "b: names flag"), [3, 1, 1]),  # on a's turn a scores: b may look at three, once
        (("a: boast", "b: believe"), [3, 1, 1]),
        (("a: challenge 1", "b: names crown"), [1, 3, 1]),  # on a's own turn b scores: a may, on the next one
        (("a: boast", "b: takeover", "a: believe"), [1, 3, 1]),
    ],
)
def test_each_way_of_scoring_gives_the_other_side_one_such_peek(scoring: tuple[str, ...], peeks: list[int]) -> None:
    state = play(lying("crown* sword* flag* scales*"), *scoring)
    found = []
    for seat in ("b", "a", "b"):
        found.append(GAME.view(state, seat).facts["peeks"])
        state = play(state, f"{seat}: swap 2 3")
    assert found == peeks
