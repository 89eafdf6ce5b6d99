"""Words and actions of Ready... Fence!."""

from __future__ import annotations

import pytest

from engine.errors import Refusal
from engine.fence.phrase import Phrase
from engine.fence.play import Distance, Parry, PlayCard
from engine.fence.turn import Exchange, MoveFencer, Stall
from tests.engine.fence.bouts import bout, broken, play, refused, rules

SAME = [
    ("play straight-thrust 4", PlayCard("straight-thrust-4")),
    ("play RF03", PlayCard("straight-thrust-4")),
    ("PLAY Straight-Thrust 4", PlayCard("straight-thrust-4")),
    ("play straight-thrust-4", PlayCard("straight-thrust-4")),
    ("play joker", PlayCard("joker")),
    ("play ceding-parry", PlayCard("ceding-parry-4")),
    ("play angulations straight-thrust 4", PlayCard("straight-thrust-4", "angulations")),
    ("play straight-thrust 4 angulations", PlayCard("straight-thrust-4", "angulations")),
    ("play glide-attack 4 parry-riposte 5", PlayCard("parry-riposte-5", None, "glide-attack-4")),
    ("play parry-riposte 5 angulations glide-attack 4", PlayCard("parry-riposte-5", "angulations", "glide-attack-4")),
    ("play glide-attack 5 parry", Parry("glide-attack-5")),
    ("play feint end", PlayCard("feint")),
    ("play feint toe-touch 5", PlayCard("feint", attack="toe-touch-5")),
    ("play feint toe-touch 5 angulations", PlayCard("feint", "angulations", attack="toe-touch-5")),
    ("parry", Parry()),
    ("distance", Distance("?")),
    ("distance ?", Distance("?")),
    ("distance stop-hit 4", Distance("stop-hit-4")),
    ("exchange", Exchange("?")),
    ("stall joker", Stall("joker")),
    ("move forward", MoveFencer(1)),
    ("move back 1", MoveFencer(-1)),
    ("move back 3", MoveFencer(-3)),
]


@pytest.mark.parametrize(("text", "action"), SAME)
def test_words_mean_actions(text: str, action: object) -> None:
    state = bout(1, mode="advanced")
    read = rules().read(state, "a", tuple(text.split()))
    assert read == action
    assert rules().read(state, "a", rules().words(state, read)) == action


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "ambiguous"),
        ("play", "ambiguous"),
        ("play straight-thrust", "ambiguous"),
        ("play straight-thrust 9", "invalid"),
        ("play straight-thrust 4 5", "invalid"),
        ("play flunge", "invalid"),
        ("play feint", "ambiguous"),
        ("play feint end toe-touch 5", "invalid"),
        ("play feint toe-touch 5 stop-hit 4", "illegal"),
        ("play ?", "ambiguous"),
        ("play ? flunge", "invalid"),
        ("play straight-thrust flunge", "invalid"),
        ("play feint feint", "illegal"),
        ("play joker stop-hit 4 stop-hit 5", "illegal"),
        ("play angulations angulations stop-hit 4", "illegal"),
        ("play stop-hit 4 end", "invalid"),
        ("play stop-hit 4 parry", "illegal"),
        ("play glide-attack 4 parry parry", "illegal"),
        ("move", "ambiguous"),
        ("move sideways", "invalid"),
        ("move back 9", "invalid"),
        ("weapon", "ambiguous"),
        ("weapon up", "invalid"),
        ("exchange feint end", "invalid"),
        ("exchange joker feint", "invalid"),
        ("parry joker", "invalid"),
        ("clear now", "invalid"),
        ("dance", "invalid"),
    ],
)
def test_what_cannot_be_read(text: str, kind: str) -> None:
    assert refused(bout(1, mode="advanced"), f"a: {text}") == kind


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Which action? move, weapon, exchange, stall, retreat, end, play, parry, distance, accept, clear, keep,"),
        ("play", "Which card is played?"),
        ("play joker stop-hit 4 stop-hit 5", "One card at a time."),
        ("play feint toe-touch 5 toe-touch 4", "A Feint brings one attack."),
        ("play angulations angulations", "One card of Angulations goes with a card."),
        ("play straight-thrust", "Which Straight Thrust? Say its speed."),
        ("play straight-thrust 9", "There is no Straight Thrust of speed 9."),
        ("play stop-hit 4 end", "Only a Feint ends a phrase."),
        ("play stop-hit 4 parry", "Only Glide goes with a card-less Parry."),
        ("play feint joker end", "A Feint ends the phrase, or brings another attack."),
        ("play feint", "Does the Feint end the phrase, or bring an attack?"),
        ("play dragon", "There is no card dragon."),
        ("move", "Move forward or back?"),
        ("move sideways", "A figure moves forward or back, not sideways."),
        ("move back 9", "9 is not a number of squares."),
        ("weapon", "Which weapon position? line, invitation, engagement"),
        ("weapon up", "There is no weapon position up. Positions: line, invitation, engagement"),
        ("exchange feint end", "Name one card: feint end"),
        ("clear now", "Too many words: now"),
        ("dance", "There is no action dance. Actions: move, weapon, exchange, stall, retreat, end, play, parry,"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, sentence: str) -> None:
    with pytest.raises(Refusal) as refusal:
        rules().read(bout(1, mode="advanced"), "a", tuple(text.split()))
    assert str(refusal.value.text).startswith(sentence)


