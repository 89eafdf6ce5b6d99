"""Words and actions of Ready... Fence!."""

from __future__ import annotations

import pytest

from engine.errors import Refusal
from engine.fence.actions import Distance, Exchange, Move, Parry, Play, Stall
from engine.fence.phrase.state import Phrase
from tests.engine.fence.bouts import bout, play, refused, rules

SAME = [
    ("play straight-thrust 4", Play("straight-thrust-4")),
    ("play RF03", Play("straight-thrust-4")),
    ("PLAY Straight-Thrust 4", Play("straight-thrust-4")),
    ("play straight-thrust-4", Play("straight-thrust-4")),
    ("play joker", Play("joker")),
    ("play ceding-parry", Play("ceding-parry-4")),
    ("play angulations straight-thrust 4", Play("straight-thrust-4", "angulations")),
    ("play straight-thrust 4 angulations", Play("straight-thrust-4", "angulations")),
    ("play glide-attack 4 parry-riposte 5", Play("parry-riposte-5", None, "glide-attack-4")),
    ("play parry-riposte 5 angulations glide-attack 4", Play("parry-riposte-5", "angulations", "glide-attack-4")),
    ("play glide-attack 5 parry", Parry("glide-attack-5")),
    ("play feint end", Play("feint")),
    ("play feint toe-touch 5", Play("feint", attack="toe-touch-5")),
    ("play feint toe-touch 5 angulations", Play("feint", "angulations", attack="toe-touch-5")),
    ("parry", Parry()),
    ("distance", Distance("?")),
    ("distance ?", Distance("?")),
    ("distance stop-hit 4", Distance("stop-hit-4")),
    ("exchange", Exchange("?")),
    ("stall joker", Stall("joker")),
    ("move forward", Move(1)),
    ("move back 1", Move(-1)),
    ("move back 3", Move(-3)),
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
        ("play straight-thrust 9", "ambiguous"),
        ("play straight-thrust 4 5", "invalid"),
        ("play flunge", "invalid"),
        ("play feint", "ambiguous"),
        ("play feint end toe-touch 5", "invalid"),
        ("play feint toe-touch 5 stop-hit 4", "invalid"),
        ("play straight-thrust 4 stop-hit 4", "invalid"),
        ("play angulations angulations stop-hit 4", "invalid"),
        ("play stop-hit 4 end", "invalid"),
        ("play stop-hit 4 parry", "invalid"),
        ("play glide-attack 4 parry parry", "invalid"),
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
        ("play joker stop-hit 4", "These cards do not go together: joker stop-hit 4"),
        ("play angulations angulations", "One of a kind goes with a card: angulations angulations"),
        ("play straight-thrust", "Which Straight Thrust? Say its speed."),
        ("play stop-hit 4 end", "Only a Feint ends a phrase."),
        ("play stop-hit 4 parry", "Only Glide goes with a card-less Parry."),
        ("play feint joker end", "A Feint ends the phrase, or brings another attack."),
        ("play feint", "Does the Feint end the phrase, or which attack does it bring?"),
        ("play dragon", "There is no card dragon in this mode."),
        ("move", "Move forward or back?"),
        ("move sideways", "A figure moves forward or back, not sideways."),
        ("move back 9", "9 is no number of squares."),
        ("weapon", "Which weapon position? line, invitation, engagement"),
        ("weapon up", "There is no weapon position up. Positions: line, invitation, engagement"),
        ("exchange feint end", "One card is meant: feint end"),
        ("clear now", "Too many words: now"),
        ("dance", "There is no action dance. Actions: move, weapon, exchange, stall, retreat, end, play, parry,"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, sentence: str) -> None:
    with pytest.raises(Refusal) as refusal:
        rules().read(bout(1, mode="advanced"), "a", tuple(text.split()))
    assert str(refusal.value.text).startswith(sentence)


def test_a_card_of_another_mode_is_invalid() -> None:
    assert refused(bout(1), "a: play joker") == "invalid"


def test_a_phrase_tells_its_steps() -> None:
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 4", "b: play glide-attack 4 parry-riposte 4")
    assert isinstance(state.phase, Phrase)
    assert [(beat.side, beat.what) for beat in state.phase.beats] == [(0, "attack"), (1, "answer"), (1, "riposte")]
