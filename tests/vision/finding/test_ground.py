"""The ground on which pieces lie, and what stands out from it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.finding.ground import stands_out


def test_ground_is_not_followed_into_what_came_though_its_edge_is_faint_in_places() -> None:
    light = 0.8 + 0.2 * np.linspace(0.0, 1.0, 640)[None, :, None]
    fade = np.clip(np.linspace(0.0, 2.0, 200), 0.0, 1.0)[None, :, None]
    sheet = np.full((460, 640, 3), (80.0, 100.0, 85.0))
    sheet[150:290, 200:400] = sheet[150:290, 200:400] * (1 - fade) + np.array((100.0, 125.0, 106.0)) * fade
    seen, usable = np.asarray(sheet * light, np.uint8), np.ones((460, 640), np.uint8)
    news = np.zeros_like(usable)
    news[150:290, 200:400] = 1
    followed, told = (np.count_nonzero(stands_out(seen, usable, given)[155:285, 265:395]) for given in (None, news))
    assert followed < 0.5 * 130 * 130
    assert told > 0.9 * 130 * 130


@pytest.mark.parametrize("shine", [60.0, 90.0])
def test_a_card_s_back_beside_a_lamp_s_reflection_is_no_ground_though_it_is_as_bright(shine: float) -> None:
    """The reflection makes the mat around the back as bright as the back is, but not purple."""
    rows, columns = np.mgrid[:426, :587]
    sheet = np.full((426, 587, 3), (70.0, 90.0, 70.0))
    sheet[170:255, 176:293] = (92.0, 70.0, 97.0)
    sheet[170:258, 296:412] = (200.0, 215.0, 220.0)
    reflected = shine * np.exp(-((rows - 330) ** 2 + (columns - 300) ** 2) / (2 * 130.0**2))
    seen = np.asarray(np.clip(sheet + reflected[:, :, None], 0, 255), np.uint8)
    solid = stands_out(seen, np.ones(seen.shape[:2], np.uint8))
    assert solid[175:250, 181:288].mean() > 0.95
    assert solid[20:150].mean() < 0.02, "the mat, where it is lit otherwise"


@pytest.mark.parametrize("lamp", [(1.0, 1.0, 1.0), (0.85, 1.0, 1.15), (1.25, 1.0, 0.75)])
def test_a_card_s_back_within_a_lamp_s_reflection_is_no_ground(lamp: tuple[float, float, float]) -> None:
    """The reflection makes the back as pale as the mat, which beside it is as bright: little but its hue is left.

    lamp: its colour beside that of the light for which the picture is balanced, as of a window.
    """
    rows, columns = np.mgrid[:426, :587]
    sheet = np.full((426, 587, 3), (74.0, 90.0, 70.0))
    sheet[285:400, 330:412] = (92.0, 76.0, 96.0)
    for left in range(338, 408, 10):
        sheet[292:394, left : left + 2] = (150.0, 135.0, 155.0)
    reflected = 105.0 * np.exp(-((rows - 390) ** 2 + (columns - 310) ** 2) / (2 * 120.0**2))
    noise = np.random.default_rng(93).normal(0.0, 2.0, sheet.shape)
    seen = cv2.GaussianBlur(sheet, (0, 0), 1.5) + reflected[:, :, None] * np.array(lamp) + noise
    solid = stands_out(np.asarray(np.clip(seen, 0, 255), np.uint8), np.ones(seen.shape[:2], np.uint8))
    assert solid[290:395, 335:407].mean() > 0.95
    solid[275:410, 320:422] = 0
    assert solid.mean() < 0.01, "the mat, however it is lit"


def test_noise_in_the_dark_is_no_other_hue() -> None:
    noise = np.random.default_rng(1).normal(0.0, 3.0, (426, 587, 3))
    seen = np.asarray(np.clip(18.0 + noise, 0, 255), np.uint8)
    assert stands_out(seen, np.ones(seen.shape[:2], np.uint8)).mean() < 0.005


def test_paper_is_no_ground_though_there_is_more_of_it_if_it_is_known_where_cards_lie() -> None:
    rows, columns = np.mgrid[:493, :679]
    sheet = np.full((493, 679, 3), (40.0, 62.0, 50.0))
    cards = np.zeros(sheet.shape[:2], np.uint8)
    for left, top in ((20, 20), (20, 260), (170, 20), (170, 260), (320, 20), (320, 260), (470, 260)):
        cards[top : top + 210, left : left + 140] = 1
    sheet[cards > 0] = (150.0, 185.0, 200.0)
    sheet[40:200, 480:600] = (62.0, 45.0, 80.0)
    reflected = 90.0 * np.exp(-((rows - 60) ** 2 + (columns - 560) ** 2) / (2 * 90.0**2))
    seen, usable = np.asarray(np.clip(sheet + reflected[..., None], 0, 255), np.uint8), np.ones(cards.shape, np.uint8)
    alone, told = (stands_out(seen, usable, other) for other in (None, cards))
    assert alone[:, :15].mean() > 0.9, "the paper is taken for the ground"
    assert told[:, :15].mean() < 0.01
    assert told[45:195, 485:595].mean() > 0.95


@pytest.mark.parametrize(("x", "y", "wide"), [(400, 70, 130.0), (350, 200, 110.0), (200, 330, 130.0)])
def test_the_mat_in_the_shade_is_ground_though_most_of_it_lies_in_a_reflection(x: int, y: int, wide: float) -> None:
    """Who takes a card away there leaves the ground, nothing that covers it. x, y: where the lamp is reflected."""
    rows, columns = np.mgrid[:429, :596]
    sheet = np.full((429, 596, 3), (27.0, 36.0, 26.0))
    sheet[20:110, 30:95] = (60.0, 50.0, 62.0)
    reflected = 130.0 * np.exp(-((rows - y) ** 2 + (columns - x) ** 2) / (2 * wide**2))
    noise = np.random.default_rng(5).normal(0.0, 2.0, sheet.shape)
    seen = np.asarray(np.clip(sheet + reflected[:, :, None] + noise, 0, 255), np.uint8)
    solid = stands_out(seen, np.ones(seen.shape[:2], np.uint8))
    assert solid[25:105, 35:90].mean() > 0.95
    solid[15:115, 25:100] = 0
    assert solid.mean() < 0.01, "the mat, however it is lit"


@pytest.mark.parametrize(("level", "noise"), [(6.0, 3.0), (6.0, 2.0), (10.0, 4.0)])
def test_smooth_paper_is_no_ground_in_the_dark_where_the_mat_is_mostly_noise(level: float, noise: float) -> None:
    sheet = np.full((428, 596, 3), level)
    cards = np.zeros(sheet.shape[:2], np.uint8)
    for left in (60, 260, 460):
        cards[150:235, left : left + 55] = 1
    sheet[cards > 0] = 60.0
    grain = np.random.default_rng(4).normal(0.0, noise, sheet.shape)
    solid = stands_out(np.asarray(np.clip(sheet + grain, 0, 255), np.uint8), np.ones(cards.shape, np.uint8))
    assert solid[160:225, 70:105].mean() > 0.95
    assert solid[:100].mean() < 0.2, "the mat"
