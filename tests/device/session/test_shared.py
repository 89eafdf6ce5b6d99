"""One display and three buttons from hand to hand: who reads what, and when it goes dark."""

from __future__ import annotations

import msgspec
import pytest

from device import games
from device.key_gestures import Gesture
from device.session.matches import record
from device.session.messages import Joined, Tap
from device.session.state import LogEvent, MenuState, PanelMode, Play, Proposal, ProposalKind
from device.session.table import SHARED, KnownGame, Table
from engine.arbiter import Case
from engine.catalogue import complete
from engine.entry import Act, Start
from engine.text import Text, say
from tests.device.session.conftest import Seated
from tests.device.session.test_secrets import KNOWN


def cards(seed: int = 5) -> Seated:
    table = Table((), {"cards": KNOWN}, shared=True, screen=True)
    seated = Seated(table, [Start(0.0, "cards", {}, ("a", "b"), seed)])
    seated.press(None, "choose")
    return seated


def planetx(
    *, shared: bool = True, marks: bool = False, seats: tuple[str, ...] = ("a", "b"), level: str = "youth"
) -> Seated:
    spec = games.spec("planetx")
    options = dict(complete(spec.options, {"level": level, "marks": marks}))
    table = Table(
        () if shared else ("a", "b"), {"planetx": KnownGame(spec, games.game(spec))}, shared=shared, screen=True
    )
    seated = Seated(table, [Start(0.0, "planetx", options, seats, 5)])
    if not shared:
        seated.press("a", "back")
    elif len(seats) > 1:
        seated.press(None, "choose")
    return seated


def hold(table: Seated) -> str:
    """What its holder reads while BACK is held."""
    table.press(None, "back", gesture=Gesture.DOWN)
    shown = table.text(None)
    table.press(None, "back", gesture=Gesture.UP)
    return shown


def act(table: Seated, place: int) -> None:
    """The menu's line of that number, until an action is entered."""
    count = len(table.entries)
    table.press(None, "back", gesture=Gesture.DOWN)
    table.press(None, "choose", *["next"] * place)
    while len(table.entries) == count:
        table.press(None, "choose")
    table.press(None, "back", gesture=Gesture.UP)


def test_who_was_just_told_something_reads_it_before_the_panel_goes_on() -> None:
    table = planetx()
    act(table, 0)
    assert isinstance(table.entries[-1], Act)
    assert table.play.shared.holder == "a"
    assert "asteroids: 1" not in table.text(None)
    assert "CHOOSE: pass to B" in table.text(None)
    assert "asteroids: 1" in hold(table)
    table.press(None, "choose")
    assert table.play.shared.holder == "b"


@pytest.mark.parametrize("shared", [True, False])
def test_what_a_seat_has_just_pressed_need_not_be_read_first(shared: bool) -> None:
    """A mark is told to its owner alone, who learns nothing of it."""
    table = planetx(shared=shared, marks=True)
    panel = None if shared else "a"
    table.press(panel, "back", gesture=Gesture.DOWN)
    assert table.screen(panel).menu is None, "the view is read first"
    table.act(panel, "Mark", "sector 5", "is not: comet")
    assert "Marked: sector 5, not comet." in str(table.play.told[-1].text)
    assert table.play.told[-1].audience == {"a"}
    assert not table.play.shared.news
    assert table.screen(panel).menu is not None
    if shared:
        table.press(None, "back", gesture=Gesture.UP)
        assert table.screen(None).menu is None, "it is a secret"


def test_between_two_hands_the_display_is_dark() -> None:
    table = cards()
    act(table, 1)  # a draws, and is told what
    table.press(None, "choose")
    assert table.text(None).endswith("Pass to B: hold BACK")
    own = dict(table.match.state.cards)["b"]
    assert own not in hold(table), "a finger that slips onto BACK shows nothing"
    table.press(None, "next", "back")
    assert table.text(None).endswith("Pass to B: hold BACK")
    table.press(None, "choose")
    assert own not in table.text(None)
    assert own in hold(table)


def test_whoever_pressed_start_sees_nothing_of_the_seat_that_acts_first() -> None:
    """Nobody knows which of them had the set-up in hand."""
    table = Seated(Table((), {"cards": KNOWN}, shared=True, screen=True))
    while not isinstance(table.session.stage, Play):
        table.press(None, "choose")
    assert table.play.shared.holder == "a"
    own = dict(table.match.state.cards)["a"]
    assert table.text(None).endswith("Pass to A: hold BACK")
    assert own not in hold(table)
    table.press(None, "choose")
    assert own in hold(table)


def test_after_a_power_cut_whoever_still_holds_the_panel_sees_nothing_of_the_next() -> None:
    before = cards()
    act(before, 1)
    before.press(None, "choose")
    table = Seated(before.table, before.entries)
    assert table.play.shared.holder == "b"
    own = dict(table.match.state.cards)["b"]
    assert table.text(None).endswith("Pass to B: hold BACK")
    assert own not in hold(table)
    assert table.text(None).endswith("Pass to B: hold BACK")
    table.press(None, "choose")
    assert own in hold(table)


def test_who_is_handed_the_panel_takes_it_by_holding_back() -> None:
    table = cards()
    act(table, 1)
    table.press(None, "choose")
    own = dict(table.match.state.cards)["b"]
    table.press(None, "back", gesture=Gesture.DOWN)
    assert own not in table.text(None)
    table.press(None, "back", gesture=Gesture.LONG)
    assert own in table.text(None)
    table.press(None, "back", gesture=Gesture.UP)
    assert own not in table.text(None)
    assert not table.play.shared.dark


