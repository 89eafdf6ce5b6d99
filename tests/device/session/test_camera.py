"""What the camera sees becomes entries, reminders, questions and refusals; without it the buttons go on."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from device import games
from device.session.check import GONE
from device.session.match_start import start_of
from device.session.messages import Append, Restarted, SendToVision, Silence, Tick
from device.session.state import PanelMode, SetupPage
from device.session.state import Setup as Questions
from device.session.step import LATE_S, step, wake_at
from device.session.table import KnownGame, Table
from engine.arbiter import Waiting
from engine.arbiter.expectation import Handling
from engine.catalogue import complete
from engine.entry import Act, Pause, Settle, Source, Undo
from engine.match import begin, replay
from engine.table import Health, Layout, Piece, Sighting, Spot, Touch, Trace
from engine.text import say
from tests.device.session.conftest import Mat, Seated, tellstones
from vision.messages import Rebase, Report, VisionSetup

Make = Callable[..., Seated]
Lay = Callable[[Layout], Mat]


def playing(seated: Make, mat: Lay, **options: str) -> tuple[Seated, Mat]:
    """A match under way, the table as it should be and seen so."""
    table = seated(camera=True)
    table.start(first_stone="scales", **options)
    lying = mat(table.layout())
    table.see(lying.observe(0.0))
    assert table.play.case.evidence is not None
    return table, lying


def test_the_set_up_check_names_what_is_wrong_and_then_lets_go(seated: Make, mat: Lay) -> None:
    table = seated(camera=True)
    table.pick("a", "English", "Continue", "No clock", "Continue")
    assert any(isinstance(e, SendToVision) and isinstance(e.message, VisionSetup) for e in table.effects)
    assert "Looking at the table" in table.text("a")
    known = tellstones()
    stage = table.session.stage
    right = known.game.layout(begin(known.game, start_of(known, stage, table.session.seed)).state)  # type: ignore[arg-type]
    wrong = mat(right).observe(0.0)
    line = wrong.zone("line")
    table.see(msgspec.structs.replace(wrong, zones=(msgspec.structs.replace(line, pieces=()), *wrong.zones[1:])))
    assert "Move " in table.text("a")
    assert "Start anyway" in table.text("b")
    table.see(mat(right).observe(0.0))
    assert "CHOOSE: Start" in table.text("a")
    assert "anyway" not in table.text("a")
    table.press("b", "choose")
    assert table.play.case.evidence is not None


def test_a_table_that_is_laid_rightly_after_a_wrong_start_is_right_at_once(seated: Make, mat: Lay) -> None:
    table = seated(camera=True)
    table.start(first_stone="scales")
    lying = mat(table.layout())
    wrong = lying.observe(0.0)
    line, *others = wrong.zones
    table.see(msgspec.structs.replace(wrong, zones=(msgspec.structs.replace(line, pieces=()), *others)))
    assert table.play.case.disorder
    assert "Move scales to place" in str(table.screen("a").alert)
    table.see(lying.observe(1.0))
    assert not table.play.case.disorder
    assert table.screen("a").alert is None


def test_an_action_that_was_seen_is_accepted(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    lying.do(table.trace("a", ("hide", "scales")))
    table.see(lying.observe(0.0, frozenset("b")))
    assert table.entries[-1] == Act(table.entries[-1].at, "a", ("hide", "scales"), Source.CAMERA)
    assert "your turn" in str(table.screen("b").status)


def test_two_actions_in_one_look_are_kept_together(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    lying.do(table.trace("a", ("hide", "scales")))
    game, state = tellstones().game, table.match.state
    hidden, _ = game.apply(state, "a", game.read(state, "a", ("hide", "scales")))
    lying.do(game.trace(hidden, "b", game.read(hidden, "b", ("place", "crown", "left"))))
    table.see(lying.observe(0.0, frozenset("ab")))
    (appended,) = [effect for effect in table.effects if isinstance(effect, Append)]
    assert [(entry.seat, entry.words) for entry in appended.entries if isinstance(entry, Act)] == [
        ("a", ("hide", "scales")),
        ("b", ("place", "crown", "left")),
    ]


def test_an_illegal_action_is_refused_with_how_to_put_it_back(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    before = lying.now
    attempt = next(iter(tellstones().game.attempts(table.match.state)))
    lying.do(attempt.trace)
    count = len(table.entries)
    table.see(lying.observe(0.0, attempt.trace.hands or frozenset(attempt.by)))
    table.now += 10.0
    table.give(Tick(table.now))
    assert len(table.entries) == count
    assert table.screen("a").alert is not None
    assert table.screen("a").alert == table.screen("b").alert == table.screen("table").alert
    what = [str(text) for text in table.play.alert if str(text)[1:2].isdigit()]
    assert what, "the clause that was broken"
    lying.now = before
    table.see(lying.observe(0.0, frozenset("b")))
    assert table.screen("a").alert is None
    history = [str(told.text) for told in table.play.told]
    assert set(what) <= set(history)
    assert {told.audience for told in table.play.told if str(told.text) in what} == {frozenset(attempt.by)}
    assert not [text for text in history if text.startswith(("Move ", "Clear "))], "that is done"


def test_an_order_is_owed_until_the_camera_sees_it_done(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    trace = table.trace("a", ("place", "crown", "left"))
    table.act("a", "Place", "Crown", "left end")
    assert table.match.pending is not None
    assert "CHOOSE: done" in str(table.screen("b").prompt)
    table.press("b", "next")
    assert table.play.menu_state("b").mode is not PanelMode.ACT, (
        "an order must be carried out before anything else counts"
    )
    table.press("b", "back")
    lying.do(trace)
    table.see(lying.observe(0.0, frozenset("b")))
    assert table.entries[-1] == Settle(table.entries[-1].at, Source.CAMERA)
    assert table.match.pending is None


def test_a_press_confirms_an_order_and_a_wrong_table_is_then_named(seated: Make, mat: Lay) -> None:
    table, _ = playing(seated, mat)
    table.act("a", "Place", "Crown", "left end")
    table.press("b", "choose")
    assert table.match.pending is not None, "one press asks"
    table.pick("b", "Not yet")
    table.press("b", "choose")
    table.pick("b", "Done")
    assert table.match.pending is None
    assert table.entries[-1] == Settle(table.entries[-1].at, Source.BUTTONS)
    table.now += 10.0
    table.give(Tick(table.now))
    assert table.screen("a").alert is not None


def test_taken_back_at_the_buttons_the_stone_is_to_be_put_back(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    before = lying.now
    lying.do(table.trace("a", ("place", "crown", "left")))
    after = lying.now
    table.see(lying.observe(0.0, frozenset("b")))
    assert isinstance(table.entries[-1], Act)
    table.long("a")
    table.pick("a", "Undo")
    table.pick("b", "Agree")
    assert isinstance(table.entries[-1], Undo)
    table.now += 10.0
    table.give(Tick(table.now))
    count = len(table.entries)
    lying.now = msgspec.structs.replace(before, handled=after.handled)
    table.see(lying.observe(0.0, frozenset("b")))
    assert len(table.entries) == count
    assert table.screen("a").alert is None
    lying.do(table.trace("a", ("hide", "scales")))
    table.see(lying.observe(0.0, frozenset("b")))
    assert isinstance(table.entries[-1], Act)


def taken_up(table: Seated, lying: Mat) -> float:
    """b holds a stone of the pool in the hand. When somebody is reminded of it."""
    seen = lying.observe(0.0, frozenset("b"))
    pool = seen.zone("pool")
    short = msgspec.structs.replace(pool, pieces=pool.pieces[1:])
    (taken, *_) = pool.pieces
    assert taken is not None
    touched = (Touch(taken.track, True, 1.0, frozenset("b")),)
    table.see(msgspec.structs.replace(seen, zones=(seen.zones[0], short), touched=touched))
    due = wake_at(table.session)
    assert due is not None
    assert due <= table.now + table.table.settle_s
    return due


def test_something_begun_is_waited_for_and_then_reminded_of(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    table.give(Tick(taken_up(table, lying)))
    assert table.screen("b").alert is not None


def test_nobody_is_reminded_while_a_hand_may_be_putting_it_back_but_for_ever(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    due = taken_up(table, lying)
    table.give(Report(0, due - 0.5, True, Health.OK, None))
    table.give(Tick(due))
    assert table.screen("b").alert is None
    assert wake_at(table.session) == due + LATE_S
    table.give(Tick(due + LATE_S))
    assert table.screen("b").alert is not None


def test_what_becomes_due_in_a_moment_without_sight_is_told_at_the_next_look(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    due = taken_up(table, lying)
    seen = table.play.case.seen
    assert seen is not None
    table.give(Report(0, due + 0.1, False, Health.BUMPED, None))
    assert table.screen("b").alert is None
    table.give(Report(0, due + 0.3, False, Health.OK, None))
    assert table.screen("b").alert is None, "the next look may show that it was done"
    again = msgspec.structs.replace(seen, serial=seen.serial + 1, touched=(), hands=frozenset())
    table.give(Report(0, due + 0.6, False, Health.OK, again))
    table.give(Tick(wake_at(table.session) or due + 10.0))
    assert table.screen("b").alert is not None
    assert table.session.now < due + 1.0


def test_a_second_look_alone_takes_no_refusal_back(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    seen = lying.observe(0.0, frozenset("b"))
    first, *rest = seen.zone("pool").pieces
    assert first is not None
    taken = msgspec.structs.replace(seen.zone("pool"), pieces=tuple(rest))
    touched = (Touch(first.track, True, 1.0, frozenset("b")),)
    short = msgspec.structs.replace(seen, zones=(seen.zones[0], taken), touched=touched)
    table.see(short)
    table.now += 10.0
    table.give(Tick(table.now))
    refused = table.screen("b").alert
    assert refused is not None
    table.see(msgspec.structs.replace(short, serial=short.serial + 1, touched=(), hands=frozenset()))
    assert table.screen("b").alert == refused
    table.see(msgspec.structs.replace(short, serial=short.serial + 2, touched=()))
    assert table.screen("b").alert is None, "a hand goes on with it"


def test_a_camera_that_fails_says_so_and_the_buttons_go_on(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    for health in (
        Health.NO_FRAMES,
        Health.DARK,
        Health.GLARE,
        Health.NO_MAT,
        Health.MIRRORED,
        Health.BUMPED,
        Health.SHAKING,
        *(health for health in Health if health.lost),
    ):
        table.see(lying.observe(0.0, health=health))
        assert table.text("a") != "", health
        assert any(word in table.text("a") for word in ("camera", "Camera")), health
    prompt = table.screen("a").prompt
    assert prompt is not None
    table.act("a", "Hide", "the Scales (place 1)")
    table.press("b", "choose")
    assert table.match.pending is None
    lying.do(_trace_of_hide(table))
    table.see(lying.observe(0.0, frozenset("b")))
    assert "camera" not in table.text("b").lower()


@pytest.mark.parametrize("check", [True, False])
def test_the_wrong_mat_is_named_and_so_is_the_right_one(check: bool, seated: Make, mat: Lay) -> None:
    if check:
        table = seated(camera=True)
        table.pick("a", "English", "Continue", "No clock", "Continue")
    else:
        table, _ = playing(seated, mat)
    table.table = msgspec.structs.replace(table.table, mats=games.mats(["tellstones", "runes"]))
    for instead, said in (("runes", "Wrong mat: Dueling Runes, 1-2 players. Needed: Tellstones."),
                          ("", "The camera can't find the mat. Uncover its corners.")):  # fmt: skip
        table.give(Report(0, table.now, False, Health.NO_MAT, None, instead=instead))
        assert said in table.text("a")
    table.give(Report(0, table.now, False, Health.OK, None))
    assert "mat" not in table.text("a")


def test_what_the_last_look_told_does_not_call_the_right_mat_wrong(seated: Make) -> None:
    table = seated(camera=True)
    table.table = msgspec.structs.replace(table.table, mats=games.mats(["tellstones", "runes"]))
    other = Report(0, table.now, False, Health.NO_MAT, None, instead="tellstones")
    table.give(other)
    table.pick("a", "English", "Continue", "No clock", "Continue")
    for report in (None, other):  # the second was under way when the new look began
        if report is not None:
            table.give(report)
        assert "Looking at the table..." in table.text("a")
        assert "Wrong mat" not in table.text("a")
    table.give(Report(0, table.now, False, Health.DARK, None))
    table.press("a", "back")
    table.pick("a", "Continue")
    assert "Too dark for the camera." in table.text("a")


def _trace_of_hide(table: Seated) -> Trace:
    game = tellstones().game
    before = replay(game, table.entries[:1])
    return game.trace(before.state, "a", game.read(before.state, "a", ("hide", "scales")))


def test_a_silent_worker_is_told_of_until_it_answers(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    table.give(Silence(table.now, GONE))
    assert str(GONE) in table.text("a")
    table.see(lying.observe(0.0))
    assert "does not answer" not in table.text("a")


def test_a_new_worker_knows_nothing_of_the_past(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    table.give(Restarted(table.now))
    assert table.play.case.evidence is None
    assert "camera was off" in str(table.play.told[-1].text)
    fresh = mat(table.layout())
    table.see(fresh.observe(0.0))
    assert table.play.case.evidence is not None
    fresh.do(table.trace("a", ("hide", "scales")))
    table.see(fresh.observe(0.0, frozenset("b")))
    assert isinstance(table.entries[-1], Act)
    assert lying is not fresh


def test_a_correction_makes_the_camera_look_anew(seated: Make, mat: Lay) -> None:
    table, _ = playing(seated, mat)
    table.long("a")
    table.pick("a", "Correct the referee")
    while table.play.proposal is None:
        table.press("a", "choose")
    table.pick("b", "Agree")
    assert SendToVision(Rebase()) in table.effects


def test_a_wrong_answer_to_the_arbiter_is_put_right(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat, orders="seen")
    lying.do(table.trace("a", ("place", "crown", "left")))
    seen = lying.observe(0.0, frozenset("b"))
    line = seen.zone("line")
    blurred = tuple(
        msgspec.structs.replace(p, sight="unknown", kind=None, confidence=0.3)
        if isinstance(p, Sighting) and p.kind == "crown"
        else p
        for p in line.pieces
    )
    zones = (msgspec.structs.replace(line, pieces=blurred), *seen.zones[1:])
    table.see(msgspec.structs.replace(seen, zones=zones))
    table.now += 10.0
    table.give(Tick(table.now))
    assert table.play.case.question is not None
    asked = table.play.case.question.seat
    assert "Something else" in table.text(asked)
    following, effects = step(table.table, table.session, Tick(table.now))
    assert not effects
    assert following.stage == table.session.stage
    table.pick(asked, "Something else")
    assert table.screen("a").alert is not None


def test_nothing_is_judged_while_paused(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    table.long("a")
    table.pick("a", "Pause")
    lying.do(table.trace("a", ("hide", "scales")))
    count = len(table.entries)
    table.see(lying.observe(0.0, frozenset("b")))
    assert len(table.entries) == count
    table.long("a")
    table.pick("a", "Continue")
    assert [type(entry) for entry in table.entries[count:]] == [Pause, Act], "and made up for when play goes on"


def test_a_press_asks_for_the_verdict_instead_of_waiting_on(seated: Make, mat: Lay) -> None:
    table, lying = playing(seated, mat)
    seen = lying.observe(0.0, frozenset("b"))
    pool = seen.zone("pool")
    table.see(
        msgspec.structs.replace(seen, zones=(seen.zones[0], msgspec.structs.replace(pool, pieces=pool.pieces[1:])))
    )
    assert table.play.case.waiting is not None
    table.press("b", "next")
    assert table.play.case.waiting is None
    assert table.play.alert or table.play.case.question


def hidden_line(seated: Make, mat: Lay) -> tuple[Seated, Mat]:
    """b to order, one stone face down."""
    table, lying = playing(seated, mat)
    lying.do(table.trace("a", ("hide", "scales")))
    table.see(lying.observe(0.0, frozenset("b")))
    assert isinstance(table.entries[-1], Act)
    return table, lying


def test_what_is_put_back_after_a_refusal_is_no_peek(seated: Make, mat: Lay) -> None:
    table, lying = hidden_line(seated, mat)
    before = lying.now
    turned = Trace(_shown(table), turned=frozenset({Spot("line", 0)}))
    lying.do(turned)
    count = len(table.entries)
    table.see(lying.observe(0.0, frozenset("b")))
    table.now += 10.0
    table.give(Tick(table.now))
    assert table.play.case.disorder
    assert table.screen("a").alert is not None
    table.press("a", "back")
    assert table.screen("a").alert is not None, "it stands until the table is put right"
    lying.now = msgspec.structs.replace(before, handled=(Handling(1, True, frozenset()),))
    table.see(lying.observe(0.0, frozenset("b")))
    assert len(table.entries) == count, "b turned it down again: that is no peek of b's"
    assert table.screen("a").alert is None
    lying.now = msgspec.structs.replace(lying.now, handled=())
    lying.do(table.trace("b", ("place", "crown", "left")))
    table.see(lying.observe(0.0, frozenset("a")))
    assert len(table.entries) == count + 1


def _shown(table: Seated) -> Layout:
    """The table's layout with every stone of the line face up."""
    line, *rest = table.layout().zones
    up = tuple(Piece("scales") for _ in line.pieces)
    return Layout((msgspec.structs.replace(line, pieces=up), *rest))


