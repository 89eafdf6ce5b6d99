"""What stands on every kind of screen, in every language and on both sizes of display, as text: shown/*.txt.

`python -m tests.device.screens.test_shown` writes it again; read the difference before you commit it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from device.locale import LANGUAGES
from device.screens.render import fits
from device.screens.screen import Screen
from engine.text import Text
from engine.view import Cells, Glyphs, Line, Score
from tests.device.screens.gallery import SIZES, galleries
from tests.device.screens.reading import keep, kept, shown

FOLDER = Path(__file__).parent / "shown"
KEPT = {path.stem: kept(path) for path in FOLDER.glob("*.txt")}
SCREENS = [(group, name) for group, screens in KEPT.items() for name in screens]


@cache
def painted() -> dict[str, dict[str, Screen]]:
    """The screens by group and name; only who runs these tests need make them."""
    return galleries()


@pytest.mark.parametrize(("group", "name"), SCREENS)
def test_screens_show_what_they_showed(group: str, name: str) -> None:
    assert shown(painted()[group][name]) == KEPT[group][name], (
        "if it is meant to read otherwise: python -m tests.device.screens.test_shown"
    )


@pytest.mark.parametrize(("group", "name"), SCREENS)
def test_nothing_is_cut_from_them(group: str, name: str) -> None:
    found = [fits(painted()[group][name], size, language) for size in SIZES for language in LANGUAGES]
    assert [problem for problems in found for problem in problems] == []


def test_no_text_is_left_over() -> None:
    assert {group: list(screens) for group, screens in KEPT.items()} == {
        group: list(screens) for group, screens in painted().items()
    }


def test_a_screen_is_read_back_as_it_is_painted() -> None:
    """Rows from top to bottom, parts from left to right, pages apart; equal sizes once."""
    stones = Glyphs(Text("Row"), ("crown", "flag"), ("1", "2"), frozenset({1}))
    strip = Cells(Text("Strip"), ("", "", "G"))
    panels = (stones, strip, Score(Text("Points"), (("A", 2), ("B", 0)), 3), Line(Text("x"), strong=True))
    screen = Screen(Text("Turn"), ("4:59",), panels, prompt=Text("Go"))
    narrow, wide = shown(screen).split("[zh_Hant")[0].removeprefix("[en 128]\n").split("[en 256]\n")
    assert narrow.splitlines() == [
        "Turn                      4:59",
        "Row   <crown> ▐<flag>▌",
        "       1    2",
        "Go",
        "--",
        "Turn                      4:59",
        "Strip",
        "              G",
        "  1     2     3",
        "Go",
        "--",
        "Turn                      4:59",
        "Points   A  ●●○     B  ○○○",
        "▐x▌",
        "Go",
    ]
    assert wide.splitlines()[0] == "Turn" + " " * 54 + "4:59"


def update() -> None:
    """Writes what stands on the screens."""
    for path in FOLDER.glob("*.txt"):
        path.unlink()
    for group, screens in painted().items():
        keep(FOLDER / f"{group}.txt", screens)


if __name__ == "__main__":
    update()
