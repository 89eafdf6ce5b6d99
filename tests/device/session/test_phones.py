"""Phones from the table's own panels: where a code shows, who may call it up, and what becomes of a lost phone."""

from __future__ import annotations

import msgspec
import pytest

from device.locale import LANGUAGES
from device.screens.render import fits
from device.screens.screen import Screen
from device.session.messages import Dismiss, Effect, Input, Invite, Invited, Joined, Left, NameGiven, Tap
from device.session.page_views import sheet
from device.session.screens import screen
from device.session.state import Play, Setup
from device.session.step import step
from device.session.table import Table
from engine.text import seat_of
from tests.device.session.conftest import Seated, tellstones

SEATS = ("a", "b", "c", "d")


def codes(*seats: str) -> dict[str, str]:
    return {seat: f"HTTP://10.0.0.5:8140/#CODE{seat.upper()}" for seat in seats}


class Evening(Seated):
    """A table with pages; its codes change as they would."""

    def __init__(
        self, panels: tuple[str, ...] = ("a", "b"), *, shared: bool = False, places: tuple[str, ...] = SEATS
    ) -> None:
        games = {"tellstones": tellstones()}
        super().__init__(Table(panels, games, shared=shared, pages=True, places=places, screen=True))
        self.wished: list[Effect] = []
        self.displayed = frozenset[str]()
        self.invited = codes(*places)
        self.give(Invited(self.now, self.invited))

    def give(self, given: Input) -> None:
        super().give(given)
        wished = [effect for effect in self.effects if isinstance(effect, Invite | Dismiss)]
        self.wished += wished

    def invite(self, *seats: str) -> None:
        self.give(Invited(self.now, codes(*seats), displayed=self.displayed))

    def join(self, seat: str) -> None:
        """With a code, which is spent by it."""
        self.give(Joined(seat, self.now))
        self.invite(*(each for each in self.session.invited if each != seat))

    def rules(self, *texts: str) -> None:
        """Two players, at a and b, on to the rules, and these lines there."""
        self.pick("a", "English", "2 players")
        seats = [str(item) for item in self.screen("a").menu.items]
        self.pick("a", *(("Seats A B",) if "Seats A B" in seats else ()), *texts)

    def tap(self, seat: str, text: str, *, menu: bool = False) -> None:
        self.now += 1.0
        page = sheet(self.table, self.session, seat)
        found = page.menu if menu else page.answers
        lines = [str(line) for line in found.lines]
        assert text in lines, (text, lines)
        self.give(Tap(seat, found.serial, lines.index(text), menu, self.now))

    def lines(self, seat: str, *, menu: bool = False) -> list[str]:
        page = sheet(self.table, self.session, seat)
        return [str(line) for line in (page.menu if menu else page.answers).lines]

    def codes(self, audience: str | None) -> list[str]:
        return [each.seat for each in sheet(self.table, self.session, audience).codes]

    def told(self) -> list[str]:
        assert isinstance(self.session.stage, Play)
        return [str(told.text) for told in self.session.stage.told]


def begun(*joined: str, panels: tuple[str, ...] = ("a", "b")) -> Evening:
    """A match of a and b."""
    made = Evening(panels)
    for seat in joined:
        made.join(seat)
    if panels:
        made.rules("Continue", "No clock", "Continue")
        made.press("a", "choose", wait=2.0)
        assert isinstance(made.session.stage, Play)
        return made
    for text in ("English", "2 players", "Continue", "No clock", "Continue", "Start"):
        made.now += 2.0
        made.tap("a", text)
    assert isinstance(made.session.stage, Play)
    return made


def test_in_the_set_up_a_seats_code_is_called_up_and_shows_on_every_panel() -> None:
    made = Evening()
    made.rules("Phones", "Seat C")
    for display in ("a", "b", "table"):
        shown = screen(made.table, made.session, display)
        assert (shown.code, shown.status) == (codes("c")["c"], seat_of("c"))
    made.press("a", "choose")  # nothing to choose: the code stays
    assert made.screen("a").code is not None
    made.press("a", "back", "back")
    assert "Continue" in [str(item) for item in made.screen("a").menu.items]


def test_without_pages_nobody_hears_of_phones() -> None:
    made = Seated(Table(("a", "b"), {"tellstones": tellstones()}))
    made.pick("a", "English")
    assert "Phones" not in [str(item) for item in made.screen("a").menu.items]
    made.pick("a", "Continue", "No clock", "Continue")
    made.press("a", "choose", wait=2.0)
    made.long("a")
    assert "By phone" not in [str(item) for item in made.screen("a").menu.items]


