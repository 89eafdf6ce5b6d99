"""The theory phase: announced at once, placed in order, moved inward, reviewed, punished (X10, X50-X57)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.planetx.match import State, Theory, player_of, with_player
from engine.planetx.theories import Placing, Pledging, review
from engine.planetx.track import Acting, in_order
from engine.view import Line
from tests.engine.planetx.tables import GAME, at, pawn, play, refused, say, start, told


def phase(seats: str = "ab", **options: Any) -> State:
    """A match in which a theory phase has just begun; pawns stand in the order of the seats, all on time 4."""
    state = at(start(seats, **options), **dict.fromkeys(seats, 4))
    return replace(state, phase=Pledging(), theory_phase=1)


def placed(state: State, *theories: Theory) -> State:
    """The state with tokens on the board, before the review of this phase."""
    return replace(state, theories=theories, phase=Placing(()))


def lines(state: State, seat: str | None) -> list[Line]:
    return [panel for panel in GAME.view(state, seat).panels if isinstance(panel, Line)]


@pytest.mark.thorough
@pytest.mark.clause("X50")
def test_all_announce_at_once_and_nobody_hears_it_before_the_last() -> None:
    state = phase("abc", mode="expert")
    assert GAME.actors(state) == {"a", "b", "c"}
    state, events = say(state, "b: theories 2")
    assert told(events, "a") == told(events, None) == ()
    assert GAME.actors(state) == {"a", "c"}
    for other in ("a", "c", None):
        assert GAME.view(state, other) == GAME.view(play(phase("abc", mode="expert"), "b: pass"), other)
    assert refused(state, "b: theories 1") == ("X50",)
    state, events = say(play(state, "a: pass"), "c: theories 1")
    assert told(events, None) == ("Theories announced: A 0, B 2, C 1.",)
    assert state.phase == Placing((("b", 2), ("c", 1)))


@pytest.mark.clause("X50")
@pytest.mark.parametrize(("mode", "most"), [("standard", 1), ("expert", 2)])
def test_standard_play_allows_one_theory_and_expert_play_two(mode: str, most: int) -> None:
    state = phase("a", mode=mode)
    assert refused(state, f"a: theories {most}") == ()
    assert refused(state, f"a: theories {most + 1}") == ("X50",)
    assert [choice.word for choice in GAME.choices(state, "a", ("theories",))] == [str(k) for k in range(1, most + 1)]


@pytest.mark.clause("X51")
def test_tokens_are_placed_from_the_last_pawn_on_in_any_unsettled_sector() -> None:
    state = play(at(phase("ab"), b=4, a=4), "a: theories 1", "b: theories 1")
    assert GAME.actors(state) == {"b"}
    assert refused(state, "a: submit 3 comet") == ("X51",)
    assert refused(state, "b: pass") == ("X51",)
    state, events = say(state, "b: submit 12 gas")
    assert told(events, "a") == ("B places a theory in sector 12.",)
    state = play(state, "a: submit 12 dwarf")
    assert [(t.owner, t.sector, t.phase) for t in state.theories] == [("b", 12, 1), ("a", 12, 1)]
    assert isinstance(state.phase, Acting)


@pytest.mark.clause("X51", "X54")
def test_a_settled_sector_takes_no_theory() -> None:
    state = replace(phase("a"), settled={"3": "C"})
    state = play(state, "a: theories 1")
    assert refused(state, "a: submit 3 comet") == ("X51",)
    assert "3" not in {choice.word for choice in GAME.choices(state, "a", ("submit",))}


@pytest.mark.clause("X52")
def test_one_token_a_sector_and_never_the_same_again() -> None:
    state = replace(play(phase("a"), "a: theories 1", "a: submit 5 gas"), phase=Pledging())
    state = play(state, "a: theories 1")
    assert refused(state, "a: submit 5 comet") == ("X52",)
    freed = replace(state, theories=())
    assert refused(freed, "a: submit 5 gas") == ("X52",)
    assert refused(freed, "a: submit 5 comet") == ()
    assert "gas" not in {choice.word for choice in GAME.choices(freed, "a", ("submit", "5"))}


@pytest.mark.clause("X10")
def test_tokens_are_spent_for_good() -> None:
    state = play(phase("a"), "a: theories 1", "a: submit 8 dwarf")
    assert player_of(state, "a").tokens["D"] == 0
    state = play(replace(state, phase=Pledging()), "a: theories 1")
    assert refused(state, "a: submit 9 dwarf") == ("X10",)
    assert refused(state, "a: submit 9 empty") == ("X10",)
    assert refused(state, "a: submit 9 planet") == ("X10",)


@pytest.mark.clause("X10", "X50")
def test_nobody_announces_more_than_can_be_placed() -> None:
    state = phase("a", mode="expert")
    bare = with_player(state, replace(player_of(state, "a"), tokens={"A": 1, "C": 0, "D": 0, "G": 0}))
    assert refused(bare, "a: theories 2") == ("X51",)
    assert refused(bare, "a: theories 1") == ()
    none = with_player(state, replace(player_of(state, "a"), tokens=dict.fromkeys("ACDG", 0)))
    assert [choice.word for choice in GAME.choices(none, "a")] == ["pass"]


@pytest.mark.clause("X10", "X51")
def test_who_can_place_no_more_is_not_asked_again() -> None:
    state = play(phase("a", mode="expert"), "a: theories 2")
    tried = tuple((sector, "A") for sector in range(3, 19))
    player = replace(player_of(state, "a"), tokens={"A": 3, "C": 0, "D": 0, "G": 0}, tried=tried)
    state = play(with_player(state, player), "a: submit 1 asteroid")
    assert GAME.actors(state) == {"a"}
    state = play(state, "a: submit 2 asteroid")
    assert isinstance(state.phase, Acting)


@pytest.mark.clause("X53")
def test_a_theory_is_reviewed_in_its_third_phase() -> None:
    state = play(phase("a", years=0), "a: theories 1", "a: submit 3 comet")
    assert [theory.age for theory in state.theories] == [1]
    state, _ = review(replace(state, phase=Placing(())))
    assert [theory.age for theory in state.theories] == [2]
    assert state.settled == {}
    state, events = review(replace(state, phase=Placing(())))
    assert state.settled == {"3": "C"}
    assert told(events, None) == ("Review: A is right, sector 3: comet.",)
    for seat in ("a", None):
        assert "Review: Sector 3 is: comet." in {str(panel.text) for panel in lines(state, seat)}
    sooner = replace(state, settled={}, setting=replace(state.setting, review_phase=1))
    sooner = placed(sooner, Theory("a", 3, "C", 1))
    assert review(sooner)[0].settled == {"3": "C"}


@pytest.mark.clause("X54")
def test_a_right_theory_settles_its_sector_and_exposes_all_there() -> None:
    theories = (
        Theory("a", 3, "C", 1, age=2),
        Theory("b", 3, "G", 2, age=1),
        Theory("c", 3, "C", 3, age=0),
        Theory("b", 9, "G", 2, age=1),
    )
    state, events = review(placed(phase("abc"), *theories))
    assert [(t.owner, t.sector, t.shown) for t in state.theories] == [("a", 3, True), ("c", 3, True), ("b", 9, False)]
    assert (pawn(state, "a"), pawn(state, "b"), pawn(state, "c")) == (4, 5, 4)
    assert told(events, None) == (
        "Review: A is right, sector 3: comet.",
        "Review: B is wrong, sector 3: gas cloud.",
        "Review: C is right, sector 3: comet.",
        "B advances by 1 for being wrong.",
    )
    view = GAME.view(state, None).facts
    assert view["settled"] == {"3": "C"}


@pytest.mark.clause("X55")
def test_a_wrong_theory_goes_alone() -> None:
    theories = (Theory("a", 3, "A", 1, age=2), Theory("b", 3, "C", 2, age=1))
    state, events = review(placed(phase("ab"), *theories))
    assert [(t.owner, t.age, t.shown) for t in state.theories] == [("b", 2, False)]
    assert (pawn(state, "a"), pawn(state, "b")) == (5, 4)
    assert told(events, None)[0] == "Review: A is wrong, sector 3: asteroid."
    assert state.settled == {}


@pytest.mark.clause("X54")
def test_simultaneous_theories_are_reviewed_together_whatever_their_order() -> None:
    right, wrong = Theory("a", 3, "C", 1, age=2), Theory("b", 3, "G", 1, age=2)
    for theories in ((right, wrong), (wrong, right)):
        state, events = review(placed(phase("ab"), *theories))
        assert [t.owner for t in state.theories] == ["a"]
        assert pawn(state, "b") == 5
        assert sum("B is wrong" in line for line in told(events, None)) == 1


@pytest.mark.clause("X56")
def test_penalties_keep_the_order_of_the_pawns() -> None:
    wrong = tuple(Theory(seat, 3, "A", 1, age=2) for seat in "abc")
    state, _ = review(placed(at(phase("abc"), b=4, c=4, a=4), *wrong))
    assert [player.seat for player in in_order(state)] == ["b", "c", "a"]
    assert [player.time for player in in_order(state)] == [5, 5, 5]
    twice = (Theory("b", 3, "A", 1, age=2), Theory("b", 5, "C", 1, age=2), Theory("c", 3, "A", 1, age=2))
    state, _ = review(placed(at(phase("bc"), b=4, c=5), *twice))
    assert [player.seat for player in in_order(state)] == ["b", "c"]


@pytest.mark.clause("X56", "X23")
def test_earth_follows_the_last_pawn_after_penalties() -> None:
    state = at(start("a"), a=2)
    state = replace(state, theories=(Theory("a", 8, "A", 1, age=2),), theory_phase=1)
    state = play(state, "a: target 4", "a: pass")
    assert isinstance(state.phase, Pledging)
    assert (pawn(state, "a"), state.arrow, state.theory_phase) == (7, 6, 3)


@pytest.mark.clause("X57")
def test_only_the_owner_sees_the_face_of_a_token() -> None:
    one = play(phase("ab"), "a: theories 1", "b: pass", "a: submit 3 comet")
    other = play(phase("ab"), "a: theories 1", "b: pass", "a: submit 3 gas")
    assert GAME.view(one, "b") == GAME.view(other, "b")
    assert GAME.view(one, None) == GAME.view(other, None)
    assert "'kind': 'C'" in str(GAME.view(one, "a").facts["own"])
    assert GAME.view(one, None).facts["theories"][0]["kind"] is None  # type: ignore[index, call-overload]  # Json
    shown = review(placed(one, Theory("a", 3, "C", 1, age=2)))[0]
    assert GAME.view(shown, "b").facts["theories"][0]["kind"] == "C"  # type: ignore[index, call-overload]  # Json
