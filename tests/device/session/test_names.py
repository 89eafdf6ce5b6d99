"""Who is playing? Asked on one page that a press passes by, remembered, carried along, shown for a seat's letter."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Literal

import msgspec
import pytest

from device.screens.render import fits, texts, with_players
from device.session import names, page_views
from device.session.messages import NameGiven
from device.session.names import COLOURS, clean_name, name_seat
from device.session.state import Person, Setup, SetupPage
from device.session.step import step
from device.session.table import KnownGame, Table
from engine.errors import Invalid, Refusal
from engine.evening import pool
from referee_record.daemon import glances
from tests.device.session.conftest import Seated, tellstones
from tests.device.session.stages import table as every_game

Make = Callable[..., Seated]
ASKED = ("English", "Continue", "No clock")


def read(table: Seated, seat: str = "a") -> str:
    """All that stands on a display, as its player reads it."""
    return " | ".join(map(str, texts(with_players(table.screen(seat)))))


def spell(table: Seated, name: str) -> None:
    """Letter by letter, on the wheel."""
    for letter in name:
        menu = table.screen("a").menu
        assert menu is not None
        line = next(str(item) for item in menu.items if letter in str(item).split(" ") or letter + "-" in str(item))
        table.pick("a", line, letter)
    table.pick("a", "Done")


def test_who_does_not_care_presses_once_and_is_called_by_the_letter(seated: Make) -> None:
    table = seated()
    table.pick("a", *ASKED)
    assert read(table).startswith("Who is playing? | Continue | Seat A | Seat B")
    table.press("a", "choose", "choose")
    assert table.match.start.seats == ("a", "b")
    assert "A: your turn" in read(table)
    assert table.screen("a").players == {}


def test_a_name_is_spelled_remembered_and_shown(seated: Make) -> None:
    table = seated()
    table.pick("a", *ASKED, "Seat A", "A new name")
    spell(table, "Anna")
    assert "Show this name in records that leave the table?" in read(table)
    table.pick("a", "No: only Seat A")
    assert read(table).startswith("Who is playing? | Continue | A: Anna | Seat B")
    assert table.screen("a").menu.cursor == 2, "the next seat is asked next"
    assert table.session.people == (Person("Anna"),)
    table.pick("a", "Continue")
    table.press("a", "choose")
    assert "Anna: your turn" in read(table)
    assert "Anna" in read(table, "b")
    assert read(table, "b").startswith("Turn: Anna | ")
    assert all(str(text).find("Anna") < 0 for text in texts(table.screen("a"))), "the screen itself names seats"


def test_the_page_is_answered_at_three_buttons(seated: Make) -> None:
    """Back takes a letter away, then leads back; capitals begin a word."""
    table = seated()
    table.pick("a", *ASKED, "Seat B", "A new name", "A B C D E", "B", "f g h i j", "i")
    assert "Name: Bi_" in read(table)
    table.press("a", "back")
    assert "Name: B_" in read(table)
    table.press("a", "back", "back")
    assert read(table).startswith("Seat B | Seat B | A new name")
    table.press("a", "back", "back")
    assert isinstance(table.session.stage, Setup)
    assert table.session.stage.page is SetupPage.CLOCK


def test_the_wheel_has_the_letters_of_the_tables_language(seated: Make) -> None:
    table = seated()
    table.pick("a", "Русский", "Continue", "No clock", "Seat A", "A new name")
    assert "А Б В Г Д" in read(table)


def test_remembered_names_come_first_but_the_seat_stands_under_the_cursor(seated: Make) -> None:
    table = seated()
    table.session = msgspec.structs.replace(table.session, people=(Person("Bert"), Person("Anna", leaves=True)))
    table.pick("a", *ASKED, "Seat A")
    menu = table.screen("a").menu
    assert menu is not None
    assert [str(item) for item in menu.items] == ["Bert", "Anna", "Seat A", "A new name", "Remove a name"]
    assert menu.cursor == 2
    table.pick("a", "Anna", "Seat B")
    assert "Anna" not in read(table), "nobody sits twice"
    table.pick("a", "Remove a name", "Bert")
    assert table.session.people == (Person("Anna", leaves=True),)
    table.press("a", "back")
    table.pick("a", "Continue")
    table.press("a", "choose")
    assert table.play.people == {"a": Person("Anna", leaves=True)}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Maximiliana-X", "12 characters"),
        ("คคคคคคคคคคคคค", "12 characters"),
        ("Anna" + "\u0301" * 60, "12 characters"),
        ("b", "is a seat"),
        ("\uff22", "is a seat"),
        ("b\u200b", "is a seat"),
        ("Bert", "has this name already"),
        ("bert", "has this name already"),
    ],
)
def test_what_can_be_no_name_is_refused_with_the_reason(seated: Make, text: str, why: str) -> None:
    table = seated()
    session = name_seat(table.table, table.session, "b", "Bert")
    with pytest.raises(Refusal, match=why):
        name_seat(table.table, session, "a", text)


def test_a_name_is_kept_in_one_form() -> None:
    assert clean_name("  Cafe\u0301   Noir ") == "Café Noir"
    assert clean_name(" \t ") == ""
    assert clean_name("Anna") == clean_name("\u202eAn\u0007na\u200e\ufeff") == "Anna"
    assert clean_name("\u3164\u200b") == ""


@pytest.mark.parametrize(
    "name",
    [
        *(
            "王芳",
            "黃淑芬",
            "趙志豪",
            "𠮷田",
            "Grzegorz",
            "Świętosława",
            "Štěpán",
            "Çağla",
            "Šarūnas",
            "Ģirts",
            "Đorđe",
        ),
        *("Ángeles", "Þórdís", "Ngô Thị Hà", "Οδυσσέας", "Їжакевич", "Ұлжан", "Արմեն", "ნინო", "נועה", "عائشة"),
        *("پری\u200cناز", "서연", "さくら", "प्रियंका", "ศรีสุวรรณ์", "ሰላም", "👩\u200d🚀 Zoë"),
    ],
)
def test_a_name_may_be_in_any_script(seated: Make, name: str) -> None:
    table = seated()
    session = name_seat(table.table, table.session, "a", name)
    assert session.people == (Person(name),)
    table.session = session
    table.start()
    assert str(page_views.sheet(table.table, table.session, "b").players[0].name).strip("\u2068\u2069") == name
    read(table)
    assert not fits(table.screen("a"), (128, 64), "en")


def test_letters_are_counted_with_their_accents_and_joints() -> None:
    for twelve in ("ศรีสุวรรณ์สุริย์ก", "שָׂרָה שָׂרָה אבג", "👩\u200d🚀" * 12, "👋\U0001f3fd" * 12, "x\u0323\u0302" * 12):
        assert clean_name(twelve)
        with pytest.raises(Invalid, match="12 characters"):
            clean_name(twelve + "x" * 5)


def test_a_name_that_is_written_from_right_to_left_does_not_turn_the_sentence_around_it(seated: Make) -> None:
    table = seated()
    table.session = name_seat(table.table, table.session, "a", "נועה")
    table.start()
    assert str(page_views.sheet(table.table, table.session, "b").status) == "\u2068נועה\u2069's turn"
    assert glances.summarise(table.table, table.session, "", 0.0).seats[0].name == "A", "the name did not leave"
    table.session = name_seat(table.table, table.session, "a", "נועה", leaves=True)
    assert glances.summarise(table.table, table.session, "", 0.0).seats[0].name == "נועה"


def test_a_name_may_come_from_elsewhere_at_any_time(seated: Make) -> None:
    """As from a phone: before a match, and in it; an empty one gives the letter back."""
    table = seated()
    table.session = name_seat(table.table, table.session, "a", "Anna", leaves=True)
    table.start()
    assert "Anna: your turn" in read(table)
    table.session = name_seat(table.table, table.session, "b", "Bert")
    assert table.session.people == (Person("Bert"), Person("Anna", leaves=True))
    assert name_seat(table.table, table.session, "a", "").stage.people == {"b": Person("Bert")}
    with pytest.raises(Refusal, match="no seat C"):
        name_seat(table.table, table.session, "c", "Carl")
    sheet = page_views.sheet(table.table, table.session, "b")
    assert [str(each.name) for each in sheet.players] == ["Anna", "Bert"]
    assert str(sheet.status) == "Anna's turn"


def shown_colours(table: Seated) -> list[str]:
    return [each.colour for each in page_views.sheet(table.table, table.session, None).players]


def test_every_player_has_a_colour_and_who_asks_for_one_gets_it(seated: Make) -> None:
    table = seated()
    table.start()
    assert shown_colours(table) == ["blue", "red"]
    table.session = name_seat(table.table, table.session, "b", "Bert", colour="blue")
    assert shown_colours(table) == ["red", "blue"], "who asked for none gives way"
    with pytest.raises(Refusal, match="this colour already"):
        name_seat(table.table, table.session, "a", "Anna", colour="blue")
    table.session = name_seat(table.table, table.session, "a", "Anna", colour="green")
    assert shown_colours(table) == ["green", "blue"]
    table.session = name_seat(table.table, table.session, "b", "Berta")
    assert shown_colours(table) == ["green", "red"], "the colour went with the name"
    table.session = name_seat(table.table, table.session, "b", "Bert")
    assert shown_colours(table) == ["green", "blue"], "it is remembered with the name"


def test_colours_are_never_shared_whatever_people_asked_for_in_other_matches() -> None:
    none: Literal[""] = ""
    for wishes in product((none, *COLOURS), repeat=4):
        people = {seat: Person(seat * 2, colour=wish) for seat, wish in zip("abcd", wishes, strict=True)}
        found = names.colours(("a", "b", "c", "d"), people)
        assert sorted(found.values()) == sorted(COLOURS)
        firsts = {wish: seat for seat, wish in reversed(tuple(zip("abcd", wishes, strict=True))) if wish}
        assert all(found[seat] == wish for wish, seat in firsts.items())


def test_where_the_pieces_have_colours_they_are_the_players() -> None:
    sides = every_game().games["fence"].spec.sides
    assert names.colours(("a", "b"), {"a": Person("Anna", colour="yellow")}, sides) == {"a": "green", "b": "red"}
    assert names.may_choose(sides) == ()


def test_the_tables_page_names_who_sits_there_without_a_phones_code(seated: Make) -> None:
    table = seated()
    assert page_views.nameable(table.table, table.session, None) == (), "nobody knows yet who sits there"
    table.pick("a", *ASKED)
    assert page_views.nameable(table.table, table.session, None) == ("a", "b")
    assert page_views.nameable(table.table, table.session, "a") == ()
    invited = msgspec.structs.replace(table.session, invited={"a": "HTTP://TABLE/#A"}, phones=frozenset("b"))
    assert page_views.nameable(table.table, invited, None) == ()
    table.pick("a", "Continue")
    table.press("a", "choose")
    assert page_views.nameable(table.table, table.session, None) == ()


def test_a_name_that_anyone_may_have_typed_takes_nobodys_consent_and_is_remembered_once_it_plays(seated: Make) -> None:
    table = seated()
    anna = Person("Anna", leaves=True, colour="green")
    table.session = msgspec.structs.replace(table.session, people=(anna,))
    table.pick("a", *ASKED)
    table.session, _ = step(table.table, table.session, NameGiven(table.session.now, "a", "Anna", by_anyone=True))
    table.session, _ = step(table.table, table.session, NameGiven(table.session.now, "b", "Bert", by_anyone=True))
    assert table.session.people == (anna,)
    table.pick("a", "Continue")
    table.press("a", "choose")
    assert table.play.people == {"a": Person("Anna"), "b": Person("Bert")}
    assert {person.name for person in table.session.people} == {"Anna", "Bert"}


def test_an_interrupted_match_goes_on_in_the_same_colours() -> None:
    remembered = (Person("Anna", colour="yellow"), Person("Bert"))
    assert names.with_colours({"a": Person("Anna", leaves=True), "b": Person("Carl")}, remembered) == {
        "a": Person("Anna", leaves=True, colour="yellow"),
        "b": Person("Carl"),
    }
    assert names.decode(names.encode(remembered)) == remembered
    assert names.decode('[{"name":"Anna","leaves":true}]') == (Person("Anna", leaves=True),), "as it was kept before"


def test_names_change_seats_with_their_players(seated: Make) -> None:
    table = seated()
    table.session = name_seat(table.table, name_seat(table.table, table.session, "a", "Anna"), "b", "Bert")
    table.start()
    table.long("a")
    table.pick("a", "Resign", "A resigns")
    table.pick("a", "Rematch, seats changed")
    table.press("a", "choose")
    assert table.play.people == {"a": Person("Bert"), "b": Person("Anna")}


def test_in_an_evening_players_keep_their_names_whatever_their_seat(seated: Make) -> None:
    table = seated()
    table.session = name_seat(table.table, name_seat(table.table, table.session, "a", "Anna"), "b", "Bert")
    table.pick("a", "English", "Evening: One match", "First to 2 wins", "Continue", "No clock")
    assert "A: Anna" not in read(table)
    assert "1: Anna | 2: Bert" in read(table)
    table.pick("a", "Continue")
    assert "Match 1 | A: Anna | B: Bert" in read(table)
    table.press("a", "choose")
    table.long("a")
    table.pick("a", "Resign", "A resigns")
    table.pick("a", "Next match, seats changed")
    assert "A: Bert | B: Anna" in read(table)
    table.press("a", "choose")
    assert "Bert" in read(table, "a")
    table.long("a")
    table.pick("a", "Resign", "A resigns")
    assert "Anna wins the evening" in read(table) or "Anna: 1 win" in read(table) or "1:1" in read(table)


def test_names_stay_where_one_match_follows_an_evening(seated: Make) -> None:
    table = seated()
    table.session = name_seat(table.table, name_seat(table.table, table.session, "a", "Anna"), "b", "Bert")
    table.pick("a", "English", "Evening: One match", "First to 2 wins", "Continue", "No clock", "Continue")
    table.press("a", "choose")
    table.long("a")
    table.pick("a", "Resign", "A resigns", "Next match, seats changed")
    table.press("a", "back")
    table.pick("a", "Evening: First to 2 wins", "One match", "Continue", "No clock")
    assert "A: Bert | B: Anna" in read(table)
    table.pick("a", "Continue")
    table.press("a", "choose")
    assert table.play.people == {"a": Person("Bert"), "b": Person("Anna")}


def test_names_given_for_an_evening_stay_where_the_players_go_back_before_it(seated: Make) -> None:
    table = seated()
    table.pick("a", "English", "Evening: One match", "First to 2 wins", "Continue", "No clock")
    table.pick("a", "Player 1", "A new name")
    spell(table, "Anna")
    table.pick("a", "No: only Player 1")
    table.press("a", "back", "back", "back", "back")
    table.pick("a", *ASKED)
    assert "A: Anna | Seat B" in read(table)


def test_what_names_cannot_be_told_apart_by_a_letter_keep_their_seats_on_clocks(seated: Make) -> None:
    table = seated()
    table.session = name_seat(table.table, name_seat(table.table, table.session, "a", "Anna"), "b", "Arno")
    table.start("30 s a move")
    assert [str(clock) for clock in with_players(table.screen("a")).clocks] == ["A 0:30", "B 0:30"]
    table.session = name_seat(table.table, table.session, "b", "Zoe")
    table.session = name_seat(table.table, table.session, "a", "Bert")
    assert [str(clock) for clock in with_players(table.screen("a")).clocks] == ["B 0:30", "Z 0:30"]


def test_fencers_are_called_by_colours_and_a_name_stands_where_the_score_stands() -> None:
    """No page of Fence has a seat's letter above a colour."""
    fence = every_game().games["fence"]
    table = Seated(Table(("a", "b"), {"fence": KnownGame(fence.spec, fence.game, fence.deck, fence.shipped)}))
    table.start()
    assert read(table).startswith("Green: ")
    table.press("a", "back")
    assert "Seat A is Green, Seat B is Red." in read(table)
    table.session = name_seat(table.table, table.session, "b", "Berta")
    table.press("b", "back")
    assert read(table, "b").startswith("Berta: ")
    assert "Seat A is Green, Berta is Red." in read(table, "b")
    assert "Green | Berta (Red)" in read(table, "b")


