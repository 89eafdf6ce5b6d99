"""The end: last moves, revelation, points, ties (X35, X60-X66)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.planetx.ending import EndPhase, Over, Tally, outcome, tallies
from engine.planetx.match import State, Theory, player_of, with_player
from engine.planetx.theories import Placing
from engine.view import RingSector
from tests.engine.planetx.tables import GAME, at, pawn, play, refused, say, start, told

RIGHT = "locate 4 comet asteroid"


def found(**times: int) -> State:
    """Seat a locates Planet X as the last pawn; the others stand where they are put."""
    return play(at(start("".join(["a", *times])), a=0, **times), f"a: {RIGHT}")


def over(state: State, *theories: Theory, **players: bool) -> State:
    """A revealed match with these right theories; players who located Planet X."""
    for seat, located in players.items():
        state = with_player(state, replace(player_of(state, seat), located=located))
    return replace(state, theories=theories, phase=Over())


def points(state: State, seat: str) -> Tally:
    return next(tally for tally in tallies(state) if tally.seat == seat)


@pytest.mark.clause("X35", "X60")
def test_the_first_success_ends_the_game_after_the_pawn_has_moved() -> None:
    state, events = say(at(start("ab"), a=0, b=2), f"a: {RIGHT}")
    assert told(events, "b")[0] == "A locates Planet X: success!"
    assert (pawn(state, "a"), state.arrow) == (5, 0)
    assert isinstance(state.phase, EndPhase)
    assert refused(state, "b: survey gas 1 4") == ("X60",)


@pytest.mark.clause("X35")
def test_the_buttons_ask_once_more_before_planet_x_is_located() -> None:
    words = tuple(RIGHT.split())
    (last,) = (each for each in GAME.choices(at(start("ab"), a=0, b=2), "a", words[:-1]) if each.word == words[-1])
    assert last.final
    assert last.costs


@pytest.mark.clause("X60")
@pytest.mark.parametrize(("time", "theories"), [(4, 1), (3, 1), (2, 1), (1, 2), (0, 2)])
def test_last_moves_depend_on_the_distance(time: int, theories: int) -> None:
    state = found(b=time)
    assert state.phase == EndPhase((("b", theories),))
    for sector, kind in ((5, "asteroid"), (6, "asteroid"))[:theories]:
        assert refused(state, "b: submit 3 comet") == ()
        state = play(state, f"b: submit {sector} {kind}")
    assert isinstance(state.phase, Over)
    assert points(state, "b").theories == 2 * theories


@pytest.mark.clause("X60")
def test_last_moves_go_from_the_rearmost_on_and_cost_nothing() -> None:
    state = found(b=3, c=1)
    assert GAME.actors(state) == {"c"}
    assert refused(state, "b: pass") == ("X60",)
    state, events = say(state, "c: locate 9 gas gas")
    assert told(events, None) == ("C tries to locate Planet X and fails.",)
    assert pawn(state, "c") == 1
    assert GAME.actors(state) == {"b"}
    state, events = say(state, f"b: {RIGHT}")
    assert told(events, None)[0] == "B locates Planet X: success!"
    assert pawn(state, "b") == 3
    assert isinstance(state.phase, Over)
    assert state.finder == "a"


@pytest.mark.clause("X60")
def test_a_last_move_is_locate_or_theories_not_both() -> None:
    state = play(found(b=0), "b: submit 3 comet")
    assert refused(state, f"b: {RIGHT}") == ("X60",)
    assert {choice.word for choice in GAME.choices(state, "b")} == {"pass", "submit"}
    assert isinstance(play(state, "b: pass").phase, Over)


@pytest.mark.clause("X60")
@pytest.mark.parametrize("line", ["b: pass", "b: theories 0"])
def test_a_last_move_may_be_passed(line: str) -> None:
    state, events = say(found(b=0), line)
    assert isinstance(state.phase, Over)
    assert told(events, None)[0] == "B passes."


@pytest.mark.clause("X61")
def test_who_is_level_or_ahead_has_no_last_move() -> None:
    assert isinstance(found(b=5).phase, Over)
    assert isinstance(found(b=7, c=6).phase, Over)
    assert found(b=5, c=4).phase == EndPhase((("c", 1),))


@pytest.mark.clause("X62")
def test_all_is_revealed_and_wrong_theories_go_without_penalty() -> None:
    state = at(start("ab"), a=0, b=3)
    before = (Theory("b", 5, "G", 1), Theory("b", 6, "A", 1), Theory("a", 3, "C", 2))
    state, events = say(play(replace(state, theories=before), f"a: {RIGHT}"), "b: pass")
    assert told(events, None)[-1] == "Planet X was in sector 4."
    assert [(t.sector, t.shown) for t in state.theories] == [(6, True), (3, True)]
    assert pawn(state, "b") == 3
    assert GAME.view(state, None).facts["board"] == state.game.board
    assert refused(state, "b: pass") == ("X62",)


@pytest.mark.clause("X63")
def test_the_first_right_theory_in_a_sector_gains_a_point() -> None:
    state = over(
        found(b=3),
        Theory("a", 3, "C", 1),
        Theory("b", 3, "C", 1),
        Theory("a", 5, "A", 2),
        Theory("b", 5, "A", 3),
        Theory("b", 6, "A", 3),
    )
    assert (points(state, "a").firsts, points(state, "b").firsts) == (2, 2)


@pytest.mark.clause("X63", "X51")
def test_last_theories_are_simultaneous() -> None:
    state = play(found(b=3, c=1), "c: submit 3 comet", "c: pass", "b: submit 3 comet")
    assert {theory.phase for theory in state.theories} == {1}
    assert [points(state, seat).firsts for seat in "bc"] == [1, 1]


@pytest.mark.clause("X64")
@pytest.mark.parametrize(
    ("mode", "worth"), [("standard", {"A": 2, "C": 3, "G": 4, "D": 4}), ("expert", {"A": 2, "C": 3, "G": 4, "D": 2})]
)
def test_what_right_theories_are_worth(mode: str, worth: dict[str, int]) -> None:
    for kind, value in worth.items():
        state = over(start("ab", mode=mode), Theory("b", 5, kind, 1))
        assert points(state, "b") == Tally("b", theories=value, firsts=1, planet=0)


@pytest.mark.clause("X65")
def test_planet_x_is_worth_ten_or_two_a_sector_behind() -> None:
    for time, gained in ((4, 2), (3, 4), (1, 8), (0, 10)):
        state = play(found(b=time), f"b: {RIGHT}")
        assert (points(state, "a").planet, points(state, "b").planet) == (10, gained)
    assert points(play(found(b=3), "b: pass"), "b").planet == 0


@pytest.mark.clause("X66")
def test_most_points_win() -> None:
    state = play(found(b=3), "b: pass")
    result = outcome(state)
    assert result is not None
    assert result.winners == {"a"}
    assert str(result.text) == "A wins with 10 points."


@pytest.mark.clause("X66")
def test_ties_go_to_planet_x_then_to_firsts_then_are_shared() -> None:
    state = found(b=3)
    theories = [Theory("b", s, k, 1) for s, k in ((2, "G"), (8, "G"))]
    planet = outcome(over(state, *theories))
    assert [points(over(state, *theories), seat).total for seat in "ab"] == [10, 10]
    assert planet is not None
    assert planet.winners == {"a"}
    bare = replace(start("ab"), finder=None)
    firsts = over(bare, Theory("a", 3, "C", 1), Theory("b", 5, "A", 1), Theory("b", 3, "C", 2))
    assert [points(firsts, seat).total for seat in "ab"] == [4, 6]
    even = over(bare, *(Theory("a", s, "A", 1) for s in (5, 6)), Theory("b", 2, "G", 1), Theory("b", 5, "A", 2))
    assert [(points(even, s).total, points(even, s).firsts) for s in "ab"] == [(6, 2), (7, 1)]
    level = over(bare, Theory("a", 5, "A", 1), Theory("a", 6, "A", 1), Theory("b", 9, "A", 1), Theory("b", 10, "A", 1))
    shared = outcome(level)
    assert shared is not None
    assert shared.winners == {"a", "b"}
    assert str(shared.text) == "A, B share the victory with 6 points."


@pytest.mark.clause("X66")
def test_more_firsts_break_a_tie_of_equal_planets() -> None:
    """a: dwarf planet 4, not first, and asteroid first: 7, one first; b: two firsts and 7 points as well."""
    bare = start("abc")
    theories = (
        Theory("c", 12, "D", 1),
        Theory("a", 12, "D", 2),
        Theory("a", 5, "A", 1),
        Theory("b", 3, "C", 1),
        Theory("b", 6, "A", 1),
    )
    state = over(bare, *theories)
    assert [(points(state, s).total, points(state, s).firsts) for s in "ab"] == [(7, 1), (7, 2)]
    result = outcome(state)
    assert result is not None
    assert result.winners == {"b"}


@pytest.mark.clause("X60")
def test_an_endless_match_is_cut_after_some_years() -> None:
    state = play(at(start("a", years=5), a=58), "a: target 12")
    while not isinstance(state.phase, Over):
        state = play(state, "a: pass")
    assert GAME.outcome(state) is not None
    assert state.finder is None
    assert not isinstance(play(at(start("a", years=0), a=58), "a: target 12").phase, Over)


def test_who_resigns_is_not_waited_for_and_the_last_one_left_wins() -> None:
    state = at(start("abc"), a=0, b=1, c=2)
    left, events = GAME.resign(state, "a")
    assert told(events, None)[0] == "A resigns."
    assert GAME.actors(left) == {"b"}
    alone, _ = GAME.resign(left, "c")
    result = GAME.outcome(alone)
    assert result is not None
    assert result.winners == {"b"}
    nobody, _ = GAME.resign(start("a"), "a")
    assert GAME.outcome(nobody).winners == frozenset()


def test_who_resigns_in_a_theory_phase_or_at_the_end_is_skipped() -> None:
    state = replace(at(start("abc"), a=0, b=0, c=0), phase=Placing((("a", 1), ("b", 1))))
    left, _ = GAME.resign(state, "a")
    assert GAME.actors(left) == {"b"}
    ending, _ = GAME.resign(play(found(b=1, c=2), "b: submit 3 comet"), "b")
    assert ending.phase == EndPhase((("c", 1),))


@pytest.mark.clause("X62")
def test_the_sector_of_planet_x_is_shown_with_what_is_beside_it() -> None:
    state = play(found(b=4), "b: pass")
    ended = outcome(state)
    assert ended is not None
    assert ended.decided_by == (RingSector(4),)
    assert [str(text) for text in ended.how] == ["A located Planet X first.", "Beside it: comet, asteroid."]
