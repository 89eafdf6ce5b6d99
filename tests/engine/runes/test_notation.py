"""Words and actions, and corrections of what the referee believes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Refusal
from engine.runes.casting import Cast, Forget, order_of_runes
from engine.runes.hands import unseen
from engine.runes.laying import Lay, RevealCard
from engine.runes.match import Queued, Span, State, pile, with_wizard, wizard_at
from engine.runes.specials import Counter, LastCounter, Mirror, Pay
from engine.table import Spot
from tests.engine.runes.tables import play, refused, start
from tests.engine.runes.turns import GAME, Start, run, turn_from

STATE = turn_from({"a": Start(sequence=("end", "forest")), "b": Start()})


@pytest.mark.clause("R28")
@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("lay", Lay()),
        ("lay ?", Lay()),
        ("reveal mountain", RevealCard("mountain")),
        ("Reveal The-Mountain", RevealCard("mountain")),
        ("cast heal forest+end", Cast("heal", "a", ("end", "forest"))),
        ("cast heal with end forest", Cast("heal", "a", ("end", "forest"))),
        ("cast heal a end", Cast("heal", "a", ("end",))),
        ("cast drain b with forest", Cast("drain", "b", ("forest",))),
        ("cast jab b", Cast("jab", "b")),
        ("counter b", Counter("b")),
        ("mirror b", Mirror("b")),
        ("pay watchman", Pay("watchman")),
        ("forget none", Forget()),
        ("forget forest+end", Forget(("end", "forest"))),
    ],
)
def test_words_mean_actions(line: str, action: object) -> None:
    assert GAME.read(STATE, "a", tuple(line.split())) == action
    assert GAME.read(STATE, "a", GAME.words(STATE, action)) == action


@pytest.mark.parametrize(
    "line",
    [
        "",
        "fly",
        "reveal dragon",
        "reveal sea mill",
        "cast meteor b",
        "cast heal b end",
        "cast jab e",
        "cast drain b end+end",
        "counter z",
        "pass now",
        "forget dragon",
    ],
)
def test_what_is_not_understood_is_invalid(line: str) -> None:
    with pytest.raises(Invalid):
        GAME.read(STATE, "a", tuple(line.split()))


@pytest.mark.parametrize("line", ["reveal", "cast", "cast jab", "counter", "mirror", "pay", "forget"])
def test_what_is_cut_short_is_ambiguous(line: str) -> None:
    with pytest.raises(Ambiguous):
        GAME.read(STATE, "a", tuple(line.split()))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("fly", "fly is not an action. Actions: lay, reveal, turn, keep, again, cast, pass, counter, mirror, pay,"),
        ("reveal dragon", "dragon is not a Decktet card. Write cards like this: mountain, light-keeper."),
        ("reveal sea mill", "Too many words after reveal: sea mill"),
        (
            "cast meteor b",
            "meteor is not a spell. Spells: cold-ward, heat-ward, heal, shield, fireball, ice-bolt, drain,",
        ),
        ("cast heal b end", "heal aims at its caster: no other target can be named."),
        ("cast jab e", "There is no seat E in this match."),
        ("cast drain b end+end", "A card is written twice: end+end"),
        ("cast jab", "At whom? cast jab …"),
        ("counter", "At whom? counter …"),
    ],
)
def test_what_cannot_be_read_is_said(line: str, sentence: str) -> None:
    with pytest.raises(Refusal) as refusal:
        GAME.read(STATE, "a", tuple(line.split()))
    assert str(refusal.value.text).startswith(sentence)


@pytest.mark.parametrize(
    ("line", "clause", "sentence"),
    [
        ("a: reveal mill", "R24", "Cards are laid face down now."),
        ("a: cast jab b", "R32", "Cards are laid face down now."),
        ("a: pay mill", "R49", "Cards are laid face down now."),
        ("a: draw", "R57", "Cards are laid face down now."),
    ],
)
def test_what_has_its_place_later_is_refused_with_what_is_due(line: str, clause: str, sentence: str) -> None:
    seat, _, words = line.partition(": ")
    action = GAME.read(STATE, seat, tuple(words.split()))
    assert [(breach.clause, str(breach.text)) for breach in GAME.judge(STATE, seat, action)] == [(clause, sentence)]


def corrected(state: State, line: str) -> State:
    after: State = GAME.correct(state, tuple(line.split()))[0]
    return after


def test_lives_and_effects_can_be_put_right() -> None:
    state = corrected(start("ab"), "life a 7")
    assert wizard_at(state, "a").life == 7
    state = corrected(state, "effect b haste 2")
    assert wizard_at(state, "b").effects == {"haste": Span(1, 2)}
    assert wizard_at(corrected(state, "effect b haste 0"), "b").effects == {}
    assert wizard_at(corrected(state, "effect b confused 1"), "b").effects["confused"] == Span(2, 2)


def test_cards_of_a_sequence_can_be_put_right() -> None:
    state = turn_from({"a": Start(sequence=("end", "forest")), "b": Start()})
    state = corrected(state, "card a 2 mill")
    assert [q.card for q in wizard_at(state, "a").sequence] == ["end", "mill"]
    state = corrected(state, "face a 1")
    assert wizard_at(state, "a").sequence[0] == Queued("end", True)
    assert not wizard_at(corrected(state, "face a 1"), "a").sequence[0].down
    state = play(state, "a: lay", "b: lay")
    assert refused(state, "b: reveal forest") == ()


def test_a_misread_card_counts_as_what_it_is() -> None:
    state = run(start("ab"), [("a", "reveal sea"), ("b", "reveal mill")]).state
    state = corrected(state, "card a 1 end")
    assert wizard_at(state, "a").active == "end"
    used = with_wizard(state, replace(wizard_at(state, "b"), used=(("mill", "waves"),)))
    assert wizard_at(corrected(used, "card b 1 sailor"), "b").used == (("sailor", "waves"),)


def test_a_card_turned_up_against_belief_is_named_by_a_correction() -> None:
    state = turn_from({"a": Start(sequence=("-end", "forest")), "b": Start()})
    words = GAME.identify(state, Spot("sequence-a", 0), "mill")
    assert words == ("card", "a", "1", "mill")
    assert wizard_at(GAME.correct(state, words)[0], "a").sequence[0] == Queued("mill", True)
    assert GAME.identify(state, Spot("sequence-a", 0), "forest") is None
    assert GAME.identify(state, Spot("sequence-a", 1), "mill") is None
    assert GAME.identify(state, Spot("pile", 0), "mill") is None
    assert GAME.identify(play(state, "a: lay"), Spot("card-a", 0), "mill") is None


def test_the_number_of_cards_in_a_hand_can_be_put_right() -> None:
    state = start("ab")
    before = pile(state)
    state = corrected(state, "hand a 3")
    assert wizard_at(state, "a").held == 3
    assert pile(state) == before + 2
    assert wizard_at(corrected(state, "hand a 5"), "a").held == 5


@pytest.mark.parametrize(
    "line", ["", "life", "life a 13", "life a 12", "card a 1 mill", "hand a 6", "face b 1", "luck a"]
)
def test_what_is_no_correction_is_refused(line: str) -> None:
    with pytest.raises(Refusal):
        corrected(start("ab"), line)


REVEALED = ("a: lay", "b: lay", "a: reveal ace-of-leaves")


def order_of(state: State) -> list[tuple[str, tuple[str, ...]]]:
    return [(slot.rune, slot.seats) for slot in order_of_runes(state)]


@pytest.mark.clause("R24")
def test_a_card_is_another_while_the_others_still_turn_theirs_up() -> None:
    state = corrected(play(start("ab"), *REVEALED), "card a 1 ace-of-moons")
    assert wizard_at(state, "a").sequence == (Queued("ace-of-moons"),)
    assert "ace-of-leaves" in unseen(state)
    assert order_of(play(state, "b: reveal battle")) == [("moons", ("a",)), ("wyrms", ("b",)), ("knots", ("b",))]


@pytest.mark.clause("R25")
@pytest.mark.parametrize("decision", ["in-order", "at-reveal"])
def test_with_another_card_the_order_is_another_and_spells_are_chosen_anew(decision: str) -> None:
    state = play(start("ab", decision=decision), *REVEALED, "b: reveal soldier")
    state = play(state, "b: pass")
    after = corrected(state, "card a 1 battle")
    assert order_of(after) == [("wyrms", ("b",)), ("wyrms", ("a",)), ("knots", ("b",)), ("knots", ("a",))]
    assert refused(after, "b: cast jab a") == ()


@pytest.mark.clause("R25")
def test_a_card_that_seemed_to_have_no_runes_is_cast_with_all_the_same() -> None:
    state = play(start("ab"), *REVEALED, "b: reveal end")
    assert isinstance(state.phase, LastCounter)
    assert order_of(corrected(state, "card a 1 ace-of-moons")) == [("moons", ("a",))]


@pytest.mark.clause("R58")
def test_who_draws_first_follows_from_the_card_that_it_is() -> None:
    state = play(start("ab"), *REVEALED, "b: reveal forest")
    assert wizard_at(corrected(state, "card a 1 windfall"), "a").highest > wizard_at(state, "b").highest
    assert wizard_at(corrected(state, "card b 1 ace-of-suns"), "b").highest == wizard_at(state, "a").highest


def test_what_a_spell_rests_on_waits_until_the_spells_are_over() -> None:
    state = play(start("ab"), *REVEALED, "b: reveal battle", "b: cast jab a")
    assert "card" not in {choice.word for choice in GAME.corrections(state)}
    for words in (("card", "a", "1", "end"), ("face", "b", "1")):
        with pytest.raises(Invalid, match=r"^Cards can be corrected until a spell is announced, and again after the"):
            GAME.correct(state, words)
