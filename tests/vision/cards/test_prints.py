"""Cards and parts of cards named by their prints, however they lie and were enrolled."""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np
import pytest

from device.games import mats
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.setting import piece_set
from tests.enrolled import enrolled
from tests.vision.cards.watched import SCENE, card, recogniser, renderer
from vision.cards.strips import Lit
from vision.finding.pieces import FoundPiece, PieceFinder
from vision.picture_checks import ColourCorrection
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.prints import printed
from vision.recognition.prints.reading import CLEAR, THROUGHOUT
from vision.recognition.prints.seeking import sought
from vision.recognition.prints.telling import tell_apart
from vision.registration.markers import Locator


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["author", "end"])
def test_a_part_of_a_card_is_named_by_what_shows_of_it(kind: str) -> None:
    reader = recogniser()
    picture = enrolled_picture(kind)
    mask = np.zeros(picture.shape[:2], np.uint8)
    mask[:, : picture.shape[1] // 3] = 1
    hidden = picture.copy()
    hidden[mask == 0] = 240
    assert reader.name_part(hidden, mask).kind == kind


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", ["author", "sea", "huntress"])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_what_the_shade_needs_takes_no_print_away_that_lies_in_a_lamp_s_reflection(kind: str, share: float) -> None:
    reader, picture = recogniser(), enrolled_picture(kind)
    tall, wide = picture.shape[:2]
    rows, columns = np.indices((tall, wide))
    glow = 100.0 * np.exp(-((columns - 0.65 * wide) ** 2 + (rows - 0.15 * tall) ** 2) / (2 * (1.2 * tall) ** 2))
    dim = np.asarray(np.clip(picture / 2.2 + glow[..., None], 0, 255), np.uint8)
    sight, light = np.zeros((tall, wide), np.uint8), ColourCorrection((2.0, 2.0, 2.0))
    sight[: round(share * tall)] = 1
    assert reader.name_part(light.apply(dim), sight).kind is None, "the light burns its print out"
    assert Lit(reader, light).name_part(dim, sight).kind == kind


@pytest.mark.parametrize(
    ("dx", "dy", "turn"), [pytest.param(3.0, -2.0, 2.0, marks=pytest.mark.soak), (-9.0, 7.0, -4.0)]
)
def test_a_card_is_read_though_its_place_is_only_roughly_known(dx: float, dy: float, turn: float) -> None:
    mat = mats(["runes"])["runes"]
    image = renderer(SCENE).picture(Truth((card("author", 272, 246, 3.0),)), (), 1.0, 1)
    fit, _ = Locator(mat).look(image)
    assert fit is not None
    finder = PieceFinder(fit.projection, mat, piece_set("decktet"))
    reading, place = sought(
        recogniser(), lambda at: finder.crop(image, FoundPiece(*at, 1.0)), (272 + dx, 246 + dy, 3.0 + turn), 88.0
    )
    assert reading.kind == "author"
    assert reading.sure
    assert math.hypot(place[0] - 272, place[1] - 246) < 2.0


def print_of(figure: str, *, upside_down: bool) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A card with the same arrow as others of its kind, and a figure in two corners, as in a crop."""
    ink = (20, 20, 20)
    half = np.full((67, 96, 3), 235, np.uint8)
    cv2.putText(half, figure, (14, 34), cv2.FONT_HERSHEY_SIMPLEX, 0.5, ink, 1)
    card = np.vstack([half, np.rot90(half, 2)])
    cv2.line(card, (18, 67), (78, 67), ink, 8)
    cv2.fillPoly(card, [np.array([[84, 67], [74, 57], [74, 77]])], ink)
    crop = np.asarray(cv2.GaussianBlur(card, (0, 0), 0.8), np.uint8)
    crop[:6], crop[-6:], crop[:, :5], crop[:, -5:] = 60, 60, 60, 60
    return np.asarray(np.rot90(crop, 2) if upside_down else crop, np.uint8)


@pytest.mark.quick(1)
@pytest.mark.parametrize("upside_down", [False, True])
def test_prints_that_hardly_show_their_turn_are_told_apart_whichever_way_they_were_enrolled(upside_down: bool) -> None:
    pictures = {name: (print_of(name, upside_down=name == "6"),) for name in "3456789"}
    reader = printed.PrintedRecogniser(EnrolledSet("figures", 2, pictures))
    for name in "46":
        for off in ((0, 0), (2, 1), (-3, 2), (1, -3)):
            moved = np.array([[1, 0, off[0]], [0, 1, off[1]]], np.float32)
            seen = print_of(name, upside_down=upside_down)
            reading = reader.read(np.asarray(cv2.warpAffine(seen, moved, (96, 134), borderMode=cv2.BORDER_REPLICATE)))
            assert (reading.kind, reading.clear > 0.4) == (name, True)


def test_a_print_enrolled_a_little_beside_its_place_is_told_from_the_others() -> None:
    pictures = {name: print_of(name, upside_down=False) for name in "3456789"}
    pictures["6"][-12:] = 60  # the mat
    reader = printed.PrintedRecogniser(EnrolledSet("figures", 2, {name: (one,) for name, one in pictures.items()}))
    for name in "56":
        reading = reader.read(print_of(name, upside_down=False))
        assert (reading.kind, reading.clear > 0.25) == (name, True)


@pytest.mark.parametrize("figure", "3456789")
def test_a_soft_picture_is_told_from_the_prints_that_it_resembles(figure: str) -> None:
    """Blurred ink is as unlike each of two figures, so that what was enrolled must be as soft to tell."""
    pictures = {name: print_of(name, upside_down=False) for name in "3456789"}
    reader = printed.PrintedRecogniser(EnrolledSet("figures", 2, {name: (one,) for name, one in pictures.items()}))
    soft = np.asarray(cv2.GaussianBlur(pictures[figure], (0, 0), 1.5), np.uint8)
    reading = reader.read(soft)
    assert (reading.kind, reading.clear > 0.25) == (figure, True)


@pytest.mark.parametrize(("blur", "noise"), [(2.5, 0.0), (3.5, 2.0)])
def test_a_picture_that_is_too_soft_to_tell_by_is_named_rightly_or_not_at_all(blur: float, noise: float) -> None:
    pictures = {name: print_of(name, upside_down=False) for name in "3689"}
    reader = printed.PrintedRecogniser(EnrolledSet("figures", 2, {name: (one,) for name, one in pictures.items()}))
    grain = np.random.default_rng(5).normal(0.0, noise, pictures["3"].shape)
    soft = [np.clip(cv2.GaussianBlur(one, (0, 0), blur) + grain, 0, 255) for one in pictures.values()]
    named = reader.name([np.asarray(one, np.uint8) for one in soft])
    assert all(answer.kind in (name, None) for name, answer in zip(pictures, named, strict=True))


def test_prints_that_differ_boldly_are_told_apart_in_a_very_soft_picture() -> None:
    pictures = {name: print_of(name, upside_down=False) for name in "38"}
    cv2.putText(pictures["8"], "8", (30, 108), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (20, 20, 20), 4)
    reader = printed.PrintedRecogniser(EnrolledSet("figures", 2, {name: (one,) for name, one in pictures.items()}))
    soft = [np.asarray(cv2.GaussianBlur(one, (0, 0), 2.5), np.uint8) for one in pictures.values()]
    read = [reader.read(one) for one in soft]
    assert [one.kind for one in read] == ["3", "8"]
    assert min(one.clear for one in read) >= CLEAR  # whether it agrees well enough to be named is another question


def marked(figure: str, suit: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The same card with a suit above and below its arrow."""
    card = print_of(figure, upside_down=False)
    for middle in (38, 95):
        if suit == "sun":
            cv2.circle(card, (60, middle), 9, (20, 20, 20), -1)
        else:
            cv2.rectangle(card, (50, middle - 3), (70, middle + 3), (20, 20, 20), -1)
    return card


@pytest.mark.quick(1)
@pytest.mark.parametrize("noise", [0.0, 4.0])
def test_a_stranger_that_differs_where_no_two_kinds_do_is_not_named_and_the_known_ones_are(noise: float) -> None:
    kinds = {figure: marked(figure, "sun") for figure in "3456789"}
    reader = printed.PrintedRecogniser(EnrolledSet("suns", 2, {name: (one,) for name, one in kinds.items()}))
    light = np.linspace(0.8, 1.0, 96)[None, :, None]
    grain = np.random.default_rng(12).normal(0.0, noise, (134, 96, 3))

    def seen(card: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> str | None:
        picture = np.asarray(np.clip(card * light + grain, 0, 255), np.uint8)
        return reader.name([picture])[0].kind

    assert [seen(one) for one in kinds.values()] == list(kinds)
    assert [seen(marked(figure, "bar")) for figure in kinds] == [None] * len(kinds)


@pytest.mark.parametrize(("shape", "size", "blur"), [("disc", 8, 0.0), ("ring", 2, 1.6), ("square", 7, 1.6)])
def test_a_stranger_that_differs_a_little_is_not_named_and_a_soft_picture_of_a_known_one_is(
    shape: str, size: int, blur: float
) -> None:
    kinds = {figure: marked(figure, "sun") for figure in "3456789"}
    reader = printed.PrintedRecogniser(EnrolledSet("suns", 2, {name: (one,) for name, one in kinds.items()}))
    card = kinds["5"] if shape == "ring" else print_of("5", upside_down=False)
    card, ink = card.copy(), (235, 235, 235) if shape == "ring" else (20, 20, 20)
    for middle in (38, 95):
        if shape == "square":
            cv2.rectangle(card, (60 - size, middle - size), (60 + size, middle + size), ink, -1)
        else:
            cv2.circle(card, (60, middle), size, ink, -1)
    seen = [np.asarray(cv2.GaussianBlur(one, (0, 0), blur) if blur else one, np.uint8) for one in (card, kinds["5"])]
    assert [answer.kind for answer in reader.name(seen)] == [None, "5"]


@pytest.mark.quick(1)
@pytest.mark.parametrize("blur", [0.8, 1.6])
def test_a_soft_picture_that_a_lens_has_pressed_together_is_named_and_a_strangers_is_not(blur: float) -> None:
    """By 2%: so much a lens does that is told a little wrongly."""
    kinds = {figure: marked(figure, "sun") for figure in "3456789"}
    reader = printed.PrintedRecogniser(EnrolledSet("suns", 2, {name: (one,) for name, one in kinds.items()}))
    pressed = np.array([[1.0, 0.0, 0.0], [0.0, 0.98, 0.02 * 67]], np.float32)

    def seen(card: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> str | None:
        soft = cv2.GaussianBlur(card, (0, 0), blur)
        return reader.name([np.asarray(cv2.warpAffine(soft, pressed, (96, 134), borderMode=cv2.BORDER_REPLICATE))])[
            0
        ].kind

    assert [seen(one) for one in kinds.values()] == list(kinds)
    assert [seen(marked(figure, "bar")) for figure in kinds] == [None] * len(kinds)


@pytest.mark.quick(1)
@pytest.mark.parametrize("share", [0.96, 0.6])
def test_a_stranger_that_another_card_hides_in_part_is_not_named_either_and_the_known_ones_are(share: float) -> None:
    kinds = {figure: marked(figure, "sun") for figure in "3456789"}
    reader = printed.PrintedRecogniser(EnrolledSet("suns", 2, {name: (one,) for name, one in kinds.items()}))
    stretched = np.array([[1.025, 0.01, -1.7], [0.0, 0.985, 1.0]], np.float32)
    sight = np.zeros((134, 96), np.uint8)
    sight[11 : round(11 + 112 * share), 8:88] = 1

    def seen(card: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> str | None:
        picture = cv2.warpAffine(card, stretched, (96, 134), borderMode=cv2.BORDER_REPLICATE)
        return reader.name_part(np.where(sight[..., None] == 1, picture, np.uint8(150)), sight).kind

    assert [seen(one) for one in kinds.values()] == list(kinds)
    assert [seen(marked(figure, "bar")) for figure in kinds] == [None] * len(kinds)


@pytest.mark.thorough
def test_a_strip_of_a_stranger_that_differs_in_sight_is_not_named_and_those_of_the_known_ones_are() -> None:
    kinds = {figure: marked(figure, "sun") for figure in "3456789"}
    reader = printed.PrintedRecogniser(EnrolledSet("suns", 2, {name: (one,) for name, one in kinds.items()}))
    sight = np.zeros((134, 96), np.uint8)
    sight[11:45, 8:88] = 1

    def seen(card: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> str | None:
        return reader.name_part(np.where(sight[..., None] == 1, card, np.uint8(150)), sight).kind

    assert [seen(one) for one in kinds.values()] == list(kinds)
    assert [seen(marked(figure, "bar")) for figure in kinds] == [None] * len(kinds)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("wide", "off"), [(7, -3), (13, 2), (14, 2)])
def test_a_sliver_beside_its_place_with_the_rim_of_a_figure_is_not_named(wide: int, off: int) -> None:
    kinds = {figure: print_of(figure, upside_down=False) for figure in "3456789"}
    reader = printed.PrintedRecogniser(EnrolledSet("figures", 2, {name: (one,) for name, one in kinds.items()}))
    sight, moved = np.zeros((134, 96), np.uint8), np.array([[1, 0, off], [0, 1, 0]], np.float32)
    sight[11:123, 8 : 8 + wide] = 1
    for name, one in kinds.items():
        picture = cv2.warpAffine(one, moved, (96, 134), borderMode=cv2.BORDER_REPLICATE)
        assert reader.name_part(np.where(sight[..., None] == 1, picture, np.uint8(150)), sight).kind in (name, None)


@pytest.mark.parametrize(("shown", "least", "most"), [("5", 0.3, 0.5), ("6", -0.5, -0.3), ("", -0.2, 0.2)])
def test_faint_ink_still_tells_which_of_two_figures_it_is(shown: str, least: float, most: float) -> None:
    prints = (print_of(name, upside_down=False) for name in ("5", "6", shown))
    five, six, seen = (np.asarray(one / 235.0, np.float32) for one in prints)
    faint = np.asarray(cv2.GaussianBlur(1.0 - 0.5 * (1.0 - seen), (0, 0), 1.0), np.float32)
    assert least <= tell_apart(five, six, faint, np.ones(five.shape[:2], np.bool_)) <= most


@cache
def enrolled_picture(kind: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    mat = mats(["runes"])["runes"]
    return enrolled(mat, "decktet", 4, (kind,)).pictures[kind][0]


def test_paper_that_the_light_burns_out_is_not_taken_for_a_back_by_its_false_colour() -> None:
    reader, picture = recogniser(), enrolled_picture("author")
    burnt = np.clip(picture * 1.6, 0, 255)  # every colour of the paper at its end
    false = np.asarray(burnt * np.array([1.0, 0.8, 0.97]), np.uint8)  # what the mat's light then makes of it
    assert reader.read(false).kind == "author"


@pytest.mark.parametrize("kind", ["sea", "huntress"])
def test_a_card_is_named_though_a_lamp_beside_it_brightens_one_side_far_more(kind: str) -> None:
    reader, picture = recogniser(), enrolled_picture(kind)
    glare = np.linspace(0.1, 0.6, picture.shape[0])[:, None, None]
    lit = np.clip(picture * 0.6 * (1.0 - glare) + 260.0 * glare, 0, 255).astype(np.uint8)
    assert reader.name([lit])[0].kind == kind


def test_less_agreement_is_asked_where_all_cards_of_a_deck_differ_much() -> None:
    reader, picture = recogniser(), enrolled_picture("sea")
    assert reader.read(picture).required < THROUGHOUT
    twin = picture.copy()
    twin[2:4, 2:4] = 0
    twins = printed.PrintedRecogniser(EnrolledSet("twins", "any", {"sea": (picture,), "lake": (twin,)}))
    assert twins.read(picture).required == THROUGHOUT


@pytest.mark.parametrize("lamp", [0.0, 0.3])
@pytest.mark.parametrize("kind", ["author", "sea", "huntress"])
def test_a_card_is_named_by_the_other_colours_where_warm_light_burns_out_the_red(kind: str, lamp: float) -> None:
    """And, beside the lamp, some of the green as well."""
    reader, picture = recogniser(), enrolled_picture(kind)
    beside = 1.0 + lamp * np.clip(np.linspace(1.0, -0.3, picture.shape[1]), 0.0, 1.0)[None, :, None]
    warm = np.array([0.6, 0.95, 1.6]) * beside
    red = np.clip(cv2.GaussianBlur(picture, (0, 0), 1.0) * warm + 20.0, 0, 254).astype(np.uint8)
    assert (lamp > 0.0) == ((red[..., 1] >= 252).mean() > 0.2)
    light = ColourCorrection(gain=(1.55, 0.95, 0.93))
    burnt, read = reader.read(light.apply(red)), reader.read(light.legible(red))
    assert burnt.throughout < read.throughout, "the red tells otherwise than the rest"
    assert reader.naming(read).kind == kind


def test_red_or_yellow_ink_is_not_given_up_with_the_paper_that_cold_light_burns_out_around_it() -> None:
    light = ColourCorrection(gain=(0.93, 0.93, 1.05))
    for ink, burnt in (((40, 40, 210), (255, 255, 225)), ((40, 215, 220), (255, 230, 225))):
        card = figure_in(ink)
        cold = np.where(card == 235, np.array(burnt), card).astype(np.uint8)
        assert (light.legible(cold) == light.apply(cold)).all()


def test_what_differs_in_a_burnt_out_colour_alone_is_not_told() -> None:
    inks = {"red": (40, 40, 215), "black": (40, 40, 40), "blue": (215, 40, 40)}
    kinds = {name: figure_in(ink) for name, ink in inks.items()}
    reader = printed.PrintedRecogniser(EnrolledSet("inks", 2, {name: (one,) for name, one in kinds.items()}))
    burnt = {name: one.copy() for name, one in kinds.items()}
    for one in burnt.values():
        one[..., 2] = 255
    assert [reader.name([one])[0].kind for one in kinds.values()] == list(kinds)
    assert [reader.name([one])[0].kind for one in burnt.values()] == [None, None, "blue"]


def figure_in(ink: tuple[int, int, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    card = np.full((134, 96, 3), 235, np.uint8)
    cv2.putText(card, "7", (25, 95), cv2.FONT_HERSHEY_SIMPLEX, 2.4, ink, 6)
    return card
