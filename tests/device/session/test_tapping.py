"""A phone's page: what its taps do, which of them count, and that no button and no other page notices the way there."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from device import games
from device.key_gestures import Button, Gesture, Key
from device.screens.page_view import PageView
from device.session import tapping
from device.session.aim import READING_S
from device.session.match_start import power_on
from device.session.messages import Able, Input, Joined, Left, Tap, Tick, Unkept
from device.session.page_views import sheet
from device.session.screens import screens
from device.session.state import Play, Session, Setup
from device.session.step import step
from device.session.table import KnownGame, Table
from device.session.tapping import answers
from engine.catalogue import complete
from engine.entry import Act, Entry, Flag, Pause, Resign, Start, Undo
from engine.errors import Illegal, Violation
from engine.grammar import sentences
from engine.table import Seat
from engine.text import Text, say
from tests.device.session import stages
from tests.device.session.conftest import Seated


class Phones:
    """Two seats with phones at one table; `entries` is what would be in the journal."""

    def __init__(self, table: Table, entries: tuple[Entry, ...] = ()) -> None:
        self.table, self.now = table, 0.0
        self.entries = list(entries)
        self.session, _ = power_on(table, entries, seed=5, lots=2, now=0.0)
        for seat in ("a", "b"):
            self.give(Joined(seat, self.now))

    def give(self, given: Input) -> None:
        self.session, effects = step(self.table, self.session, given)
        for effect in effects:
            self.entries.extend(getattr(effect, "entries", ()))

    def sheet(self, seat: Seat | None) -> PageView:
        return sheet(self.table, self.session, seat)

    def touch(self, seat: Seat, line: int, *, menu: bool = False, wait: float = 1.0, serial: int | None = None) -> None:
        """The line at a place, of the list that stands there now unless another serial is given."""
        self.now += wait
        found = self.sheet(seat).menu if menu else self.sheet(seat).answers
        self.give(Tap(seat, found.serial if serial is None else serial, line, menu, self.now, self.now - wait))

    def tap(self, seat: Seat, *texts: str, menu: bool = False) -> None:
        for text in texts:
            found = self.sheet(seat).menu if menu else self.sheet(seat).answers
            lines = [str(line) for line in found.lines]
            assert text in lines, (text, lines)
            self.touch(seat, lines.index(text), menu=menu)
            menu = False

    @property
    def play(self) -> Play:
        assert isinstance(self.session.stage, Play)
        return self.session.stage


def known(game: str) -> KnownGame:
    spec = games.spec(game)
    return KnownGame(spec, games.game(spec))


def begun(game: str = "tellstones", **kinds: object) -> Phones:
    found = known(game)
    clock = kinds.pop("clock", {})
    table = Table(**{"panels": (), "games": {game: found}, "pages": True, "screen": True, **kinds})  # type: ignore[arg-type]
    options = dict(complete(found.spec.options, {}))
    start = Start(0.0, game, options, ("a", "b"), 5, clock)  # type: ignore[arg-type]
    return Phones(table, (start,))


def read(texts: tuple[Text, ...]) -> list[str]:
    return [str(text) for text in texts]


def test_phones_alone_lead_from_power_on_to_the_first_action() -> None:
    phones = Phones(Table((), {"tellstones": known("tellstones")}, pages=True))
    phones.tap("a", "English")
    phones.tap("b", "2 players", "Continue", "No clock", "Continue", "Start")
    assert isinstance(phones.entries[0], Start)
    seat = "a" if str(phones.sheet("a").status) == "Your turn." else "b"
    phones.tap(seat, next(line for line in read(phones.sheet(seat).answers.lines) if line.startswith("Crown to")))
    assert isinstance(phones.entries[1], Act)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"panels": ("a", "b")}, "This sets the displays' language. Choose this page's language in its menu."),
        ({"screen": True}, "This sets the displays' language. Choose this page's language in its menu."),
        ({"screen": True, "page_alone": True}, "Choose this page's language in its menu."),
        ({}, "Choose this page's language in its menu."),
    ],
)
def test_a_page_says_whose_language_is_chosen_first(parts: dict[str, Any], said: str) -> None:
    table = Table((), {"tellstones": known("tellstones")}, pages=True)
    phones = Phones(msgspec.structs.replace(table, **parts))
    assert str(phones.sheet("a").answers.asks) == "Which language does the table speak?"
    assert str(phones.sheet("a").wanted) == said
    assert str(phones.sheet(None).wanted) == "Choose at a seat: Language"


def test_whoever_has_a_phone_plays_wherever_they_sit() -> None:
    phones = Phones(Table((), {"tellstones": known("tellstones")}, pages=True))
    phones.give(Left("b", phones.now))
    phones.give(Joined("c", phones.now))
    phones.tap("a", "English")
    phones.tap("c", "2 players", "Continue", "No clock", "Continue", "Start")
    assert isinstance(phones.entries[0], Start)
    assert phones.entries[0].seats == ("a", "c")


def test_of_more_phones_than_players_somebody_chooses_who_plays() -> None:
    phones = Phones(Table((), {"tellstones": known("tellstones")}, pages=True))
    phones.give(Joined("d", phones.now))
    phones.tap("a", "English", "2 players")
    assert read(phones.sheet("a").answers.lines)[:3] == ["Seats B D", "Seats A B", "Seats A D"]


def test_the_step_back_leads_through_the_set_up() -> None:
    phones = Phones(Table((), {"tellstones": known("tellstones")}, pages=True))
    assert not phones.sheet("a").answers.back
    phones.tap("a", "English", "2 players")
    assert str(phones.sheet("a").wanted) == "Choose the rules, then continue."
    assert str(phones.sheet(None).wanted) == "Choose at a seat: Rules"
    phones.touch("b", -1)
    assert str(phones.sheet("a").wanted) == "Players"


def test_a_whole_sentence_is_an_action() -> None:
    phones = begun()
    phones.tap("a", "Hide the Knight (place 1)")
    assert [entry.words for entry in phones.entries if isinstance(entry, Act)] == [("hide", "knight")]


def test_words_are_asked_for_until_the_action_is_whole_and_the_step_back_undoes_a_tap() -> None:
    phones = begun("fence")
    for seat in ("a", "b"):
        phones.tap(seat, "Keep the hand")
    seat = "a" if phones.sheet("a").answers.lines else "b"
    first = phones.sheet(seat).answers
    going_on = next(place for place, line in enumerate(first.lines) if str(line).endswith("…"))
    phones.touch(seat, going_on)
    assert phones.sheet(seat).answers.path
    assert phones.sheet(seat).answers.back
    phones.touch(seat, -1)
    again = phones.sheet(seat).answers
    assert (again.lines, again.path) == (first.lines, first.path)
    assert again.serial > first.serial


def test_what_costs_something_is_asked_once_more() -> None:
    phones = begun()
    phones.tap("a", "Hide the Knight (place 1)")
    phones.tap("b", "Challenge stone 1")
    assert str(phones.sheet("b").answers.asks) == "Sure? Challenge stone 1"
    count = len(phones.entries)
    phones.touch("b", 0, wait=READING_S / 2)
    assert len(phones.entries) == count, "nobody reads so fast"
    phones.tap("b", "No")
    assert "Challenge stone 1" in read(phones.sheet("b").answers.lines)
    phones.tap("b", "Challenge stone 1", "Yes")
    assert isinstance(phones.entries[count], Act)


# --- which taps count


def test_a_tap_on_a_list_that_is_gone_does_nothing() -> None:
    phones = begun()
    old = phones.sheet("a").answers.serial
    phones.tap("a", "Hide the Knight (place 1)")
    phones.touch("b", 0)
    count, now = len(phones.entries), phones.sheet("a").answers
    assert now.serial > old
    phones.touch("a", 0, serial=old)
    assert len(phones.entries) == count


def test_a_serial_is_never_used_again() -> None:
    phones = begun()
    seen = [phones.sheet("a").answers.serial]
    for _ in range(4):
        phones.tap("a", "Correct the referee", menu=True)
        seen.append(phones.sheet("a").answers.serial)
        phones.touch("a", -1)
        seen.append(phones.sheet("a").answers.serial)
    phones.give(Left("a", phones.now))
    phones.give(Joined("a", phones.now))
    assert seen == sorted(set(seen))
    assert phones.sheet("a").answers.serial >= seen[-1]


@pytest.mark.parametrize("already", [False, True])
def test_whatever_was_done_from_the_menu_raises_its_serial(already: bool) -> None:
    """So its page learns that it was done, also where the menu offers the same as before, and where it was open."""
    refused = "A new phone for B"  # with two players nobody could agree to it
    for line in sorted({*read(begun().sheet("a").menu.lines)} - {refused}):
        phones = begun()
        if line == "Undo":
            phones.tap("a", "Hide the Knight (place 1)")
        if already:
            phones.tap("a", "Correct the referee", menu=True)
        before = phones.sheet("a").menu.serial
        phones.tap("a", line, menu=True)
        assert phones.sheet("a").menu.serial > before, line
        assert not phones.sheet("a").alert, line


def test_what_was_refused_from_the_menu_leaves_its_serial() -> None:
    phones = begun()
    before = phones.sheet("a").menu
    phones.tap("a", "Undo", menu=True)
    assert read(phones.sheet("a").alert)
    assert phones.sheet("a").menu == before


def test_a_list_that_another_led_to_is_read_first_and_counted_from_its_sending() -> None:
    phones = begun()
    phones.tap("a", "Hide the Knight (place 1)")
    count, serial = len(phones.entries), phones.sheet("b").answers.serial
    sent = phones.now + 3.0
    phones.give(Tap("b", serial, 0, False, sent + READING_S - 0.1, sent))
    assert len(phones.entries) == count
    phones.give(Tap("b", serial, 0, False, sent + READING_S, sent))
    assert isinstance(phones.entries[count], Act)


def test_a_line_that_is_not_there_does_nothing() -> None:
    phones = begun()
    before = phones.session.stage
    phones.touch("a", 99)
    phones.touch("a", -1)
    assert phones.play.match == before.match


def test_after_a_restart_whoever_waits_lets_the_clocks_go_on() -> None:
    phones = begun(clock={"kind": "move", "seconds": 5, "increment": 0, "fall": "loses"})
    waiting = next(seat for seat in ("a", "b") if str(phones.sheet(seat).status) != "Your turn.")
    assert phones.sheet(waiting).clocks[0].ends is None
    phones.tap(waiting, "Continue")
    assert [hand.ends for hand in phones.sheet(waiting).clocks if hand.left_s is None] == [phones.now + 5.0]


def test_after_a_restart_who_only_leafs_lets_no_clock_go_on() -> None:
    """Others would see that somebody tapped, and when."""
    phones = begun(clock={"kind": "move", "seconds": 5, "increment": 0, "fall": "loses"})
    acting = next(seat for seat in ("a", "b") if str(phones.sheet(seat).status) == "Your turn.")
    waiting = "b" if acting == "a" else "a"
    before = phones.sheet(waiting)
    phones.tap(acting, "Resign", menu=True)
    assert "Resign" in read(phones.sheet(acting).answers.path)
    phones.touch(acting, -1)
    phones.touch(acting, 99)
    assert phones.sheet(waiting) == before
    assert phones.play.epoch is None
    phones.tap(acting, read(phones.sheet(acting).answers.lines)[0])
    assert phones.play.epoch is not None, "an action lets it go on"


def test_a_flag_that_has_fallen_counts_before_a_tap() -> None:
    phones = begun(clock={"kind": "move", "seconds": 5, "increment": 0, "fall": "loses"})
    phones.tap(next(s for s in ("a", "b") if read(phones.sheet(s).answers.lines) == ["Continue"]), "Continue")
    phones.touch("b", 0, wait=60.0)
    assert isinstance(phones.entries[-1], Flag)
    assert phones.play.match.result is not None


def test_what_could_not_be_kept_stands_until_a_tap_that_counts() -> None:
    phones = begun()
    phones.give(Unkept(phones.now, say("The disk is full.")))
    assert "The disk is full." in read(phones.sheet("a").alert)
    phones.tap("a", "Hide the Knight (place 1)")
    assert "The disk is full." not in read(phones.sheet("a").alert)


# --- the others


@pytest.mark.parametrize("game", ["tellstones", "runes", "planetx", "fence"])
def test_taps_move_no_cursor_and_open_no_menu_on_any_display(game: str) -> None:
    phones = begun(game, panels=("a", "b"), shared=True)
    phones.touch("a", 99)  # after a restart the first tap lets time go on
    shown = screens(phones.table, phones.session)
    phones.tap("a", "Correct the referee", menu=True)
    going_on = [place for place, line in enumerate(phones.sheet("a").answers.lines) if str(line).endswith("…")]
    if going_on:
        phones.touch("a", going_on[0])
    assert screens(phones.table, phones.session) == shown
    other = phones.sheet("b")
    phones.touch("a", -1)
    assert phones.sheet("b") == other


def test_buttons_move_nothing_on_a_page() -> None:
    phones = begun(panels=("a", "b"))
    page = phones.sheet("a")
    phones.now += 1.0
    for button in (Button.CHOOSE, Button.NEXT, Button.NEXT):
        phones.now += 1.0
        phones.give(Key("a", button, Gesture.PRESS, phones.now))
    assert phones.sheet("a").answers == page.answers


def test_a_seat_with_a_phone_leaves_the_shared_panel() -> None:
    phones = begun("planetx", shared=True)
    assert phones.play.shared.holder is None
    phones.give(Left("b", phones.now))
    assert phones.play.shared.holder == "b"
    phones.give(Left("a", phones.now))
    assert phones.play.shared.holder is not None
    phones.give(Joined(phones.play.shared.holder, phones.now))
    assert phones.play.shared.holder in ({"a", "b"} - phones.session.phones)


def test_a_refusal_stands_on_the_page_that_it_concerns() -> None:
    phones = begun()
    phones.tap("a", "Undo", menu=True)
    assert read(phones.sheet("a").alert)
    assert not read(phones.sheet("b").alert)
    phones.tap("a", "Hide the Knight (place 1)")
    assert not read(phones.sheet("a").alert)


def test_a_refusal_names_its_clause_on_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    phones = begun()

    def refused(*_: object) -> None:
        raise Illegal((Violation("T16", say("Stones go to an end of the Line.")),))

    monkeypatch.setattr(tapping, "tap_line", refused)
    phones.touch("a", 0)
    assert read(phones.sheet("a").alert) == ["T16: Stones go to an end of the Line."]
    assert not read(phones.sheet("b").alert)


def test_the_others_are_asked_and_agree() -> None:
    phones = begun()
    phones.tap("a", "Hide the Knight (place 1)")
    phones.tap("a", "Undo", menu=True)
    assert str(phones.sheet("b").answers.asks) == "A wants to undo the last action."
    phones.tap("b", "Agree")
    assert isinstance(phones.entries[-1], Undo)


def test_the_places_that_can_be_taken_back_to_are_told() -> None:
    phones = begun()
    phones.tap("a", "Hide the Knight (place 1)")
    assert [read(phones.sheet("b").told)[place] for place in phones.sheet("b").undo] == ["B turns stone 1 face down."]
    phones.tap("a", "Undo", menu=True)
    phones.tap("b", "Agree")
    assert phones.sheet("a").undo == ()


def test_a_pause_holds_every_page_and_anybody_goes_on() -> None:
    phones = begun()
    phones.tap("b", "Pause", menu=True)
    assert phones.entries[-1] == Pause(phones.entries[-1].at, True)
    assert read(phones.sheet("a").answers.lines) == ["Continue"]
    phones.tap("a", "Continue")
    assert phones.entries[-1] == Pause(phones.entries[-1].at, False)


def test_a_page_resigns_for_its_own_seat_alone() -> None:
    phones = begun(shared=True)
    phones.tap("b", "Resign", menu=True)
    assert read(phones.sheet("b").answers.lines) == ["No", "B resigns"]
    phones.tap("b", "B resigns")
    assert isinstance(phones.entries[-1], Resign)
    assert phones.entries[-1].seat == "b"


def test_after_the_end_a_page_begins_anew() -> None:
    phones = begun()
    phones.tap("b", "Resign", "B resigns", menu=True)
    phones.tap("a", "Rematch")
    assert isinstance(phones.session.stage, Setup)


def test_what_the_last_action_touched_is_marked() -> None:
    phones = begun(mats=games.mats(["tellstones"]))
    phones.tap("a", "Hide the Knight (place 1)")
    board = phones.sheet("b").board
    assert board is not None
    assert [(piece.zone, piece.kind) for piece in board.pieces if piece.marked] == [("line", "")]


def test_without_a_phone_nothing_is_listed_anew() -> None:
    phones = begun(panels=("a", "b"))
    for seat in ("a", "b"):
        phones.give(Left(seat, phones.now))
    lists, match = phones.session.lists, phones.play.match
    phones.give(Tick(phones.now + 1.0))
    for button in (Button.CHOOSE,) * 4:
        for seat in ("a", "b"):
            phones.now += 1.0
            phones.give(Key(seat, button, Gesture.PRESS, phones.now))
    assert phones.play.match != match
    assert phones.session.lists == lists


def test_sheets_are_the_same_however_often_they_are_made() -> None:
    phones = begun()
    one, two = (msgspec.json.encode(sheet(phones.table, phones.session, None)) for _ in range(2))
    assert one == two
    assert isinstance(phones.session, Session)


def test_a_page_lists_what_known_cards_can_do_and_buttons_all_that_the_rules_allow() -> None:
    """As at a real table, where buttons know nobody's hand."""
    panels = msgspec.structs.replace(stages.table(), panels=stages.SEATS, simulated=True)
    rules = panels.games["fence"].game

    def sat(*, known: bool) -> Seated:
        """Whoever is to act, by phone and at buttons; known: their cards can do a single action."""
        found = Seated(panels, stages.entries("fence", 1, 4))
        state = found.play.match.state
        (seat,) = rules.actors(state)
        found.give(Joined(seat, 0.0))
        first, *more = sentences(rules, state, seat)
        assert more
        if known:
            found.give(Able(0.0, seat, state, frozenset({first})))
            assert len(answers(panels, found.session, seat).texts) == 1
        found.press(seat, "choose")
        return found

    (seat,) = rules.actors(sat(known=True).play.match.state)
    menu = sat(known=True).screen(seat).menu
    assert menu is not None
    assert menu == sat(known=False).screen(seat).menu
    assert len(menu.items) > 1
