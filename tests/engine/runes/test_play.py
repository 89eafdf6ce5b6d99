"""The play phase: laying, the sequence of four, revealing (R12-R24, R41-R43)."""

from __future__ import annotations

import pytest

from engine.runes.casting import Casting
from engine.runes.laying import Laying
from engine.runes.match import wizard_at
from tests.engine.runes.tables import play, refused, say, start, words_of
from tests.engine.runes.turns import GAME, Start, run, turn_from

FULL = ("ace-of-suns", "origin", "sailor", "discovery")


@pytest.mark.clause("R12")
def test_the_new_card_lies_at_the_right_end() -> None:
    result = run(
        turn_from({"a": Start(sequence=("origin",)), "b": Start()}), [("a", "reveal mill"), ("b", "reveal sea")]
    )
    assert result.sequences == {"a": ("origin", "mill"), "b": ("sea",)}


@pytest.mark.clause("R13")
@pytest.mark.clause("R14")
def test_all_cards_give_energy_and_only_the_new_one_activates() -> None:
    state = turn_from({"a": Start(sequence=("desert", "ace-of-suns")), "b": Start()})
    state = run(state, [("a", "reveal forest"), ("b", "reveal sea")]).state
    assert wizard_at(state, "b").life == 12
    state = turn_from({"a": Start(sequence=("desert", "ace-of-suns")), "b": Start()})
    state = play(state, "a: lay", "b: lay", "a: reveal mountain", "b: reveal sea")
    cards = words_of(state, "a", "cast", "cold-ward")
    assert "desert+ace-of-suns+mountain" in cards
    assert refused(state, "a: cast fireball b mountain") == ("R14", "R25")
    assert refused(state, "a: cast cold-ward sailor") == ("R13",)


@pytest.mark.clause("R15")
def test_a_rune_powers_one_spell_a_turn() -> None:
    state = turn_from({"a": Start(sequence=("ace-of-leaves", "end")), "b": Start()})
    lines = [
        ("a", "reveal rite"),
        ("b", "reveal sea"),
        ("a", "cast heal end+rite"),
        ("a", "cast drain b end"),
    ]
    result = run(state, lines)
    assert result.refused == 3
    lines[3] = ("a", "cast drain b ace-of-leaves")
    result = run(state, lines)
    assert result.refused is None
    assert result.lives == {"a": 12, "b": 11}


@pytest.mark.clause("R15")
def test_reusing_a_rune_is_refused_by_its_clause() -> None:
    state = turn_from({"a": Start(sequence=("end",)), "b": Start()})
    state = play(state, "a: lay", "b: lay", "a: reveal rite", "b: reveal sea", "a: cast heal end", "b: pass")
    assert isinstance(state.phase, Casting)
    assert refused(state, "a: cast drain b end") == ("R15",)
    assert refused(state, "a: cast drain b rite") == ()


@pytest.mark.clause("R16")
@pytest.mark.clause("R19")
def test_any_amount_of_energy_and_no_duty_to_cast() -> None:
    state = turn_from({"a": Start(sequence=("origin", "forest")), "b": Start()})
    state = play(state, "a: lay", "b: lay", "a: reveal harvest", "b: reveal sea")
    assert words_of(state, "a", "cast", "heal") == [
        "origin+forest+harvest",
        "origin+forest",
        "origin+harvest",
        "forest+harvest",
        "origin",
        "forest",
        "harvest",
    ]
    assert "shield" in words_of(state, "a", "cast")
    assert refused(state, "a: pass") == ()


@pytest.mark.clause("R17")
def test_energy_comes_back_every_turn() -> None:
    state = turn_from({"a": Start(sequence=("ace-of-suns",)), "b": Start()})
    state = play(state, "a: lay", "b: lay", "a: reveal calamity", "b: reveal sea")
    state = play(state, "a: cast fireball b ace-of-suns", "b: pass", "a: pass", "b: pass", "a: draw", "b: draw")
    assert state.turn == 2
    state = play(state, "a: lay", "b: lay", "a: reveal ace-of-wyrms", "b: reveal end")
    state, _ = say(state, "a: cast fireball b ace-of-suns")
    assert wizard_at(play(state, "b: pass"), "b").life == 10


@pytest.mark.clause("R18")
@pytest.mark.clause("R22")
def test_a_fifth_card_pushes_the_oldest_out() -> None:
    state = turn_from({"a": Start(sequence=FULL), "b": Start()})
    state = play(state, "a: lay")
    assert state.discards == ("ace-of-suns",)
    assert len(wizard_at(state, "a").sequence) == 3
    state = play(state, "b: lay", "a: reveal mill")
    assert [q.card for q in wizard_at(state, "a").sequence] == ["origin", "sailor", "discovery", "mill"]


