"""Options where they meet: two at once, in the extra phase, or against the automatic opponent."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.runes.casting import Casting, order_of_runes
from engine.runes.match import Queued, Span, with_wizard, wizard_at
from tests.engine.runes.tables import play, words_of
from tests.engine.runes.turns import Start, facts, run, turn_from


@pytest.mark.clause("R33")
def test_wards_that_add_up_count_this_turn_once() -> None:
    starts = {"a": Start(sequence=("bard",), effects={"cold-ward": (5, 6)}), "b": Start()}
    lines = [("a", "reveal huntress"), ("b", "reveal mill"), ("a", "cast cold-ward bard")]
    on_top = turn_from(starts, turn=5, ward_stacking="add", wards="next-turn")
    assert run(on_top, lines).effects["a"] == {"cold-ward": (5, 7)}


@pytest.mark.clause("R41")
def test_a_haste_that_counts_for_nothing_is_said_to_have_no_effect() -> None:
    starts = {"a": Start(sequence=("bard", "ace-of-suns"), effects={"haste": (6, 6)}), "b": Start()}
    lines = [("a", "reveal windfall"), ("b", "reveal mill"), ("a", "cast haste a bard+ace-of-suns")]
    result = run(turn_from(starts, turn=5, haste_stacking="ignored"), lines)
    assert result.effects["a"] == {"haste": (6, 6)}
    assert str(result.state.story[-1]) == "A's Haste: no effect (Haste)."


@pytest.mark.clause("R42")
def test_an_old_card_does_not_count_again_in_the_extra_phase_of_others() -> None:
    starts = {"a": Start(effects={"haste": (1, 1)}), "b": Start(hand=0, sequence=("calamity",))}
    state = play(turn_from(starts, empty_hand="newest"), "a: lay", "a: reveal castle")
    assert state.extra
    assert [slot.seats for slot in order_of_runes(state)] == [("a",)]
    state = play(state, "a: pass", "a: lay", "a: reveal sea")
    assert [slot.seats for slot in order_of_runes(state)] == [("b",)]


@pytest.mark.clause("R30")
@pytest.mark.clause("R60")
def test_the_automatic_opponent_announces_in_its_order_too() -> None:
    state = play(turn_from({"a": Start()}, simultaneous="open"), "a: lay", "a: turn consul", "a: reveal rite")
    assert isinstance(state.phase, Casting)
    assert facts(state, None)["spells"] == ()
    assert [spell["by"] for spell in facts(play(state, "a: cast shield"), None)["spells"]] == ["a", "b"]


@pytest.mark.clause("R47")
@pytest.mark.clause("R60")
def test_who_has_no_hand_draws_no_card_of_a_confused_player() -> None:
    state = turn_from({"a": Start(effects={"confused": (1, 1)})}, confusion_pick="neighbour")
    assert "from the left" in facts(state, None)["wizards"]["a"]["lot"]
    assert words_of(state, "a")[0] == "lay"


@pytest.mark.clause("R19")
@pytest.mark.clause("R63")
@pytest.mark.parametrize(
    ("card", "effects", "spell"),
    [
        ("huntress", {"shield": (1, 1)}, "shield"),
        ("calamity", {"shield": (1, 1), "heat-ward": (1, 1)}, "jab"),
        ("windfall", {"shield": (1, 1)}, "confusion"),
        ("windfall", {"invisible": (1, 1)}, "haste"),
    ],
)
def test_the_automatic_opponent_casts_if_casting_is_required(
    card: str, effects: dict[str, tuple[int, int]], spell: str
) -> None:
    state = turn_from({"a": Start(effects=effects)}, casting="required")
    machine = replace(
        wizard_at(state, "b"),
        sequence=(Queued("bard"),),
        effects={"shield": Span(1, 1), "haste": Span(1, 9), "cold-ward": Span(1, 9)},
    )
    state = play(with_wizard(state, machine), "a: lay", f"a: turn {card}", "a: reveal sea")
    assert [(each["by"], each["spell"]) for each in facts(state, None)["spells"]] == [("b", spell)]


@pytest.mark.clause("R19")
@pytest.mark.clause("R66")
@pytest.mark.parametrize(("life", "spells"), [(11, ["heal"]), (12, [])])
def test_the_automatic_opponent_heals_with_all_energy_if_all_must_be_used(life: int, spells: list[str]) -> None:
    state = turn_from({"a": Start(sequence=("bard",))}, energy="all")
    machine = replace(wizard_at(state, "b"), life=life, sequence=(Queued("end"), Queued("ace-of-leaves")))
    state = play(with_wizard(state, machine), "a: lay", "a: turn huntress", "a: reveal ace-of-suns")
    assert [each["spell"] for each in facts(state, None)["spells"]] == spells
