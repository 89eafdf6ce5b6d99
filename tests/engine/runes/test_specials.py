"""Counter Spell and Magic Mirror (R49-R55)."""

from __future__ import annotations

import pytest

from engine.runes.match import wizard_at
from engine.runes.specials import Paying, Responding
from tests.engine.runes.tables import play, refused, say, words_of
from tests.engine.runes.turns import GAME, Start, run, turn_from

JAB = ("a: lay", "b: lay", "c: lay", "a: reveal ace-of-wyrms", "b: reveal sea", "c: reveal mill", "a: cast jab b")
DRAIN = (*JAB[:-1], "a: cast drain b end")
THREE = {"a": Start(life=9, sequence=("end",)), "b": Start(life=9), "c": Start(life=9)}


@pytest.mark.clause("R49")
@pytest.mark.clause("R55")
def test_special_spells_are_paid_from_the_hand() -> None:
    state = play(turn_from(THREE), *DRAIN, "b: counter b")
    assert isinstance(state.phase, Paying)
    assert refused(state, "b: pay end") == ("R2",)
    state = play(state, "b: pay soldier", "b: enough")
    assert state.discards == ("soldier",)
    assert wizard_at(state, "b").held == 3
    result = run(state, [])
    assert result.lives == {"a": 9, "b": 9, "c": 9}
    assert result.hands["b"] == 3


@pytest.mark.clause("R50")
@pytest.mark.parametrize("card", ["watchman", "author", "battle", "soldier", "betrayal", "consul", "rite"])
def test_one_card_can_pay_for_a_counter_spell(card: str) -> None:
    state = play(turn_from(THREE), *DRAIN, "b: counter b", f"b: pay {card}", "b: enough")
    assert wizard_at(state, "b").effects["countered"].last == 1


@pytest.mark.clause("R50")
def test_cards_are_paid_until_the_runes_show() -> None:
    state = play(turn_from(THREE), *DRAIN, "b: mirror a")
    assert refused(state, "b: pay ace-of-suns") == ("R50",)
    state = play(state, "b: pay journey")
    assert refused(state, "b: pay forest") == ("R50",)
    assert refused(state, "b: pay savage") == ()
    state = play(state, "b: pay savage")
    assert isinstance(state.phase, Paying)
    state = play(state, "b: pay market")
    assert isinstance(state.phase, Responding)
    assert state.phase.spells[0].caster == "b"
    assert wizard_at(state, "b").held == 1


@pytest.mark.clause("R50")
def test_a_single_card_must_show_all_that_is_needed() -> None:
    state = turn_from({**THREE, "b": Start(hand=2)})
    state = play(state, *DRAIN, "b: counter b")
    assert set(words_of(state, "b", "pay")) == {"watchman", "author", "battle", "soldier", "betrayal", "consul", "rite"}
    state = play(turn_from({**THREE, "b": Start(hand=2)}), *DRAIN, "b: mirror a")
    assert words_of(state, "b", "pay") == ["watchman"]
    without = turn_from({**THREE, "b": Start(hand=2, sequence=("watchman",))})
    assert "mirror" not in words_of(play(without, *DRAIN), "b")
    assert refused(play(without, *DRAIN), "b: mirror a") == ("R50",)


@pytest.mark.clause("R49")
def test_what_was_paid_for_a_spell_taken_back_is_lost() -> None:
    state = play(turn_from(THREE), *DRAIN, "b: mirror a", "b: pay journey", "b: withdraw")
    assert isinstance(state.phase, Responding)
    assert state.discards == ("journey",)
    assert wizard_at(state, "b").held == 3


@pytest.mark.clause("R51")
def test_a_counter_spell_can_be_cast_while_cards_are_chosen() -> None:
    state = play(turn_from(THREE), "a: counter b", "a: pay author", "a: enough")
    assert GAME.actors(state) == {"a", "b", "c"}
    assert wizard_at(state, "a").held == 4
    assert (
        run(
            state, [("a", "reveal ace-of-wyrms"), ("b", "reveal sea"), ("c", "reveal mill"), ("a", "cast drain b end")]
        ).lives["b"]
        == 9
    )


@pytest.mark.clause("R51")
def test_a_counter_spell_while_a_spell_is_announced_and_before_the_end() -> None:
    state = play(turn_from(THREE), *JAB[:-1])
    assert refused(state, "a: counter c") == ()
    state = play(state, "a: pass")
    assert GAME.actors(state) == {"a", "b", "c"}
    assert refused(state, "b: counter c") == ()
    state = play(state, "c: counter a", "c: pay soldier", "c: enough", "a: pass", "b: pass", "c: pass")
    assert wizard_at(state, "c").held == 3


@pytest.mark.clause("R51")
def test_wishes_count_in_the_order_in_which_they_come_and_all_are_asked_again() -> None:
    state = play(turn_from(THREE), *DRAIN)
    assert GAME.actors(state) == {"b", "c"}
    state = play(state, "c: pass", "b: mirror a", "b: pay watchman", "b: enough")
    assert GAME.actors(state) == {"a", "b", "c"}
    state = play(state, "a: counter a", "a: pay soldier", "a: enough")
    assert GAME.actors(state) == {"a", "b", "c"}
    assert run(state, []).lives == {"a": 9, "b": 9, "c": 9}


