"""Alerts that go, proposals that lapse, flags that wait, cameras that look away."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from device.session.alerts import refusal
from device.session.check import GONE
from device.session.messages import Append, SendToVision, Silence, Tick
from device.session.state import Play
from device.session.step import LATE_S, step, wake_at
from engine.arbiter import Refuse
from engine.arbiter.expectation import Handling
from engine.entry import Act, Correct, Draw, Flag, Settle, Source, Undo
from engine.errors import Violation
from engine.table import Health, Layout, Touch
from engine.text import say
from engine.view import Line
from tests.device.session import stages
from tests.device.session.conftest import Mat, Seated
from vision.messages import Rebase, Report

Make = Callable[..., Seated]
Lay = Callable[[Layout], Mat]


def playing(seated: Make, mat: Lay, clock: str = "No clock") -> tuple[Seated, Mat]:
    table = seated(camera=True)
    table.start(clock, first_stone="scales")
    lying = mat(table.layout())
    table.see(lying.observe(0.0))
    assert table.play.case.evidence is not None
    return table, lying


def do(table: Seated, lying: Mat, seat: str, words: str, hand: str) -> None:
    lying.do(table.trace(seat, tuple(words.split())))
    table.see(lying.observe(0.0, frozenset(hand)))
    assert isinstance(table.entries[-1], Act)


def peeked_out_of_turn(seated: Make, mat: Lay) -> tuple[Seated, Mat]:
    """a peeks while b is to order: nothing has to be put back."""
    table, lying = playing(seated, mat)
    do(table, lying, "a", "hide scales", "b")
    lying.now = msgspec.structs.replace(lying.now, handled=(Handling(1, True, frozenset()),))
    table.see(lying.observe(0.0, frozenset("a")))
    table.now += 4.0
    table.give(Tick(table.now))
    assert table.screen("b").alert is not None
    assert not table.play.case.disorder
    return table, lying


def test_a_refusal_says_what_was_done_and_names_each_clause() -> None:
    violations = (Violation("T9", say("To an end only.")), Violation("T12", say("Not your turn.")))
    put_back = (say("Put it back."),)
    refuse = Refuse("placed between", say("A stone was put between two others."), violations, put_back)
    assert [str(line) for line in refusal(refuse)] == [
        "Put it back.",
        "A stone was put between two others.",
        "T9: To an end only.",
        "T12: Not your turn.",
    ]
    plain = msgspec.structs.replace(refuse, text=violations[0].text, violations=violations[:1])
    assert [str(line) for line in refusal(plain)] == ["Put it back.", "T9: To an end only."]


def test_a_refusal_stays_in_the_history(seated: Make, mat: Lay) -> None:
    table, _ = peeked_out_of_turn(seated, mat)
    shown = [
        str(table.screen("b").alert),
        *(str(line.text) for line in table.screen("b").panels if isinstance(line, Line)),
    ]
    assert any(line.startswith("T") and ": " in line for line in shown), shown
    assert set(shown) <= {str(told.text) for told in table.play.told}


@pytest.mark.parametrize("seat", ["a", "b"])
def test_an_alert_with_nothing_to_put_back_goes_with_any_press(seat: str, seated: Make, mat: Lay) -> None:
    table, _ = peeked_out_of_turn(seated, mat)
    table.press(seat, "back")
    assert table.screen("a").alert is table.screen("b").alert is table.screen("table").alert is None


def test_or_by_itself(seated: Make, mat: Lay) -> None:
    table, lying = peeked_out_of_turn(seated, mat)
    due = wake_at(table.session)
    assert due is not None
    table.see(lying.observe(0.0))
    assert table.screen("b").alert is not None, "the same table seen again does not take it away"
    table.now = due
    table.give(Tick(due))
    assert table.screen("b").alert is None
    assert wake_at(table.session) is None


def test_what_the_camera_asked_in_vain_is_forgotten(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    do(table, lying, "a", "hide scales", "b")
    seen = lying.observe(0.0)
    stone = seen.zone("line").pieces[0]
    assert stone is not None
    table.see(msgspec.structs.replace(seen, touched=(Touch(stone.track, True, 0.7, None),), hands=None))
    assert table.play.case.question is not None
    table.pick(table.play.case.question.seat, "Something else")
    assert "may have been swapped" in table.alert("a")
    table.see(lying.observe(0.0, frozenset("a")))
    assert table.play.case.question is None


# Consent.


def test_a_proposal_lapses_when_play_goes_on(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    do(table, lying, "a", "place crown left", "b")
    table.long("a")
    table.pick("a", "Undo")
    do(table, lying, "b", "hide crown", "a")
    assert table.play.proposal is None
    assert "the proposal no longer counts" in str(table.play.told[-1].text)
    table.press("b", "choose")
    assert not any(isinstance(entry, Undo) for entry in table.entries)


def test_one_proposal_at_a_time_and_its_owner_may_withdraw_it(seated: Make) -> None:
    table = seated()
    table.start()
    table.long("a")
    table.pick("a", "Offer a draw")
    table.long("b")
    table.pick("b", "End without a result")
    assert "Answer the other proposal first" in table.alert("b")
    table.long("a")
    table.pick("a", "Withdraw your proposal")
    assert table.play.proposal is None
    assert table.screen("b").menu is None
    table.long("b")
    table.pick("b", "Offer a draw")
    table.pick("a", "Agree")
    assert isinstance(table.entries[-1], Draw)


def test_after_the_end_a_wrong_result_can_be_put_right(seated: Make) -> None:
    table = seated()
    table.start(first_stone="scales")
    for points in ("Points: 2", "Points: 3"):
        table.long("a")
        table.pick("a", "Correct the referee", "The score", "Seat A", points)
        table.pick("b", "Agree")
    assert "Rematch" in table.text("b")
    table.pick("b", "Undo or correct")
    table.pick("b", "Correct the referee", "The score", "Seat A", "Points: 0")
    assert "corrects the referee: The score: Seat A, Points: 0" in table.text("a")
    table.pick("a", "Agree")
    assert isinstance(table.entries[-1], Correct)
    assert table.match.result is None
    assert "Rematch" not in table.text("a")


# Clocks.


def test_a_noted_flag_does_not_swallow_the_press_that_came_then(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat, "60 s a move, no loss on time")
    table.now += 80.0
    table.press("a", "choose")
    assert isinstance(table.entries[-1], Flag)
    assert table.screen("a").menu is not None, "the menu opened"
    table.press("a", "back")
    lying.do(table.trace("a", ("hide", "scales")))
    table.see(lying.observe(0.0, frozenset("b")))
    assert isinstance(table.entries[-1], Act)


def test_what_was_seen_in_time_counts_although_it_is_told_late(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat, "30 s a move")
    begun = table.now
    lying.do(table.trace("a", ("hide", "scales")))
    late = lying.observe(0.0, frozenset("b"))
    table.give(Report(0, begun + 4.5, True, Health.OK, None))
    falls = begun - 1.0 + 30.0
    table.give(Tick(falls + 0.5))
    assert not any(isinstance(entry, Flag) for entry in table.entries), "vision has still to say what moved"
    due = wake_at(table.session)
    assert due is not None
    assert due <= falls + LATE_S
    stamp = begun + 5.0
    table.give(Report(0, stamp, False, Health.OK, msgspec.structs.replace(late, at=stamp)))
    act = table.entries[-1]
    assert isinstance(act, Act)
    assert act.at == pytest.approx(stamp - (table.play.epoch or 0.0), abs=0.002)
    assert table.match.result is None


def test_a_hand_in_the_picture_that_tells_the_rest_before_holds_what_falls_next_but_nothing_older(
    seated: Make, mat: Lay
) -> None:
    table, lying = playing(seated, mat, "30 s a move")
    falls = table.now - 1.0 + 30.0
    seen = msgspec.structs.replace(lying.observe(0.0), at=falls - 0.5)
    table.give(Report(0, falls - 0.1, True, Health.OK, seen))
    table.give(Tick(falls + 0.5))
    assert not any(isinstance(entry, Flag) for entry in table.entries), "that hand is still to be told of"
    after = msgspec.structs.replace(lying.observe(0.0), at=falls + 0.7)
    table.give(Report(0, falls + 0.9, True, Health.OK, after))
    assert isinstance(table.entries[-1], Flag), "until there it is told"


def test_of_two_flags_that_fell_while_nobody_looked_the_earlier_one_counts() -> None:
    both_think = stages.session(stages.entries("runes", 2, 4))
    assert isinstance(both_think.stage, Play)
    assert both_think.stage.match.clocks.left == (("a", 604.0), ("b", 596.0))
    _, effects = step(stages.table(), both_think, Tick(2000.0))
    flags = [entry for effect in effects if isinstance(effect, Append) for entry in effect.entries]
    assert [flag.seat for flag in flags if isinstance(flag, Flag)] == ["b"]


def test_a_hand_over_the_table_holds_a_flag_for_a_moment_only(seated: Make, mat: Lay) -> None:
    table, _ = playing(seated, mat, "30 s a move")
    while table.match.result is None:
        due = wake_at(table.session)
        assert due is not None
        table.give(Report(0, due, True, Health.OK, None))
        table.now = due
    assert isinstance(table.entries[-1], Flag)
    assert table.entries[-1].at <= 30.0 + 2.0 + LATE_S


# A camera that looks away.


def away(table: Seated, health: Health, seconds: int) -> None:
    for _ in range(seconds):
        table.now += 1.0
        table.give(Report(0, table.now, False, health, None))


@pytest.mark.parametrize(
    "health",
    [Health.NO_FRAMES, Health.DARK, Health.GLARE, Health.NO_MAT, Health.MIRRORED, Health.BUMPED, Health.SHAKING],
)
def test_what_happened_in_the_dark_is_not_known(health: Health, seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    do(table, lying, "a", "hide scales", "b")
    away(table, health, 4)
    table.see(None)
    table.see(lying.observe(0.0))
    assert any("camera was off" in str(told.text) for told in table.play.told)
    assert "may have been swapped" in table.alert("a")
    do(table, lying, "b", "place crown left", "a")


@pytest.mark.parametrize("health", [Health.DARK, Health.GLARE, Health.BUMPED])
@pytest.mark.parametrize(("seconds", "missed"), [(0.4, False), (4.0, True)])
def test_what_is_not_seen_for_a_moment_is_not_missed_however_long_hands_are_at_work(
    health: Health, seconds: float, missed: bool, seated: Make, mat: Lay
) -> None:
    table, lying = playing(seated, mat)
    do(table, lying, "a", "hide scales", "b")
    table.give(Report(0, table.now, True, health, None))
    table.now += seconds
    table.give(Report(0, table.now, True, Health.OK, None))
    table.now += 3.0
    lying.do(table.trace("b", ("place", "crown", "left")))
    table.see(lying.observe(0.0, frozenset("a")))
    assert any("camera was off" in str(told.text) for told in table.play.told) is missed
    assert isinstance(table.entries[-1], Act)


@pytest.mark.parametrize("health", [Health.NO_FRAMES, Health.STALLED, Health.NO_MAT])
def test_a_dark_picture_on_the_way_back_makes_an_outage_no_shorter(health: Health, seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    do(table, lying, "a", "hide scales", "b")
    for now in (health, Health.DARK, Health.OK):
        table.give(Report(0, table.now, True, now, None))
        table.now += 0.4
    table.now += 2.0
    table.see(lying.observe(0.0))
    assert any("camera was off" in str(told.text) for told in table.play.told)


def test_nothing_hidden_nothing_to_doubt(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    away(table, Health.DARK, 4)
    lying.do(table.trace("a", ("place", "crown", "left")))
    table.see(lying.observe(0.0, frozenset("b")))
    assert isinstance(table.entries[-1], Act)
    assert not any("unseen" in str(told.text) for told in table.play.told)


def test_what_was_touched_while_the_camera_saw_badly_counts_once_it_sees(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    lying.do(table.trace("a", ("place", "crown", "left")))
    count = len(table.entries)
    table.see(lying.observe(0.0, frozenset("b"), Health.BUMPED))
    assert len(table.entries) == count
    table.see(None)
    assert SendToVision(Rebase()) not in table.effects, "so vision forgets nothing that was touched since the last rest"
    table.see(lying.observe(0.0))
    assert table.entries[-1] == Act(table.entries[-1].at, "a", ("place", "crown", "left"), Source.CAMERA)


@pytest.mark.parametrize("silent", [True, False])
def test_orders_count_as_done_while_no_camera_sees(silent: bool, seated: Make, mat: Lay) -> None:
    table, _ = playing(seated, mat)
    if silent:
        table.give(Silence(table.now, GONE))
    else:
        away(table, Health.NO_FRAMES, 1)
    table.act("a", "Place", "Crown", "left end")
    assert [type(entry) for entry in table.entries[-2:]] == [Act, Settle]
    table.press("b", "choose")
    assert table.screen("b").menu is not None, "b has the menu, and confirmed nothing"


def test_a_session_that_is_over_waits_for_nothing(seated: Make) -> None:
    table = seated()
    table.start()
    table.long("a")
    table.pick("a", "Resign", "A resigns")
    assert isinstance(table.session.stage, Play)
    assert wake_at(table.session) is None
