"""Fills the words of one language into HTML files, for `{{key}}`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path

import msgspec

from device.locale import LANGUAGES, NAMES, translate
from device.resources import AGAIN
from device.web.page_language import tag
from engine.text import Text
from vision.files import read_text

_FIELD = re.compile(r"\{\{([a-z-]+)\}\}")


def page(file: Path, language: str, words: Mapping[str, Text]) -> str:
    """Return a file with its words. Raises KeyError for a missing one."""
    spoken = {key: translate(text, language) for key, text in words.items()}
    filled = {key: escape(word) for key, word in spoken.items()}
    filled |= {"lang": tag(language), "languages": _language_options(language), "words": _data(spoken)}
    return _FIELD.sub(lambda field: filled[field[1]], read_text(file, remedy=AGAIN))


def _language_options(language: str) -> str:
    return "".join(
        f'<option value="{each}" lang="{tag(each)}"{" selected" if each == language else ""}>{NAMES[each]}</option>'
        for each in LANGUAGES
    )


def _data(spoken: dict[str, str]) -> str:
    return msgspec.json.encode(spoken).decode().replace("<", "\\u003c")
