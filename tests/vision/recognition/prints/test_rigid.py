"""Parts of prints laid over crops by a turn and a shift."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.camera import Image
from vision.recognition.prints.rigid import Floats, laid_rigidly

TALL, WIDE = 104, 72


def drawn(seed: int) -> Floats:
    """Return a print: blots of ink on paper, soft as prints are laid."""
    blots = np.random.default_rng(seed).random((TALL // 12, WIDE // 12)).astype(np.float32)
    large = cv2.resize(blots, (WIDE, TALL), interpolation=cv2.INTER_CUBIC)
    return np.asarray(cv2.GaussianBlur(large, (0, 0), 1.5), np.float32)


def pose(turn_deg: float, x: float, y: float) -> Floats:
    """Return the transform of a print whose middle lies in that place of a crop of 134 x 96."""
    turned = cv2.getRotationMatrix2D(((WIDE - 1) / 2, (TALL - 1) / 2), turn_deg, 1.0)
    turned[:, 2] += np.array([x - (WIDE - 1) / 2, y - (TALL - 1) / 2])
    return np.asarray(turned, np.float32)


def crop_of(ink: Floats, lying: Floats) -> Floats:
    return np.asarray(cv2.warpAffine(ink, lying, (96, 134), borderMode=cv2.BORDER_REPLICATE), np.float32)


def strip(lying: Floats, share: float) -> Image:
    """Return the mask of a crop in which only the top of the print is in sight."""
    top = np.zeros((TALL, WIDE), np.uint8)
    top[: round(share * TALL)] = 1
    return np.asarray(cv2.warpAffine(top, lying, (96, 134), flags=cv2.INTER_NEAREST), np.uint8)


def off_px(one: Floats, other: Floats) -> float:
    """Return how far apart two placings of a print are at most, in pixels."""
    corners = np.array([[0, 0, 1], [WIDE, 0, 1], [0, TALL, 1], [WIDE, TALL, 1]], np.float64)
    return float(np.hypot(*((one - other).astype(np.float64) @ corners.T)).max())


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    turn=st.sampled_from([0.0, 180.0]),
    askew=st.floats(-2, 2),
    across=st.floats(-2, 2),
    down=st.floats(-2, 2),
    share=st.floats(0.2, 1.0),
)
def test_a_part_is_found_where_it_lies(
    seed: int, turn: float, askew: float, across: float, down: float, share: float
) -> None:
    ink, lying = drawn(seed), pose(turn + askew, 48 + across, 66 + down)
    found = laid_rigidly(ink, crop_of(ink, lying), pose(turn, 48, 66), strip(lying, share))
    assert off_px(found, lying) < 0.6


@pytest.mark.parametrize("nudge", [1e-6, -1e-6, 1e-4])
def test_where_a_part_lies_does_not_hang_on_rounding(nudge: float) -> None:
    """Differences as between processors change the place by less than what the warp rounds to."""
    ink, lying = drawn(5), pose(3.0, 50.0, 64.0)
    crop, sight = crop_of(ink, lying), strip(lying, 0.2)
    crop = crop + np.random.default_rng(1).normal(0, 0.02, crop.shape).astype(np.float32)
    one, other = (laid_rigidly(ink, crop, pose(nudged, 48, 66), sight) for nudged in (0.0, nudge))
    assert off_px(one, other) < 0.1


def test_a_print_of_which_nothing_is_in_sight_stays_where_it_was_looked_for() -> None:
    ink, start = drawn(5), pose(0.0, 48, 66)
    assert laid_rigidly(ink, crop_of(ink, start), start, np.zeros((134, 96), np.uint8)) is start


def test_an_even_crop_says_nothing_of_where_a_print_lies() -> None:
    start = pose(0.0, 48, 66)
    found = laid_rigidly(drawn(5), np.full((134, 96), 0.5, np.float32), start, np.ones((134, 96), np.uint8))
    assert off_px(found, start) < 1e-3
