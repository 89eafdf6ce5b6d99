"""What the bench tells a page is in the page's language."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from device.locale import LANGUAGES, plain, translate
from referee_simulator.live.run import TRUE_EYES
from referee_simulator.live.table_parts import knobs
from referee_simulator.panel.feed import Feed
from referee_simulator.panel.words import HAND, LABEL, WORDS
from referee_simulator.table.scenes import draw, load_scenes

OTHERS = LANGUAGES[1:]
MEANT_SO = {"EV", "px", "Enter"}
"""Latin letters that stay: units, a key."""


def _latin(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]{2,}", re.sub(r"\{\w+\}", "", text))) - MEANT_SO


@pytest.mark.parametrize("language", OTHERS)
def test_every_word_is_said_in_every_language(language: str) -> None:
    words = [*WORDS.values(), *HAND.values(), LABEL]
    said = [translate(text, language) for text in words]
    assert [text for text, other in zip(words, said, strict=True) if translate(text, "en") == other] == []
    assert {left for each in said for left in _latin(each)} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_what_comes_over_the_link_is_translated_too(language: str, stage: Any) -> None:
    stage.note = TRUE_EYES
    feed = Feed(stage, language)
    told = [msgspec.json.decode(each) for each in feed.news() if isinstance(each, str)]
    hello = next(each for each in told if each["is"] == "hello")
    scene = next(each for each in told if each["is"] == "scene")
    labels = [each["label"] for each in (*scene["knobs"], *scene["switches"])]
    names = [*hello["names"]["stones"].values(), *hello["captions"].values()]
    assert len(names) == 9
    assert {left for each in (scene["note"], *labels, *names) for left in _latin(each)} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_the_knobs_of_the_table_have_words_and_units_in_every_language(language: str) -> None:
    for knob in knobs(draw(load_scenes()["easy"], 1)):
        assert translate(knob.label, language) != str(knob.label)
        assert _latin(translate(knob.label, language) + " " + plain(knob.unit, language)) == set()
