"""Every ruling that the sources leave open is an option, and both of its values work."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from engine.catalogue import as_played_now
from engine.entry import Start as Begun
from engine.runes.casting import order_of_runes
from engine.runes.hands import DrawPhase
from engine.runes.laying import Laying
from engine.runes.match import wizard_at
from engine.runes.specials import Responding
from tests.engine.runes.tables import honest_match, play, refused, say, start, words_of
from tests.engine.runes.turns import GAME, SPEC, Start, facts, run, turn_from

RULES = Path(__file__).resolve().parents[3] / "docs" / "rules" / "runes.md"
HAND = [("a", "reveal huntress"), ("b", "reveal mill")]


def test_every_option_names_a_clause_of_the_rules() -> None:
    known = set(re.findall(r"^- (R\d+)", RULES.read_text(encoding="utf-8"), re.MULTILINE))
    assert {option.clause for option in SPEC.options} <= known
    assert all(len(option.values) > 1 for option in SPEC.options)


CHOSEN = [(o.name, value) for o in SPEC.options for value in o.values if value != o.default and "life_" not in o.name]


@pytest.mark.quick(2)
@pytest.mark.parametrize(("name", "value"), [c for c in CHOSEN if c[0] != "opponent" and "solo" not in c[0]])
def test_matches_end_under_every_option(name: str, value: str | bool) -> None:
    options: dict[str, Any] = {name: value}
    state, _ = honest_match("ab", 3, life_a=5, life_b=5, **options)
    assert GAME.outcome(state) is not None


@pytest.mark.parametrize(("name", "value"), [c for c in CHOSEN if "solo" in c[0]])
def test_solo_matches_end_under_every_option(name: str, value: str) -> None:
    options: dict[str, Any] = {name: value}
    state, _ = honest_match("a", 3, life_a=5, life_b=5, **options)
    assert GAME.outcome(state) is not None


@pytest.mark.clause("R5")
def test_life_counters_lie_on_the_mat_or_not() -> None:
    zones = [zone.zone for zone in GAME.layout(start("ab", life_counter="own")).zones]
    assert zones == ["card-a", "sequence-a", "card-b", "sequence-b", "pile", "discards"]
    track = GAME.layout(start("ab", life_b=3)).zone("life-b").pieces
    assert [number for number, piece in enumerate(track, 1) if piece is not None] == [3]


@pytest.mark.clause("R19")
def test_casting_may_be_required() -> None:
    state = play(turn_from({"a": Start(), "b": Start()}, casting="required"), "a: lay", "b: lay")
    state = play(state, "a: reveal huntress", "b: reveal mill")
    assert refused(state, "a: pass") == ("R19",)
    assert words_of(state, "a")[0] == "cast"
    assert "pass" not in words_of(state, "a")


@pytest.mark.clause("R19")
@pytest.mark.clause("R28")
@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({}, ["bard+ace-of-suns", "bard", "ace-of-suns"]),
        ({"energy": "all"}, ["bard+ace-of-suns"]),
        ({"energy_cards": "oldest"}, ["bard+ace-of-suns", "bard"]),
    ],
)
def test_how_much_energy_and_which(option: dict[str, Any], words: list[str]) -> None:
    state = turn_from({"a": Start(sequence=("bard", "ace-of-suns")), "b": Start()}, **option)
    state = play(state, "a: lay", "b: lay", "a: reveal huntress", "b: reveal mill")
    assert words_of(state, "a", "cast", "cold-ward") == words
    assert refused(state, "a: cast cold-ward ace-of-suns") == (() if "ace-of-suns" in words else ("R19",))


@pytest.mark.clause("R23")
def test_without_a_hand_the_newest_card_may_count_again() -> None:
    starts = {"a": Start(hand=0, sequence=("bard", "calamity")), "b": Start()}
    lines = [("b", "reveal mill"), ("a", "cast jab b")]
    assert run(turn_from(starts), lines).refused == 1
    assert run(turn_from(starts, empty_hand="newest"), lines).lives["b"] == 11


@pytest.mark.clause("R26")
def test_aces_may_be_highest() -> None:
    cards = ("a: lay", "b: lay", "a: reveal ace-of-moons", "b: reveal huntress")
    low = play(turn_from({"a": Start(), "b": Start()}), *cards)
    high = play(turn_from({"a": Start(), "b": Start()}, ace="high"), *cards)
    assert [slot.seats for slot in order_of_runes(low)] == [("b",), ("a",)]
    assert [slot.seats for slot in order_of_runes(high)] == [("a",), ("b",)]


@pytest.mark.clause("R33")
def test_wards_may_begin_to_count_next_turn_and_add_up() -> None:
    starts = {"a": Start(sequence=("bard",), effects={"cold-ward": (3, 6)}), "b": Start()}
    lines = [*HAND, ("a", "cast cold-ward bard")]
    assert run(turn_from(starts, turn=5), lines).effects["a"] == {"cold-ward": (3, 6)}
    assert run(turn_from(starts, turn=5, ward_stacking="add"), lines).effects["a"] == {"cold-ward": (3, 7)}
    fresh = {"a": Start(sequence=("bard",)), "b": Start()}
    assert run(turn_from(fresh, turn=5, wards="next-turn"), lines).effects["a"] == {"cold-ward": (5, 6)}


@pytest.mark.clause("R35")
def test_a_handicap_may_lower_the_most_life() -> None:
    lines = ("a: lay", "b: lay", "a: reveal harvest", "b: reveal sea", "a: cast heal harvest", "b: pass")
    assert wizard_at(play(start("ab", life_a=7), *lines), "a").life == 8
    assert wizard_at(play(start("ab", life_a=7, heal_cap="start"), *lines), "a").life == 7


@pytest.mark.clause("R39")
def test_drain_may_give_what_was_lost() -> None:
    starts = {"a": Start(life=5, sequence=("end", "ace-of-leaves")), "b": Start(life=1), "c": Start()}
    lines = [
        ("a", "reveal calamity"),
        ("b", "reveal sea"),
        ("c", "reveal mill"),
        ("a", "cast drain b end+ace-of-leaves"),
    ]
    assert run(turn_from(starts), lines).lives["a"] == 7
    assert run(turn_from(starts, drain_gain="lost"), lines).lives["a"] == 6


@pytest.mark.clause("R44")
def test_special_spells_may_be_hindered_by_invisibility() -> None:
    starts = {"a": Start(), "b": Start(effects={"invisible": (1, 1)})}
    assert "b" in words_of(turn_from(starts), "a", "counter")
    state = turn_from(starts, invisible_specials="hindered")
    assert words_of(state, "a", "counter") == ["a"]
    assert refused(state, "a: counter b") == ("R44",)
    assert words_of(state, "b", "counter") == ["a", "b"]


@pytest.mark.clause("R45")
def test_what_was_turned_down_may_come_back() -> None:
    starts = {"a": Start(sequence=("end",)), "b": Start()}
    lines = [("a", "reveal windfall"), ("b", "reveal mill"), ("a", "cast forgetfulness b end"), ("a", "forget mill")]
    assert run(turn_from(starts), lines).sequences["b"] == ("-mill",)
    assert run(turn_from(starts, forgetting="turn"), lines).sequences["b"] == ("mill",)


@pytest.mark.clause("R47")
def test_confusion_with_haste() -> None:
    starts = {"a": Start(effects={"confused": (1, 1), "haste": (1, 1)}), "b": Start()}
    both, normal = turn_from(starts), turn_from(starts, confusion_haste="normal")
    assert "confused" in str(GAME.view(both, "a").prompt)
    assert "confused" not in str(GAME.view(normal, "a").prompt)
    later = play(normal, "a: lay", "a: reveal sea")
    assert isinstance(later.phase, Laying)
    assert "confused" in str(GAME.view(later, "a").prompt)


@pytest.mark.clause("R51")
def test_counter_targets_and_the_last_window() -> None:
    assert words_of(start("ab", counter_target="others"), "a", "counter") == ["b"]
    assert words_of(start("ab"), "a", "counter") == ["a", "b"]
    lines = ("a: lay", "b: lay", "a: reveal sea", "b: reveal mill")
    assert GAME.actors(play(start("ab"), *lines)) == {"a", "b"}
    assert isinstance(play(start("ab", end_window=False), *lines).phase, DrawPhase)


@pytest.mark.clause("R61")
def test_confusion_of_a_hasted_opponent() -> None:
    state, events = say(start("a"), "a: lay")
    assert [str(event.text) for event in events] == ["A has laid a card."]
    assert refused(state, "a: keep") == ("R61",)


THREE = {"a": Start(life=9, sequence=("end",)), "b": Start(life=9), "c": Start(life=9)}
LAID = ("a: lay", "b: lay", "c: lay", "a: reveal ace-of-wyrms", "b: reveal sea", "c: reveal mill")


@pytest.mark.clause("R32")
def test_spells_may_all_be_chosen_at_the_reveal() -> None:
    starts = {"a": Start(life=9, sequence=("end",)), "b": Start(life=9)}
    shown = ("a: lay", "b: lay", "a: reveal watchman", "b: reveal ace-of-suns")
    state = play(turn_from(starts, decision="at-reveal"), *shown)
    assert GAME.actors(state) == {"a"}
    state = play(state, "a: cast heal end")
    assert refused(state, "a: cast drain b end") == ("R15",)
    state = play(state, "a: cast jab b")
    assert facts(state, "a")["own"] == {
        "moons": "A's Heal is announced, with The End.",
        "wyrms": "A's Jab at B is announced.",
    }
    assert "own" not in facts(state, "b")
    assert refused(state, "b: pass") == ("R32",)
    state = play(state, "a: pass")
    assert facts(state, "b")["spells"][0]["spell"] == "heal"
    assert run(state, []).lives == {"a": 10, "b": 8}
    in_order = play(turn_from(starts), *shown, "a: pass")
    assert refused(in_order, "a: cast jab b") == ()


@pytest.mark.clause("R32")
def test_what_was_chosen_at_the_reveal_and_cannot_be_cast_any_more_is_lost() -> None:
    starts = {"a": Start(sequence=("end",)), "b": Start()}
    lines = [
        ("a", "reveal windfall"),
        ("b", "reveal market"),
        ("a", "cast forgetfulness b end"),
        ("b", "cast confusion a"),
        ("a", "forget market"),
    ]
    result = run(turn_from(starts, decision="at-reveal"), lines)
    assert result.refused is None
    assert (result.effects["a"], result.sequences["b"]) == ({}, ("-market",))
    kept = [*lines[:4], ("a", "forget none")]
    assert run(turn_from(starts, decision="at-reveal"), kept).effects["a"] == {"confused": (2, 2)}


@pytest.mark.clause("R50")
def test_more_cards_may_be_paid_than_add_a_rune() -> None:
    lines = (*LAID, "a: cast drain b end", "b: counter b", "b: pay author")
    assert wizard_at(play(turn_from(THREE, payment="new-runes"), *lines), "b").effects["countered"].last == 1
    state = play(turn_from(THREE), *lines)
    assert wizard_at(state, "b").effects == {}
    assert words_of(state, "b") == ["enough", "pay", "withdraw"]
    assert wizard_at(play(state, "b: enough"), "b").held == 3
    paid = play(state, "b: pay consul")
    assert (wizard_at(paid, "b").held, wizard_at(paid, "b").effects["countered"].last) == (2, 1)


@pytest.mark.clause("R50")
@pytest.mark.parametrize(
    ("spell", "cards"), [("mirror a", ("author", "consul", "soldier")), ("counter b", ("author", "battle"))]
)
def test_each_card_may_stand_for_a_rune_though_all_are_there_without_it(spell: str, cards: tuple[str, ...]) -> None:
    for order in permutations(cards):
        state = play(turn_from(THREE), *LAID, "a: cast drain b end", f"b: {spell}", *(f"b: pay {c}" for c in order))
        assert isinstance(state.phase, Responding)
        assert wizard_at(state, "b").held == 4 - len(cards)
        seen = [a for a in GAME.attempts(state) if a.kind == "useless payment"]
        assert seen == []


@pytest.mark.clause("R50")
def test_a_card_that_no_longer_gives_a_rune_of_its_own_is_a_useless_payment() -> None:
    state = play(turn_from(THREE), *LAID, "a: cast drain b end", "b: counter b", "b: pay author")
    useless = {a.words[-1] for a in GAME.attempts(state) if a.kind == "useless payment"}
    assert "ace-of-suns" in useless
    assert not useless & {"battle", "consul", "ace-of-knots"}


@pytest.mark.clause("R50")
def test_every_card_must_stand_for_a_rune_of_its_own() -> None:
    state = play(turn_from(THREE), *LAID, "a: cast drain b end", "b: mirror a", "b: pay journey")
    assert refused(state, "b: enough") == ("R50",)
    assert words_of(state, "b") == ["pay", "withdraw"]
    assert refused(state, "b: pay forest") == ("R50",)
    state = play(state, "b: pay consul")
    assert refused(state, "b: pay author") == ("R50",)
    assert refused(state, "b: pay market") == ("R50",)
    assert isinstance(play(state, "b: pay soldier").phase, Responding)


def test_a_match_that_is_older_than_the_option_keeps_what_it_was_played_with() -> None:
    options = {option.name: option.default for option in SPEC.options if option.name != "payment"}
    assert as_played_now(SPEC, Begun(0.0, "runes", options, ("a", "b"), 1), "").options["payment"] == "new-runes"
    chosen = {**options, "payment": "counted"}
    assert as_played_now(SPEC, Begun(0.0, "runes", chosen, ("a", "b"), 1), "").options["payment"] == "counted"


@pytest.mark.clause("R51")
def test_a_counter_spell_may_be_voiced_at_any_time() -> None:
    asked, always = (play(turn_from(THREE, counter_times=each), "a: lay") for each in ("asked", "always"))
    assert refused(asked, "a: counter c") == ("R51",)
    assert words_of(always, "a") == ["counter"]
    assert refused(always, "a: lay") == ("R21",)
    assert refused(always, "a: pass") == ("R19",)
    countered = play(always, "a: counter c", "a: pay author", "a: enough")
    assert wizard_at(countered, "c").effects["countered"].last == 1
    assert facts(countered, None)["asked"] == ("b", "c")
    for times, clauses in (("asked", ("R51",)), ("always", ())):
        casting = play(turn_from(THREE, counter_times=times), *LAID)
        assert refused(casting, "b: counter c") == clauses
    assert GAME.actors(play(turn_from(THREE, counter_times="always"), "a: lay", "b: lay", "c: lay")) == {"a", "b", "c"}


@pytest.mark.clause("R53")
def test_a_mirror_at_a_spell_at_oneself_changes_nothing() -> None:
    lines = ("a: lay", "b: lay", "c: lay", "a: reveal huntress", "b: reveal sea", "c: reveal mill", "a: cast heal end")
    assert refused(play(turn_from(THREE), *lines), "b: mirror a") == ("R53",)
    state = play(turn_from(THREE, mirror_self="allowed"), *lines, "b: mirror a", "b: pay watchman", "b: enough")
    assert wizard_at(state, "b").held == 3
    assert run(state, []).lives == {"a": 10, "b": 9, "c": 9}


@pytest.mark.clause("R59")
@pytest.mark.parametrize(("dead_spells", "life"), [("lost", 9), ("resolve", 8)])
def test_announced_spells_of_the_dead(dead_spells: str, life: int) -> None:
    starts = {"a": Start(life=9), "b": Start(life=1), "c": Start(life=9)}
    lines = [
        ("a", "reveal rite"),
        ("b", "reveal island"),
        ("c", "reveal sea"),
        ("a", "cast shield"),
        ("a", "cast jab b"),
        ("b", "cast jab c"),
    ]
    result = run(turn_from(starts, resolution="in-turn", dead_spells=dead_spells), lines)
    assert (result.refused, result.alive["b"], result.lives["c"]) == (None, False, life)


@pytest.mark.clause("R59")
def test_the_dead_turn_nothing_down() -> None:
    starts = {"a": Start(sequence=("end",)), "b": Start(), "c": Start()}
    lines = ("a: lay", "b: lay", "c: lay", "a: reveal windfall", "b: reveal sea", "c: reveal mill")
    state = play(turn_from(starts, dead_spells="resolve"), *lines, "a: cast forgetfulness b end")
    state = GAME.resign(state, "a")[0]
    result = run(state, [])
    assert (result.alive["a"], result.sequences["b"]) == (False, ("sea",))
