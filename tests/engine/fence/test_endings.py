"""Points, time, periods, overtime, last hands, passivity."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.fence.bout import Finish, Over, Stage, State, Turn
from engine.fence.cards import UNKNOWN
from engine.fence.phrase import Clearing
from engine.fence.table import Piles
from engine.table import Spot
from engine.view import Line, NamedCard
from tests.engine.fence.bouts import (
    bout,
    broken,
    hands,
    having,
    legal,
    menu,
    play,
    rules,
    scores,
    sentence,
    squares,
    stamina,
    step,
    timer,
)

TOUCH = ("a: play straight-thrust 4", "b: accept")
DOUBLE = ("a: play straight-thrust 4", "b: play stop-hit 4")


def at(state: State, green: int, red: int) -> State:
    return having(having(state, 0, score=green), 1, score=red)


def finish(state: State) -> tuple[int, Finish] | None:
    return (state.phase.winner, state.phase.finish) if isinstance(state.phase, Over) else None


@pytest.mark.clause("F57", "F95", "F97")
@pytest.mark.parametrize(
    ("options", "goal"),
    [
        ({"mode": "tutorial"}, 5),
        ({"mode": "basic"}, 5),
        ({"mode": "basic", "bout": "elimination"}, 10),
        ({"mode": "advanced", "bout": "elimination"}, 15),
    ],
)
def test_the_last_point_wins_at_once(options: dict[str, Any], goal: int) -> None:
    state = play(at(bout(1, **options), goal - 1, 0), *TOUCH)
    assert finish(state) == (0, Finish.POINTS)
    assert rules().actors(state) == frozenset()
    assert broken(state, "a: clear") == ("F57",)


@pytest.mark.clause("F55", "F94")
def test_a_double_touch_gives_both_a_point() -> None:
    state = play(bout(1), *DOUBLE)
    assert scores(state) == (1, 1)
    assert finish(play(at(bout(1), 4, 2), *DOUBLE)) == (0, Finish.POINTS)


@pytest.mark.clause("F56")
@pytest.mark.parametrize(
    ("level", "counts"), [(3, True), (4, False), (5, True), (8, True), (9, False), (13, True), (14, False)]
)
def test_a_double_touch_at_4_9_and_14_does_not_count(level: int, counts: bool) -> None:
    state = play(at(bout(1, mode="advanced", bout="elimination"), level, level), *DOUBLE)
    assert scores(state) == ((level + 1, level + 1) if counts else (level, level))
    cleared = play(state, "a: clear")
    assert squares(cleared) == ((4, 7) if counts else (5, 7))


@pytest.mark.clause("F56")
def test_the_option_counts_all_but_the_last_double_touch() -> None:
    options: dict[str, Any] = {"mode": "basic", "bout": "elimination", "double_level": "target"}
    assert scores(play(at(bout(1, **options), 4, 4), *DOUBLE)) == (5, 5)
    assert scores(play(at(bout(1, **options), 9, 9), *DOUBLE)) == (9, 9)


@pytest.mark.clause("F56")
def test_after_a_double_touch_that_does_not_count_the_next_touch_may_end_the_bout() -> None:
    options: dict[str, Any] = {"mode": "basic", "bout": "elimination", "double_level": "sudden-death"}
    first, told = step(play(at(bout(1, **options), 4, 4), *DOUBLE[:-1]), DOUBLE[-1])
    assert scores(first) == (4, 4)
    assert told[-1] == "Sudden death: the next touch wins."
    again = play(first, "a: clear", "b: move forward", "b: end")
    again = having(having(again, 0, square=5), 1, square=7)
    assert finish(play(again, "a: play straight-thrust 4", "b: accept")) == (0, Finish.TOUCH)
    assert finish(play(again, *DOUBLE)) is None
    options["double_level"] = "always"
    usual = play(at(bout(1, **options), 4, 4), *DOUBLE, "a: clear", "b: move forward", "b: end")
    usual = having(having(usual, 0, square=5), 1, square=7)
    assert finish(play(usual, "a: play straight-thrust 4", "b: accept")) is None


@pytest.mark.clause("F4", "F95", "F98")
def test_time_is_over_at_the_end_of_the_turn() -> None:
    state = play(at(timer(bout(1), 1), 2, 1), "a: exchange ?")
    assert state.piles.timer == 0
    assert isinstance(state.phase, Turn)
    assert finish(play(state, "a: end")) == (0, Finish.TIME)
    touched = play(state, "a: play straight-thrust 4", "b: play stop-hit 5")
    assert scores(touched) == (2, 2)
    assert isinstance(play(touched, "a: clear").phase, Turn)  # level: overtime was begun


@pytest.mark.clause("F98")
def test_a_forced_draw_from_an_empty_deck_is_not_made() -> None:
    state = play(timer(bout(1), 1), "a: exchange ?", "a: play straight-thrust 4", "b: distance ?")
    assert hands(state) == (5, 5)
    cleared = play(state, "a: clear")
    assert hands(cleared) == (6, 5)


@pytest.mark.clause("F96", "F97")
def test_a_second_period_in_basic_elimination() -> None:
    state = having(bout(3, "invitation line", (2, 3), bout="elimination"), 0, known=("stop-hit-4", "straight-thrust-3"))
    state = play(timer(state, 1), "a: stall ?")
    assert state.phase == Clearing("period")
    begun = play(state, "b: clear")
    assert (begun.period, begun.active, squares(begun), stamina(begun)) == (2, 1, (4, 7), (6, 6))
    assert begun.piles == Piles(23, 0)
    assert begun.fencers[0].weapon == "invitation"
    assert begun.fencers[0].known == ("stop-hit-4", "straight-thrust-3")
    assert finish(play(at(timer(begun, 1), 3, 4), "b: stall ?")) == (1, Finish.TIME)
    twelve = timer(bout(3, bout="elimination", period_timer="twelve"), 1)
    assert play(twelve, "a: stall ?", "b: clear").piles == Piles(12, 11)


@pytest.mark.clause("F6", "F122")
def test_fatigue_in_advanced_elimination() -> None:
    state = play(timer(bout(3, mode="advanced", bout="elimination"), 1), "a: stall ?", "b: clear")
    assert (state.period, stamina(state)) == (2, (5, 5))
    state = play(timer(state, 1), "b: stall ?", "a: clear")
    assert (state.period, stamina(state)) == (3, (4, 4))
    rested = play(having(state, 0, stalled=False), "a: stall ?")
    assert stamina(rested) == (6, 4)  # the track still ends at 6


@pytest.mark.clause("F5", "F99", "F100", "F101", "F104")
def test_overtime_with_priority() -> None:
    state = replace(timer(bout(3, points=(3, 2)), 1), piles=Piles(1, 11, ("stop-hit-4",) * 2))
    state = play(state, "a: stall ?")
    assert state.phase == Clearing("overtime")
    after, told = step(state, "b: clear")
    assert after.stage is Stage.OVERTIME
    assert after.piles.timer == 4
    assert after.piles.aside == 10
    assert after.priority in (0, 1)
    assert (squares(after), stamina(after), after.active) == ((4, 7), (5, 2), 1)
    assert any("has priority" in text for text in told)
    assert broken(after, "b: stall ?") == ("F104",)
    assert {replace(play(replace(state, seed=seed), "b: clear")).priority for seed in range(20)} == {0, 1}


@pytest.mark.clause("F101")
@pytest.mark.parametrize(("seat", "side"), [("a", 0), ("b", 1)])
def test_the_players_may_toss_for_priority_themselves(seat: str, side: int) -> None:
    state = play(timer(bout(3, tosses="players"), 1), "a: stall ?", "b: clear")
    assert (state.stage, state.priority, state.piles.timer) == (Stage.OVERTIME, None, 4)
    assert menu(state, "b") == {"toss"}
    assert menu(state, "b", "toss") == {"a", "b"}
    assert "Toss a coin" in str(rules().view(state, "b").prompt)
    assert broken(state, "b: end") == ("F101",)
    assert broken(state, f"a: toss {seat}") == ("F101",)
    after, told = step(state, f"b: toss {seat}")
    assert (after.priority, after.active, after.phase) == (side, 1, Turn())
    assert f"Overtime: {('Green', 'Red')[side]} has priority." in told
    assert broken(after, "b: stall ?") == ("F104",)
    assert broken(bout(3), "a: toss a") == ("F101",)
    corrected, _ = rules().correct(state, ("turn", "a"))
    assert menu(corrected, "a") == {"toss"}


@pytest.mark.clause("F101", "F103")
def test_the_toss_waits_also_if_time_ends_with_a_phrase() -> None:
    state = play(
        timer(bout(1, tosses="players"), 1), "a: exchange ?", "a: play straight-thrust 4", "b: parry", "a: clear"
    )
    assert menu(state, "b") == {"toss"}
    ended = play(timer(play(state, "b: toss a"), 1), "b: exchange ?", "b: end")
    assert finish(ended) == (0, Finish.PRIORITY)


@pytest.mark.clause("F105")
def test_the_players_may_toss_if_hands_are_level() -> None:
    last = replace(
        bout(3, mode="tutorial", passivity=6, tosses="players"), stage=Stage.LAST_HANDS, still=5, piles=Piles(0, 0)
    )
    state = play(last, "a: end")
    assert finish(state) is None
    assert menu(state, "a") == {"toss"}
    assert broken(state, "a: end") == ("F105",)
    assert finish(play(state, "a: toss b")) == (1, Finish.PASSIVE)
    assert finish(play(having(last, 1, hand=5), "a: end")) == (0, Finish.PASSIVE)


@pytest.mark.clause("F100")
def test_overtime_takes_what_there_is() -> None:
    state = replace(bout(3), piles=Piles(1, 1, ("stop-hit-4",)))
    assert play(state, "a: stall ?", "b: clear").piles == Piles(3, 0)


@pytest.mark.clause("F102", "F103")
def test_overtime_ends_with_a_touch_or_with_time() -> None:
    state = replace(bout(1), stage=Stage.OVERTIME, priority=1)
    assert finish(play(state, *TOUCH)) == (0, Finish.TOUCH)
    double = play(state, *DOUBLE)
    assert scores(double) == (0, 0)
    assert finish(double) is None
    assert finish(play(timer(state, 1), "a: exchange ?", "a: end")) == (1, Finish.PRIORITY)


@pytest.mark.clause("F57", "F58")
def test_the_tutorial_ends_on_time_or_goes_on_with_the_hands() -> None:
    state = timer(bout(1, mode="tutorial"), 1)
    assert finish(play(at(state, 2, 1), "a: end", "a: exchange ?")) == (0, Finish.TIME)
    last = play(state, "a: end", "a: exchange ?")
    assert last.stage is Stage.LAST_HANDS
    assert menu(last, "b") == {"play", "move", "weapon", "end"}
    assert play(last, "b: end").active == 0  # no card is offered: nothing can be drawn
    touched = play(last, "b: play straight-thrust 4", "a: accept")
    assert finish(touched) == (1, Finish.TOUCH)
    double = play(last, "b: play straight-thrust 4", "a: play stop-hit 4")
    assert scores(double) == (0, 0)
    assert hands(play(double, "b: clear")) == (5, 5)


@pytest.mark.clause("F58")
def test_who_has_no_cards_left_loses() -> None:
    last = replace(bout(1, mode="tutorial"), stage=Stage.LAST_HANDS, piles=Piles(0, 0))
    bare = having(last, 0, hand=1)
    assert finish(play(bare, *DOUBLE, "a: clear")) == (1, Finish.NO_CARDS)
    both = having(bare, 1, hand=1)
    assert finish(play(both, *DOUBLE, "a: clear")) == (1, Finish.NO_CARDS)  # green's last card left first


@pytest.mark.clause("F43")
def test_distance_needs_a_card() -> None:
    last = replace(bout(1, mode="tutorial"), stage=Stage.LAST_HANDS, piles=Piles(0, 0))
    state = play(having(last, 1, hand=0), "a: play straight-thrust 4")
    assert finish(state) == (0, Finish.TOUCH)  # red can do nothing, and is not asked


@pytest.mark.clause("F105")
def test_still_turns_cost_a_timer_card() -> None:
    state = bout(3, passivity=6)
    for number in range(5):
        state = play(state, f"{'ab'[number % 2]}: end")
    assert (state.still, state.piles.timer) == (5, 12)
    state = play(state, "b: end")
    assert (state.still, state.piles.timer, state.piles.discards) == (0, 11, (UNKNOWN,))


@pytest.mark.clause("F105")
def test_a_point_or_a_draw_breaks_the_stillness() -> None:
    state = replace(bout(1, passivity=6), still=4)
    assert play(state, "a: exchange ?", "a: end").still == 0
    assert play(state, *TOUCH, "a: clear").still == 0
    assert play(state, "a: play straight-thrust 4", "b: parry", "a: clear").still == 5


@pytest.mark.clause("F105")
def test_stillness_in_the_last_hands() -> None:
    last = replace(bout(3, mode="tutorial", passivity=6), stage=Stage.LAST_HANDS, still=5, piles=Piles(0, 0))
    assert finish(play(having(last, 1, hand=5), "a: end")) == (0, Finish.PASSIVE)
    level = {finish(play(replace(last, seed=seed), "a: end")) for seed in range(20)}
    assert level == {(0, Finish.PASSIVE), (1, Finish.PASSIVE)}


@pytest.mark.clause("F105")
def test_the_rule_is_offered_when_a_bout_stands_still() -> None:
    state = replace(bout(3), still=9)
    assert broken(state, "a: passivity") == ("F105",)
    state = replace(state, still=10)
    assert "passivity" in menu(state, "a")
    assert "Nothing is happening" in str(rules().view(state, "a").prompt)
    asked = play(state, "a: passivity")
    assert menu(asked, "b") == {"agree", "decline"}
    assert "F105" in broken(asked, "a: end")
    agreed = play(asked, "b: agree")
    assert agreed.passivity == 10
    assert agreed.active == 0
    assert play(agreed, "a: end").piles.timer == 11
    declined = play(asked, "b: decline")
    assert declined.passivity == 0
    assert not legal(declined, "a: passivity")
    assert broken(agreed, "a: passivity") == ("F105",)
    assert broken(bout(3), "b: agree") == ("F9", "F105")


@pytest.mark.clause("F31", "F40")
def test_the_tutorial_discards_and_refills() -> None:
    state = play(bout(1, mode="tutorial"), "a: play straight-thrust 4", "b: play stop-hit 5", "a: accept", "a: clear")
    assert hands(state) == (6, 6)
    assert state.piles == Piles(27, 0, ("straight-thrust-4", "stop-hit-5"))


@pytest.mark.clause("F40")
@pytest.mark.parametrize(
    ("lines", "first", "options"),
    [
        (TOUCH, 0, {}),
        (("a: play straight-thrust 4", "b: play stop-hit 5", "a: accept"), 1, {}),
        (DOUBLE, 0, {}),
        (DOUBLE, 1, {"refill_first": "defender"}),
    ],
)
def test_who_refills_first(lines: tuple[str, ...], first: int, options: dict[str, Any]) -> None:
    """With one card left in the timer deck only one side can draw."""
    state = having(timer(bout(1, mode="tutorial", **options), 1), 1, hand=5)
    played = play(state, *lines)
    after = play(played, "a: clear")
    drawn = tuple(now - before for now, before in zip(hands(after), hands(played), strict=True))
    assert drawn == ((1, 0) if first == 0 else (0, 1))


@pytest.mark.clause("F80")
def test_played_cards_go_back_to_the_hand() -> None:
    state = play(bout(1), "a: play straight-thrust 3", "b: play stop-hit 5")
    assert hands(state) == (5, 5)
    cleared = play(state, "a: clear")
    assert hands(cleared) == (6, 6)
    assert cleared.fencers[0].known == ("straight-thrust-3",)
    assert cleared.fencers[1].known == ("stop-hit-5", "straight-thrust-3")
    assert cleared.piles.discards == ()


@pytest.mark.clause("F167", "F168")
def test_a_joker_is_discarded_and_replaced() -> None:
    state = play(bout(1, mode="advanced"), "a: play straight-thrust 4", "b: play joker", "a: clear")
    assert hands(state) == (6, 6)
    assert state.piles == Piles(11, 30, ("joker",))
    assert state.fencers[1].known == ()
    short = play(
        bout(1, mode="advanced", joker_replaced=False), "a: play straight-thrust 4", "b: play joker", "a: clear"
    )
    assert hands(short) == (6, 5)


@pytest.mark.clause("F9")
def test_who_gives_up_loses() -> None:
    state, events = rules().resign(bout(1), "a")
    assert finish(state) == (1, Finish.RESIGNED)
    assert str(events[0].text) == "Red wins: Green gave up."


def test_the_end_of_time_is_announced() -> None:
    told = step(timer(bout(3), 4), "a: stall ?")[1]
    assert "3 timer cards left." in told
    assert "Last timer card!" in step(timer(bout(3), 2), "a: stall ?")[1]


@pytest.mark.clause("F105")
def test_after_a_refusal_the_passivity_rule_waits() -> None:
    state = play(bout(2), *(["a: end", "b: end"] * 5), "a: passivity", "b: decline", "a: end")
    assert sentence(state, "b: passivity") == "Declined. Idle turns until you can propose it again: 9."


@pytest.mark.clause("F56")
def test_a_double_touch_that_does_not_count_is_called_one() -> None:
    state = at(bout(1), 4, 4)
    after, told = step(play(state, "a: play straight-thrust 5"), "b: play stop-hit 5")
    assert "The double touch does not count." in told
    view = rules().view(after, None)
    assert str(view.prompt) == "Double touch, void: put the cards away."
    phrase = view.facts["phrase"]
    assert isinstance(phrase, dict)
    assert phrase["void"] is True
    assert "Double touch, not counted" in {str(panel.text) for panel in view.panels if isinstance(panel, Line)}


@pytest.mark.clause("F58")
def test_the_result_of_the_last_hands_holds_also_if_both_are_empty() -> None:
    state = having(having(timer(bout(1, mode="tutorial"), 0), 0, hand=1), 1, hand=1)
    ended = play(replace(state, stage=Stage.LAST_HANDS), *DOUBLE, "a: clear")
    assert hands(ended) == (0, 0)
    outcome = rules().outcome(ended)
    assert outcome is not None
    assert str(outcome.text) == "Red wins: Green ran out of cards first."


def test_the_touch_that_won_is_told_and_shown_where_the_fencers_were() -> None:
    outcome = rules().outcome(play(at(bout(1), 4, 0), *TOUCH))
    assert outcome is not None
    green, red = squares(bout(1))
    assert outcome.decided_by == (NamedCard("straight-thrust-4"), Spot("strip", green), Spot("strip", red))
    assert [str(text) for text in outcome.how] == [
        "Green: Straight Thrust 4, speed 4",
        f"Green on square {green}, Red on square {red}.",
    ]


def test_on_time_the_touch_that_gave_the_lead_for_good_is_told() -> None:
    touched = play(bout(1, mode="tutorial"), *TOUCH, "a: clear")
    outcome = rules().outcome(replace(touched, phase=Over(0, Finish.TIME)))
    assert outcome is not None
    assert outcome.decided_by == (NamedCard("straight-thrust-4"),)
    assert [str(text) for text in outcome.how] == ["Green has led since Straight Thrust 4."]


def test_who_won_by_no_touch_is_shown_none() -> None:
    outcome = rules().outcome(replace(play(bout(1), *TOUCH), phase=Over(1, Finish.PRIORITY)))
    assert outcome is not None
    assert (outcome.decided_by, outcome.how) == ((), ())
