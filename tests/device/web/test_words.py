"""The pages in every language: all their words, none left in English, and the language that was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path

import msgspec
import pytest

from device.locale import LANGUAGES, NAMES, translate
from device.web import calibrate, site
from device.web.tongues import chosen
from device.web.words import NO_PAGE
from referee_record import page as verifying

PAGES: dict[str, Callable[[str], str]] = {
    "camera": calibrate.html,
    "verify": verifying.html,
}
ON_PAGES = {**calibrate.WORDS, **verifying.WORDS}
WORDS = {**ON_PAGES, "no-page": NO_PAGE}
OTHERS = LANGUAGES[1:]
LATIN = re.compile(r"[A-Za-z]{2,}")
MEANT_SO = {"camera", "EV", "px", "Enter", "JavaScript", "Chrome", "Firefox", "Safari"}
"""Latin letters that stay: a heading of the table file, units, a key, names of browsers."""


def _latin(text: str) -> set[str]:
    return set(LATIN.findall(re.sub(r"\{\w+\}", "", text))) - MEANT_SO


def _said(language: str) -> dict[str, str]:
    return {key: translate(text, language) for key, text in WORDS.items()}


def _asked_for(folder: Path) -> set[str]:
    """The keys that the files of a folder name."""
    html = {key for file in folder.glob("*.html") for key in re.findall(r"\{\{([a-z-]+)\}\}", file.read_text())}
    scripts = "".join(file.read_text() for file in folder.glob("*.js"))
    said = {key for call in re.findall(r"\bsay\(([^()]*)", scripts) for key in re.findall(r'"([a-z-]+)"', call)}
    return html | said


@pytest.mark.parametrize("language", OTHERS)
def test_every_word_is_said_in_every_language(language: str) -> None:
    english, other = _said("en"), _said(language)
    assert {key for key in WORDS if english[key] == other[key] and _latin(english[key])} == set()
    assert {key: left for key, word in other.items() if (left := _latin(word))} == {}


def test_the_files_ask_for_words_that_there_are_and_for_all_of_them() -> None:
    asked, filled, states = _asked_for(site.STATIC), {"lang", "languages", "words"}, {"live", "lost"}
    assert asked - filled <= ON_PAGES.keys()
    assert ON_PAGES.keys() - states <= asked


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("language", OTHERS)
def test_a_page_has_no_english_sentence(name: str, language: str) -> None:
    text = PAGES[name](language)
    assert "{{" not in text
    assert f'<html lang="{language.replace("_", "-")}">' in text
    body = re.sub(r"<script.*?</script>|<select.*?</select>|<style.*?</style>", "", text, flags=re.DOTALL)
    spoken = re.findall(r">([^<>]+)<", body) + re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', body)
    assert {left for each in spoken for left in _latin(unescape(each))} <= {"points"}, "the line of the table file"
    for word in _said("en").values():
        assert f">{escape(word)}<" not in text


def test_the_words_for_the_scripts_stand_in_the_page_and_cannot_end_their_element() -> None:
    text = PAGES["camera"]("ru")
    data = text.partition('id="words">')[2].partition("</script>")[0]
    assert msgspec.json.decode(data) == {key: translate(text, "ru") for key, text in calibrate.WORDS.items()}
    assert "<" not in data


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_offers_all_languages_by_their_own_names_and_shows_which_it_speaks(language: str) -> None:
    text = PAGES["camera"](language)
    assert all(f">{name}</option>" in text for name in NAMES.values())
    assert re.findall(r'value="(\w+)"[^>]* selected>', text) == [language]


@pytest.mark.parametrize(
    ("asked", "evening", "accepted", "spoken"),
    [
        ("ru", "zh_Hant", "en", "ru"),
        ("zh-Hans", None, "", "zh_Hans"),
        ("fr", "ru", "en", "ru"),
        (None, "en", "ru", "en"),
        (None, None, "de, ru;q=0.7, en;q=0.5", "ru"),
        (None, None, "en;q=0.3,zh-TW;q=0.9", "zh_Hant"),
        (None, None, "zh-CN,zh;q=0.9", "zh_Hans"),
        (None, None, "zh-Hans-HK", "zh_Hans"),
        (None, None, "ru;q=0, zh-Hant;q=x", "en"),
        (None, None, "de", "en"),
        (None, None, "", "en"),
    ],
)
def test_the_language_of_a_page(asked: str | None, evening: str | None, accepted: str, spoken: str) -> None:
    assert chosen(asked, evening, accepted) == spoken