@pytest.mark.clause("R51")
@pytest.mark.parametrize(("spell", "lives"), [("jab b", 8), ("drain b end", 9)])
def test_physical_damage_passes_a_counter_spell(spell: str, lives: int) -> None:
    state = play(turn_from(THREE), *JAB[:-1], f"a: cast {spell}", "b: counter b", "b: pay soldier", "b: enough")
    assert run(state, []).lives["b"] == lives


@pytest.mark.clause("R51")
def test_a_counter_spell_stops_what_its_target_casts_on_itself() -> None:
    lines = [
        ("a", "reveal huntress"),
        ("b", "reveal sea"),
        ("a", "cast heal end"),
        ("b", "counter a"),
        ("b", "pay rite"),
    ]
    starts = {"a": Start(life=9, sequence=("end",)), "b": Start()}
    assert run(turn_from(starts), lines).lives["a"] == 9
    assert run(turn_from(starts), lines[:3]).lives["a"] == 10


@pytest.mark.clause("R52")
def test_running_effects_go_on_and_a_countered_drain_gives_nothing() -> None:
    starts = {"a": Start(life=9, sequence=("end",), effects={"countered": (1, 1), "heat-ward": (1, 1)}), "b": Start()}
    lines = [("a", "reveal ace-of-wyrms"), ("b", "reveal desert"), ("b", "cast fireball a desert")]
    assert run(turn_from(starts), lines).lives["a"] == 9
    assert run(turn_from(starts, counter_running="suspended"), lines).lives["a"] == 8
    drain = [*lines[:2], ("a", "cast drain b end")]
    assert run(turn_from(starts), drain).lives == {"a": 9, "b": 11}
    assert run(turn_from(starts, drain_countered="gain"), drain).lives == {"a": 10, "b": 11}


@pytest.mark.clause("R53")
def test_anybody_may_mirror_and_the_first_caster_mirrors_back() -> None:
    state = play(turn_from(THREE), *DRAIN, "c: mirror a", "c: pay watchman", "c: enough")
    assert run(state, []).lives == {"a": 8, "b": 10, "c": 9}
    lines = [("a", "mirror a"), ("a", "pay rite"), ("a", "pay windfall")]
    assert run(state, lines).lives == {"a": 10, "b": 8, "c": 9}
    only = play(turn_from(THREE, mirror_user="target"), *DRAIN)
    assert refused(only, "c: mirror a") == ("R53",)
    assert refused(only, "b: mirror a") == ()


@pytest.mark.clause("R53")
def test_what_aims_at_its_caster_cannot_be_mirrored() -> None:
    state = play(turn_from(THREE), *JAB[:3], "a: reveal huntress", "b: reveal sea", "c: reveal mill", "a: cast shield")
    assert "mirror" not in words_of(state, "b")
    assert refused(state, "b: mirror a") == ("R53",)


@pytest.mark.clause("R53")
def test_the_invisible_can_be_hit_by_what_comes_back() -> None:
    starts = {**THREE, "a": Start(life=9, sequence=("end",), effects={"invisible": (1, 1)})}
    state = play(turn_from(starts), *DRAIN, "b: mirror a", "b: pay watchman", "b: enough")
    assert run(state, []).lives["a"] == 8
    hindered = play(turn_from(starts, mirror_invisible="hindered"), *DRAIN)
    assert refused(hindered, "b: mirror a") == ("R53",)


@pytest.mark.clause("R54")
def test_a_mirror_works_for_the_countered_and_against_physical_spells() -> None:
    starts = {**THREE, "b": Start(life=9, effects={"countered": (1, 1)})}
    state = play(turn_from(starts), *JAB, "b: mirror a", "b: pay watchman", "b: enough")
    assert run(state, []).lives == {"a": 8, "b": 9, "c": 9}
    assert refused(play(turn_from(starts, mirror_countered="fails"), *JAB), "b: mirror a") == ("R54",)


@pytest.mark.clause("R54")
def test_a_counter_spell_in_answer_stops_what_is_not_physical_alone() -> None:
    answer = ("b: mirror a", "b: pay watchman", "b: enough", "a: counter a", "a: pay author", "a: enough")
    assert run(play(turn_from(THREE), *DRAIN, *answer), []).lives == {"a": 9, "b": 9, "c": 9}
    assert run(play(turn_from(THREE), *JAB, *answer), []).lives == {"a": 8, "b": 9, "c": 9}


@pytest.mark.clause("R51")
def test_whoever_has_no_card_left_is_not_asked() -> None:
    state = play(turn_from({**THREE, "b": Start(hand=1)}), *DRAIN)
    assert GAME.actors(state) == {"c"}
    _, events = say(state, "c: pass")
    assert "A's Drain at B: 1 lost, 1 gained." in [str(event.text) for event in events]
