"""What did the player see when they pressed? Nobody agrees, answers or chooses by a press meant for something else."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from device import games
from device.key_gestures import Button, Gesture, Key
from device.session.aim import READING_S
from device.session.messages import Tick, Unkept
from device.session.offers import note_shown
from device.session.state import EndPage, MenuState, PanelMode, Play, Setup, SetupPage
from device.session.table import KnownGame, Table
from engine.arbiter import Case
from engine.entry import Act, Draw, Pause, Undo
from engine.table import Observation, Sight, Sighting, Touch
from engine.text import say
from tests.device.session.conftest import Mat, Seated
from tests.device.session.test_shared import cards

Make = Callable[..., Seated]
SOON = 0.001


def down(table: Seated, seat: str | None, button: Button = Button.CHOOSE) -> None:
    table.give(Key(seat, button, Gesture.DOWN, table.now))


def up(table: Seated, seat: str | None, button: Button = Button.CHOOSE, after: float = SOON) -> None:
    table.now += after
    table.give(Key(seat, button, Gesture.UP, table.now))
    table.give(Key(seat, button, Gesture.PRESS, table.now))


def tap(table: Seated, seat: str | None, after: float) -> None:
    table.now += after
    down(table, seat)
    up(table, seat, after=0.08)


def on(table: Seated, seat: str) -> str:
    menu = table.screen(seat).menu
    assert menu is not None
    return str(menu.items[menu.cursor])


def playing(seated: Make, **kinds: bool) -> Seated:
    table = seated(**kinds)
    table.start(first_stone="scales")
    return table


def proposed(table: Seated, what: str) -> None:
    """b proposes it; a's cursor would stand on "Agree" by now, if a had pressed NEXT."""
    table.long("b")
    table.pick("b", what)


@pytest.mark.parametrize("what", ["Offer a draw", "Undo", "End without a result"])
def test_a_press_that_began_before_a_proposal_accepts_nothing(what: str, seated: Make) -> None:
    table = playing(seated)
    table.act("a", "Place", "Crown", "left end")
    count = len(table.entries)
    down(table, "a", Button.NEXT)
    down(table, "a")
    proposed(table, what)
    proposal = table.play.proposal
    up(table, "a", Button.NEXT)
    assert on(table, "a") == "Decline", "the safe answer is first, and stays under the cursor"
    up(table, "a")
    assert table.play.proposal == proposal
    assert len(table.entries) == count
    table.now += READING_S
    table.pick("a", "Agree")
    assert table.session.stage == Setup(SetupPage.GAME) or isinstance(table.entries[-1], Draw | Undo)


def test_a_proposal_is_refused_by_who_read_it_only(seated: Make) -> None:
    table = playing(seated)
    proposed(table, "Offer a draw")
    tap(table, "a", READING_S - 0.01)
    assert table.play.proposal is not None
    tap(table, "a", SOON)
    assert table.play.proposal is None
    assert "A does not agree" in str(table.play.told[-1].text)


def test_who_presses_pause_twice_pauses(seated: Make) -> None:
    table = playing(seated)
    table.long("a")
    table.pick("a", "Pause")
    tap(table, "a", 0.1)
    assert table.match.paused
    down(table, "b")
    tap(table, "a", READING_S)
    assert not table.match.paused
    assert isinstance(table.entries[-1], Pause)


def stood(table: Seated, **changes: object) -> None:
    """The play as something else than a key would leave it."""
    evidence = {name: changes.pop(name) for name in Case.__struct_fields__ if name in changes}
    case = msgspec.structs.replace(table.play.case, **evidence)
    stage = msgspec.structs.replace(table.play, case=case, **changes)
    table.session = msgspec.structs.replace(table.session, stage=stage)
    table.give(Tick(table.now))


def test_the_same_again_starts_nothing_anew(begun: tuple[Seated, Mat]) -> None:
    """What stands there is offered since it came up, and shown since it was first shown."""
    table, _ = begun
    table.act("a")
    table.session = note_shown(table.session, table.now + 0.1)
    before = table.session.aims["a"]
    assert before.offer is not None
    table.give(Tick(table.now + 5.0))
    assert table.session.aims["a"] is before
    assert note_shown(table.session, table.now + 9.0).aims["a"] is before


# Questions of the camera.


def dim(lying: Mat, guessed: str) -> Observation:
    """A stone was laid that nobody can name; it may be this one."""
    seen = lying.observe(0.0, frozenset("ab"))
    line, pool, *rest = seen.zones
    stone = Sighting(77, None, None, Sight.UNKNOWN, 0.2, 900.0, 0.0, 0.0, guessed)
    touched = tuple(Touch(p.track, True, 1.0, frozenset("ab")) for p in pool.pieces if p is not None)
    line = msgspec.structs.replace(line, pieces=(*line.pieces, stone))
    return msgspec.structs.replace(seen, zones=(line, msgspec.structs.replace(pool, pieces=()), *rest), touched=touched)