def test_a_seat_with_a_phone_may_have_another_or_none() -> None:
    made = Evening()
    made.join("c")
    made.rules("Phones", "Seat C: by phone", "Another phone")
    assert made.wished == [Invite("c")]
    made.invite("c")
    assert made.screen("b").code == codes("c")["c"]
    made.invite()
    made.press("a", "next")
    made.press("a", "choose")
    assert made.wished[1:] == [Dismiss("c")]
    made.give(Left("c", made.now))
    made.press("a", "back")
    assert "Seat C" in [str(item) for item in made.screen("a").menu.items]


def test_a_seat_at_a_display_is_offered_to_nobody_elsewhere() -> None:
    """The table's page is open to the whole network; a free seat's page, to whoever took it with a public code."""
    made = Evening(panels=("a",))
    assert made.codes(None) == list(SEATS), "a display that does not answer is none"
    made.displayed = frozenset(("a",))
    made.invite(*SEATS)
    assert made.codes(None) == ["b", "c", "d"]
    made.join("b")
    made.rules("Phones", "Seat A")
    assert made.screen("a").code == codes("a")["a"]
    assert made.codes("b") == []
    assert str(sheet(made.table, made.session, "b").wanted) == "A's code is on the seat's own display."
    made.press("a", "back")
    made.pick("a", "Seat C")
    assert (made.codes("b"), made.codes(None)) == (["c"], ["c", "d"])
    made.join("a")
    made.give(Left("a", made.now))
    made.invite(*SEATS)
    assert made.codes(None) == ["c", "d"], "not when its phone is gone, either"


def test_who_plays_by_phone_stands_there_before_the_match_begins() -> None:
    made = Evening()
    made.join("b")
    made.rules("Continue", "No clock", "Continue")
    assert "By phone: B" in [str(getattr(panel, "text", "")) for panel in made.screen("a").panels]


def test_during_a_match_a_seat_calls_up_its_own_code_at_its_own_panel() -> None:
    made = begun()
    made.long("a")
    made.pick("a", "By phone")
    assert made.screen("a").code == codes("a")["a"]
    assert (made.screen("b").code, made.codes(None), made.codes("b")) == (None, [], [])
    made.press("a", "choose")
    assert made.screen("a").code is None


def test_a_phone_passes_its_seat_on_to_another() -> None:
    made = begun("b")
    made.tap("b", "By phone", menu=True)
    assert made.codes("b") == []
    made.tap("b", "Another phone")
    assert made.wished == [Invite("b")]
    made.invite("a", "b")
    assert (made.codes("b"), made.codes(None), made.lines("b")) == (["b"], [], [])
    made.join("b")
    assert made.told()[-1] == "B plays by phone now."


def test_everybody_is_told_who_comes_and_goes_but_not_after_power_off() -> None:
    made = begun()
    made.give(Joined("b", made.now, again=True))
    assert "B plays by phone now." not in made.told()
    made.give(Joined("b", made.now))
    made.give(Left("b", made.now))
    made.give(Joined("c", made.now))
    made.give(Left("c", made.now))
    assert made.told()[-2:] == ["B plays by phone now.", "B no longer plays by phone."], "C has no part in the match"


def test_codes_stand_on_the_tables_page_only_while_no_match_hides_anything() -> None:
    made = Evening(())
    assert made.codes(None) == list(SEATS)
    made.join("a")
    assert made.codes(None) == ["b", "c", "d"]
    assert made.codes("a") == []
    made = begun("a", "b", panels=())
    assert made.codes(None) == []
    made.tap("a", "Resign", menu=True)
    made.tap("a", "A resigns")
    assert made.codes(None) == ["c", "d"]


def test_at_a_virtual_table_a_free_seat_may_be_taken_during_a_match() -> None:
    """Its page starts the match before anybody sits there."""
    made = begun("a", "b", panels=())
    made.table = msgspec.structs.replace(made.table, simulated=True)
    assert made.codes(None) == ["c", "d"]


def four() -> Evening:
    """A match of four by phone."""
    made = Evening(())
    for seat in SEATS:
        made.join(seat)
    for text in ("English", "4 players", "Continue", "No clock", "Continue", "Start"):
        made.now += 2.0
        made.tap("a", text)
    return made


