"""Discs: the top face of a thick piece is found where it is, from any side, also where nothing marks it off."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.camera import Image
from vision.finding.discs import Disc, best_fit, edges_of, hollow, is_tinted, likely_centres
from vision.finding.ground import stands_out

RADIUS = 26.0
PAPER, TOP = 190, 80


def thick(drop: tuple[float, float], wall: int, at: tuple[float, float] = (48.3, 51.6)) -> Image:
    """A disc over its wall, which appears moved by `drop`."""
    image = np.full((100, 100), PAPER, np.uint8)
    for share in np.linspace(1, 0, 12):
        shade = wall if share else TOP
        centre = tuple(round((place + share * step) * 16) for place, step in zip(at, drop, strict=True))
        cv2.circle(image, centre, round(RADIUS * 16), shade, -1, cv2.LINE_AA, 4)
    noise = np.random.default_rng(3).normal(0, 2, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 0.7) + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("wall", [50, 76], ids=["dark wall", "wall like the top"])
@pytest.mark.parametrize("drop", [(0.0, 0.0), (4.2, 0.0), (-2.0, 3.1), (0.4, -5.5)])
@pytest.mark.parametrize("of_lower_rim", [False, True])
def test_the_top_face_is_found_whichever_rim_was_voted_for(
    drop: tuple[float, float], wall: int, of_lower_rim: bool
) -> None:
    edges = edges_of(thick(drop, wall))
    start = (48.3 + of_lower_rim * drop[0], 51.6 + of_lower_rim * drop[1])
    disc = best_fit(edges, *start, RADIUS, drop)
    assert disc is not None
    assert np.hypot(disc.x - 48.3, disc.y - 51.6) < 0.35
    assert disc.support > 0.85


def test_votes_find_each_of_two_touching_discs_and_nothing_else() -> None:
    image = np.full((80, 160), PAPER, np.uint8)
    for x in (50, 75):
        cv2.circle(image, (x, 40), 12, TOP, -1, cv2.LINE_AA)
    cv2.rectangle(image, (110, 10), (150, 70), 120, 1)
    found = likely_centres(image, 12.0, np.ones(image.shape, np.float32))
    assert sorted(round(x) for x, _ in found) == [50, 75]
    assert {round(y) for _, y in found} == {40}


def test_too_little_of_a_rim_is_no_disc() -> None:
    image = np.full((100, 100), PAPER, np.uint8)
    cv2.ellipse(image, (50, 50), (26, 26), 0, 0, 150, TOP, 3, cv2.LINE_AA)
    assert best_fit(edges_of(image), 50.0, 50.0, RADIUS) is None


@pytest.mark.parametrize("support", [0.6, 0.95])
def test_lines_that_make_up_a_rim_by_chance_bound_no_piece_though_one_runs_through_it(support: float) -> None:
    image = np.full((100, 100), PAPER, np.uint8)
    cv2.circle(image, (50, 50), 26, TOP, 1, cv2.LINE_AA)
    cv2.line(image, (52, 10), (68, 90), TOP, 7)
    assert hollow(image, Disc(50.0, 50.0, RADIUS, support)) == (support < 0.7)


def test_a_symbol_on_a_face_in_the_colour_of_the_ground_is_a_piece() -> None:
    image = np.full((100, 100), PAPER, np.uint8)
    cv2.circle(image, (50, 50), 26, TOP, 1, cv2.LINE_AA)
    cv2.circle(image, (50, 50), 13, TOP, -1, cv2.LINE_AA)
    assert not hollow(image, Disc(50.0, 50.0, RADIUS, 0.6))


@pytest.mark.parametrize(("counter", "another"), [((185, 185, 225), True), ((206, 211, 203), False)])
def test_a_counter_as_bright_as_the_mat_is_told_by_its_hue(counter: tuple[int, int, int], another: bool) -> None:
    """Where a lamp is mirrored the mat is as bright as a red counter; in a dark, noisy picture, too."""
    picture = np.full((100, 100, 3), (190, 205, 188), np.uint8)
    picture[:28] = 250
    cv2.circle(picture, (50, 50), 26, counter, -1, cv2.LINE_AA)
    disc = Disc(50.0, 50.0, RADIUS, 0.85)
    assert hollow(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8), disc)
    assert is_tinted(picture, disc) is another
    dark = picture * 0.15 + np.random.default_rng(5).normal(0.0, 4.0, picture.shape)
    assert is_tinted(np.asarray(np.clip(dark, 0, 255), np.uint8), disc) is another


@pytest.mark.parametrize(("face", "told"), [((185, 185, 225), True), ((190, 205, 188), False)])
@pytest.mark.parametrize("noise", [0.0, 12.0])
def test_of_a_rim_that_is_hardly_seen_the_hue_tells_only_where_the_ground_is_nowhere_of_it(
    face: tuple[int, int, int], told: bool, noise: float
) -> None:
    """A counter beside a card in a lamp's reflection; bare ground between printed lines and the card is none."""
    picture = np.full((100, 100, 3), (190, 205, 188), np.uint8)
    picture[:28] = (205, 210, 215)
    cv2.circle(picture, (50, 50), 26, face, -1, cv2.LINE_AA)
    spread = np.random.default_rng(5).normal(0.0, noise, picture.shape)
    shown = np.asarray(np.clip(picture + spread, 0, 255), np.uint8)
    assert is_tinted(shown, Disc(50.0, 50.0, RADIUS, 0.6)) is told


@pytest.mark.parametrize("below", [78, 98])
def test_bare_ground_between_a_printed_line_and_cards_is_no_piece(below: int) -> None:
    image = np.full((100, 100), PAPER, np.uint8)
    image[:26] = image[:, :26] = image[below:] = 250
    cv2.circle(image, (50, 50), 22, PAPER, -1, cv2.LINE_AA)
    cv2.circle(image, (50, 50), 26, TOP, 3, cv2.LINE_AA)
    cv2.rectangle(image, (84, 20), (99, 99), TOP, -1)
    assert hollow(image, Disc(50.0, 50.0, RADIUS, 0.6))


def test_on_a_full_table_the_ground_is_what_explains_most_and_not_the_commonest_colour() -> None:
    light = 0.35 + 0.65 * np.linspace(0.0, 1.0, 640)[None, :, None]
    sheet = np.asarray(np.full((460, 640, 3), (60.0, 100.0, 80.0)) * light, np.uint8)
    for place in range(8):
        top, left = 20 + place // 4 * 220, 20 + place % 4 * 156
        sheet[top : top + 130, left : left + 130] = (205, 215, 225)
    solid = stands_out(sheet, np.ones(sheet.shape[:2], np.uint8))
    assert solid[25:145, 25:145].all()
    assert not solid[:15].any()
    assert not solid[155:235].any()
