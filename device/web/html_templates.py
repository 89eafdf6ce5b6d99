"""Chooses a page's language, and fills its words into HTML files, for `{{key}}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

import msgspec

from device.locale import LANGUAGES, NAMES, translate
from device.resources import AGAIN
from engine.text import Text
from vision.files import read_text

HANT = ("hant", "tw", "hk", "mo")
"""Scripts and regions with traditional characters."""


def choose_language(asked: str | None, evening: str | None, accepted: str) -> str:
    """Return a page's language: `asked`, from the address, if known; else `evening`, the table's; else the best known
    of `accepted`, the header Accept-Language."""
    wanted = (asked or "").replace("-", "_")
    if wanted in LANGUAGES:
        return wanted
    return evening or next(_accepted_languages(accepted), LANGUAGES[0])


def tag(language: str) -> str:
    """Return a BCP 47 language tag."""
    return language.replace("_", "-")


def _accepted_languages(accepted: str) -> Iterator[str]:
    ranges = [each.partition(";") for each in accepted.split(",")]
    dearest = sorted(ranges, key=lambda each: _weight(each[2]), reverse=True)
    for name, _, weight in dearest:
        language = _ours(name.strip().lower())
        if language is not None and _weight(weight) > 0:
            yield language


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    if name != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0


def _ours(name: str) -> str | None:
    primary, *rest = name.split("-")
    if primary == "zh":
        return "zh_Hant" if set(rest) & set(HANT) and "hans" not in rest else "zh_Hans"
    return primary if primary in LANGUAGES else None


_FIELD = re.compile(r"\{\{([a-z-]+)\}\}")


def page(file: Path, language: str, words: Mapping[str, Text]) -> str:
    """Return a file with its words filled in. Raises KeyError for a missing word, BadFile for an unreadable file."""
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
