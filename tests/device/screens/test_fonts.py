"""Measuring and breaking lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.locale import LANGUAGES
from device.screens import fonts
from device.screens.sprites import SIZES, SpriteError, read, sprite

STONES = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales", "down", "unknown", "empty")
ANY = st.text("abcdef GHI-/шжёЁ棋石王。，「」", max_size=80)


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=ANY, room=st.integers(30, 256))
def test_lines_are_never_too_wide_and_nothing_gets_lost(language: str, text: str, room: int) -> None:
    lines = fonts.wrap(text, room, language)
    assert all(fonts.width(line, language) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_latin_breaks_at_blanks_and_after_hyphens() -> None:
    assert fonts.wrap("one two three", 48, "en") == ("one two", "three")
    assert fonts.wrap("left-handed", 48, "en") == ("left-", "handed")


def test_chinese_breaks_anywhere_but_not_before_a_stop_nor_after_an_opening_bracket() -> None:
    assert fonts.wrap("棋石棋石", 36, "zh_Hant") == ("棋石棋", "石")
    assert fonts.wrap("棋石王。", 36, "zh_Hant") == ("棋石", "王。")
    assert fonts.wrap("棋石「王」", 36, "zh_Hant") == ("棋石", "「王」")


def test_a_word_wider_than_a_line_breaks_anywhere() -> None:
    assert len(fonts.wrap("хвастовствохвастовство", 60, "ru")) == 3


def test_what_is_cut_is_seen_to_be_cut() -> None:
    assert fonts.shorten("Exchange", 200, "en") == "Exchange"
    assert fonts.shorten("Exchange the stones", 60, "en").endswith("...")
    assert fonts.width(fonts.shorten("Exchange the stones", 60, "en"), "en") <= 60
    assert fonts.shorten("對調棋石一與二", 60, "zh_Hant").endswith("…")


def test_both_chinese_fonts_draw_their_own_shapes() -> None:
    masks = {language: bytes(fonts.font(language).getmask("骨", mode="1")) for language in ("zh_Hant", "zh_Hans")}
    assert fonts.missing("骨") or masks["zh_Hant"] != masks["zh_Hans"]


def test_the_list_of_characters_is_what_the_fonts_hold() -> None:
    """A character without a glyph is drawn as the font's box: none of those listed may be."""
    for language in LANGUAGES:
        box = bytes(fonts.font(language).getmask("\uffff", mode="1"))
        listed = fonts.characters() - {" ", "\u00a0"}
        assert not [char for char in listed if bytes(fonts.font(language).getmask(char, mode="1")) == box]
    assert fonts.missing("\uffff ok") == {"\uffff"}


@pytest.mark.parametrize("name", STONES)
@pytest.mark.parametrize("size", SIZES)
def test_sprites_exist_in_every_size_and_differ(name: str, size: int) -> None:
    image = sprite(name, size)
    assert image is not None
    assert image.size == (size, size)
    others = [sprite(other, size) for other in STONES if other != name]
    assert all(other is not None and other.tobytes() != image.tobytes() for other in others)


def test_a_sprite_that_is_no_grid_is_refused() -> None:
    with pytest.raises(SpriteError, match=r"crown\.txt"):
        read("##\n#\n", "crown.txt")
    with pytest.raises(SpriteError):
        read("#x\n##\n", "crown.txt")
