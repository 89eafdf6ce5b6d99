"""A refusal names the clause that the player broke, and says what stands against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from engine.errors import Illegal
from engine.runes.match import State
from tests.engine.runes.tables import play, refused
from tests.engine.runes.turns import GAME, Start, turn_from

THREE = {"a": Start(sequence=("end",)), "b": Start(), "c": Start()}
CARDS = ("a: lay", "b: lay", "c: lay", "a: reveal watchman", "b: reveal castle", "c: reveal sea")
JAB = (*CARDS, "a: pass", "a: cast jab b")
HASTE = (*CARDS, "a: pass", "a: pass", "a: cast confusion a")


def _first(state: State, line: str) -> tuple[str, str]:
    """The first clause against a line, and its sentence."""
    seat, _, words = line.partition(": ")
    breach = GAME.judge(state, seat, GAME.read(state, seat, tuple(words.split())))[0]
    return breach.clause, str(breach.text)


def _state(lines: tuple[str, ...], starts: Mapping[str, Start] = THREE, **options: Any) -> State:
    return play(turn_from(starts, **options), *lines)


@pytest.mark.clause("R14")
def test_a_rune_that_the_new_card_lacks() -> None:
    state = _state((*CARDS, "a: pass", "a: pass", "a: pass"))
    assert _first(state, "b: cast jab a") == ("R14", "The Castle has no rune of Wyrms.")
    assert refused(state, "b: cast jab a") == ("R14", "R25")


@pytest.mark.clause("R25")
@pytest.mark.clause("R26")
def test_a_spell_before_its_place() -> None:
    state = _state((*CARDS[:-2], "b: reveal betrayal", "c: reveal sea"))
    assert _first(state, "b: cast jab a") == ("R25", "Jab needs Wyrms; now Moons resolve.")
    assert refused(state, "c: cast jab a") == ("R14", "R25")
    state = play(state, "a: pass")
    assert refused(state, "b: cast jab a") == ("R26",)
    assert refused(state, "c: cast jab a") == ("R14",)


@pytest.mark.clause("R23")
def test_no_card_to_lay() -> None:
    state = turn_from({"a": Start(hand=0), "b": Start()})
    assert _first(state, "a: lay") == ("R23", "A has no card to lay.")


@pytest.mark.clause("R46")
def test_a_spell_whose_rune_was_turned_down() -> None:
    lines = ("a: lay", "b: lay", "a: reveal light-keeper", "b: reveal castle", "a: cast forgetfulness b end", "b: pass")
    state = _state((*lines, "a: forget castle"), {"a": Start(sequence=("end",)), "b": Start()})
    assert _first(state, "b: cast confusion a") == ("R46", "The activation rune is face down.")


@pytest.mark.clause("R59")
def test_the_dead_do_nothing_and_nobody_aims_at_them() -> None:
    state = turn_from({**THREE, "b": Start(dead=True)})
    assert _first(state, "b: lay") == ("R59", "B is no longer there.")
    assert _first(state, "a: counter b") == ("R59", "B is no longer there.")
    state = play(state, "a: lay", "c: lay", "a: reveal calamity", "c: reveal sea")
    assert refused(state, "a: cast jab b") == ("R29", "R59")


@pytest.mark.clause("R51")
def test_a_counter_spell_that_is_not_asked_for_or_not_allowed() -> None:
    assert refused(_state(("a: lay",)), "a: counter b") == ("R51",)
    state = turn_from(THREE, counter_target="others")
    assert _first(state, "a: counter a") == ("R51", "No Counter Spell aims at its own caster.")


@pytest.mark.clause("R53")
@pytest.mark.parametrize(
    ("lines", "line", "options", "sentence"),
    [
        (HASTE, "b: mirror a", {}, "A spell on its own caster cannot be mirrored."),
        (JAB, "c: mirror a", {"mirror_user": "target"}, "Only B may mirror it."),
        (JAB, "b: mirror c", {}, "There is no spell of C that can be mirrored."),
        (
            (*JAB, "b: mirror a", "b: pay author", "b: pay soldier", "b: enough"),
            "a: mirror b",
            {},
            "Name the wizard who announced the spell: A.",
        ),
    ],
)
def test_why_a_mirror_is_refused(lines: tuple[str, ...], line: str, options: dict[str, Any], sentence: str) -> None:
    assert _first(_state(lines, **options), line) == ("R53", sentence)


@pytest.mark.clause("R54")
def test_why_a_mirror_does_not_work_for_the_countered() -> None:
    lines = (*CARDS, "a: counter b", "a: pay author", "a: enough", "a: pass", "a: cast jab b")
    state = _state(lines, mirror_countered="fails")
    assert _first(state, "c: mirror a") == ("R54", "B is countered: no Mirror works.")


@pytest.mark.clause("R13")
def test_a_clause_broken_twice_is_named_once() -> None:
    with pytest.raises(Illegal) as refusal:
        play(_state(CARDS), "a: cast cold-ward mill+rite")
    assert refusal.value.clauses == ("R13",)