@pytest.mark.clause("R20")
@pytest.mark.parametrize(
    ("line", "clauses"),
    [
        ("a: cast heal ace-of-suns", ("R20",)),
        ("a: cast heal", ("R20",)),
        ("a: cast shield origin", ("R20",)),
        ("a: cast heal origin+ace-of-suns", ("R20",)),
        ("a: cast heal origin", ()),
        ("a: cast shield", ()),
    ],
)
def test_a_spell_uses_energy_of_its_own_suit(line: str, clauses: tuple[str, ...]) -> None:
    state = turn_from({"a": Start(sequence=("ace-of-suns", "origin")), "b": Start()})
    state = play(state, "a: lay", "b: lay", "a: reveal huntress", "b: reveal sea")
    assert refused(state, line) == clauses


@pytest.mark.clause("R21")
def test_all_lay_one_card_in_secret() -> None:
    state = start("abc")
    assert GAME.actors(state) == {"a", "b", "c"}
    state, events = say(state, "b: lay")
    assert "pass" not in words_of(state, "a")
    assert refused(state, "b: lay") == ("R21",)
    assert GAME.layout(state).zone("card-b").pieces[0].kind is None
    assert [str(event.text) for event in events] == ["B has laid a card."]
    assert refused(state, "a: reveal mountain") == ("R24",)


@pytest.mark.clause("R23")
def test_who_has_no_card_plays_none() -> None:
    state = turn_from({"a": Start(hand=0, sequence=("huntress",)), "b": Start()})
    assert GAME.actors(state) == {"b"}
    state = play(state, "b: lay", "b: reveal sea")
    assert not isinstance(state.phase, Casting)
    assert [q.card for q in wizard_at(state, "a").sequence] == ["huntress"]


@pytest.mark.clause("R24")
def test_a_card_can_be_revealed_that_lies_nowhere_else() -> None:
    state = play(turn_from({"a": Start(sequence=("mountain",)), "b": Start()}), "a: lay", "b: lay")
    assert refused(state, "a: reveal mountain") == ("R2",)
    assert refused(state, "b: reveal mountain") == ("R2",)
    assert refused(state, "a: reveal excuse") == ("R58",)
    state = play(state, "a: reveal forest")
    assert refused(state, "b: reveal forest") == ("R2",)
    assert refused(state, "a: reveal mill") == ("R24",)


@pytest.mark.clause("R41")
@pytest.mark.clause("R42")
def test_the_hasted_play_a_phase_of_their_own_first() -> None:
    state = turn_from({"a": Start(effects={"haste": (2, 3)}), "b": Start(), "c": Start()}, turn=2)
    assert state.extra
    assert GAME.actors(state) == {"a"}
    assert refused(state, "b: lay") == ("R42",)
    state = play(state, "a: lay", "a: reveal ace-of-wyrms", "a: cast jab c", "b: pass", "c: pass")
    assert wizard_at(state, "c").life == 11
    assert isinstance(state.phase, Laying)
    assert not state.extra
    assert GAME.actors(state) == {"a", "b", "c"}
    result = run(state, [("a", "reveal ace-of-moons"), ("b", "reveal ace-of-suns"), ("c", "reveal ace-of-waves")])
    assert result.sequences["a"] == ("ace-of-wyrms", "ace-of-moons")


@pytest.mark.clause("R42")
def test_two_hasted_share_the_extra_phase_and_others_may_counter_in_it() -> None:
    both = {"haste": (1, 1)}
    state = turn_from({"a": Start(effects=both), "b": Start(effects=both), "c": Start(sequence=("end",))})
    lines = [("a", "reveal savage"), ("b", "reveal darkness"), ("b", "cast jab c"), ("a", "cast drain c savage")]
    normal = [("a", "reveal sea"), ("b", "reveal mill"), ("c", "reveal origin")]
    result = run(state, [*lines, *normal])
    assert result.refused is None
    assert result.lives == {"a": 12, "b": 12, "c": 10}
    countered = run(state, [*lines, ("c", "counter c"), ("c", "pay soldier"), *normal])
    assert countered.refused is None
    assert countered.lives == {"a": 12, "b": 12, "c": 11}


@pytest.mark.clause("R43")
def test_energy_used_in_the_extra_phase_is_gone_for_the_turn() -> None:
    state = turn_from({"a": Start(sequence=("ace-of-suns",), effects={"haste": (1, 1)}), "b": Start()})
    lines = [("a", "reveal calamity"), ("a", "cast fireball b ace-of-suns"), ("a", "reveal ace-of-wyrms")]
    lines += [("b", "reveal sea"), ("a", "cast fireball b ace-of-suns")]
    assert run(state, lines).refused == 4
    assert run(state, [*lines[:4], ("a", "cast jab b")]).lives["b"] == 10
    again = turn_from(
        {"a": Start(sequence=("ace-of-suns",), effects={"haste": (1, 1)}), "b": Start()}, energy_reuse="phase"
    )
    assert run(again, lines).lives["b"] == 10