def test_the_others_give_a_seat_whose_phone_is_lost_to_a_new_one() -> None:
    made = four()
    made.tap("a", "A new phone for B", menu=True)
    made.tap("c", "Agree")
    made.tap("d", "Agree")
    assert made.wished == [Invite("b", absent=True)]
    assert made.told()[-1] == "B can join with another phone."
    assert made.codes("a") == []
    made.invite("b")
    assert (made.codes("a"), made.codes("b"), made.codes(None)) == (["b"], [], [])
    made.join("b")
    assert made.codes("a") == []
    assert not {"Another phone", "Without a phone"} & set(made.lines("a"))


def test_a_phone_that_is_there_is_not_replaced_by_others() -> None:
    made = four()
    made.tap("a", "A new phone for B", menu=True)
    made.tap("c", "Agree")
    made.tap("d", "Agree")
    made.invite()  # the daemon sees that the phone is there
    assert made.codes("a") == []
    assert not {"Another phone", "Without a phone"} & set(made.lines("a"))


def test_a_seat_with_neither_display_nor_phone_need_not_agree_that_the_match_ends() -> None:
    made = begun("a", "b", panels=())
    made.give(Left("b", made.now))
    made.tap("a", "End without a result", menu=True)
    assert isinstance(made.session.stage, Setup)


def test_nobody_takes_the_others_seat_alone_while_the_match_hides_anything() -> None:
    made = begun("a", "b", panels=())
    made.tap("a", "A new phone for B", menu=True)
    assert made.wished == []
    assert made.codes("a") == []
    assert "Nobody else can agree." in str(sheet(made.table, made.session, "a").alert[0])
    made.tap("a", "Resign", menu=True)
    made.tap("a", "A resigns")
    made.tap("a", "A new phone for B", menu=True)
    assert made.wished == [Invite("b", absent=True)]


def test_a_seat_that_was_given_up_is_had_again_by_who_is_left_or_by_the_tables_page() -> None:
    made = begun("a", "b", panels=())
    made.give(Left("a", made.now))
    made.invite("a", "c", "d")
    assert made.codes(None) == []
    made.tap("b", "A new phone for A", menu=True)
    assert made.wished == [Invite("a", absent=True)]
    made.give(Left("b", made.now))
    made.invite("a", "b", "c", "d")
    assert made.codes(None) == ["a", "b"], "those of this match alone"
    made.join("a")
    assert made.codes(None) == []


def test_of_three_the_third_is_asked() -> None:
    made = four()
    made.tap("a", "A new phone for B", menu=True)
    assert made.wished == []
    assert "Agree" in made.lines("c")
    assert "Agree" not in made.lines("b")
    made.tap("c", "Agree")
    assert made.wished == []
    made.tap("d", "Agree")
    assert made.wished == [Invite("b", absent=True)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_screens_fit(language: str) -> None:
    made = Evening()
    found: list[Screen] = []
    made.rules("Phones")
    found.append(made.screen("a"))
    made.join("d")
    made.pick("a", "Seat D: by phone")
    found.append(made.screen("a"))
    made.press("a", "back")
    made.pick("a", "Seat A")
    found.append(made.screen("a"))
    assert [fits(each, (128, 64), language) for each in found] == [[], [], []]


def test_a_step_says_nothing_of_codes_to_who_does_not_show_them() -> None:
    """A new code leaves every screen and every sheet as it is, but where it was called up."""
    made = begun("b")
    before = [sheet(made.table, made.session, each) for each in ("a", "b", None)]
    session, effects = step(made.table, made.session, Invited(made.now, codes("a", "b", "c")))
    assert (effects, [sheet(made.table, session, each) for each in ("a", "b", None)]) == ((), before)


def test_a_seat_without_a_phone_is_nowhere_offered_one() -> None:
    table = Evening(places=("b", "c", "d"))
    table.rules("Phones")
    assert [str(item) for item in table.screen("a").menu.items] == ["Seat B", "Seat C", "Seat D"]
    alone = Evening(places=())
    alone.pick("a", "English")
    items = [str(item) for item in alone.screen("a").menu.items]
    assert "Continue" in items
    assert "Phones" not in items


def test_a_name_that_is_given_while_an_evening_is_set_up_is_shown_at_once() -> None:
    made = Evening(())
    for seat in ("a", "b"):
        made.join(seat)
    for text in ("English", "2 players"):
        made.now += 2.0
        made.tap("a", text)
    evening = next(each for each in made.lines("a") if each.startswith("Evening"))
    for text in (evening, "First to 3 wins"):
        made.now += 2.0
        made.tap("a", text)
    made.give(NameGiven(made.now, "a", "Anna", colour="red"))
    (anna,) = (each for each in sheet(made.table, made.session, "b").players if each.seat == "a")
    assert (str(anna.name), anna.colour) == ("Anna", "red")