def asked(begun: tuple[Seated, Mat]) -> tuple[Seated, Mat, str]:
    table, lying = begun
    table.see(dim(lying, "flag"))
    table.now += 10.0
    table.give(Tick(table.now))
    assert table.play.case.question is not None
    return table, lying, table.play.case.question.seat


def replaced(table: Seated, *places: int) -> None:
    """The question, with these of its readings, as the camera's next look would put it."""
    question = table.play.case.question
    assert question is not None
    readings = tuple(question.readings[place] for place in places)
    stood(table, question=msgspec.structs.replace(question, readings=readings))


@pytest.mark.thorough
def test_another_question_does_not_come_under_an_old_cursor(begun: tuple[Seated, Mat]) -> None:
    table, lying, seat = asked(begun)
    table.press(seat, "next")
    down(table, seat)
    table.see(dim(lying, "crown"), wait=SOON)
    table.now += 4.1
    table.give(Tick(table.now))
    assert on(table, seat) == "A: Crown to the left end", "it begins at its first line"
    count = len(table.entries)
    up(table, seat)
    assert len(table.entries) == count
    assert table.play.case.question is not None


@pytest.mark.thorough
def test_the_cursor_stays_on_its_reading_wherever_that_is_now(begun: tuple[Seated, Mat]) -> None:
    table, _, seat = asked(begun)
    table.press(seat, "next")
    meant = on(table, seat)
    down(table, seat)
    replaced(table, 3, 0, 1)
    assert on(table, seat) == meant
    up(table, seat)
    assert isinstance(table.entries[-1], Act), "what was pressed is what was read"
    assert table.entries[-1].words == ("place", "flag", "right")


@pytest.mark.thorough
def test_a_reading_that_is_gone_is_not_chosen(begun: tuple[Seated, Mat]) -> None:
    table, _, seat = asked(begun)
    table.press(seat, "next")
    down(table, seat)
    replaced(table, 3, 4, 5)
    first = on(table, seat)
    assert first == "A: Crown to the left end"
    up(table, seat)
    tap(table, seat, 0.1)
    assert not any(isinstance(entry, Act) for entry in table.entries)
    tap(table, seat, READING_S)
    assert isinstance(table.entries[-1], Act)


@pytest.mark.thorough
def test_something_else_is_something_else_than_what_was_read(begun: tuple[Seated, Mat]) -> None:
    table, _, seat = asked(begun)
    while on(table, seat) != "Something else":
        table.press(seat, "next")
    down(table, seat)
    replaced(table, 3, 4, 5)
    assert on(table, seat) == "Something else"
    up(table, seat)
    assert table.play.case.question is not None, "who denied the old readings has not read the new ones"


@pytest.mark.thorough
def test_old_cursors_do_not_outlive_their_question(begun: tuple[Seated, Mat]) -> None:
    table, _, seat = asked(begun)
    table.press(seat, "next", "next")
    stood(table, question=None)
    proposed(table, "Offer a draw")
    assert on(table, "a") == "Decline"


# Menus that change under their reader.


def test_a_menu_that_grows_keeps_its_line_under_the_cursor(seated: Make) -> None:
    table = playing(seated)
    table.long("b")
    while on(table, "b") != "Undo":
        table.press("b", "next")
    down(table, "b")
    stood(table, disorder=True)
    menu = table.screen("b").menu
    assert menu is not None
    assert str(menu.items[0]) == "Everything is back in place"
    assert on(table, "b") == "Undo"


def test_a_menu_that_closes_takes_its_presses_along(begun: tuple[Seated, Mat]) -> None:
    table, lying = begun
    table.press("a", "choose")
    down(table, "a")
    lying.do(table.trace("a", ("place", "crown", "left")))
    table.see(lying.observe(0.0, frozenset("b")), wait=SOON)
    assert table.screen("a").menu is None
    up(table, "a")
    assert table.play.menu_state("a").mode is PanelMode.VIEW


def test_who_makes_sure_reads_what_for(seated: Make) -> None:
    table = playing(seated)
    stood(table, desks={"a": MenuState(PanelMode.CONFIRM, words=("place", "crown", "left"))})
    tap(table, "a", 0.1)
    assert not any(isinstance(entry, Act) for entry in table.entries)
    tap(table, "a", READING_S)
    assert any(isinstance(entry, Act) for entry in table.entries)


# Alerts.


def alerted(table: Seated) -> None:
    stood(table, alert=(say("Not finished yet."),), expires=table.now + 6.0)


