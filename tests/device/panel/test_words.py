"""The pages in every language: all their words, none left in English, and the language that was asked for."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any

import msgspec
import pytest

from device.locale import LANGUAGES, NAMES, plain, translate
from device.sim.live.knobs import knobs
from device.sim.live.run import TRUE_EYES
from device.sim.panel.feed import Feed
from device.sim.panel.hand import Aliases
from device.sim.panel.pages import STATIC, page
from device.sim.panel.tokens import Audience
from device.sim.panel.tongues import chosen
from device.sim.panel.words import WORDS, words
from device.sim.scenes import draw, published

PAGES = {"operator.html": Audience(None), "seat.html": Audience("b"), "calibrate.html": Audience(None)}
OTHERS = LANGUAGES[1:]
LATIN = re.compile(r"[A-Za-z]{2,}")
MEANT_SO = {"camera", "EV", "px"}
"""Latin letters that stay: a heading of the table file, units."""


def _latin(text: str) -> set[str]:
    return set(LATIN.findall(re.sub(r"\{\w+\}", "", text))) - MEANT_SO


def _asked_for() -> set[str]:
    """The keys that the files of the pages name."""
    html = {key for file in STATIC.glob("*.html") for key in re.findall(r"\{\{([a-z-]+)\}\}", file.read_text())}
    scripts = "".join(file.read_text() for file in STATIC.glob("*.js"))
    said = {key for call in re.findall(r"\bsay\(([^()]*)", scripts) for key in re.findall(r'"([a-z-]+)"', call)}
    buttons = set(re.findall(r'button: "(\w+)"', scripts))
    return html | said | buttons


@pytest.mark.parametrize("language", OTHERS)
def test_every_word_is_said_in_every_language(language: str) -> None:
    english, other = words("en"), words(language)
    assert english.keys() == other.keys() == WORDS.keys()
    assert {key for key in WORDS if english[key] == other[key] and _latin(english[key])} == set()
    assert {key: left for key, word in other.items() if (left := _latin(word))} == {}


def test_the_files_ask_for_words_that_there_are_and_for_all_of_them() -> None:
    filled = {"lang", "languages", "words", "own-seat"}
    without_a_page = {"no-page"}
    states = {"live", "lost"}
    assert _asked_for() - filled - states == WORDS.keys() - without_a_page - states


@pytest.mark.parametrize("file", PAGES)
@pytest.mark.parametrize("language", OTHERS)
def test_a_page_has_no_english_sentence(file: str, language: str) -> None:
    text = page(file, PAGES[file], language)
    assert "{{" not in text
    assert f'<html lang="{language.replace("_", "-")}">' in text
    body = re.sub(r"<script.*?</script>|<select.*?</select>|<style.*?</style>", "", text, flags=re.DOTALL)
    spoken = re.findall(r">([^<>]+)<", body) + re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', body)
    assert {left for each in spoken for left in _latin(unescape(each))} <= {"points"}, "the line of the table file"
    for word in words("en").values():
        assert f">{escape(word)}<" not in text


def test_the_words_for_the_scripts_stand_in_the_page_and_cannot_end_their_element() -> None:
    text = page("operator.html", Audience(None), "ru")
    data = text.partition('id="words">')[2].partition("</script>")[0]
    assert msgspec.json.decode(data) == words("ru")
    assert "<" not in data


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_offers_all_languages_by_their_own_names_and_shows_which_it_speaks(language: str) -> None:
    text = page("seat.html", Audience("a"), language)
    assert all(f">{name}</option>" in text for name in NAMES.values())
    assert re.findall(r'value="(\w+)"[^>]* selected>', text) == [language]


def test_a_page_with_a_mouse_and_one_with_fingers_say_what_works_there() -> None:
    for file in ("operator.html", "seat.html"):
        text = page(file, PAGES[file], "en")
        mouse, touch = (re.findall(rf'class="by-{way}">([^<]*)<', text) for way in ("mouse", "touch"))
        assert "Double-click" in mouse[0]
        assert "Tap it twice" in touch[0]
        assert "lick" not in touch[0]


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


@pytest.mark.parametrize("language", OTHERS)
def test_what_comes_over_the_link_is_translated_too(language: str, stage: Any) -> None:
    stage.note = TRUE_EYES
    feed = Feed(stage, Audience(None), Aliases(), Aliases(), language)
    told = [msgspec.json.decode(each) for each in feed.news() if isinstance(each, str)]
    hello = next(each for each in told if each["is"] == "hello")
    scene = next(each for each in told if each["is"] == "scene")
    labels = [each["label"] for each in (*scene["knobs"], *scene["switches"])]
    names = [*hello["names"]["stones"].values(), *hello["captions"].values()]
    assert len(names) == 9
    assert {left for each in (scene["note"], *labels, *names) for left in _latin(each)} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_the_knobs_of_the_table_have_words_and_units_in_every_language(language: str) -> None:
    for knob in knobs(draw(published()["easy"], 1)):
        assert translate(knob.label, language) != str(knob.label)
        assert _latin(translate(knob.label, language) + " " + plain(knob.unit, language)) == set()