@pytest.mark.clause("F1", "F137")
@pytest.mark.parametrize(
    ("mode", "card", "clauses"),
    [
        ("basic", "play joker", ("F1",)),
        ("basic", "exchange flick 4", ("F1",)),
        ("basic", "stall joker", ("F1",)),
        ("basic", "play angulations straight-thrust 3", ("F1",)),
        ("basic", "play feint end", ("F1", "F137")),
        ("tutorial", "play fleche 5", ("F1",)),
        ("tutorial", "play RF23", ("F1",)),
        ("tutorial", "play counter-time", ("F1",)),
    ],
)
def test_a_card_of_another_mode_is_understood_and_illegal(mode: str, card: str, clauses: tuple[str, ...]) -> None:
    state = bout(1, mode=mode)
    assert broken(state, f"a: {card}") == clauses
    action = rules().read(state, "a", tuple(card.split()))
    assert rules().read(state, "a", rules().words(state, action)) == action


@pytest.mark.clause("F28", "F147")
@pytest.mark.parametrize(
    ("cards", "clauses"),
    [
        ("joker stop-hit 4", ("F28",)),
        ("stop-hit 4 stop-hit 5", ("F28",)),
        ("glide-attack 4 infighting 4", ("F147",)),
        ("glide-attack 4 stop-hit 4", ("F147",)),
    ],
)
def test_cards_that_do_not_go_together_are_understood_and_illegal(cards: str, clauses: tuple[str, ...]) -> None:
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 4")
    assert broken(state, f"b: play {cards}") == clauses


@pytest.mark.clause("F28")
def test_two_cards_do_not_open_a_phrase() -> None:
    assert broken(bout(1), "a: play straight-thrust 4 straight-thrust 5") == ("F28",)


@pytest.mark.clause("F26")
def test_after_a_turn_of_the_tutorial_end_keeps_the_hand_as_keep_does() -> None:
    state = play(bout(2, mode="tutorial"), "a: move forward", "a: end")
    assert play(state, "a: end") == play(state, "a: keep")


def test_a_phrase_tells_its_steps() -> None:
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 4", "b: play glide-attack 4 parry-riposte 4")
    assert isinstance(state.phase, Phrase)
    assert [(beat.side, beat.what) for beat in state.phase.beats] == [(0, "attack"), (1, "answer"), (1, "riposte")]
