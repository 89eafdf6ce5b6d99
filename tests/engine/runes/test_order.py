"""The order of resolution, and what happens at the same time (R25-R32, R46)."""

from __future__ import annotations

import pytest

from engine.runes.casting import Casting, order_of_runes
from engine.runes.match import State
from engine.runes.specials import Responding
from tests.engine.runes.tables import play, refused, say, told, words_of
from tests.engine.runes.turns import GAME, Start, run, turn_from


def revealed(cards: dict[str, str], **sequences: tuple[str, ...]) -> State:
    """The state in which cards have just been revealed."""
    state = turn_from({seat: Start(sequence=sequences.get(seat, ())) for seat in cards})
    state = play(state, *(f"{seat}: lay" for seat in cards))
    return play(state, *(f"{seat}: reveal {card}" for seat, card in cards.items()))


@pytest.mark.clause("R25")
@pytest.mark.clause("R26")
def test_moons_then_wyrms_then_knots_each_from_high_to_low() -> None:
    state = revealed({"a": "watchman", "b": "author", "c": "rite", "d": "calamity"})
    order = [(slot.rune, slot.seats) for slot in order_of_runes(state)]
    assert order == [
        ("moons", ("c",)),
        ("moons", ("a",)),
        ("moons", ("b",)),
        ("wyrms", ("d",)),
        ("wyrms", ("c",)),
        ("wyrms", ("a",)),
        ("knots", ("a",)),
        ("knots", ("b",)),
    ]


@pytest.mark.clause("R26")
def test_who_is_not_at_the_place_waits() -> None:
    state = revealed({"a": "forest", "b": "pact"})
    assert GAME.actors(state) == {"b"}
    assert refused(state, "a: cast shield") == ("R26",)


@pytest.mark.clause("R27")
@pytest.mark.parametrize(
    ("one", "two", "rune"),
    [
        ("harvest", "watchman", "moons"),
        ("consul", "rite", "moons"),
        ("watchman", "borderland", "wyrms"),
        ("rite", "island", "wyrms"),
        ("watchman", "light-keeper", "knots"),
        ("consul", "window", "knots"),
    ],
)
def test_equal_ranks_share_a_place(one: str, two: str, rune: str) -> None:
    state = revealed({"a": one, "b": two})
    shared = [(slot.rune, slot.seats) for slot in order_of_runes(state) if len(slot.seats) > 1]
    assert shared == [(rune, ("a", "b"))]


@pytest.mark.clause("R28")
def test_name_target_and_energy_are_announced() -> None:
    state = revealed({"a": "desert", "b": "sea"}, a=("mountain",))
    _, events = say(state, "a: cast fireball b mountain+desert")
    assert "A's Fireball at B is announced, with The Mountain, The Desert." in told(events, "b")


@pytest.mark.clause("R29")
def test_who_can_be_aimed_at() -> None:
    state = revealed({"a": "watchman", "b": "sea", "c": "end"})
    assert words_of(state, "a", "cast") == ["shield"]
    assert words_of(state, "a", "cast", "shield") == []
    state = play(state, "a: pass")
    assert words_of(state, "a", "cast", "jab") == ["b", "c"]
    assert refused(state, "a: cast jab a") == ("R29",)
    state = play(state, "a: pass")
    assert set(words_of(state, "a", "cast", "confusion")) == {"a", "b", "c"}


@pytest.mark.clause("R30")
def test_equal_ranks_announce_in_secret_and_are_shown_together() -> None:
    state = revealed({"a": "watchman", "b": "borderland", "c": "sea"})
    state = play(state, "a: pass")
    assert GAME.actors(state) == {"a", "b"}
    state, events = say(state, "b: cast ice-bolt a borderland")
    assert told(events, "a") == told(events, None) == ("B has chosen.",)
    assert told(events, "b")[0] == "You cast: B's Ice Bolt at A."
    for seat in ("a", "c", None):
        assert "own" not in GAME.view(state, seat).facts
        assert "Ice Bolt" not in str(GAME.view(state, seat))
    assert "Ice Bolt" in str(GAME.view(state, "b").facts["own"])
    assert refused(state, "b: pass") == ("R26",)
    state, events = say(state, "a: cast jab b")
    assert isinstance(state.phase, Responding)
    assert len([text for text in told(events, "c") if "announced" in text]) == 2
    assert events[-1].reveals


@pytest.mark.clause("R30")
def test_openly_one_after_another_as_an_option() -> None:
    state = turn_from({"a": Start(), "b": Start()}, simultaneous="open")
    state = play(state, "a: lay", "b: lay", "a: reveal watchman", "b: reveal borderland", "a: pass")
    assert GAME.actors(state) == {"a"}
    state, events = say(state, "a: cast jab b")
    assert told(events, "b") == ("A's Jab at B is announced.",)
    assert GAME.actors(state) == {"b"}


DEADLY = [
    ("a", "reveal watchman"),
    ("b", "reveal borderland"),
    ("a", "cast jab b"),
    ("b", "cast ice-bolt a borderland"),
]


@pytest.mark.clause("R31")
def test_both_die_of_spells_at_the_same_time() -> None:
    result = run(turn_from({"a": Start(life=1), "b": Start(life=1)}), DEADLY)
    assert result.over
    assert result.winner is None
    assert result.lives == {"a": 0, "b": 0}


@pytest.mark.clause("R31")
def test_losses_and_gains_of_a_place_are_summed() -> None:
    lines = [
        ("a", "reveal rite"),
        ("b", "reveal island"),
        ("a", "cast drain b rite+end"),
        ("b", "cast ice-bolt a island+sea"),
    ]
    starts = {"a": Start(life=2, sequence=("end",)), "b": Start(sequence=("sea",))}
    assert run(turn_from(starts), lines).lives == {"a": 2, "b": 10}
    starts = {"a": Start(life=12, sequence=("end",)), "b": Start(sequence=("sea",))}
    assert run(turn_from(starts), lines).lives == {"a": 12, "b": 10}


@pytest.mark.clause("R31")
def test_one_after_another_as_an_option() -> None:
    result = run(turn_from({"a": Start(life=1), "b": Start(life=1)}, resolution="in-turn"), DEADLY)
    assert result.winner == "a"
    assert result.lives["a"] == 1


@pytest.mark.clause("R32")
def test_a_spell_is_chosen_when_its_place_comes() -> None:
    state = revealed({"a": "pact", "b": "watchman"})
    state = play(state, "b: cast shield", "a: pass")
    assert isinstance(state.phase, Casting)
    assert refused(state, "b: cast jab a") == ("R25",)
    state = play(state, "a: cast shield", "b: pass")
    assert refused(state, "b: cast jab a") == ()


@pytest.mark.clause("R46")
def test_an_activation_rune_that_was_turned_down_casts_nothing() -> None:
    lines = [
        ("a", "reveal window"),
        ("b", "reveal author"),
        ("a", "cast forgetfulness b window"),
        ("a", "forget author"),
        ("b", "cast confusion a"),
    ]
    result = run(turn_from({"a": Start(), "b": Start()}), lines)
    assert result.sequences["b"] == ("-author",)
    assert result.refused == 4
    assert result.effects["a"] == {}
