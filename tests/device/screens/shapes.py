"""One screen for each shape that a display can draw, in words that no catalogue changes."""

from __future__ import annotations

import msgspec

from device.screens.screen import Menu, Screen
from engine.text import Text
from engine.view import Cells, Gauge, Glyphs, Line, Panel, Ring, Score

NARROW, WIDE = (128, 64), (256, 64)
CLOCKS = ("4:59", "12:00")
STONES = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")
SKY = ("C", "a", "", "?", "G", "E", "", "A", "c", "", "g", "X")


class Shape(msgspec.Struct, frozen=True):
    """A screen, and the display and the language that it is drawn for."""

    screen: Screen
    size: tuple[int, int] = NARROW
    language: str = "en"


def shapes() -> dict[str, Shape]:
    """All of them, by the name of their picture."""
    return {**_heads(), **_feet(), **_menus(), **_lines(), **_figures(), **_glyphs(), **_boards()}


def _said(words: str) -> Text:
    """Words that are said as they are in every language."""
    return Text("{words}", (("words", words),))


def _menu(count: int, cursor: int, *path: str) -> Menu:
    return Menu(tuple(_said(f"Item {number}") for number in range(1, count + 1)), cursor, tuple(map(_said, path)))


def _heads() -> dict[str, Shape]:
    body: tuple[Panel, ...] = (Line(_said("Body")),)
    lines = tuple(Line(_said(f"Line {number}")) for number in range(1, 10))
    return {
        "head": Shape(Screen(_said("Status"), ("4:59",), body)),
        "head accents": Shape(Screen(_said("Йод Ёлка"), (), body), language="ru"),
        "head page": Shape(Screen(_said("Status"), panels=body, page=(2, 4))),
        "head small clocks": Shape(Screen(_said("A longer status"), CLOCKS, body)),
        "head four clocks": Shape(Screen(_said("Status"), CLOCKS * 2, body, page=(2, 4))),
        "head two lines": Shape(Screen(_said("A status for which one line is short"), panels=body)),
        "head way": Shape(Screen(menu=_menu(2, 0, "First choice", "second choice"))),
        "head none": Shape(Screen(panels=(Line(_said("ÉÀ first line")), Line(_said("second line"))))),
        "head three pages": Shape(Screen(_said("Status"), panels=lines, leaf=1)),
    }


def _feet() -> dict[str, Shape]:
    body: tuple[Panel, ...] = (Line(_said("Body")),)
    long = _said("A prompt that goes on over the edge of one line and of the next one and of one more")
    return {
        "prompt": Shape(Screen(_said("Status"), panels=body, prompt=_said("Prompt"))),
        "prompt in parts": Shape(
            Screen(_said("Status"), panels=(*body, Score(_said("Points"), (("A", 2), ("B", 0)), 3)), prompt=long)
        ),
        "alert": Shape(Screen(_said("Status"), panels=body, alert=_said("An alert that takes two lines"))),
        "alert alone": Shape(Screen(alert=_said("An alert and nothing else"))),
        "alert wide": Shape(Screen(_said("Status"), panels=body, alert=_said("An alert")), WIDE),
    }


def _menus() -> dict[str, Shape]:
    long = Menu((_said("Item 1"), _said("An item under the cursor that takes two lines"), _said("Item 3")), 1)
    return {
        "menu": Shape(Screen(_said("Status"), menu=_menu(3, 0))),
        "menu middle": Shape(Screen(_said("Status"), menu=_menu(12, 5))),
        "menu end": Shape(Screen(_said("Status"), menu=_menu(12, 11))),
        "menu long item": Shape(Screen(_said("Status"), menu=long)),
        "menu prompt": Shape(Screen(_said("Status"), menu=_menu(3, 1), prompt=_said("Prompt"))),
        "menu sentence": Shape(Screen(_said("Status"), menu=_menu(2, 1), prompt=_said("A sentence that takes two"))),
        "menu wide": Shape(Screen(_said("Status"), CLOCKS, menu=_menu(9, 2)), WIDE),
    }


def _lines() -> dict[str, Shape]:
    words = {
        "en": "Jog, flap, Quiz 1/2: 90%",
        "zh_Hant": "規則：語言。",
        "zh_Hans": "规则：语言。",
        "ru": "Ход, щит, ёж — Йод",
    }
    return {
        f"lines {language}": Shape(
            Screen(panels=(Line(_said(said)), Line(_said(said), strong=True))), language=language
        )
        for language, said in words.items()
    }


def _figures() -> dict[str, Shape]:
    bars = (Gauge(_said("Bar"), 7, 10), Gauge(_said("None"), 0, 3), Gauge(_said("Over"), 5, 3))
    above = Gauge(_said("A label that leaves no room"), 1, 2)
    seats = tuple((_said(f"Seat {seat}"), number) for number, seat in enumerate("ABCD", 8))
    return {
        "gauges": Shape(Screen(panels=bars)),
        "gauge below its label": Shape(Screen(panels=(above,))),
        "score pips": Shape(Screen(panels=(Score(_said("Points"), (("A", 2), ("B", 0)), 3),))),
        "score figures": Shape(Screen(panels=(Score(_said("Points"), seats, 12),))),
    }


def _glyphs() -> dict[str, Shape]:
    numbers = tuple("1234567")
    row = Glyphs(_said("Row"), STONES, numbers, frozenset({2}))
    special = Glyphs(_said("Row"), ("down", "unknown", "empty", "", "crown"), numbers[:5])
    return {
        "glyphs": Shape(Screen(panels=(row,))),
        "glyphs large": Shape(Screen(panels=(row,)), WIDE),
        "glyphs small": Shape(Screen(panels=(Glyphs(_said("Row"), STONES + STONES[:3]),))),
        "glyphs two rows": Shape(Screen(panels=(Glyphs(_said("Row"), STONES * 2, tuple(map(str, range(1, 15)))),))),
        "glyphs special": Shape(Screen(panels=(special,))),
        "glyphs letters": Shape(Screen(panels=(Glyphs(_said("Row"), ("other", "crown"), ("Öl", "Й")),)), language="ru"),
    }


def _boards() -> dict[str, Shape]:
    ring = Ring(_said("Ring"), SKY, frozenset(range(3, 9)), ((1, "a"), (5, "bc"), (9, "d")))
    strip = Cells(_said("Strip"), ("", "G", *[""] * 9, "R"), ("", *map(str, range(1, 11)), ""))
    return {
        "ring": Shape(Screen(panels=(ring,))),
        "ring wide": Shape(Screen(panels=(ring,)), WIDE),
        "ring of 18": Shape(Screen(panels=(Ring(_said("Ring"), (*SKY, "C", "a", "", "", "G", "?")),))),
        "strip": Shape(Screen(panels=(strip,))),
        "strip two rows": Shape(Screen(panels=(Cells(_said("Strip"), ("crown", *[""] * 10, "A")),))),
        "strip wide": Shape(Screen(panels=(Cells(_said("Strip"), ("", "G", "", "R")),)), WIDE),
    }
