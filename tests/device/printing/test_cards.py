"""Printed cards: true size, the same from both ends, apart from each other, and as many as the decks have."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from device import art, games
from device.art import cards as drawn
from device.locale import LANGUAGES, translate
from device.printing import drawing, geometry, sheets
from device.printing import pieces as printed
from device.printing.drawing import A4
from device.printing.formats import picture
from engine.errors import Invalid, RefereeError
from engine.text import Text

SETS = ("decktet", "fence-cards")


def pixels(name: str, kind: str, language: str = "en") -> np.ndarray:
    return np.asarray(picture(printed.face(name, kind, language), 2.0).convert("RGB"), dtype=np.int16)


@pytest.mark.parametrize("name", SETS)
def test_every_kind_of_the_set_is_drawn_at_its_size(name: str) -> None:
    pieces = printed.load(name)
    assert set(drawn(name)) == set(pieces.kinds)
    for kind in pieces.kinds:
        face = printed.face(name, kind)
        assert (face.width, face.height) == pieces.size_mm


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", SETS)
def test_a_card_is_told_from_every_other_even_turned_about(name: str) -> None:
    faces = {kind: pixels(name, kind) for kind in printed.load(name).kinds}
    for kind, one in faces.items():
        for other, two in faces.items():
            if other != kind:
                apart = min(np.abs(one - two).mean(), np.abs(one - two[::-1, ::-1]).mean())
                assert apart > 1.0, (kind, other)


def test_what_stands_at_the_edges_is_the_same_from_both_ends() -> None:
    face = pixels("fence-cards", "disengage-4")
    rim = np.ones(face.shape[:2], dtype=bool)
    rim[40:-40, 30:-30] = False
    assert np.abs(face - face[::-1, ::-1])[rim].mean() < 12.0


def test_names_are_in_the_language_asked_for() -> None:
    assert np.abs(pixels("fence-cards", "feint", "ru") - pixels("fence-cards", "feint", "zh_Hant")).max() > 100


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SETS)
def test_words_are_in_the_text_face_with_their_accents(name: str, language: str) -> None:
    for card in drawn(name).values():
        for text in (translate(Text(card.title), language), card.corner, *card.notes):
            lacking = {char for char in text if not drawing.has(char, language)}
            assert not lacking, f"{card.kind}: no glyph for {lacking}: run python -m tools.build_lettering"
    assert all(drawing.has(char, language) for char in "éÈöñßčŁЁйї")


def test_a_line_of_words_is_as_long_as_it_says_and_stands_on_its_baseline() -> None:
    text, height = "Fleche", 5.0
    wide = 100.0 * height / drawing.fit_height(text, 100.0, 1000.0, "en")
    shape = drawing.words(text, (10.0, 20.0), height, "en")
    across = [x for outline in shape.outlines for x, _ in outline]
    down = [y for outline in shape.outlines for _, y in outline]
    assert 10.0 <= min(across) < max(across) <= 10.0 + wide
    assert max(down) == pytest.approx(20.0, abs=0.1)
    assert min(down) == pytest.approx(20.0 - 0.75 * height, abs=0.3), "capitals are three quarters of a line"
    middle = drawing.words(text, (10.0, 20.0), height, "en", anchor="middle")
    assert min(x for outline in middle.outlines for x, _ in outline) == pytest.approx(min(across) - wide / 2)


def test_what_the_text_face_lacks_stands_in_the_font_of_the_displays() -> None:
    assert not drawing.has("★", "en")
    assert drawing.words("★", (0.0, 0.0), 5.0, "en").outlines


def test_there_are_as_many_as_in_the_decks_with_the_same_costs() -> None:
    import tomllib

    from device.resources import resource

    deck = tomllib.loads(resource("decks", "fence.toml").read_text(encoding="utf-8"))["cards"]
    names = Counter(f"{c['kind']}-{c['speed']}" if "speed" in c else c["kind"] for c in deck)
    assert {kind: card.copies for kind, card in drawn("fence-cards").items()} == names
    for card in deck:
        name = f"{card['kind']}-{card['speed']}" if "speed" in card else card["kind"]
        assert drawn("fence-cards")[name].notes[0] == f"SP {card['sp']}"
        assert drawn("fence-cards")[name].corner == str(card.get("speed", ""))
    decktet = tomllib.loads(resource("decks", "decktet.toml").read_text(encoding="utf-8"))["cards"]
    assert [card["id"] for card in decktet] == list(drawn("decktet"))
    assert all(list(drawn("decktet")[c["id"]].symbols) == (c["suits"] or ["none"]) for c in decktet)


@pytest.mark.thorough
def test_a_whole_game_is_a_mat_pieces_and_cards() -> None:
    pages = sheets("all", games.spec("fence"), "whole")
    assert {page.name for page in pages} >= {"fence", "fence-figures", "fence-markers", "fence-cards 6"}
    assert all((page.width, page.height) == A4 for page in pages if "cards" in page.name)
    told = geometry("cards", games.spec("fence"))
    assert sum(told["sets"][0]["copies"].values()) == 54
    assert set(geometry("all", games.spec("runes"))["parts"]) == {"mat", "stones", "cards"}


def test_a_game_without_cards_says_so() -> None:
    with pytest.raises(Invalid, match="no cards"):
        sheets("cards", games.spec("tellstones"))


def test_paper_that_holds_no_card_is_refused() -> None:
    with pytest.raises(RefereeError, match=r"decktet are .* mm: paper of 50 x 70 mm holds none"):
        printed.sheets("decktet", paper=(50.0, 70.0))


def test_a_card_that_its_owner_corrected_shows_the_numbers_that_it_is_called_by() -> None:
    usual, other = art.card("fence-cards", "straight-thrust-4"), art.card("fence-cards", "straight-thrust-7-sp2")
    assert art.card("fence-cards", "straight-thrust-4") == art.cards("fence-cards")["straight-thrust-4"]
    assert (other.corner, other.notes[0], other.symbols) == ("7", "SP 2", usual.symbols)
    assert art.card("fence-cards", "joker-sp3").corner == ""
    with pytest.raises(KeyError):
        art.card("fence-cards", "coaster-4")
