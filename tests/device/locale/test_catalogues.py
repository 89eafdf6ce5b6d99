"""Every message in every language, with its fields, its glyphs and room for it."""

from __future__ import annotations

import gettext
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from device import locale, resources
from device.locale import LANGUAGES, NAMES, translate
from device.screens import fonts
from engine.game import Choice
from engine.grammar import in_words, phrase_words, reading
from engine.text import Text, in_context, many, say
from tools.catalogues import (
    Domain,
    check_catalogues,
    collect,
    fields,
    names,
    on_displays,
    po_bytes,
    read,
    update,
    write_template,
)

collected = cache(collect)


@pytest.mark.thorough
def test_messages_are_collected_from_code_and_data() -> None:
    found = {each.message for each in collected()}
    assert in_context("a spell", "Shield").message in found
    assert {"{seat}: your turn", "Crown", "Toss a coin", "pool"} <= found
    assert "" not in found


def test_arguments_are_translated_where_they_are_texts() -> None:
    text = say("The {stone} is the first stone.", stone=say("Crown"))
    assert translate(text, "en") == "The Crown is the first stone."
    assert translate(text, "zh_Hant") == "首枚棋石是王冠。"
    assert translate(text, "zh_Hans") == "首枚棋石是王冠。"
    assert "Корона" in translate(text, "ru")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_message_that_is_in_no_catalogue_is_shown_in_english(language: str) -> None:
    assert translate(Text("{n} of no catalogue", (("n", 3),)), language) == "3 of no catalogue"


def test_languages_have_names_that_can_be_drawn() -> None:
    assert set(NAMES) == set(LANGUAGES)
    assert not fonts.missing("".join(NAMES.values()))


def test_fields_of_a_message() -> None:
    assert fields("{seat}: {piece} at {seat}") == {"seat", "piece"}


def test_one_word_may_be_several_in_other_languages() -> None:
    """A stone that is a shield, and a spell that shields."""
    stone, spell = say("Shield"), in_context("a spell", "Shield")
    assert str(stone) == str(spell) == translate(spell, "en") == "Shield"
    assert (translate(stone, "zh_Hant"), translate(spell, "zh_Hant")) == ("盾牌", "護盾")
    assert translate(in_context("of no catalogue", "Shield"), "ru") == "Shield"


def test_only_what_a_display_may_show_needs_its_glyphs() -> None:
    assert not on_displays(["referee_simulator/panel/words.py", "vision/overlay.py"])
    assert on_displays(["referee_simulator/panel/words.py", "device/session/setup.py"])


@pytest.mark.parametrize(("language", "charset"), [("zh_Hans", "gb2312"), ("zh_Hant", "big5")])
def test_each_chinese_catalogue_keeps_to_its_own_characters(language: str, charset: str) -> None:
    strange = {sign for message in read(language) for sign in str(message.string) if not sign.encode(charset, "ignore")}
    assert strange == set()


def test_simplified_chinese_writes_the_mode_of_a_game_as_it_is_written() -> None:
    assert [message.string for message in read("zh_Hans") if "模序" in str(message.string)] == []


def test_what_data_calls_by_an_id_has_a_name_in_every_language() -> None:
    """Also in English, whose catalogue words messages that records quote, too."""
    ids = {each.message for each in names()}
    assert {"pool", "crown", "ace-of-moons", "card-a", "sequence-b", "straight-thrust-3"} <= ids
    for language in LANGUAGES:
        known = {str(message.id) for message in read(language) if message.id and message.string}
        assert ids <= known, language
    worded = {str(message.id) for message in read("en") if message.id} - ids
    assert {"The coin fell for {side}.", "{seat} peeks no more."} <= worded
    belongs = say("Move {piece} to {place}.", piece=Text("ace-of-moons"), place=Text("card-a"))
    assert translate(belongs, "en") == "Move Ace of Moons to A's card."


def test_punctuation_belongs_to_the_language() -> None:
    words = {"hide": "Exchange a card", "x": "Straight Thrust", "y": "Joker"}
    action = in_words(
        lambda _prefix: tuple(Choice(word, Text(text), True) for word, text in words.items()), tuple(words)
    )
    assert str(action) == "Exchange a card: Straight Thrust, Joker"
    assert translate(action, "zh_Hant").count("：") == translate(action, "zh_Hant").count("、") == 1
    assert translate(say("{seat}: {action}", seat="A", action=action), "zh_Hans").startswith("A：")
    said = Text("Target: cost 4")
    assert str(in_words(lambda _: (Choice("t", said, False), Choice("5", Text("5"), True)), ("t", "5"))) == f"{said}, 5"