def test_a_peek_out_of_turn_is_told_once_and_the_next_one_counts(seated: Make, mat: Lay) -> None:
    table, lying = hidden_line(seated, mat)
    lying.now = msgspec.structs.replace(lying.now, handled=(Handling(1, True, frozenset()),))
    count = len(table.entries)
    table.see(lying.observe(0.0, frozenset("a")))
    table.now += 10.0
    table.give(Tick(table.now))
    assert table.screen("b").alert is not None
    assert not table.play.case.disorder
    lying.now = msgspec.structs.replace(lying.now, handled=(Handling(1, True, frozenset()),))
    table.see(lying.observe(0.0, frozenset("b")))
    assert [type(entry) for entry in table.entries[count:]] == [Act]
    assert table.entries[-1] == Act(table.entries[-1].at, "b", ("peek", "1"), Source.CAMERA)


def test_what_is_begun_is_waited_for_with_what_the_game_asks_for(seated: Make, mat: Lay) -> None:
    table, _ = playing(seated, mat)
    wanted = str(table.screen("a").prompt)
    waiting = msgspec.structs.replace(table.play.case, waiting=Waiting(say("Not finished yet."), None))
    begun = msgspec.structs.replace(table.play, case=waiting)
    table.session = msgspec.structs.replace(table.session, stage=begun)
    assert str(table.screen("a").prompt) == f"Not finished yet. {wanted}"


@pytest.mark.parametrize("deals", [False, True])
def test_cards_are_to_be_dealt_first_unless_they_deal_themselves(deals: bool) -> None:
    """From the start on, every card that leaves a pile is taken for a draw."""
    spec = games.spec("runes")
    known = KnownGame(spec, games.game(spec))
    table = Seated(Table(("a", "b"), {"runes": known}, camera=True, mats=games.mats(["runes"]), simulated=deals))
    stage = Questions(
        SetupPage.CHECK, "runes", ("a", "b"), dict(complete(spec.options, {"life_counter": "own"})), {"kind": "none"}
    )
    table.session = msgspec.structs.replace(table.session, stage=stage)
    layout = known.game.layout(known.game.setup(stage.options, stage.seats, table.session.seed))
    table.see(Mat(layout).observe(0.0))
    assert ("Deal the cards first." in table.text("a")) is not deals
    assert "Start" in table.text("a")
