"""What a hand can do wrongly, and which clause speaks against it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.game import Attempt
from engine.runes.match import State, pile
from engine.table import Face, Move, Piece, Spot
from referee_simulator.conformance.physics import faults
from tests.engine.runes.tables import EVIDENCE, play, start
from tests.engine.runes.turns import GAME, Start, run, turn_from

FULL = ("ace-of-suns", "origin", "sailor", "discovery")


def found(state: State, kind: str, by: str = "a") -> list[Attempt]:
    """Every attempt of a kind; all of them hold together."""
    every = list(GAME.attempts(state))
    before = GAME.layout(state)
    assert all(faults(before, attempt.trace) == () for attempt in every)
    assert {attempt.kind for attempt in every} <= set(EVIDENCE)
    assert all(attempt.what for attempt in every), "a refusal says what was done"
    return [attempt for attempt in every if attempt.kind == kind and attempt.by == by]


def clauses(attempts: list[Attempt]) -> set[str]:
    assert attempts
    return {breach.clause for attempt in attempts for breach in attempt.violations}


@pytest.mark.clause("R22")
def test_keeping_a_fifth_card() -> None:
    state = turn_from({"a": Start(sequence=FULL), "b": Start()})
    (kept,) = found(state, "fifth card kept")
    assert clauses([kept]) == {"R22"}
    assert len(kept.trace.layout.zone("sequence-a").pieces) == 4
    assert str(kept.what) == "A laid a card."
    others = found(state, "other card discarded")
    assert str(others[0].what) == "A discarded The Origin."
    assert [attempt.trace.layout.zone("discards").pieces[0].kind for attempt in others] == list(FULL[1:])
    legal = GAME.trace(state, "a", GAME.read(state, "a", ("lay",)))
    assert legal.layout.zone("discards").pieces == (Piece("ace-of-suns"),)
    assert legal.hands == frozenset()  # the spot tells whose card it is
    assert not legal.declared


@pytest.mark.clause("R42")
def test_laying_in_a_phase_of_the_hasted() -> None:
    state = turn_from({"a": Start(), "b": Start(effects={"haste": (1, 1)})})
    assert clauses(found(state, "laid out of turn")) == {"R42"}


@pytest.mark.clause("R24")
def test_turning_up_too_early_and_exchanging_afterwards() -> None:
    state = play(start("ab"), "a: lay")
    assert clauses(found(state, "revealed early")) == {"R24"}
    state = play(state, "b: lay", "a: reveal sea")
    exchanged = found(state, "card exchanged")
    assert clauses(exchanged) == {"R24"}
    assert not [a for a in exchanged if a.trace.layout.zone("sequence-a").pieces == (Piece("sea"),)]
    assert clauses(found(state, "second card")) == {"R12"}


@pytest.mark.clause("R57")
def test_drawing_what_is_not_due() -> None:
    state = run(start("ab"), [("a", "reveal sea"), ("b", "reveal mill")]).state
    assert not found(state, "drew too many", "a")
    assert clauses(found(state, "drew too many", "b")) == {"R58"}
    state = play(state, "a: draw", "b: draw")
    assert clauses(found(state, "drew too many")) == {"R57"}


@pytest.mark.clause("R5")
def test_turning_the_life_counter() -> None:
    moved = found(start("ab"), "life counter moved")
    assert clauses(moved) == {"R5"}
    assert len(moved) == 22
    assert not found(start("ab", life_counter="own"), "life counter moved")


@pytest.mark.clause("R45")
def test_turning_a_card_up_again_and_taking_one_back() -> None:
    state = turn_from({"a": Start(sequence=("-sea", "mill")), "b": Start()})
    (again,) = found(state, "turned up again")
    assert clauses([again]) == {"R45"}
    assert again.trace.turned == {Spot("sequence-a", 0)}
    assert clauses(found(state, "card taken back")) == {"R12"}


@pytest.mark.clause("R49")
@pytest.mark.clause("R50")
@pytest.mark.clause("R55")
def test_discarding_without_a_spell_and_taking_from_the_discards() -> None:
    state = start("ab")
    assert clauses(found(state, "discarded unasked")) == {"R49"}
    state = play(state, "a: counter b", "a: pay journey")
    assert clauses(found(state, "useless payment")) == {"R50"}
    assert clauses(found(state, "discard taken")) == {"R55"}


@pytest.mark.clause("R58")
def test_a_card_that_cannot_have_been_drawn() -> None:
    state = turn_from({"a": Start(sequence=("mountain", *FULL[1:])), "b": Start()})
    state = run(state, [("a", "reveal sea"), ("b", "reveal mill")]).state
    state = play(state, "a: draw", "b: excuse", "b: draw", "a: lay", "b: lay")
    (impossible,) = found(state, "impossible card", "a")
    assert impossible.words == ("reveal", "mountain")
    assert clauses([impossible]) == {"R58"}
    assert not found(state, "impossible card", "b")


@pytest.mark.clause("R5")
def test_an_order_that_changes_lives_can_be_carried_out_wrongly() -> None:
    state = turn_from({"a": Start(sequence=("end",)), "b": Start(life=9)})
    state = play(state, "a: lay", "b: lay", "a: reveal calamity", "b: reveal mill", "a: cast drain b end")
    done = GAME.trace(state, "b", GAME.read(state, "b", ("pass",)))
    assert done.declared
    assert done.moves == (Move(Spot("life-b", 8), Spot("life-b", 7)),)
    wrong = list(GAME.misexecutions(state, "b", GAME.read(state, "b", ("pass",))))
    assert {attempt.kind for attempt in wrong} == {"life counter misplaced"}
    assert {move.target.index for attempt in wrong for move in attempt.trace.moves if move.target} == {6}


def test_another_card_than_announced() -> None:
    state = play(start("ab"), "a: lay", "b: lay")
    wrong = list(GAME.misexecutions(state, "a", GAME.read(state, "a", ("reveal", "sea"))))
    assert "sea" not in {a.trace.layout.zone("sequence-a").pieces[-1].kind for a in wrong}
    assert {a.kind for a in wrong} == {"other card revealed"}
    state = play(start("ab"), "a: counter b")
    wrong = list(GAME.misexecutions(state, "a", GAME.read(state, "a", ("pay", "author"))))
    assert "author" not in {a.trace.layout.zone("discards").pieces[-1].kind for a in wrong}
    assert len(wrong) == 43


@pytest.mark.clause("R24")
def test_what_a_camera_sees_of_a_reveal() -> None:
    state = play(turn_from({"a": Start(sequence=("-sea",)), "b": Start()}), "a: lay", "b: lay")
    seen = GAME.trace(state, "a", GAME.read(state, "a", ("reveal", "mill")))
    assert seen.moves == (Move(Spot("card-a", 0), Spot("sequence-a", 1)),)
    assert seen.turned == {Spot("card-a", 0)}
    assert seen.layout.zone("sequence-a").pieces == (Piece(None, Face.DOWN), Piece("mill"))
    assert (seen.hands, seen.declared) == (frozenset(), False)


@pytest.mark.clause("R58")
@pytest.mark.clause("R59")
def test_what_a_camera_sees_of_draws_deaths_and_shuffles() -> None:
    state = turn_from({"a": Start(), "b": Start(life=1, sequence=("-sea",)), "c": Start()})
    state = play(state, "a: lay", "b: lay", "c: lay", "a: reveal calamity", "b: reveal mill", "c: reveal end")
    state = play(state, "a: cast jab b", "b: pass")
    seen = GAME.trace(state, "c", GAME.read(state, "c", ("pass",)))
    assert seen.layout.zone("discards").pieces == (Piece("mill"),)
    assert Spot("sequence-b", 0) in seen.turned
    assert Move(Spot("life-b", 0), None) in seen.moves
    state = run(play(state, "c: pass"), []).state
    seat = next(iter(GAME.actors(state)))
    drawn = GAME.trace(state, seat, GAME.read(state, seat, ("draw",)))
    assert drawn.moves == (Move(Spot("pile", 0), None),)
    assert not drawn.declared
    shuffled = GAME.trace(state, seat, GAME.read(state, seat, ("excuse",)))
    assert shuffled.moves == (Move(Spot("discards", 0), Spot("pile", 0)),)
    assert shuffled.layout.zone("discards").pieces == ()
    assert shuffled.declared


@pytest.mark.parametrize("left", [0, 1])
def test_a_card_from_a_hand_leaves_the_last_of_the_pile_alone(left: int) -> None:
    state = play(start("ab"), "a: lay", "b: lay", "a: reveal sea")
    state = replace(state, buried=(0,) * (pile(state) - left))
    shown = GAME.layout(state).zone("pile")
    assert len(shown.pieces) == left
    for attempt in (*found(state, "second card"), *found(state, "card exchanged"), *found(state, "card taken back")):
        assert attempt.trace.layout.zone("pile") == shown, attempt.kind