def test_an_alert_is_read_before_a_press_takes_it_away(seated: Make) -> None:
    table = playing(seated)
    down(table, "a")
    alerted(table)
    up(table, "a")
    assert "Not finished" in table.alert("b")
    tap(table, "a", READING_S)
    assert table.screen("b").alert is None


def test_who_does_not_see_an_alert_does_not_take_it_away(seated: Make) -> None:
    table = playing(seated)
    table.long("b")
    alerted(table)
    table.press("b", "next", "next")
    assert "Not finished" in table.alert("a")


def test_an_alert_that_goes_by_itself_leaves_no_press_behind(seated: Make) -> None:
    table = playing(seated)
    alerted(table)
    table.now += 5.99
    down(table, "a")
    table.now += 0.02
    table.give(Tick(table.now))
    before = table.screen("a").menu
    up(table, "a")
    assert before is not None, "the menu of the turn stands again"
    assert table.screen("a").menu == before
    tap(table, "a", READING_S)
    assert table.screen("a").menu != before


def test_that_nothing_can_be_kept_is_read_first(seated: Make) -> None:
    table = playing(seated)
    table.give(Unkept(table.now, say("Its record cannot be read.")))
    for seat in ("a", "b"):
        tap(table, seat, 0.1)
    assert table.session.unkept is not None
    tap(table, "a", READING_S)
    assert table.session.unkept is None


# The set-up, the end, the panel that goes round.


def test_two_panels_answer_one_set_up(seated: Make) -> None:
    table = seated()
    table.pick("a", "English")
    down(table, "b")
    table.press("a", "choose", wait=SOON)
    stage = table.session.stage
    assert isinstance(stage, Setup)
    up(table, "b")
    assert table.session.stage == stage, "b meant the page before"


def test_start_is_not_start_anyway(seated: Make, mat: Callable[..., Mat]) -> None:
    other = playing(seated, camera=True)
    lying = mat(other.layout())
    table = seated(camera=True)
    table.pick("a", "English", "Continue", "No clock", "Continue")
    stage = table.session.stage
    assert isinstance(stage, Setup)
    options = {**stage.options, "first_stone": "scales"}
    table.session = msgspec.structs.replace(table.session, stage=msgspec.structs.replace(stage, options=options))
    table.see(lying.observe(0.0))
    assert str(table.screen("a").prompt) == "CHOOSE: Start"
    table.now += 1.0
    down(table, "a")
    seen = lying.observe(0.0)
    bare = msgspec.structs.replace(seen.zones[0], pieces=())
    table.see(msgspec.structs.replace(seen, zones=(bare, *seen.zones[1:])), SOON)
    assert str(table.screen("a").prompt) == "CHOOSE: Start anyway"
    up(table, "a")
    assert table.entries == []


def test_a_double_press_does_not_start_a_match_unseen(seated: Make) -> None:
    table = seated()
    table.pick("a", "English", "Continue", "No clock", "Continue")
    tap(table, "a", 0.1)
    assert isinstance(table.session.stage, Setup)
    assert table.session.stage.page is SetupPage.CHECK


def test_the_cursor_of_the_last_page_is_everybodys(seated: Make) -> None:
    table = playing(seated)
    table.long("a")
    table.pick("a", "Resign", "A resigns")
    table.now += 1.0
    down(table, "b")
    table.press("a", "next", wait=SOON)
    up(table, "b")
    assert isinstance(table.session.stage, Play), "b wanted to look at the table, and no rematch"
    assert table.play.closing is EndPage.MENU


def test_a_hidden_menu_takes_no_press() -> None:
    table = cards()
    table.press(None, "choose")
    assert table.play.menu_state("a").mode is PanelMode.ACT
    assert table.screen(None).menu is None, "it shows only while BACK is held"
    count = len(table.entries)
    table.press(None, "choose", "choose")
    assert len(table.entries) == count
    table.press(None, "back", gesture=Gesture.DOWN)
    table.press(None, "choose")
    assert len(table.entries) == count + 1


def test_a_panel_that_goes_round_takes_no_press_of_who_had_it(seated: Make) -> None:
    spec = games.spec("tellstones")
    known = KnownGame(spec, games.game(spec))
    table = Seated(Table((), {"tellstones": known}, shared=True), playing(seated).entries)
    table.act(None, "Place", "Crown", "left end")
    assert table.play.shared.holder == "b"
    menu = table.screen(None).menu
    assert menu is not None, "it opens by itself, where menus are no secret"
    tap(table, None, 0.1)
    assert table.screen(None).menu == menu, "b has not read it yet"
    tap(table, None, READING_S)
    assert table.screen(None).menu != menu
