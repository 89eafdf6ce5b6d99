"""The HTML of a page in a language: as it is sent, before any of its JavaScript runs.

In the files, `{{key}}` stands for a word of the pages.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import msgspec

from device.locale import LANGUAGES, NAMES, translate
from device.sim.panel.tokens import Audience
from device.sim.panel.tongues import tag
from device.sim.panel.words import words
from engine.text import say

STATIC = Path(__file__).parent / "static"
_FIELD = re.compile(r"\{\{([a-z-]+)\}\}")


def page(file: str, audience: Audience, language: str) -> str:
    """A file of static/ with all its words. Raises KeyError if it asks for one that there is not."""
    spoken = words(language)
    seat = "" if audience.seat is None else translate(say("Seat {seat}", seat=audience.seat.upper()), language)
    filled = {key: escape(word) for key, word in {**spoken, "own-seat": seat}.items()}
    filled |= {"lang": tag(language), "languages": _offered(language), "words": _data(spoken)}
    return _FIELD.sub(lambda field: filled[field[1]], (STATIC / file).read_text(encoding="utf-8"))


def _offered(language: str) -> str:
    """The languages to choose from, each called by its own name."""
    return "".join(
        f'<option value="{each}" lang="{tag(each)}"{" selected" if each == language else ""}>{NAMES[each]}</option>'
        for each in LANGUAGES
    )


def _data(spoken: dict[str, str]) -> str:
    """JSON that may stand in a script element: nothing in it can end the element."""
    return msgspec.json.encode(spoken).decode().replace("<", "\\u003c")
