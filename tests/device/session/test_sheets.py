"""What pages are given: sheets/*.json holds it in English, for two seats and the table, at some stages of each game.

`python -m tests.device.session.test_sheets` writes it anew; read the difference before you commit it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from device.screens.sheet import wire
from device.session.sheets import sheet
from tests.device.session.stages import GAMES, SEATS, stages, table

FOLDER = Path(__file__).parent / "sheets"
AUDIENCES = (*SEATS, None)


def shown(game: str) -> dict[str, dict[str, Any]]:
    return {
        stage: {audience or "table": wire(sheet(table(), session, audience), "en") for audience in AUDIENCES}
        for stage, session in stages(game)
    }


@pytest.mark.parametrize("game", GAMES)
def test_pages_are_given_what_they_were_given(game: str) -> None:
    kept = json.loads((FOLDER / f"{game}.json").read_text())
    assert shown(game) == kept, "if it is meant so: python -m tests.device.session.test_sheets"


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
        text = json.dumps(shown(game), indent=1, ensure_ascii=False)
        (FOLDER / f"{game}.json").write_text(text + "\n")


if __name__ == "__main__":
    update()
