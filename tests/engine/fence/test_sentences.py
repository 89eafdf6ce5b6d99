"""What is said against the actions of a fencer, and what is told of them, word for word."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.fence.bout import Finish, Over, Stage, State
from engine.fence.phrase import Clearing
from engine.fence.views import prompt
from tests.engine.fence.bouts import bout, having, parsed, play, rules, step, timer

REFUSED: list[tuple[dict[str, Any], int, tuple[str, ...], dict[str, list[str]]]] = [
    (
        {"mode": "tutorial"},
        1,
        (),
        {
            "a: exchange straight-thrust 4": ["F26 In the tutorial a card is given up after the turn."],
            "a: stall joker": ["F17 There is no Stall in the tutorial."],
            "a: retreat": ["F126 A Retreat is an action of the advanced mode."],
            "a: play joker": [
                "F167 A Joker is never the first card.",
                "F25 The first card must be an attack, not Joker.",
            ],
            "a: passivity": ["F105 The bout is not at a standstill."],
        },
    ),
    (
        {"mode": "tutorial"},
        1,
        ("a: play straight-thrust 4",),
        {"b: parry": ["F43 In the tutorial Distance is the only card-less defence."]},
    ),
    (
        {"mode": "basic"},
        1,
        (),
        {
            "a: retreat": ["F126 A Retreat is an action of the advanced mode."],
            "a: play feint straight-thrust 4": [
                "F1 Not used in this mode: Feint.",
                "F137 Feint is used in the advanced mode only.",
            ],
            "a: move forward 2": ["F19 A move is one square.", "F23 Fencers neither pass nor share a square."],
            "a: play renewed-attack": ["F1 Not used in this mode: Renewed Attack."],
            "a: passivity": ["F105 The bout is not at a standstill."],
            "a: agree": ["F105 Nobody proposed the passivity rule."],
        },
    ),
    (
        {"mode": "basic"},
        1,
        ("a: play straight-thrust 4",),
        {
            "b: distance straight-thrust 3": ["F90 The yellow Straight Thrust is laid aside before a card is drawn."],
            "b: play angulations": ["F1 Not used in this mode: Angulations."],
            "b: play angulations joker": ["F1 Not used in this mode: Joker."],
            "a: accept": ["F60 Red must answer."],
        },
    ),
    (
        {"mode": "advanced"},
        1,
        ("a: play straight-thrust 4",),
        {
            "b: play counter-time": ["F165 Counter-Time does not answer Straight Thrust."],
            "b: play renewed-attack": ["F170 Renewed Attack is for the player who opened the phrase."],
            "b: play angulations joker": ["F169 Angulations go with a card that has a speed."],
            "b: play glide-attack 4 stop-hit 5": [
                "F147 Glide goes with Parry and Riposte, a plain Ceding Parry, or a Parry without a card."
            ],
            "b: play toe-touch 4": ["F32 Toe-Touch does not answer Straight Thrust."],
            "b: end": ["F60 The phrase must be answered first."],
            "b: move forward": ["F60 The phrase must be answered first."],
            "a: parry": ["F60 Red must answer."],
            "b: play feint end": ["F137 Feint is for the player who opened the phrase."],
            "b: play feint straight-thrust 5": [
                "F137 Feint is for the player who opened the phrase.",
                "F140 After Distance a Feint can only end the phrase.",
            ],
        },
    ),
    (
        {"mode": "advanced"},
        1,
        ("a: play straight-thrust 4", "b: play stop-hit 5"),
        {
            "a: play disengage 4": [
                "F143 Disengage does not answer Stop Hit.",
                "F38 A cyan card is countered only by a blue one.",
            ],
            "a: parry": ["F83 This cannot be parried without a card."],
            "a: distance ?": ["F44 Distance answers only the first card of a phrase."],
        },
    ),
    (
        {"mode": "advanced"},
        1,
        ("a: play straight-thrust 4", "b: play stop-hit 5", "a: play counter-time"),
        {
            "b: play stop-hit 4": ["F163 Stop Hit does not answer Counter-Time."],
            "b: play disengage 4": ["F143 Disengage does not answer Counter-Time."],
            "b: parry": ["F83 This cannot be parried without a card."],
            "b: play joker": ["F167 Joker does not answer Counter-Time."],
            "b: play straight-thrust 4": [
                "F32 Straight Thrust does not answer Counter-Time.",
                "F38 A blue card is countered only by a cyan one.",
            ],
        },
    ),
    (
        {"mode": "advanced"},
        1,
        ("a: play straight-thrust 4", "b: parry"),
        {
            "a: parry": ["F83 This cannot be parried without a card."],
            "a: play renewed-attack angulations": ["F169 Angulations go with a card that has a speed."],
        },
    ),
    (
        {"mode": "advanced"},
        1,
        ("a: play straight-thrust 4", "b: distance ?"),
        {"a: play feint straight-thrust 5": ["F140 After Distance a Feint can only end the phrase."]},
    ),
    (
        {"mode": "advanced", "renewed_after_distance": False},
        1,
        ("a: play straight-thrust 4", "b: distance ?"),
        {"a: play renewed-attack": ["F172 Renewed Attack does not follow Distance."]},
    ),
    (
        {"mode": "advanced", "angulations": "red-cyan"},
        1,
        ("a: play straight-thrust 4",),
        {"b: play angulations parry-riposte 5": ["F169 Angulations go with red and cyan cards only."]},
    ),
    (
        {"mode": "advanced"},
        2,
        ("a: play fleche 5",),
        {"b: play infighting 4": ["F161 Infighting does not answer Fleche."]},
    ),
    (
        {"mode": "advanced"},
        2,
        ("a: play fleche 5", "b: play parry-riposte 5"),
        {
            "a: parry": ["F39 Tidy the table first."],
            "a: play joker": ["F39 Tidy the table first."],
        },
    ),
    (
        {"mode": "advanced"},
        2,
        ("a: play fleche 5", "b: play stop-hit 5"),
        {
            "a: parry": ["F39 Tidy the table first."],
            "a: play joker": ["F39 Tidy the table first."],
            "b: play joker": ["F39 Tidy the table first."],
        },
    ),
    (
        {"mode": "advanced"},
        1,
        ("a: play straight-thrust 4", "b: play parry-riposte 5", "a: play parry-riposte 4"),
        {"b: distance ?": ["F50 Distance answers only the first card of a phrase."]},
    ),
    (
        {"mode": "advanced", "must_answer": True},
        1,
        ("a: play straight-thrust 4",),
        {"b: accept": ["F60 The attack must be answered: a card-less defence is possible."]},
    ),
    (
        {"mode": "advanced", "infighting_defence": "short"},
        1,
        ("a: play straight-thrust 4",),
        {"b: play infighting 4": ["F161 Infighting defends at the short distance only."]},
    ),
    ({"mode": "basic", "passivity": 10}, 1, (), {"a: passivity": ["F105 The passivity rule holds already."]}),
    ({"mode": "basic", "both_actions": True}, 1, (), {"a: end": ["F22 Both game actions must be used."]}),
    (
        {"mode": "advanced"},
        0,
        (),
        {
            "a: move forward": ["F23 Fencers neither pass nor share a square."],
            "a: play straight-thrust 4": ["F71 Straight Thrust needs a distance of 1, not 0."],
            "a: move forward 3": ["F19 A move is one square.", "F23 Fencers neither pass nor share a square."],
        },
    ),
    (
        {"mode": "advanced", "feint_after_defence": False},
        1,
        ("a: play straight-thrust 4", "b: parry"),
        {"a: play feint end": ["F140 Feint follows a defence card."]},
    ),
    (
        {"mode": "advanced"},
        2,
        ("a: play fleche 5", "b: parry"),
        {
            "a: play renewed-attack": ["F39 Tidy the table first."],
            "a: parry": ["F39 Tidy the table first."],
            "b: parry": ["F39 Tidy the table first."],
        },
    ),
    (
        {"mode": "advanced"},
        1,
        ("a: play straight-thrust 4", "b: parry", "a: play renewed-attack"),
        {
            "b: parry": ["F39 Tidy the table first."],
            "b: play joker": ["F39 Tidy the table first."],
            "b: distance ?": ["F39 Tidy the table first."],
        },
    ),
]


@pytest.mark.parametrize(("given", "gap", "lines", "said"), REFUSED)
def test_what_is_said_against_an_action(
    given: dict[str, Any], gap: int, lines: tuple[str, ...], said: dict[str, list[str]]
) -> None:
    state = play(bout(gap, **given), *lines)
    found = {}
    for line in said:
        seat, words = parsed(line)
        violations = rules().judge(state, seat, rules().read(state, seat, words))
        found[line] = [f"{breach.clause} {breach.text}" for breach in violations]
    assert found == said


def still(state: State, turns: int) -> State:
    return replace(state, still=turns)


def test_the_passivity_rule_is_asked_for_and_answered() -> None:
    state = still(bout(3, mode="basic"), 10)
    asked = "Nothing is happening: propose the passivity rule?"
    assert (str(prompt(state, "a")), str(prompt(state, "b"))) == (asked, "Green: 2 actions left.")
    assert "Propose the passivity rule" in {str(choice.text) for choice in rules().choices(state, "a")}
    state, told = step(state, "a: passivity")
    assert told == ("Green proposes the passivity rule.",)
    assert (str(prompt(state, "b")), str(prompt(state, "a"))) == (
        "Should idle turns cost a timer card?",
        "Red answers the proposal.",
    )
    for line, sentence in (("a: end", "Red answers the proposal."), ("b: end", "The proposal must be answered first.")):
        seat, words = parsed(line)
        (breach,) = rules().judge(state, seat, rules().read(state, seat, words))
        assert (breach.clause, str(breach.text)) == ("F105", sentence)
    assert step(state, "b: agree")[1] == ("Red agrees: still turns cost time.",)
    declined, told = step(state, "b: decline")
    assert told == ("Red declines.",)
    seat, words = parsed("a: passivity")
    (breach,) = rules().judge(declined, seat, rules().read(declined, seat, words))
    assert str(breach.text).startswith("Declined. Idle turns until you can propose it again: ")


WON = {
    Finish.POINTS: "Red wins with 3 points.",
    Finish.TIME: "Red wins on time, 3 to 2.",
    Finish.TOUCH: "Red wins by the deciding touch.",
    Finish.PRIORITY: "Red wins by priority.",
    Finish.NO_CARDS: "Red wins: Green ran out of cards first.",
    Finish.PASSIVE: "Red wins: the bout stood still.",
    Finish.RESIGNED: "Red wins: Green gave up.",
}


@pytest.mark.parametrize("finish", Finish)
def test_who_won_and_why(finish: Finish) -> None:
    state = having(having(bout(mode="basic"), 0, score=2), 1, score=3)
    over = Over(1, finish)
    assert str(over.winner_text(state)) == WON[finish]
    assert str(prompt(replace(state, phase=over), None)) == WON[finish]


CLEARING = [
    (Clearing("period"), "Time: shuffle all cards outside the hands, on guard for period 2."),
    (Clearing("overtime"), "Level: shuffle the discards anew for overtime; on guard."),
    (Clearing("out"), "Off the strip: back on guard."),
    (Clearing("phrase", void=True), "Double touch, void: put the cards away."),
    (Clearing("phrase", touches=(1, 0)), "Touch: put the cards away, back on guard."),
    (Clearing("phrase", touches=(0, 1)), "Touch: put the cards away, back on guard."),
    (Clearing("phrase"), "No touch: put the cards away."),
]


@pytest.mark.parametrize(("phase", "sentence"), CLEARING)
def test_what_must_be_put_in_order(phase: Clearing, sentence: str) -> None:
    state = replace(bout(mode="advanced"), phase=phase)
    assert {str(prompt(state, seat)) for seat in ("a", "b", None)} == {sentence}


@pytest.mark.parametrize(("left", "last"), [(2, True), (1, False)])
def test_the_last_cards_of_the_timer_are_told(left: int, last: bool) -> None:
    state = timer(bout(3, mode="basic"), left)
    assert state.stage is Stage.BOUT
    told = step(state, "a: stall ?")[1]
    assert (told[0], "Last timer card!" in told) == ("Green rests; time takes a card.", last)
