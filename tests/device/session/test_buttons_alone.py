"""From power-on to the next match with nothing but buttons (law 6)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from device import games
from device.key_gestures import Gesture
from device.session.aim import READING_S
from device.session.match_start import power_on
from device.session.messages import Append, Keep, Leave, SendToVision
from device.session.screens import screens
from device.session.state import Setup, SetupPage
from device.session.table import KnownGame, Table
from engine.entry import Act, Correct, Draw, Pause, Resign, Settle, Source, Start, Undo
from engine.match import encode, replay
from engine.text import say
from tests.device.session.conftest import Seated, tellstones
from tests.device.session.stages import table as every_game
from vision.messages import VisionSetup as LookAt

Make = Callable[..., Seated]


@pytest.fixture
def four() -> Seated:
    """A table with a panel for each of four, and a camera."""
    mats = games.mats(["tellstones"])
    return Seated(Table(("a", "b", "c", "d"), {"tellstones": tellstones()}, camera=True, mats=mats))


def test_from_power_on_to_the_first_turn(seated: Make) -> None:
    table = seated()
    table.pick("a", "Русский")
    assert Keep("language", "ru") in table.effects
    table.press("b", "choose")  # the usual rules; anybody may press
    assert "30 s a move" in table.text("a")
    table.pick("b", "30 s a move", "Continue")
    table.press("a", "choose")
    (start,) = table.entries
    assert isinstance(start, Start)
    assert start.clock == {"kind": "move", "seconds": 30}
    assert "your turn" in str(table.screen("a").status)
    assert tuple(map(str, table.screen("b").clocks)) == ("A 0:30", "B 0:30")


def test_back_leads_through_the_answers(seated: Make) -> None:
    table = seated()
    table.pick("a", "English", "More rules")
    table.pick("a", "First stone: Drawn", "Scales")
    assert "First stone: Scales" in table.text("a")
    table.pick("a", "Continue")
    assert isinstance(table.session.stage, Setup)
    assert table.session.stage.page is SetupPage.CLOCK
    for page in (SetupPage.MORE, SetupPage.OPTIONS, SetupPage.LANGUAGE, SetupPage.LANGUAGE):
        table.press("a", "back")
        assert table.session.stage.page is page


def test_the_page_of_an_option_says_what_it_means(seated: Make) -> None:
    table = seated()
    table.pick("a", "English", "First turn: Toss a coin")
    assert "By custom, the oldest player decides." in str(table.screen("a").prompt)


def test_two_at_a_table_for_four_sit_opposite_each_other_or_where_they_like(four: Seated) -> None:
    four.pick("a", "English", "2 players")
    assert [str(item) for item in four.screen("b").menu.items] == [
        f"Seats {seats}" for seats in ("A C", "B D", "A B", "A D", "B C", "C D")
    ]
    four.pick("b", "Seats A C", "Continue", "No clock", "Continue")
    (look,) = [e.message for e in four.effects if isinstance(e, SendToVision) and isinstance(e.message, LookAt)]
    assert look.sides == {"a": "bottom", "c": "top"}
    four.press("c", "choose")
    assert four.match.start.seats == ("a", "c")
    four.long("c")
    four.press("b", "choose")
    assert four.screen("b").menu is None, "who does not play has no say"


def test_a_clock_whose_flag_is_only_noted_can_be_chosen(seated: Make) -> None:
    table = seated()
    table.pick("a", "English", "Continue", "60 s a move, no loss on time", "Continue")
    table.press("a", "choose")
    assert table.match.start.clock == {"kind": "move", "seconds": 60, "fall": "note"}


def test_rules_that_do_not_go_together_are_refused_with_the_reason(four: Seated) -> None:
    four.pick("a", "English", "4 players", "Game: Duel, or teams of two", "Two Lines")
    four.pick("a", "Continue")
    assert four.entries == []
    assert "The two-line variant is for two players (T64)." in str(four.screen("a").alert)


def test_an_action_word_by_word_is_journalled_as_one(seated: Make) -> None:
    table = seated()
    table.start()
    table.pick("a", "Place")
    assert [str(step) for step in table.screen("a").menu.path] == ["Place"]
    table.press("a", "back")
    assert "Hide" in table.text("a")
    table.pick("a", "Place", "Crown", "left end")
    assert [type(entry) for entry in table.entries] == [Start, Act, Settle]
    assert "your turn" in str(table.screen("b").status)


def test_the_menu_of_a_turn_is_open_by_itself(seated: Make) -> None:
    """Where no camera follows; BACK leads to the view, which stays until it is left."""
    table = seated()
    table.start()
    assert "your turn" in str(table.screen("a").status)
    menu = table.screen("a").menu
    assert menu is not None
    assert (str(menu.items[0]), menu.cursor) == ("Place", 0)
    assert table.screen("b").menu is None
    table.press("a", "back")
    assert table.screen("a").menu is None
    assert table.screen("a").panels
    table.press("a", "choose")
    table.pick("a", "Place", "Crown", "left end")
    assert table.screen("a").menu is None
    assert table.screen("b").menu is not None


def test_what_a_seat_alone_was_told_stands_before_the_menu_of_its_next_turn() -> None:
    game = every_game().games["planetx"]
    table = Seated(Table(("a",), {"planetx": KnownGame(game.spec, game.game, game.deck, game.shipped)}))
    table.start()
    table.pick("a", "Youth (12 facts)")
    assert table.screen("a").menu is None
    table.press("a", "choose")
    menu = table.screen("a").menu
    assert menu is not None
    assert "Survey" in [str(item) for item in menu.items]


def test_a_press_that_went_before_the_menu_of_a_turn_chooses_nothing(seated: Make) -> None:
    """What came up unasked is read for a moment, whoever led to it (law 4)."""
    table = seated()
    table.start()
    table.pick("a", "Place", "Crown", "left end")
    table.press("b", "choose", wait=READING_S / 2)
    assert table.screen("b").menu is not None
    assert table.screen("b").menu.path == ()
    table.press("b", "choose", wait=READING_S)
    assert table.screen("b").menu.path != ()


def test_who_is_not_to_act_gets_the_history_and_no_menu(seated: Make) -> None:
    table = seated()
    table.start()
    table.press("b", "choose")
    assert table.screen("b").menu is None
    table.press("b", "next")
    assert table.screen("b").page == (1, 1)
    assert table.entries[1:] == []


def test_taking_back_needs_the_consent_of_all(seated: Make) -> None:
    table = seated()
    table.start()
    before = table.match.state
    table.act("a", "Place", "Crown", "left end")
    table.long("a")
    table.pick("a", "Undo")
    assert "wants to undo" in str(table.screen("b").prompt)
    table.pick("b", "Decline")
    assert table.match.state != before
    table.long("a")
    table.pick("a", "Undo")
    table.pick("b", "Agree")
    assert isinstance(table.entries[-1], Undo)
    assert table.match.state == before


def test_nothing_to_take_back_is_said_to_whoever_asked_alone(seated: Make) -> None:
    table = seated()
    table.start()
    table.long("a")
    table.pick("a", "Undo")
    assert "nothing to take back" in table.alert("a")
    assert table.screen("b").alert is None
    assert table.play.proposal is None


def test_a_correction_by_consent(seated: Make) -> None:
    table = seated()
    table.start()
    table.act("a", "Hide", _first(table))
    table.long("b")
    table.pick("b", "Correct the referee")
    while table.play.proposal is None:
        table.press("b", "choose")
    assert "corrects the referee" in str(table.screen("a").prompt)
    table.pick("a", "Agree")
    assert isinstance(table.entries[-1], Correct)


def _first(table: Seated) -> str:
    table_line = tellstones().game.choices(table.match.state, "a", ("hide",))
    return str(table_line[0].text)


def test_pause_stops_the_clock(seated: Make) -> None:
    table = seated(clock={"kind": "chess", "seconds": 300, "increment": 0})
    table.pick("a", "English", "Continue", "5:00 + 0 s", "Continue")
    table.press("a", "choose")
    table.long("b")
    table.pick("b", "Pause")
    assert isinstance(table.entries[-1], Pause)
    stood = table.screen("a").clocks
    table.press("b", "back", wait=100.0)
    assert table.screen("a").clocks == stood
    assert str(table.screen("a").prompt) == "Paused. CHOOSE: go on."
    table.press("a", "choose")
    assert table.entries[-1] == Pause(table.entries[-1].at, False)
    table.press("b", "back", wait=10.0)
    assert table.screen("a").clocks != stood


def test_draw_resign_and_leaving(seated: Make) -> None:
    for choices, agreed, kind in (
        (("Offer a draw",), True, Draw),
        (("Resign", "A resigns"), False, Resign),
    ):
        table = seated()
        table.start()
        table.long("a")
        table.pick("a", *choices)
        if agreed:
            table.pick("b", "Agree")
        assert isinstance(table.entries[-1], kind)
        assert table.match.result is not None
        assert "Rematch" in table.text("b")
        menu = table.screen("b").menu
        assert menu is not None
        assert ("Undo or correct" in map(str, menu.items)) is not agreed
    table = seated()
    table.start()
    table.long("b")
    table.pick("b", "End without a result")
    table.pick("a", "Agree")
    assert table.effects == (Leave(),)
    assert isinstance(table.session.stage, Setup)


def test_a_rematch_keeps_the_rules_and_takes_another_seed(seated: Make) -> None:
    table = seated()
    table.start(first_stone="scales")
    table.long("a")
    table.pick("a", "Resign", "A resigns")
    table.press("b", "choose", "back", "choose")
    assert table.screen("b").menu is None, "one press, or two, only look at the table"
    assert isinstance(table.entries[-1], Resign)
    table.press("b", "choose")
    table.pick("b", "Rematch")
    table.press("b", "choose")
    first, last = table.entries[0], table.entries[-1]
    assert isinstance(first, Start)
    assert isinstance(last, Start)
    assert last.options == first.options
    assert last.seed != first.seed


def test_help_and_language_on_ones_own_display(seated: Make) -> None:
    table = seated()
    table.start()
    table.long("b")
    table.pick("b", "Help")
    assert table.screen("b").page is not None
    assert table.screen("b").panels
    table.press("b", "choose")
    table.long("b")
    table.pick("b", "Language", "Русский")
    assert table.session.languages == {"b": "ru"}


def test_a_flag_falls_by_itself(seated: Make) -> None:
    from device.session.messages import Tick
    from device.session.step import wake_at

    table = seated(clock={"kind": "move", "seconds": 30})
    table.pick("a", "English", "Continue", "30 s a move", "Continue")
    table.press("a", "choose")
    for _ in range(40):
        due = wake_at(table.session)
        if due is None:
            break
        table.now = due
        table.give(Tick(due))
    assert table.match.result is not None
    assert table.match.result.winners == {"b"}
    assert table.now <= 40.0


def test_every_entry_replays_to_the_same_match(seated: Make) -> None:
    table = seated()
    table.start()
    table.act("a", "Place", _pool(table)[0], "left end")
    table.long("b")
    table.pick("b", "Pause")
    table.long("b")
    table.pick("b", "Continue")
    assert encode(replay(tellstones().game, table.entries)) == encode(table.match)


def _pool(table: Seated) -> list[str]:
    return [str(c.text) for c in tellstones().game.choices(table.match.state, "a", ("place",))]


def test_after_a_restart_the_match_goes_on_and_the_clock_waits_for_a_press(seated: Make) -> None:
    table = seated(clock={"kind": "chess", "seconds": 300, "increment": 0})
    table.pick("a", "English", "Continue", "5:00 + 0 s", "Continue")
    table.press("a", "choose")
    table.act("a", "Place", _pool(table)[0], "left end")
    again = seated(table.entries, clock={})
    assert encode(again.match) == encode(table.match)
    assert "resumes at the first press" in str(again.screen("b").prompt)
    stood = again.screen("a").clocks
    again.press("a", "back", wait=500.0)
    assert again.screen("a").clocks == stood
    again.act("b", "Hide", _hidable(again))
    assert again.entries[-1].at >= table.entries[-1].at
    assert encode(replay(tellstones().game, again.entries)) == encode(again.match)


def _hidable(table: Seated) -> str:
    return str(tellstones().game.choices(table.match.state, "b", ("hide",))[0].text)


def test_on_one_shared_panel_private_text_shows_only_while_back_is_held(seated: Make) -> None:
    table = seated(shared=True)
    table.start()
    assert table.play.shared.holder == "a"
    assert table.screen(None).menu is not None, "of a turn, where menus are no secret"
    table.press(None, "back")
    open_text = table.text(None)
    table.press(None, "back", gesture=Gesture.DOWN)
    assert table.play.shared.held
    assert table.text(None) != open_text
    table.press(None, "back", gesture=Gesture.UP)
    assert table.text(None) == open_text


def test_a_whole_turn_and_consent_on_one_shared_panel(seated: Make) -> None:
    table = seated(shared=True)
    table.start()
    known = table.table.games["tellstones"]
    table.press(None, "back", gesture=Gesture.DOWN)
    table.pick(None, "Hide the Knight (place 1)")
    assert not table.play.shared.held, "what was private goes dark when the panel changes hands"
    assert known.game.actors(table.match.state) == {"b"}
    table.long(None)
    table.pick(None, "Undo", "Agree")
    assert isinstance(table.entries[-1], Undo)


def test_an_action_on_a_panel_without_a_match_does_nothing(seated: Make) -> None:
    table = seated()
    table.start()
    count = len(table.entries)
    table.press("d", "choose", "next", "back")
    assert len(table.entries) == count


def test_settled_at_once_without_a_camera(seated: Make) -> None:
    table = seated()
    table.start()
    table.act("a", "Hide", _first(table))
    assert table.entries[-1] == Settle(table.entries[-1].at, Source.BUTTONS)
    assert any(isinstance(effect, Append) and len(effect.entries) == 2 for effect in table.effects)


def test_an_encoder_turned_back_moves_the_cursor_back(seated: Make) -> None:
    table = seated()
    table.press("a", "previous")
    assert table.screen("a").menu.cursor == 3
    table.press("a", "next")
    assert table.screen("a").menu.cursor == 0


def test_what_was_found_at_power_on_is_told_at_a_match_that_was_over(seated: Make) -> None:
    table = seated()
    table.start(first_stone="scales")
    table.long("a")
    table.pick("a", "Resign", "A resigns")
    told = say("The journal is damaged.")
    session, _ = power_on(table.table, tuple(table.entries), seed=1, lots=1, now=0.0, told=(told,))
    table.session = session
    assert screens(table.table, session)["b"].alert == told
    table.press("b", "choose")
    assert screens(table.table, table.session)["b"].alert is None


def test_an_end_without_a_result_leads_to_the_games_and_back_to_the_language_that_is_spoken(seated: Make) -> None:
    table = seated()
    table.start(first_stone="scales")
    table.session = msgspec.structs.replace(table.session, language="ru")
    table.long("a")
    table.pick("a", "End without a result")
    table.now += READING_S
    table.pick("b", "Agree")
    assert table.session.stage == Setup(SetupPage.GAME)
    table.press("a", "back", "choose")
    assert table.session.language == "ru"