def test_names_that_cannot_be_read_back_are_none() -> None:
    people = (Person("Anna", leaves=True), Person("Bert"))
    assert names.decode(names.encode(people)) == people
    assert names.decode(None) == names.decode("{") == names.decode('[{"name": 3}]') == ()


@pytest.mark.parametrize("language", ["en", "ru", "zh_Hans", "zh_Hant"])
def test_the_pages_fit_with_wide_names(language: str) -> None:
    table = Seated(Table(("a", "b"), {"tellstones": tellstones()}))
    wide = tuple(Person(f"{letter}WWWWWWWWWWW") for letter in "EFGH")
    table.session = msgspec.structs.replace(table.session, people=wide, language=language)
    found = []
    for path in ((), ("Seat A",), ("A new name",), ("А Б В Г Д" if language == "ru" else "A B C D E",)):
        table.pick("a", *(path if path else ASKED))
        table.session = msgspec.structs.replace(table.session, language=language)
        found += fits(table.screen("a"), (128, 64), language)
    table.press("a", "back")
    spell(table, "Щщщщщщщщщщщщ" if language == "ru" else "Mmmmmmmmmmmm")
    found += fits(table.screen("a"), (128, 64), language)
    assert found == []


def test_who_waits_in_a_pool_keeps_the_name_of_its_seat() -> None:
    people = {seat: Person(name) for seat, name in zip("abcd", ("Anna", "Ben", "Cleo", "Dora"), strict=True)}
    setup = Setup(seats=("a", "b"), people=people, evening=pool(4, ("a", "b", "c", "d")))
    assert [names._person(setup, key) for key in "1234"] == list(people.values())
    assert [names.place_of(setup, seat) for seat in "abcd"] == ["1", "2", "3", "4"]
