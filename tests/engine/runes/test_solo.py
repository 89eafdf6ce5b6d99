"""The automatic opponent (R60-R69)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.runes.casting import Cast, order_of_runes
from engine.runes.match import Queued, Span, State, pile, with_wizard, wizard_at
from engine.runes.solo import Keeping, Turning, decide
from tests.engine.runes.tables import play, refused, say, start, told, words_of
from tests.engine.runes.turns import GAME, facts


def choice(card: str, own: dict[str, object], human: tuple[str, ...] = (), **options: Any) -> Cast | None:
    """What the opponent casts first with a card: its life, sequence and effects, and the human's sequence."""
    state = start("a", **options)
    sequence = (*own.pop("sequence", ()), card)  # type: ignore[misc]  # a tuple of cards
    other = {"hand": (0,) * 5, "sequence": tuple(Queued(name) for name in human)}
    state = with_wizard(state, replace(wizard_at(state, "a"), **other, **own.pop("human", {})))  # type: ignore[arg-type]
    queue = tuple(Queued(name) for name in sequence)
    state = with_wizard(state, replace(wizard_at(state, "b"), sequence=queue, active=card, **own))
    return decide(state, "b", order_of_runes(state)[0])


def laid(state: State) -> State:
    return play(state, "a: lay")


@pytest.mark.clause("R60")
def test_the_opponent_plays_the_top_card_of_the_pile() -> None:
    state = start("a")
    assert wizard_at(state, "b").held == 0
    state = laid(state)
    assert isinstance(state.phase, Turning)
    before = pile(state)
    state = play(state, "a: turn mill")
    assert pile(state) == before - 1
    assert [q.card for q in wizard_at(state, "b").sequence] == ["mill"]
    assert refused(state, "a: reveal mill") == ("R2",)
    assert "card-b" not in [zone.zone for zone in GAME.layout(state).zones]


@pytest.mark.clause("R58")
@pytest.mark.clause("R60")
def test_the_excuse_turned_up_is_shuffled_back() -> None:
    state = laid(start("a"))
    assert refused(state, "a: turn excuse") == ("R58",)
    before = pile(state)
    state = play(state, "a: excuse")
    assert pile(state) == before
    assert isinstance(state.phase, Turning)


@pytest.mark.clause("R61")
def test_a_confused_opponent_may_get_another_card() -> None:
    state = start("a")
    state = with_wizard(state, replace(wizard_at(state, "b"), effects={"confused": Span(1, 1)}))
    state = play(laid(state), "a: turn sea")
    assert isinstance(state.phase, Keeping)
    asked = GAME.choices(state, "a")
    assert [str(choice.text) for choice in asked] == ["Keep it", "Discard it, turn another"]
    assert [(choice.final, choice.costs) for choice in asked] == [(True, False), (True, True)]
    assert str(GAME.view(state, "a").prompt) == "B is confused: keep the card, or turn another."
    assert told(say(state, "a: keep")[1], None) == ("The card stays.",)
    assert told(say(state, "a: again")[1], None) == ("The Sea is discarded; another card is turned up.",)
    kept = play(state, "a: keep", "a: reveal mill")
    assert [q.card for q in wizard_at(kept, "b").sequence] == ["sea"]
    state = play(state, "a: again")
    assert state.discards == ("sea",)
    assert refused(state, "a: turn sea") == ("R2",)
    state = play(state, "a: turn origin", "a: reveal mill")
    assert [q.card for q in wizard_at(state, "b").sequence] == ["origin"]


@pytest.mark.clause("R62")
def test_the_opponent_never_casts_special_spells() -> None:
    state = start("a")
    state = play(laid(state), "a: turn mill", "a: reveal calamity", "a: cast jab b")
    assert wizard_at(state, "b").life == 11


@pytest.mark.clause("R63")
@pytest.mark.parametrize(("ward", "spell"), [("cold-ward", "jab"), ("none", "ice-bolt"), ("shield", "ice-bolt")])
def test_it_casts_nothing_that_is_stopped(ward: str, spell: str) -> None:
    found = choice("cave", {"sequence": ("sea",), "human": {"effects": {ward: Span(1, 1)}}})
    assert found is not None
    assert found.spell == spell


@pytest.mark.clause("R64")
@pytest.mark.parametrize(
    ("card", "own", "human", "spell"),
    [
        ("huntress", {"life": 9, "sequence": ("end", "ace-of-suns")}, ("sea",), "heal"),
        ("huntress", {"life": 12, "sequence": ("end", "ace-of-suns")}, ("sea",), "cold-ward"),
        ("windfall", {"life": 9, "sequence": ("sea", "bard", "end")}, ("mill",), "invisibility"),
        ("windfall", {"life": 9, "sequence": ("bard", "end")}, ("mill",), "haste"),
        ("calamity", {"life": 9, "sequence": ("bard", "sea", "ace-of-waves")}, (), "ice-bolt"),
        ("calamity", {"life": 9}, (), "jab"),
    ],
)
def test_a_healthy_opponent(card: str, own: dict[str, object], human: tuple[str, ...], spell: str) -> None:
    found = choice(card, dict(own), human)
    assert found is not None
    assert found.spell == spell


@pytest.mark.clause("R64")
def test_a_healthy_opponent_hinders_last() -> None:
    found = choice("windfall", {"life": 12}, ("mill",))
    assert found == Cast("confusion", "a")


