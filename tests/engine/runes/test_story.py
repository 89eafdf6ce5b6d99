"""What everybody is told of a spell that took effect: what it did, not what it might have done."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from engine.game import OptionValue
from engine.runes.mat import spot_zone
from engine.text import Text
from engine.view import Line as PanelLine
from tests.engine.runes.turns import GAME, Line, Start, facts, run, turn_from

WARD: list[Line] = [("a", "reveal huntress"), ("b", "reveal mill"), ("a", "cast cold-ward bard")]


def _last(starts: Mapping[str, Start], lines: list[Line], turn: int = 5, **options: OptionValue) -> str:
    result = run(turn_from(starts, turn=turn, **options), lines)
    assert result.refused is None
    return str(result.state.story[-1])


@pytest.mark.clause("R35")
@pytest.mark.parametrize(("life", "gained"), [(9, 2), (11, 1), (12, 0)])
def test_no_more_is_gained_than_life_allows(life: int, gained: int) -> None:
    starts = {"a": Start(life=life, sequence=("end", "mill")), "b": Start()}
    lines = [("a", "reveal huntress"), ("b", "reveal sea"), ("a", "cast heal end+mill")]
    result = run(turn_from(starts), lines)
    assert result.lives["a"] == life + gained
    assert str(result.state.story[-1]) == f"A's Heal: A gains {gained}."


@pytest.mark.clause("R31")
@pytest.mark.clause("R39")
def test_what_is_lost_at_the_same_time_makes_room_for_what_is_gained() -> None:
    starts = {"a": Start(sequence=("end", "mill")), "b": Start(sequence=("sea",))}
    lines = [("a", "reveal watchman"), ("b", "reveal borderland"), ("a", "cast drain b end+mill")]
    alone = run(turn_from(starts), lines)
    assert (alone.lives["a"], str(alone.state.story[-1])) == (12, "A's Drain at B: 2 lost, 0 gained.")
    both = run(turn_from(starts), [*lines, ("b", "cast ice-bolt a sea")])
    assert (both.lives["a"], str(both.state.story[-2])) == (12, "A's Drain at B: 2 lost, 1 gained.")


@pytest.mark.clause("R35")
def test_a_life_put_right_above_the_most_is_not_lost_by_healing() -> None:
    starts = {"a": Start(life=9, sequence=("end",)), "b": Start()}
    lines = [("a", "reveal huntress"), ("b", "reveal sea"), ("a", "cast heal end")]
    assert run(turn_from(starts, life_a=7, heal_cap="start"), lines).lives["a"] == 9


@pytest.mark.clause("R33")
def test_the_turns_told_are_those_that_the_effect_now_holds() -> None:
    fresh = {"a": Start(sequence=("bard",)), "b": Start()}
    warded = {**fresh, "a": Start(sequence=("bard",), effects={"cold-ward": (4, 7)})}
    assert _last(fresh, WARD) == "A's Cold Ward: Cold Ward, turns: 1."
    assert _last(fresh, WARD, wards="next-turn") == "A's Cold Ward: Cold Ward, turns: 2."
    assert _last(warded, WARD) == "A's Cold Ward: Cold Ward, turns: 3."
    assert _last(warded, WARD, ward_stacking="add") == "A's Cold Ward: Cold Ward, turns: 4."


@pytest.mark.clause("R41")
@pytest.mark.clause("R44")
def test_what_has_not_begun_is_shown_so() -> None:
    starts = {"a": Start(sequence=("sea",), effects={"invisible": (5, 5)}), "b": Start(sequence=("bard",))}
    lines = [("a", "reveal windfall"), ("b", "reveal castle"), ("a", "cast invisibility a sea")]
    state = run(turn_from(starts, turn=5), [*lines, ("b", "cast haste b bard")]).state
    shown = {seat: facts(state, None)["wizards"][seat] for seat in "ab"}
    assert (shown["a"]["effects"], shown["a"]["coming"]) == ({"invisible": 2}, ())
    assert (shown["b"]["effects"], shown["b"]["coming"]) == ({"haste": 1}, ("haste",))
    texts = [str(panel.text) for panel in GAME.view(state, None).panels if isinstance(panel, PanelLine)]
    assert {"Effects on A: Invisible (2 turns)", "Effects on B: Haste (next turn)"} <= set(texts)


def test_what_happened_twice_is_told_once_with_how_often() -> None:
    again, other = Text("A's Counter Spell: spells at B fail."), Text("B steps back.")
    state = msgspec.structs.replace(turn_from({"a": Start(), "b": Start()}), story=(again, other, again))
    shown = [panel.text for panel in GAME.view(state, "b").panels if isinstance(panel, PanelLine)]
    assert [str(text) for text in shown[-2:]] == [str(other), f"{again} (× 2)"]


def test_the_place_of_a_wizards_card_is_called_after_the_card() -> None:
    """There is one card in it, so it has no number."""
    place = GAME.layout(turn_from({"a": Start(), "b": Start()})).zone(spot_zone("b")).place(0)
    assert place == Text(spot_zone("b"))