@pytest.mark.parametrize("data", [None, b"", b"\xde\x12\x04\x95" + b"\xff" * 40, b"garbage"])
def test_a_damaged_catalogue_leaves_the_texts_in_english(
    data: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "locale" / "ru" / "LC_MESSAGES" / "referee.mo"
    path.parent.mkdir(parents=True)
    if data is not None:
        path.write_bytes(data)
    monkeypatch.setattr(resources, "root", lambda: tmp_path)
    locale.catalogue.cache_clear()
    try:
        assert locale.translate(say("{seat} resigns", seat="A"), "ru") == "A resigns"
        assert "texts are shown in English" in caplog.text
    finally:
        locale.catalogue.cache_clear()


def test_a_message_is_no_program() -> None:
    text = Text("{seat} {nobody} {seat.__class__} {seat:999999999} {", (("seat", "A"),))
    assert locale.translate(text, "en") == "A {nobody} {seat.__class__} {seat:999999999} {"


@pytest.mark.parametrize("value", [[1], {"a": 1}, object, "\udc80", 2**70])
def test_an_argument_of_any_other_type_is_shown_as_it_is(value: Any) -> None:
    text = Text("{a}", (("a", value),))
    assert translate(text, "en") == str(value)
    assert translate(say("So: {text}", text=text), "en") == f"So: {value}"


def test_arguments_that_are_equal_are_told_apart() -> None:
    for value in (1, True, 1, 0, False):
        text = Text("{a}", (("a", value),))
        assert translate(text, "en") == str(value)
        assert translate(say("So: {text}", text=text), "en") == f"So: {value}"


def test_a_sentence_with_a_number_has_the_forms_of_its_language() -> None:
    said = {count: many("1 player", "{count} players", count) for count in (1, 2, 5, 21)}
    assert [str(text) for text in said.values()] == ["1 player", "2 players", "5 players", "21 players"]
    assert [translate(text, "en") for text in said.values()] == [str(text) for text in said.values()]
    assert [translate(text, "ru") for text in said.values()] == ["1 игрок", "2 игрока", "5 игроков", "21 игрок"]
    assert translate(said[2], "zh_Hant") == "2 人"
    assert translate(many("{count} cup", "{count} cups", 3), "ru") == "3 cups", "of no catalogue"
    assert translate(Text("{count} cup\0{count} cups", (("count", "no"),)), "ru") == "no cups"


def test_translators_are_told_what_a_message_is_for(tmp_path: Path) -> None:
    package = tmp_path / "pebble"
    (package / "config" / "mats").mkdir(parents=True)
    (package / "config" / "locale" / "ru").mkdir(parents=True)
    (package / "config" / "mats" / "pebble.toml").write_text('title = "Pebbles"\nzones = [{ name = "cups" }]\n')
    (package / "__init__.py").write_text(
        "# Translators: what the seeker does.\nLIFT = say('Lift a cup')\n"
        "CUPS = many('{count} cup', '{count} cups', 2)  # Translators: how many are left.\n"
        "OURS = say('Crown')\n"
    )
    domain = Domain.of_package(package)
    assert domain.languages() == ("en", "ru")
    assert {(each.message, each.note) for each in collect(domain)} == {
        ("Lift a cup", "Translators: what the seeker does."),
        ("{count} cup\0{count} cups", "Translators: how many are left."),
        ("Pebbles", "Translators: the title of a mat"),
        ("cups", "Translators: the id of a zone, to be given its name (pebble)"),
    }
    update(domain)
    assert [problem.what for problem in check_catalogues(domain)] == ["not translated"] * 5
    russian = read("ru", domain)
    russian["Lift a cup"].string = "Поднять чашку"
    russian["{count} cup"].string = ("{count} чашка", "{count} чашки", "{count} чашек")
    domain.po("ru").write_bytes(po_bytes(russian))
    update(domain)
    assert (
        translate_by(domain.po("ru").with_suffix(".mo")).ngettext("{count} cup", "{count} cups", 5) == "{count} чашек"
    )
    template = write_template(domain).read_text(encoding="utf-8")
    assert "#. Translators: what the seeker does.\n" in template
    assert 'msgid_plural "{count} cups"\nmsgstr[0] ""\n' in template


def translate_by(path: Path) -> gettext.GNUTranslations:
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)


def test_what_records_quote_is_worded_for_people_by_the_english_catalogue() -> None:
    told = many(
        "{seat} advances by {count} for being wrong.", "{seat} advances by {count} for being wrong.", 1, seat="A"
    )
    assert str(told) == "A advances by 1 for being wrong."
    assert translate(told, "en") == "A was wrong: 1 sector forward."


def test_menus_read_an_action_as_a_sentence_once_all_its_words_are_there() -> None:
    verb = reading(say("Place"), say("{a} to the {b}"))
    assert str(phrase_words([verb, say("Crown"), say("left end")])) == "Crown to the left end"
    assert str(phrase_words([verb, say("Crown")])) == "Place: Crown"
    assert translate(phrase_words([verb, say("Crown"), say("left end")]), "zh_Hant") == "王冠放到左端"