@pytest.mark.parametrize("wait", [0.0, 0.3])
def test_who_hands_it_on_with_a_finger_on_back_does_not_take_it_for_the_next(wait: float) -> None:
    """Neither if BACK was held all the while, nor if it is held again before anybody can have read whose it is."""
    table = cards()
    act(table, 1)
    table.press(None, "back", gesture=Gesture.DOWN)
    table.press(None, "choose")
    if wait:
        table.press(None, "back", gesture=Gesture.UP, wait=0.0)
        table.press(None, "back", gesture=Gesture.DOWN, wait=wait)
    own = dict(table.match.state.cards)["b"]
    table.press(None, "back", gesture=Gesture.LONG)
    assert table.play.shared.dark
    assert own not in table.text(None)
    table.press(None, "back", gesture=Gesture.UP)
    table.press(None, "back", gesture=Gesture.DOWN)
    table.press(None, "back", gesture=Gesture.LONG)
    assert own in table.text(None)


def test_who_plays_alone_reads_everything_without_back() -> None:
    table = planetx(seats=("a",))
    assert table.screen(None).menu is not None, "of a turn, since nobody is there to hide it from"
    while not isinstance(table.entries[-1], Act):
        table.press(None, "choose")
    assert table.screen(None).menu is None, "what was learned is read first"
    assert "asteroids: 1" in table.text(None)
    table.press(None, "choose")
    assert table.screen(None).menu is not None
    assert not table.play.shared.held


def test_what_another_seat_does_elsewhere_opens_no_menu_at_the_panel_that_goes_round() -> None:
    """Both choose their starting facts at once; the one who has a phone is quicker."""
    table = planetx(level="each")
    table.press(None, "back", gesture=Gesture.DOWN)
    table.give(Joined("b", table.now))
    table.now += 2.0
    table.give(Tap("b", table.session.lists["b"].answers.serial, 0, False, table.now))
    assert isinstance(table.entries[-1], Act)
    assert table.entries[-1].seat == "b"
    assert table.screen(None).menu is None, "a has not read yet what is a's"


def test_handed_on_by_wish_it_stays_until_something_happens() -> None:
    table = planetx()
    assert table.play.shared.holder == "a"
    table.long(None)
    table.pick(None, "Pass to B")
    table.press(None, "choose", "back", "next", "back")
    assert table.play.shared.holder == "b", "it is the turn of a, who lets b look"
    table.long(None)
    table.pick(None, "Pass to A")
    table.press(None, "choose")
    assert table.play.shared.holder == "a"
    table.long(None)
    table.pick(None, "Pass to B")
    table.press(None, "choose")
    table.long(None)
    table.pick(None, "Pause")
    assert table.play.shared.holder == "a"


@pytest.mark.parametrize("asked", ["b", "a"])
def test_a_question_goes_to_whom_it_is_asked(asked: str) -> None:
    table = cards()
    if asked == "a":
        act(table, 0)
        table.press(None, *["choose"] * 2)
        assert table.play.shared.holder == "b"
    table.long(None)
    table.pick(None, "Offer a draw")
    assert table.play.shared.holder == asked
    table.press(None, "choose")
    assert "Agree" in table.text(None)


def test_a_refusal_is_read_where_it_was_earned() -> None:
    table = cards()
    table.long(None)
    table.pick(None, "Undo")
    assert "nothing to take back" in str(table.screen(None).alert)
    assert table.screen("table").alert is None
    table.press(None, "back")
    assert table.screen(None).alert is None
    assert SHARED in table.table.displays


def test_where_others_read_along_the_history_has_the_pages_that_they_may_read() -> None:
    table = cards()
    told = tuple(LogEvent(0.0, Text(f"event {n}"), None if n < 2 else frozenset("a")) for n in range(12))
    table.session = msgspec.structs.replace(table.session, stage=msgspec.structs.replace(table.play, told=told))
    desks = {"a": MenuState(PanelMode.HISTORY, begun=len(told))}
    table.session = msgspec.structs.replace(table.session, stage=msgspec.structs.replace(table.play, desks=desks))
    assert table.play.shared.holder == "a"
    table.press(None, "next")
    assert table.play.menu_state("a").cursor == 0, "there is one page, whoever holds the panel"
    table.press(None, "back", gesture=Gesture.DOWN)
    assert table.screen(None).page == (1, 3)
    table.press(None, "next")
    assert table.play.menu_state("a").cursor == 1


@pytest.mark.parametrize("line", ["mark 5 not comet", "survey comet 2 5"])
def test_a_note_ends_nothing_that_is_asked_or_proposed(line: str) -> None:
    """Law 5: whoever is asked would know that somebody noted something."""
    table = planetx(shared=False, marks=True)
    undo, case = Proposal(ProposalKind.UNDO, "b", agreed=frozenset("b")), Case(disorder=True)
    before = msgspec.structs.replace(table.play, proposal=undo, case=case, alert=(say("Put it back."),), expires=9.0)
    after = record(before, (Act(1.0, "a", tuple(line.split())),))
    kept = (after.proposal, after.case, after.alert, after.expires) == (undo, case, before.alert, before.expires)
    assert kept is line.startswith("mark")
    told = [each for each in after.told[len(before.told) :] if each.audience is None]
    assert bool(told) is not kept
