"""Whether a back on a pile is another one than before, told from two pictures of it and of the ground around."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.camera import Image
from vision.cards import draws
from vision.cards.draws import UNSURE, Pile, alike

SCALE = 1.5
SIZE = (93.0, 132.0)
LOW, HIGH = (120, 100), (252, 193)
"""Corners of a back that lies across."""


def table(back: tuple[float, float] = (0.0, 0.0), whole: float = 0.0, seed: int = 0) -> Image:
    """Lines on ground and a back on them; both are off by so many millimetres."""
    wide, tall = 360, 300
    fine: Image = np.full((tall * 4, wide * 4, 3), 90, np.uint8)
    for x in range(20, wide * 4, 150):
        cv2.line(fine, (x, 0), (x + 40, tall * 4), (140, 150, 140), 6)
        cv2.line(fine, (0, x), (wide * 4, x), (140, 150, 140), 6)
    print_ = np.full(fine.shape, (110, 50, 90), np.uint8)
    cv2.rectangle(print_, (LOW[0] * 4 + 24, LOW[1] * 4 + 24), (HIGH[0] * 4 - 24, HIGH[1] * 4 - 24), (190, 170, 180), 8)
    for x in range(LOW[0] * 4 + 40, HIGH[0] * 4 - 80, 60):
        cv2.line(print_, (x, LOW[1] * 4 + 40), (x + 50, HIGH[1] * 4 - 40), (190, 170, 180), 6)
    moved = np.array([[1, 0, back[0] * SCALE * 4], [0, 1, back[1] * SCALE * 4]], np.float32)
    mask = np.zeros(fine.shape[:2], np.uint8)
    mask[LOW[1] * 4 : HIGH[1] * 4, LOW[0] * 4 : HIGH[0] * 4] = 1
    lying, covers = cv2.warpAffine(print_, moved, fine.shape[1::-1]), cv2.warpAffine(mask, moved, fine.shape[1::-1])
    np.copyto(fine, lying, where=covers[..., None] > 0)
    off = np.array([[1, 0, whole * SCALE * 4], [0, 1, 0]], np.float32)
    seen = cv2.resize(cv2.warpAffine(fine, off, fine.shape[1::-1]), (wide, tall), interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(seed).normal(0.0, 2.0, seen.shape)
    return np.asarray(np.clip(seen + noise, 0, 255), np.uint8)


def pile(before: Image, now: Image) -> Pile:
    back, ground = np.zeros(now.shape[:2], np.uint8), np.ones(now.shape[:2], np.uint8)
    back[LOW[1] + 3 : HIGH[1] - 3, LOW[0] + 3 : HIGH[0] - 3] = 1
    ground[LOW[1] - 4 : HIGH[1] + 4, LOW[0] - 4 : HIGH[0] + 4] = 0
    return Pile(before, now, back, ground, SIZE, SCALE)


@pytest.mark.parametrize("whole", [0.0, 0.3])
def test_a_back_that_lies_as_it_did_is_the_same_one_though_the_whole_picture_is_off(whole: float) -> None:
    assert pile(table(), table(whole=whole, seed=1)).draw_probability() == 0.0


def test_ground_that_was_followed_to_a_worse_place_moves_no_back(monkeypatch: pytest.MonkeyPatch) -> None:
    askew = np.array([[1.0, -0.0022, 0.28], [0.0022, 1.0, -0.51]], np.float32)
    monkeypatch.setattr(draws, "_find_motion", lambda *_: askew)
    assert pile(table(), table(seed=1)).draw_probability() == 0.0


@pytest.mark.quick(2)
@pytest.mark.parametrize("off", [(0.4, 0.0), (0.0, -0.35), (0.6, 0.4)])
def test_a_back_that_lies_a_little_otherwise_is_another(off: tuple[float, float]) -> None:
    assert pile(table(), table(off, seed=1)).draw_probability() == 1.0


@pytest.mark.parametrize("whole", [-0.4, 0.9])
@pytest.mark.parametrize(("off", "drawn"), [((0.0, 0.0), 0.0), ((0.4, 0.0), 1.0)])
def test_a_camera_that_swung_meanwhile_neither_draws_a_card_nor_hides_a_draw(
    off: tuple[float, float], drawn: float, whole: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the search that all pictures are laid over each other by stops half-way."""
    half = np.array([[1.0, 0.0, whole], [0.0, 1.0, whole / 2]], np.float32)
    monkeypatch.setattr(draws, "_find_motion", lambda *_: half)
    assert pile(table(), table(off, whole=whole, seed=1)).draw_probability() == drawn


@pytest.mark.quick(2)
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_back_that_lies_hardly_otherwise_may_be_another(seed: int) -> None:
    """Of some thousand cards that are drawn, one lies so on the next."""
    assert pile(table(), table((0.0, 0.08), seed=seed)).draw_probability() == UNSURE


@pytest.mark.parametrize(("off", "drawn"), [((0.0, 0.0), False), ((1.0, 0.5), True)])
def test_a_reflection_that_wanders_over_a_back_draws_none_and_hides_no_draw(
    off: tuple[float, float], drawn: bool
) -> None:
    y, x = np.mgrid[0:300, 0:360]
    lit = 22.0 * np.exp(-((x - 150) ** 2 + (y - 130) ** 2) / (2 * 30.0**2))[..., None]
    now = np.asarray(np.clip(table(off, seed=1) + lit, 0, 255), np.uint8)
    assert (pile(table(), now).draw_probability() == 1.0) is drawn


def test_where_something_else_has_changed_nobody_is_sure_of_a_draw() -> None:
    now = table((0.2, 0.0), seed=1)
    now[120:170, 140:200] = 230
    assert pile(table(), now).draw_probability() == UNSURE


@pytest.mark.thorough
def test_what_lies_on_a_back_is_left_out_and_lines_that_lie_elsewhere_are_not() -> None:
    whole, now = pile(table(), table()).back, table((0.9, 0.5), seed=1)
    now[120:170, 140:200] = 230
    compared = alike(table(), now, whole) & whole
    assert not compared[118:172, 138:202].any()
    assert np.count_nonzero(compared) > 0.9 * (np.count_nonzero(whole) - 60 * 50) - 9 * 250