@pytest.mark.clause("R65")
@pytest.mark.parametrize(
    ("card", "own", "human", "spells"),
    [
        ("huntress", {"life": 6, "sequence": ("end", "ace-of-suns")}, ("sea",), {"heal"}),
        ("huntress", {"life": 6, "sequence": ("ace-of-suns",)}, ("sea",), {"cold-ward"}),
        ("windfall", {"life": 6, "sequence": ("sea", "bard", "end")}, ("mill",), {"forgetfulness", "confusion"}),
        (
            "windfall",
            {"life": 6, "sequence": ("sea", "bard"), "human": {"effects": {"shield": Span(1, 1)}}},
            ("mill",),
            {"invisibility", "haste"},
        ),
    ],
)
def test_a_weak_opponent(card: str, own: dict[str, object], human: tuple[str, ...], spells: set[str]) -> None:
    found = choice(card, dict(own), human)
    assert found is not None
    assert found.spell in spells


@pytest.mark.clause("R66")
def test_healing_that_gains_nothing_is_left_out() -> None:
    assert choice("huntress", {"life": 12, "sequence": ("end",)}, ("mill",)) == Cast("shield", "b")
    found = choice("huntress", {"life": 11, "sequence": ("end", "ace-of-leaves")})
    assert found is not None
    assert (found.spell, len(found.cards)) == ("heal", 1)
    low = choice("huntress", {"life": 9, "sequence": ("end",)}, ("mill",), solo_heal="when-low")
    assert low == Cast("shield", "b")


@pytest.mark.clause("R66")
@pytest.mark.parametrize(("life", "when_low"), [(6, "heal"), (7, "shield"), (8, "shield")])
def test_seven_life_is_not_low(life: int, when_low: str) -> None:
    """With "only below 7" it does not yet heal at exactly 7."""
    own = {"life": life, "sequence": ("end",)}
    for ruling, spell in (("when-low", when_low), ("any-gain", "heal")):
        found = choice("huntress", dict(own), ("mill",), solo_heal=ruling)
        assert found is not None
        assert found.spell == spell, ruling


@pytest.mark.clause("R64", "R65")
@pytest.mark.parametrize(("life", "spells"), [(6, {"forgetfulness", "confusion"}), (7, {"invisibility"})])
def test_seven_life_is_healthy(life: int, spells: set[str]) -> None:
    found = choice("windfall", {"life": life, "sequence": ("sea", "bard", "end")}, ("mill",))
    assert found is not None
    assert found.spell in spells


@pytest.mark.clause("R67")
@pytest.mark.parametrize(
    ("human", "spell"),
    [
        ((), "shield"),
        (("calamity",), "shield"),
        (("end",), "shield"),
        (("bard", "end", "ace-of-suns"), "heat-ward"),
        (("sea", "bard", "ace-of-waves"), "cold-ward"),
        (("mill", "end"), "shield"),
    ],
)
def test_wards_go_by_what_the_human_shows(human: tuple[str, ...], spell: str) -> None:
    found = choice("huntress", {"life": 12, "sequence": ("painter", "journey")}, human)
    assert found is not None
    assert found.spell == spell


@pytest.mark.clause("R67")
def test_wards_may_go_by_the_newest_card_alone() -> None:
    human = ("sea", "ace-of-waves", "bard")
    own = {"life": 12, "sequence": ("painter", "journey")}
    found = choice("huntress", dict(own), human, solo_wards="newest")
    assert found is not None
    assert found.spell == "heat-ward"


@pytest.mark.clause("R68")
def test_the_human_commits_first() -> None:
    state = start("a")
    assert words_of(state, "a")[0] == "lay"
    assert refused(state, "a: turn mill") == ("R68", "R60")
    other = start("a", solo_commit="pile-first")
    assert words_of(other, "a")[0] == "turn"
    other = play(other, "a: turn mill", "a: lay", "a: reveal sea")
    assert [q.card for q in wizard_at(other, "b").sequence] == ["mill"]


@pytest.mark.clause("R69")
def test_the_human_may_start_with_less_life() -> None:
    state = start("a", life_a=6)
    assert (wizard_at(state, "a").life, wizard_at(state, "b").life) == (6, 12)


@pytest.mark.clause("R63")
def test_between_equals_the_seed_decides() -> None:
    def attack(seed: int) -> str:
        state = start("a", seed)
        queue = tuple(Queued(name) for name in ("bard", "sea", "calamity"))
        state = with_wizard(state, replace(wizard_at(state, "b"), sequence=queue, active="calamity"))
        found = decide(state, "b", order_of_runes(state)[0])
        assert found is not None
        return found.spell

    found = [attack(seed) for seed in range(30)]
    assert found == [attack(seed) for seed in range(30)]
    assert set(found) == {"fireball", "ice-bolt", "jab"}


@pytest.mark.clause("R30")
def test_its_choice_at_equal_rank_is_made_before_the_humans_is_shown() -> None:
    state = play(laid(start("a")), "a: turn borderland", "a: reveal watchman", "a: pass")
    assert GAME.actors(state) == {"a"}
    assert "Drain" not in str(GAME.view(state, "a"))
    one, two = play(state, "a: cast jab b"), play(state, "a: pass")
    spells = [[s for s in facts(after, None)["spells"] if s["by"] == "b"] for after in (one, two)]
    assert spells[0] == spells[1]
    assert spells[0]
