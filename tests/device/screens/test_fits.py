"""Games as they are played fit the displays in every language; and what does not fit is found."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import ImageChops

from device import games
from device.locale import LANGUAGES
from device.screens.canvas import Canvas
from device.screens.layout import height_of, lay_out, window
from device.screens.render import fits, pages, paint, render
from device.screens.screen import BLANK, Menu, Screen
from engine.text import Text
from engine.view import Cells, Gauge, Glyphs, Line, Panel, Ring, Score
from tests.device.screens.fencing import fencing
from tests.device.screens.gallery import SIZES, played
from tests.device.screens.reading import Reader
from tests.device.screens.sitting import sitting
from tests.pairing import paired

WORD = st.text("abcdefghij шжё棋石王。，", min_size=1, max_size=24)
TEXT = WORD.map(lambda word: Text("{word}", (("word", word),)))
LONG = st.text("abcdef шжё棋石王。，", min_size=1, max_size=160).map(lambda word: Text("{word}", (("word", word),)))
PANELS: list[st.SearchStrategy[Panel]] = [
    st.builds(Line, LONG, st.booleans()),
    st.builds(
        Glyphs, TEXT, st.lists(st.sampled_from(["crown", "down", ""]), max_size=9).map(tuple), st.just(tuple("1234"))
    ),
    st.builds(Gauge, TEXT, st.integers(0, 12), st.integers(0, 12)),
    st.builds(Score, TEXT, st.lists(st.tuples(st.sampled_from("ABCD"), st.integers(0, 9)), max_size=4).map(tuple)),
    st.builds(Ring, TEXT, st.lists(st.sampled_from(["A", "?", ""]), min_size=2, max_size=18).map(tuple)),
    st.builds(Cells, TEXT, st.lists(st.sampled_from(["a", ""]), max_size=30).map(tuple)),
]
SCREENS = st.builds(
    Screen,
    status=st.none() | TEXT,
    clocks=st.lists(st.just("9:59"), max_size=4).map(tuple),
    panels=st.lists(st.one_of(PANELS), max_size=6).map(tuple),
    menu=st.none() | st.builds(Menu, st.lists(TEXT, min_size=1, max_size=9).map(tuple), st.integers(0, 8)),
    prompt=st.none() | LONG,
    alert=st.none() | LONG,
)


def shown(page: Reader) -> str:
    """What stands on a page, its rows parted by bars."""
    return re.sub(r"  +", "  ", " | ".join(page.rows()))


@pytest.mark.quick(2)
@pytest.mark.parametrize(("name", "language"), paired(sorted(games.specs()), LANGUAGES))
def test_games_as_they_are_played_fit(name: str, language: str) -> None:
    assert [problem for screen in moments(name) for problem in fits(screen, SIZES[0], language)] == []


@pytest.mark.parametrize("name", sorted(games.specs()))
def test_reference_cards_fit(name: str) -> None:
    from engine.catalogue import complete

    spec = games.spec(name)
    for lines in games.game(spec).reference(complete(spec.options, {})):
        for language in LANGUAGES:
            screen = Screen(Text("Help"), panels=tuple(map(Line, lines)), page=(10, 10))
            assert fits(screen, SIZES[0], language) == []


@pytest.mark.thorough
@settings(max_examples=60)
@given(SCREENS, st.sampled_from(SIZES), st.sampled_from(LANGUAGES))
def test_no_page_holds_more_than_there_is_room_for(screen: Screen, size: tuple[int, int], language: str) -> None:
    laid = lay_out(screen, size, language)
    assert len(pages(screen, size, language)) == len(laid) >= 1
    for page in laid:
        assert height_of(page) <= size[1]


@settings(max_examples=60)
@given(SCREENS, st.sampled_from(LANGUAGES))
def test_every_word_of_an_alert_or_prompt_is_on_some_page(screen: Screen, language: str) -> None:
    shown = "".join("".join(page.foot) for page in lay_out(screen, (128, 64), language))
    text = screen.alert or screen.prompt
    for word in (dict(text.args)["word"] if text else "").split():
        assert word in shown.replace(" ", "") or len(word) > 10


@settings(max_examples=20)
@given(SCREENS, st.sampled_from(LANGUAGES))
def test_drawing_is_a_pure_function(screen: Screen, language: str) -> None:
    assert render(screen, SIZES[0], language).tobytes() == render(screen, SIZES[0], language).tobytes()


def test_a_blank_screen_is_dark() -> None:
    assert render(BLANK, (128, 64), "en").getbbox() is None


def test_every_block_of_the_body_is_on_a_page() -> None:
    lines = tuple(Line(Text(f"line number {n}")) for n in range(20))
    laid = lay_out(Screen(panels=lines, prompt=Text("Continue")), (128, 64), "en")
    assert sum(len(page.blocks) for page in laid) == 20


def test_many_pages_say_once_what_is_asked() -> None:
    """On two pages the prompt stands on both; on more it would take the room of what is shown."""
    few = tuple(Line(Text(f"line number {n}")) for n in range(4))
    many = tuple(Line(Text(f"line number {n}")) for n in range(10))
    asked = [
        [
            bool(page.foot)
            for page in lay_out(Screen(Text("Turn"), panels=lines, prompt=Text("Continue")), (128, 64), "en")
        ]
        for lines in (few, many)
    ]
    assert asked == [[True, True], [True, False, False]]


def test_a_sentence_under_a_menu_is_kept_whole() -> None:
    won = Text("Green wins this bout by priority.")
    (page,) = lay_out(
        Screen(Text("Over"), menu=Menu((Text("Rematch"), Text("New match")), 0), prompt=won), (128, 64), "en"
    )
    assert len(page.foot) == 2


def test_under_a_menu_no_last_line_stands_alone() -> None:
    """Often it is a single word: it brings the line before it along."""
    asked = Text("Says whether the marks fit all that their player was told; not whether they are right.")
    menu = Menu((Text("Off"), Text("On")), 0)
    laid = lay_out(Screen(Text("Check of own marks"), menu=menu, prompt=asked), (128, 64), "en")
    assert [page.foot for page in laid] == [
        ("Says whether the", "marks fit all that"),
        ("their player was told;", "not whether they are"),
        ("not whether they are", "right."),
    ]


def test_a_strip_of_letters_is_one_row_on_the_smallest_display() -> None:
    numbers = ("", *map(str, range(1, 11)), "")
    (page,) = lay_out(Screen(panels=(Cells(Text("Strip"), ("", "G", *[""] * 9, "R"), numbers),)), (128, 64), "en")
    assert len(page.blocks) == 2, "its label and one row"
    (page,) = lay_out(Screen(panels=(Cells(Text("Strip"), ("crown", *[""] * 11)),)), (128, 64), "en")
    assert len(page.blocks) == 3, "a picture takes more room than a letter"


def test_a_panel_that_fits_on_a_page_is_not_split() -> None:
    two = Line(Text("a line that takes two of them"))
    laid = lay_out(Screen(Text("Help"), panels=(Line(Text("one")), two, two)), (128, 64), "en")
    assert [len(page.blocks) for page in laid] == [3, 2]


@pytest.mark.parametrize(
    ("screen", "what"),
    [
        (
            Screen(
                Text("a status line that is by far too long for the display, even if it is wrapped into three lines")
            ),
            "status",
        ),
        (Screen(Text("fine"), prompt=Text("\u0e01")), "no glyph"),
        (Screen(panels=(Glyphs(Text("Row"), ("no-such-sprite",)),)), "no sprite"),
        (Screen(panels=(Ring(Text("Sky"), ("a word that is wider than it",) * 3),)), "does not fit"),
        (Screen(panels=(Glyphs(Text(""), ("crown",)),)), "without a noun: glyphs"),
        (Screen(panels=(Gauge(Text("7"), 3, 5),)), "without a noun: gauge"),
        (Screen(panels=(Score(Text("A :"), (("A", 1),)),)), "without a noun: score"),
        (Screen(panels=(Line(Text("B 12")),)), "without a noun: the line"),
        (Screen(menu=Menu((Text("Seat A"), Text("B")), 0)), "without a noun: the choice 'B'"),
        (
            Screen(Text("Turn"), panels=(Line(Text("some words " * 6)), Line(Text("alone")))),
            "single word: 'alone'",
        ),
        (Screen(menu=Menu((Text("many words " * 12),), 0)), "too long"),
        (Screen(menu=Menu((Text("Exchange places"), Text("Exchange places")), 0)), "alike"),
    ],
)
def test_what_does_not_fit_is_found(screen: Screen, what: str) -> None:
    assert any(what in problem.what for problem in fits(screen, (128, 64), "en"))


def test_a_menu_shows_its_cursor_wherever_it_is() -> None:
    items = tuple(Text(f"item {n}") for n in range(9))
    seen = {render(Screen(menu=Menu(items, cursor)), (128, 64), "en").tobytes() for cursor in range(9)}
    assert len(seen) == 9


def test_every_item_is_shown_whole_and_a_list_turns_like_a_page() -> None:
    long = "an item that is so long that it takes three lines"
    items = ("one", "two", long, "four")
    for cursor, expected in ((0, (0, 2)), (1, (0, 2)), (2, (2, 4)), (3, (2, 4))):
        lines, first, last = window(items, cursor, 4, 100, "en")
        assert (first, last) == expected
        assert " ".join(text for text, chosen in lines if chosen) == items[cursor]
        assert " ".join(text for text, _ in lines) == " ".join(items[first:last])


def test_the_clock_that_runs_stays_where_there_is_no_room_for_all() -> None:
    clocks = ("A 10:03", "B 10:00")
    running = Screen(Text("B: your turn"), clocks, (Line(Text("Body")),), running=1)
    told = [shown(page) for page in paint(running, (128, 64), "en", Reader)]
    assert told == ["B: your turn  B 10:00 | Body | Clocks: A 10:03"]


def test_a_hint_is_said_only_where_a_line_is_free() -> None:
    few, many = ((Line(Text(f"line number {n}")),) * n for n in (2, 4))
    for panels, said in ((few, True), (many, False)):
        screen = Screen(Text("Turn"), panels=panels, hints=(Text("Hold CHOOSE: menu"),), turns=Text("BACK turns pages"))
        (page,) = paint(screen, (128, 64), "en", Reader)
        assert ("Hold CHOOSE" in shown(page)) is said
        assert "BACK" not in shown(page), "there is one page"


def test_how_to_turn_pages_is_said_if_there_are_several() -> None:
    screen = Screen(
        Text("Turn"), panels=tuple(Line(Text(f"line number {n}")) for n in range(6)), turns=Text("BACK turns")
    )
    assert ["BACK turns" in shown(page) for page in paint(screen, (128, 64), "en", Reader)] == [False, True]


def test_moving_the_cursor_moves_nothing_else() -> None:
    items = tuple(Text(f"item {n}") for n in range(4))
    one, two = (render(Screen(menu=Menu(items, cursor)), (128, 64), "en") for cursor in (1, 2))
    assert ImageChops.logical_xor(one, two).getbbox()[2] <= 6  # type: ignore[index]


def test_letters_have_the_ink_they_are_told() -> None:
    canvas = Canvas((20, 12), "en")
    canvas.box(0, 0, 20, 12)
    canvas.text(0, 0, "A", ink=0)
    assert 0 < canvas.image.histogram()[0] < 40


@cache
def sat(name: str) -> tuple[tuple[tuple[int, int], Screen], ...]:
    """Sizes of displays, and what was on them: a sitting goes the same way in every language."""
    before: dict[str, Screen] = {}
    found = []
    for display, screen, _ in sitting(name, 1, 60):
        if before.get(display) != screen:
            found.append(((256, 64) if display == "table" else (128, 64), screen))
            before[display] = screen
    return tuple(found)


@cache
def moments(name: str) -> tuple[Screen, ...]:
    """What is shown in the first actions of three matches."""
    return tuple(screen for seed in range(3) for screen in played(name, seed, 12))


@pytest.mark.quick(2)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sorted(games.specs()))
def test_a_whole_sitting_fits(name: str, language: str) -> None:
    """Set-up, menus, questions, help and history too, on the seats' displays and on the table's."""
    assert [problem for size, screen in sat(name) for problem in fits(screen, size, language)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_fencers_own_view_takes_three_pictures_and_holds_the_strip(language: str) -> None:
    """In a phrase, too; and each picture says whose turn it is."""
    shown = fencing()
    for name in ("bout turn", "bout waits", "bout attacked", "bout long phrase"):
        assert len(pages(shown[name], SIZES[0], language)) <= 3, name
        assert any(isinstance(panel, Cells) for panel in shown[name].panels), name
    turns = {name: str(shown[name].status) for name in ("bout waits", "bout attacked")}
    assert all("urn" in status for status in turns.values()), turns
