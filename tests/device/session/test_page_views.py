"""What pages are given: sheets/*.txt holds it in English, for two seats and the table, at some stages of each game.

`python -m tests.device.session.test_page_views` writes it again; read the difference before you commit it.

What is empty or false is left out. Of the second seat and of the table stands what differs from the first seat, of
rules and places what differs from the stage before, of what was told the newest, of the actions by touch their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from device.screens.page_view import MOST_TOLD, Wire, wire
from device.session.page_views import sheet
from tests.device.session.stages import GAMES, SEATS, stages, table

FOLDER = Path(__file__).parent / "page_views"
AUDIENCES = (*SEATS, None)
NEWEST = 4
SETTLED = ("heading", "game", "rules", "mat", "size_mm", "places")
"""Fields that stay from stage to stage."""


@cache
def shown(game: str) -> dict[str, dict[str, Wire]]:
    """Sheets by stage, then by audience."""
    return {
        stage: {audience or "table": wire(sheet(table(), session, audience), "en") for audience in AUDIENCES}
        for stage, session in stages(game)
    }


def plain(value: Any) -> str:
    """A value in a line: parts between bars, fields by their names; an empty part of a list is a dot."""
    if isinstance(value, dict):
        said = {name: each for name, each in value.items() if each not in (None, "", [], False)}
        return ", ".join(name if each is True else f"{name} {plain(each)}" for name, each in said.items())
    if isinstance(value, list):
        return " | ".join(f"({plain(each)})" if isinstance(each, list) else plain(each) for each in value)
    return f"{value:g}" if isinstance(value, float) else str(value) or "·"


def fields(page: Wire) -> dict[str, list[str]]:
    """What a sheet says, in lines by field; a board's parts are fields of their own."""
    board = page["board"] or {}
    more = len(page["told"]) - NEWEST
    told = [f"({more} more)", *page["told"][more:]] if more > 0 else page["told"]
    touch = page["answers"]["touch"]
    answers = {**page["answers"], "touch": touch and {**touch, "words": [], "moves": str(len(touch["moves"]))}}
    flat = {
        **page,
        **board,
        "answers": answers,
        "told": told,
        "board": None,
        "pieces": "; ".join(map(plain, board.get("pieces", []))),
    }
    flat |= {"size_mm": plain(board.get("size_mm", ""))}
    found = {
        name: [*map(plain, value if isinstance(value, list) else [value])] for name, value in flat.items() if value
    }
    return {name: lines for name, lines in found.items() if any(lines)}


def written(game: str) -> Iterator[str]:
    """The lines of a game's file."""
    settled: dict[str, list[str]] = {}
    for stage, pages in shown(game).items():
        first = fields(pages[SEATS[0]])
        for audience, page in pages.items():
            yield f"== {stage}: {audience}"
            found, known = fields(page), first if audience != SEATS[0] else settled
            for name in {**known, **found}:
                lines = found.get(name, ["nothing"])
                if lines != known.get(name):
                    yield f"{name}: {lines[0]}" if len(lines) == 1 else "\n  ".join((f"{name}:", *lines))
        settled |= {name: first[name] for name in SETTLED if name in first}


@pytest.mark.parametrize("game", GAMES)
def test_pages_are_given_what_they_were_given(game: str) -> None:
    kept = (FOLDER / f"{game}.txt").read_text()
    assert "\n".join(written(game)) + "\n" == kept, "if it is meant so: python -m tests.device.session.test_page_views"


@pytest.mark.parametrize("game", GAMES)
def test_what_was_told_stays_told(game: str) -> None:
    """But for who took up a phone: each of these sessions tells that last."""
    for audience in shown(game)["end"]:
        told = [pages[audience]["told"][: -len(SEATS)] for stage, pages in shown(game).items() if "after" in stage]
        assert [len(lines) for lines in told] == sorted(len(lines) for lines in told)
        assert len(told[-1]) + len(SEATS) < MOST_TOLD
        assert all(later[: len(before)] == before for before, later in pairwise(told))


@pytest.mark.parametrize("game", GAMES)
def test_the_newest_message_wears_the_mark_of_the_player_that_it_begins_with(game: str) -> None:
    """Not of who ordered it: another hand may carry that out."""
    for page in (page for stage in shown(game).values() for page in stage.values() if page["last"]):
        begun = [each["seat"] for each in page["players"] if page["told"][-1].startswith(f"{each['name']} ")]
        assert begun in ([], [page["last"]])


@pytest.mark.parametrize("game", GAMES)
def test_every_picture_has_a_word(game: str) -> None:
    """For who cannot see it; a letter alone is none."""
    sheets = [page for stage in shown(game).values() for page in stage.values()]
    rows = [panel for page in sheets for panel in page["panels"] if panel["kind"] in ("glyphs", "ring")]
    pictures = [
        (picture, word)
        for panel in rows
        for picture, word in zip(panel["names" if panel["kind"] == "glyphs" else "cells"], panel["words"], strict=True)
    ]
    assert bool(pictures) is (game in ("tellstones", "planetx"))
    assert [pair for pair in pictures if bool(pair[0]) != (len(pair[1]) > 1)] == []


def update() -> None:
    """Writes what pages are given."""
    for game in GAMES:
        (FOLDER / f"{game}.txt").write_text("\n".join(written(game)) + "\n")


if __name__ == "__main__":
    update()
