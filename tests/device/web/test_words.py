"""The camera's page in every language: all its words, none left in English, and the language that was asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path

import msgspec
import pytest

from device.locale import LANGUAGES, NAMES, translate
from device.web import calibrate, private_site
from device.web.html_templates import choose_language
from device.web.words import NO_PAGE
from engine.text import Text

OTHERS = LANGUAGES[1:]
LATIN = re.compile(r"[A-Za-z]{2,}")
MEANT_SO = {"camera", "EV", "px", "Enter", "JavaScript", "Chrome", "Firefox", "Safari"}
"""Latin letters that stay: a heading of the table file, units, a key, names of browsers."""


def _latin(text: str) -> set[str]:
    return set(LATIN.findall(re.sub(r"\{\w+\}", "", text))) - MEANT_SO


def assert_translated(words: Mapping[str, Text], language: str) -> None:
    """Every word has a translation, without Latin letters."""
    english, other = ({key: translate(text, each) for key, text in words.items()} for each in ("en", language))
    assert {key for key in words if english[key] == other[key] and _latin(english[key])} == set()
    assert {key: left for key, word in other.items() if (left := _latin(word))} == {}


def assert_asked_for(words: Mapping[str, Text], *folders: Path) -> None:
    """The pages and scripts of the folders ask for these words, and for no other."""
    html = "".join(file.read_text() for folder in folders for file in folder.glob("*.html"))
    scripts = "".join(file.read_text() for folder in folders for file in folder.glob("*.js"))
    said = {key for call in re.findall(r"\bsay\(([^()]*)", scripts) for key in re.findall(r'"([a-z-]+)"', call)}
    asked = set(re.findall(r"\{\{([a-z-]+)\}\}", html)) | said
    assert asked - {"lang", "languages", "words"} <= words.keys()
    assert words.keys() - {"live", "lost"} <= asked


def assert_no_english(text: str, words: Mapping[str, Text], language: str) -> None:
    """A page's HTML is whole, says its language and has no English sentence."""
    assert "{{" not in text
    assert f'<html lang="{language.replace("_", "-")}">' in text
    body = re.sub(r"<script.*?</script>|<select.*?</select>|<style.*?</style>", "", text, flags=re.DOTALL)
    spoken = re.findall(r">([^<>]+)<", body) + re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', body)
    assert {left for each in spoken for left in _latin(unescape(each))} <= {"points"}, "the line of the table file"
    for word in words.values():
        assert f">{escape(translate(word, 'en'))}<" not in text


@pytest.mark.parametrize("language", OTHERS)
def test_every_word_is_said_in_every_language(language: str) -> None:
    assert_translated({**calibrate.WORDS, "no-page": NO_PAGE}, language)


def test_the_files_ask_for_words_that_there_are_and_for_all_of_them() -> None:
    assert_asked_for(calibrate.WORDS, private_site.STATIC)


@pytest.mark.parametrize("language", OTHERS)
def test_a_page_has_no_english_sentence(language: str) -> None:
    assert_no_english(calibrate.html(language), calibrate.WORDS, language)


def test_the_words_for_the_scripts_stand_in_the_page_and_cannot_end_their_element() -> None:
    text = calibrate.html("ru")
    data = text.partition('id="words">')[2].partition("</script>")[0]
    assert msgspec.json.decode(data) == {key: translate(text, "ru") for key, text in calibrate.WORDS.items()}
    assert "<" not in data


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_offers_all_languages_by_their_own_names_and_shows_which_it_speaks(language: str) -> None:
    text = calibrate.html(language)
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
    assert choose_language(asked, evening, accepted) == spoken
