"""Measuring and breaking lines."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from device import resources
from device.locale import LANGUAGES
from device.screens import canvas, fonts
from device.screens.canvas import SIZES, Canvas, SpriteError, read, sprite

STONES = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales", "down", "unknown", "empty")
ANY = st.text("abcdef GHI-/шжёЁ棋石王。，「」", max_size=80)


@pytest.mark.quick(2)
@pytest.mark.parametrize("language", LANGUAGES)
@given(text=ANY, room=st.integers(30, 256))
def test_lines_are_never_too_wide_and_nothing_gets_lost(language: str, text: str, room: int) -> None:
    lines = fonts.wrap(text, room, language)
    assert all(fonts.width(line, language) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_put_together_of_glyphs_is_the_line_as_freetype_draws_it(language: str) -> None:
    dice, all_of_them = Random(language), sorted(fonts.characters())
    letters = [char for char in all_of_them if char < "\u0500"]
    for text in ("".join(dice.choices(chars, k=20)) for chars in (letters, all_of_them) for _ in range(40)):
        canvas = Canvas((260, 24), language)
        canvas.text(4, 6, text)
        whole = Image.new("1", canvas.image.size)
        ImageDraw.Draw(whole).text((4, 6 + fonts.BASE), text, fill=1, font=fonts.font(language), anchor="ls")
        assert canvas.image.tobytes() == whole.tobytes(), text


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


def test_a_picture_is_looked_for_only_in_the_sizes_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def find(*parts: str) -> Path:
        asked.append(parts[1])
        return resources.find(*parts)

    monkeypatch.setattr(canvas, "find", find)
    small = sprite.__wrapped__(STONES[0], SIZES[0])
    assert small is not None
    assert small.height <= SIZES[0]
    assert asked == [str(SIZES[0])]


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


FAMILIES = (
    "王李張張刘陳陈楊杨黃黄趙赵周吳吴徐孫孙朱馬马胡郭林何高梁鄭郑羅罗宋謝谢唐韓韩曹許许鄧邓蕭萧馮冯曾程蔡彭潘袁于董余蘇苏葉叶呂吕魏蔣蒋田杜丁沈姜范江傅鍾钟盧卢汪戴崔任陸陆廖姚方金邱夏譚谭韋韦賈贾"
    "鄒邹石熊孟秦閻阎薛侯雷白龍龙段郝孔邵史毛常萬万顧顾賴赖武康賀贺嚴严尹錢钱施牛洪龔龚芳娜敏靜静麗丽強强磊軍军洋勇艷艳傑杰娟濤涛超蘭兰霞剛刚"
)
LATIN = "ąćęłńóśźżĄŁŻčďěňřšťůžČŠŽçğıöşüĞİŞđĐćőűŐāēģīķļņūăâîșțøåæðþßžẽ"


def test_people_s_names_are_drawn_in_their_own_letters() -> None:
    """Nothing is drawn as a box, and what has a form of its own keeps it."""
    names = "Ευαγγελία Їжак Єва Ґалаґан Қайрат Ђорђе Արմեն ნინო נועה יוֹסֵף محمد عائشة پریسا 서연 민준 さくら アヤ"
    assert not fonts.illegible(FAMILIES + LATIN + names)
    assert fonts.visible(FAMILIES) == FAMILIES
    assert fonts.illegible("ณัฐ") == {"ณ", "ฐ"}


def test_a_letter_whose_accent_has_no_room_stands_without_it() -> None:
    assert fonts.visible("Ř Ő Ấ") == "R O A"
    assert fonts.visible("Nguy\u1ec5n") == "Nguyen"
    assert fonts.visible("x\u0302\u200d") == "x"


def test_hebrew_and_arabic_run_from_right_to_left_and_join() -> None:
    assert fonts.visible("נועה: 2") == "העונ: 2"
    assert fonts.visible("יוֹסֵף בן-דוד, Ann") == "דוד-ןב ףסוי, Ann"
    meem, hah, meem_inside, dal = "\ufee3", "\ufea4", "\ufee4", "\ufeaa"
    assert fonts.visible("محمد") == dal + meem_inside + hah + meem
    assert fonts.visible("سلام")[1:] == "\ufefc\ufeb3", "lam and alef are one sign"
    assert fonts.visible("دار") == "\ufead\ufe8d\ufea9", "none of them joins the next"


@pytest.mark.parametrize("text", [FAMILIES, LATIN, "Ευαγγελία Їжак", "Արմեն ნინო", "נועה יוֹסֵף", "سلام عائشة", "서연"])
def test_a_name_in_any_letters_is_as_wide_as_it_is_said_to_be(text: str) -> None:
    wide = fonts.width(text, "en")
    canvas = Canvas((wide + 40, 24), "en")
    canvas.text(4, 6, text)
    box = canvas.image.getbbox()
    assert box is not None
    assert box[0] >= 4
    assert box[2] <= 4 + wide
    assert box[1] >= 6 - fonts.OVERHANG
    assert box[3] <= 6 + fonts.LINE
    assert fonts.overhang(text) == fonts.OVERHANG or box[1] >= 6


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


def test_a_text_of_a_million_letters_is_shortened_at_once() -> None:
    begun = time.process_time()
    assert fonts.shorten("x" * 1_000_000, 60, "en").endswith("xx...")
    assert time.process_time() - begun < 2.0


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the program's data, whose files may be damaged."""
    shutil.copytree(resources.root(), tmp_path / "config")
    for module in (resources, fonts):
        monkeypatch.setattr(module, "root", lambda: tmp_path / "config")
    remembered = (fonts.font, fonts._names_font, fonts._drawn_as, fonts._advance, fonts.glyph, canvas.sprite)
    for each in remembered:
        each.cache_clear()
    yield tmp_path / "config"
    for each in remembered:
        each.cache_clear()


def test_a_damaged_font_gives_way_to_the_other(damaged: Path, caplog: pytest.LogCaptureFixture) -> None:
    (damaged / "fonts" / "referee-pixel-sc.otf").write_bytes(b"\0" * 5000)
    assert fonts.font("ru").getlength("A") > 0
    assert "texts are drawn with the other font" in caplog.text


def test_without_the_font_of_names_letters_lose_their_accents(damaged: Path, caplog: pytest.LogCaptureFixture) -> None:
    (damaged / "fonts" / "referee-pixel-names.woff").write_bytes(b"\0" * 5000)
    assert fonts.visible("Şule") == "Sule"
    assert fonts.illegible("王 נ") == {"נ"}
    assert "names are drawn without" in caplog.text


def test_a_damaged_sprite_is_not_drawn(damaged: Path, caplog: pytest.LogCaptureFixture) -> None:
    (damaged / "sprites" / "11" / "crown.txt").write_bytes(b"\xff\xff")
    assert sprite("crown", 11) is None
    assert sprite("crown", 16) is not None
    assert "crown.txt" in caplog.text
