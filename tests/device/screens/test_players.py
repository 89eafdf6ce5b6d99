"""Who sits where: names stand for seats only on a display, wherever sentence, clock or sky tells of a player."""

from __future__ import annotations

import msgspec
import pytest

from device import games
from device.locale import LANGUAGES, translate
from device.screens.render import fits, render, texts, with_players
from device.screens.screen import Called, Menu, Screen
from engine.text import Text, in_row, list_texts, say, seat_of, who
from engine.view import Line, Ring, Score
from tests.device.screens.gallery import CLOCKS, SIZES, played

ANNA_AND_BERT = {"a": Called("Anna", "A"), "b": Called("Bert", "B")}
COLOURS = {"a": Called(say("Green"), "G"), "b": Called("Bert", "B")}
WIDE = {"en": "W", "zh_Hant": "王", "zh_Hans": "王", "ru": "Щ"}


def test_without_a_name_a_seat_is_its_letter() -> None:
    assert str(say("{seat} offers a draw.", seat=who("c"))) == "C offers a draw."
    assert str(seat_of("d")) == "Seat D"
    assert translate(say("{seat} offers a draw.", seat=who("c")), "ru").startswith("C ")
    assert str(in_row(map(who, "bcd"), " / ")) == "B / C / D"
    screen = Screen(say("{seat}: your turn", seat=who("a")))
    assert with_players(screen) is screen


@pytest.mark.parametrize(
    ("language", "written"), [("en", "B, Cleo, D"), ("zh_Hant", "B、Cleo、D"), ("zh_Hans", "B、Cleo、D")]
)
def test_a_list_has_the_comma_of_its_language(language: str, written: str) -> None:
    assert translate(list_texts([who("b"), "Cleo", who("d")]), language) == written


def test_names_are_put_in_wherever_a_player_is_told_of() -> None:
    panels = (
        Line(say("{seat} {what}", seat=who("a"), what=in_row([who("b"), who("c")], "+"))),
        Score(say("Points"), ((who("a"), 1), ("X", 2))),
        Ring(say("Sky, pawns {pawns}", pawns=who("b")), ("", ""), marks=((1, who("a")), (2, who("c")))),
    )
    menu = Menu((seat_of("a"), seat_of("c")), 0, (seat_of("b"),))
    screen = Screen(say("{seat}: your turn", seat=who("b")), CLOCKS, panels, menu, players={**ANNA_AND_BERT})
    shown = with_players(screen)
    assert [str(text) for text in texts(shown)] == [
        *("Bert: your turn", "A 10:00", "B 9:59", "Anna", "Seat C", "Bert", "Anna Bert+C", "Points", "Anna"),
        *("X", "Sky, pawns B", "A", "C"),
    ]


def test_a_name_that_looks_like_a_field_is_a_name() -> None:
    screen = Screen(say("{seat}: your turn", seat=who("a")), players={"a": Called("{seat} {0}")})
    status = with_players(screen).status
    assert status is not None
    assert [translate(status, language) for language in ("en", "ru")] == [
        "{seat} {0}: your turn",
        "{seat} {0}: ваш ход",
    ]


def test_a_name_that_no_display_can_draw_gives_way_to_seat_or_pieces() -> None:
    panel, said = (Line(seat_of("a")),), say("{seat}: your turn", seat=who("a"))
    thai, green = Called("ณัฐ", "ณ"), Called("ณัฐ", Text("G"), pieces=say("Green"))
    assert [str(t) for t in texts(with_players(Screen(said, CLOCKS, panel, players={"a": thai})))] == [
        *("A: your turn", "A 10:00", "B 9:59", "Seat A"),
    ]
    assert [str(t) for t in texts(with_players(Screen(said, CLOCKS, panel, players={"a": green})))] == [
        *("Green: your turn", "G 10:00", "B 9:59", "Seat A"),
    ]
    greek = Screen(said, players={"a": Called("Χρήστος")})
    assert str(with_players(greek).status) == "Χρήστος: your turn"
    assert not fits(greek, SIZES[0], "en")


def test_a_player_without_a_name_is_called_by_the_pieces() -> None:
    """Fence's figures are green and red: a page with a colour on it has no letter, in no language."""
    screen = Screen(say("{seat}: your turn", seat=who("a")), CLOCKS, (Line(seat_of("a")),), players=COLOURS)
    shown = with_players(screen)
    assert [translate(text, "en") for text in texts(shown)] == ["Green: your turn", "G 10:00", "B 9:59", "Seat A"]
    assert render(screen, SIZES[0], "ru").tobytes() != render(Screen(screen.status), SIZES[0], "ru").tobytes()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sorted(games.specs()))
def test_twelve_wide_letters_fit(name: str, language: str) -> None:
    players = {seat: Called(first + WIDE[language] * 11, first) for seat, first in zip("abcd", "ABCD", strict=True)}
    found = {
        problem
        for screen in played(name, 1, 12)
        for problem in fits(msgspec.structs.replace(screen, players=players), SIZES[0], language)
    }
    assert found == set()
