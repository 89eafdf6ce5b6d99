"""What the displays show: stamina, weapons, score, the phrase with its speeds, the answers, the time."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.fence.bout import Stage, State
from engine.fence.table import Piles
from engine.view import Cells, Gauge, Line, Score
from referee_simulator.conformance.playouts import load
from tests.engine.fence.bouts import SPEC, bout, fresh, play, rules, step, timer


def lines(state: State, seat: str | None) -> list[str]:
    return [str(panel.text) for panel in rules().view(state, seat).panels if isinstance(panel, Line)]


def gauges(state: State, seat: str | None) -> dict[str, tuple[int, int]]:
    panels = rules().view(state, seat).panels
    return {str(panel.label): (panel.value, panel.maximum) for panel in panels if isinstance(panel, Gauge)}


@pytest.mark.clause("F2", "F3", "F6", "F7", "F8")
def test_a_fencer_sees_stamina_weapons_score_and_time() -> None:
    state = bout(2, "invitation engagement", (4, 5))
    assert gauges(state, "a") == {"Timer cards": (12, 12)}
    stamina = next(panel for panel in rules().view(state, "a").panels if isinstance(panel, Score))
    assert (str(stamina.label), [(str(name)[-1], left) for name, left in stamina.entries]) == (
        "Stamina",
        [("G", 4), ("R", 5)],
    )
    assert lines(state, "a") == ["Weapon: Invitation. Rival: Engagement."]
    assert lines(state, None) == ["Weapons: Green Invitation, Red Engagement"]
    panels = rules().view(state, None).panels
    score = next(panel for panel in panels if isinstance(panel, Score))
    assert ([(str(name), points) for name, points in score.entries], score.to) == ([("Green", 0), ("Red", 0)], 5)
    strip = next(panel for panel in panels if isinstance(panel, Cells))
    assert (len(strip.cells), str(strip.cells[4]), str(strip.cells[7])) == (12, "G", "R")
    assert (strip.numbers[0], strip.numbers[4], strip.numbers[11]) == ("", "4", ""), "the zones have no number"


def test_until_the_first_turn_everybody_reads_who_has_which_colour() -> None:
    game, options = load("fence", {"starter": "b"})
    state = game.setup(options, ("b", "d"), 1)
    for seat in ("b", "d", None):
        assert lines(state, seat)[0] == "Seat B is Green, Seat D is Red."
    assert not any("is Green" in line for line in lines(bout(2), None))


@pytest.mark.clause("F4")
def test_the_time_warns_at_three_and_one() -> None:
    assert "3 timer cards left." in lines(timer(bout(3), 3), "a")
    assert "Last timer card!" in lines(timer(bout(3), 1), None)
    assert not any("timer" in line for line in lines(timer(bout(3), 2), None))


@pytest.mark.clause("F34")
def test_the_phrase_tells_speeds_and_why() -> None:
    state = play(bout(1, "line invitation", mode="advanced"), "a: play angulations straight-thrust 3")
    shown = lines(state, "b")
    assert shown == [
        "Unanswered: touch for Green",
        "Green: Straight Thrust 3 + Angulations, speed 7 (3 +2 position +2 Angulations)",
    ]
    assert any(isinstance(panel, Cells) for panel in rules().view(state, "b").panels), "the strip stays in sight"
    plain = play(state, "b: play angulations ceding-parry 4")
    assert "Red: Ceding Parry 4 + Angulations, speed 7 (4 +1 Invitation +2 Angulations)" in lines(plain, None)
    assert "No touch unless followed up" in lines(plain, None)
    renewed = play(plain, "a: play renewed-attack")
    assert "Green: Renewed Attack, speed 9 (3 +2 position +2 Angulations +2 Renewed Attack)" in lines(renewed, None)


@pytest.mark.clause("F37", "F55")
def test_what_the_touch_will_be() -> None:
    start = bout(1, mode="advanced")
    attacked = play(start, "a: play straight-thrust 4")
    assert "Touch for Green" in lines(play(attacked, "b: accept"), "a")
    assert "Double touch" in lines(play(attacked, "b: play stop-hit 4"), "a")
    assert "No touch" in lines(play(attacked, "b: parry", "a: accept"), "a")
    assert "Red: Riposte, speed 3" in lines(play(attacked, "b: play parry-riposte 5"), None)


@pytest.mark.clause("F5")
def test_overtime_and_last_hands_are_named() -> None:
    overtime = replace(bout(1), stage=Stage.OVERTIME, priority=1)
    assert "Overtime, priority Red" in lines(overtime, None)
    assert "Period 1 of 2" in lines(bout(1, bout="elimination"), None)
    assert "Last hands" in lines(replace(bout(1, mode="tutorial"), stage=Stage.LAST_HANDS), None)


def test_facts_hold_what_the_panels_show() -> None:
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 5", "b: play stop-hit 6")
    facts = rules().view(state, None).facts
    assert facts["timer"] == 12
    assert facts["aside"] == 30
    assert facts["asked"] == ("a",)
    assert facts["answers"] == ("counter-time", "joker", "renewed-attack", "feint")
    phrase = facts["phrase"]
    assert isinstance(phrase, dict)
    assert phrase["incoming"] == "counter"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("a: move forward", "Green steps forward."),
        ("a: move back", "Green steps back."),
        ("a: weapon invitation", "Green: Invitation."),
        ("a: exchange stop-hit 4", "Green gives up Stop Hit 4 and draws."),
        ("a: exchange ?", "Green gives up a card and draws."),
        ("a: stall ?", "Green rests; time takes a card."),
        ("a: stall joker", "Green rests; time takes Joker."),
        ("a: retreat", "Green retreats two squares."),
        ("a: end", "Green ends the turn."),
        ("a: play angulations straight-thrust 4", "Green plays Straight Thrust 4 + Angulations."),
    ],
)
def test_actions_are_told(line: str, told: str) -> None:
    assert step(bout(1, mode="advanced"), line)[1][0] == told


def test_prompts_follow_the_bout() -> None:
    def prompts(state: State) -> tuple[str, str]:
        return str(rules().view(state, "a").prompt), str(rules().view(state, "b").prompt)

    assert prompts(fresh())[0] == "Keep your hand, or take a new one (once)."
    assert prompts(play(fresh(), "a: keep"))[0] == "Players are taking their hands."
    assert prompts(bout(1)) == ("2 actions left.", "Green: 2 actions left.")
    attacked = play(bout(1, mode="advanced"), "a: play straight-thrust 4")
    assert prompts(attacked) == ("Red answers.", "Answer the attack of speed 4.")
    assert prompts(play(attacked, "b: play stop-hit 5"))[0] == "Answer the counter-attack of speed 5."
    assert prompts(play(attacked, "b: play parry-riposte 6"))[0] == "Answer the riposte of speed 4."
    assert prompts(play(attacked, "b: play ceding-parry"))[0].startswith("The attack was stopped")
    timed = play(attacked, "b: play stop-hit 5", "a: play counter-time")
    assert prompts(timed)[1] == "Answer the Counter-Time."
    assert prompts(play(attacked, "b: accept"))[0] == "Touch: put the cards away, back on guard."
    assert prompts(rules().resign(attacked, "b")[0]) == ("Green wins: Red gave up.",) * 2


@pytest.mark.parametrize("mode", ["tutorial", "basic", "advanced"])
def test_the_reference_card_is_for_the_mode(mode: str) -> None:
    pages = [[str(line) for line in page] for page in rules().reference(load("fence", {"mode": mode})[1])]
    text = " ".join(line for page in pages for line in page)
    assert ("Retreat" in text) == (mode == "advanced")
    assert ("Stall" in text) == (mode != "tutorial")
    assert all(len(page) <= 5 for page in pages)


@pytest.mark.clause("F130")
def test_options_name_their_clause_and_source() -> None:
    assert {option.source for option in SPEC.options} <= {"seed", "assumed"}
    names = {option.name for option in SPEC.options}
    assert names == set(bout().rules.__struct_fields__)
    assert {option.default for option in SPEC.options if option.name == "mode"} == {"basic"}


@pytest.mark.clause("F59", "F67", "F96", "F100")
def test_the_time_is_shown_out_of_what_the_period_began_with() -> None:
    assert gauges(bout(2, mode="tutorial"), "a")["Timer cards"] == (29, 29)
    assert gauges(bout(2, mode="tutorial", tutorial_timer="twelve"), "a")["Timer cards"] == (12, 12)
    laid = play(bout(1, mode="tutorial"), "a: play straight-thrust 4")
    assert gauges(laid, None)["Timer cards"] == (29, 29)
    spent = replace(bout(2, bout="elimination"), piles=Piles(1, 22))
    second = play(spent, "a: stall", "b: clear")
    assert gauges(second, None)["Timer cards"] == (23, 23)
    level = play(replace(bout(2), piles=Piles(1, 22)), "a: stall", "b: clear")
    assert gauges(level, None)["Timer cards"] == (4, 4)


def to_do(state: State) -> object:
    return rules().view(state, None).facts["to_do"]


@pytest.mark.clause("F31", "F40", "F81", "F82", "F96", "F100", "F122", "F154", "F155", "F167", "F168")
def test_what_hands_must_do_before_the_table_is_in_order_is_said() -> None:
    tutorial = play(bout(1, mode="tutorial"), "a: play straight-thrust 5 angulations", "b: play stop-hit 4")
    discards = "What was played is discarded."
    assert to_do(tutorial) == (discards, "Green draws. Cards: 2.", "Red draws. Cards: 1.")
    joker = play(bout(1, mode="advanced", points=(4, 3)), "a: play straight-thrust 4", "b: play joker")
    drawn = ("Red discards the Joker.", "Red draws. Cards: 1.", "Set stamina: Green 5, Red 4.")
    assert to_do(joker) == drawn
    paid = play(bout(1, points=(4, 3)), "a: play straight-thrust 5", "b: accept")
    assert to_do(paid) == ("Set stamina: Green 3, Red 4.",)
    past = play(bout(2, points=(6, 6)), "a: play fleche 5", "b: parry")
    assert to_do(past) == ("Green on square 3, Red on square 6.",)
    assert to_do(play(past, "a: clear")) == ()
    second = play(replace(bout(2, mode="advanced", bout="elimination"), piles=Piles(1, 41)), "a: stall")
    assert to_do(second) == ("Cards of the timer deck: 42.", "Set stamina: Green 5, Red 5.")
    level = play(replace(bout(2), piles=Piles(1, 22)), "a: stall")
    assert to_do(level) == ("The cards set aside are shuffled in.", "Cards of the timer deck: 4.")
    ended = play(replace(bout(1), piles=Piles(1, 22)), "a: play straight-thrust 4", "b: distance ?")
    told = "Level: shuffle the discards anew for overtime; on guard."
    assert to_do(ended) == (told, "The cards set aside are shuffled in.", "Cards of the timer deck: 4.")
