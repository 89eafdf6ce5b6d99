"""What training does to photographs: the size stays, something is lost, and one seed does the same each time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.vision.faces import Image, tile
from tools.lab.train_embedding.spoil import (
    CHANGES,
    OFTEN,
    Change,
    cover,
    displace,
    few_pixels,
    glare,
    off_centre,
    spoil_picture,
    unfocus,
)


@pytest.fixture
def picture() -> Image:
    return tile("K", side=64)


@pytest.mark.parametrize("change", CHANGES, ids=[change.__name__ for change in CHANGES])
def test_every_change_shows(change: Change, picture: Image) -> None:
    dice = np.random.default_rng(3)
    changed = [change(picture, dice) for _ in range(5)]
    assert all(image.shape == picture.shape and image.dtype == np.uint8 for image in changed)
    assert all((image != picture).any() for image in changed)


def test_one_seed_spoils_alike(picture: Image) -> None:
    first, again = (spoil_picture(picture, np.random.default_rng(5)) for _ in range(2))
    assert (first == again).all()


def test_some_are_left_as_they_were(picture: Image) -> None:
    dice = np.random.default_rng(1)
    whole = sum((spoil_picture(picture, dice) == picture).all() for _ in range(200))
    assert 20 <= whole <= 70
    assert sum(OFTEN) == pytest.approx(1.0)


def test_blur_and_few_pixels_lose_edges_and_glare_only_adds_light(picture: Image) -> None:
    dice = np.random.default_rng(2)

    def edges(image: Image) -> float:
        return float(np.abs(np.diff(image.astype(np.float32), axis=1)).max())

    assert max(edges(unfocus(picture, dice)) for _ in range(10)) < edges(picture)
    assert min(edges(few_pixels(picture, dice)) for _ in range(10)) < edges(picture) / 2
    assert all((glare(picture, dice) >= picture).all() for _ in range(10))


def test_no_more_than_a_third_is_covered(picture: Image) -> None:
    dice = np.random.default_rng(2)
    shares = [float((cover(picture, dice) != picture).any(axis=2).mean()) for _ in range(30)]
    assert max(shares) <= 0.32
    assert max(shares) > 0.2


def test_off_its_centre_a_picture_lies_no_nearer_than_spoiling_shifts_it_at_most(picture: Image) -> None:
    right = np.repeat(np.repeat(np.arange(0, 256, 4, dtype=np.uint8)[None, :, None], 64, axis=0), 3, axis=2)
    down = right.transpose(1, 0, 2).copy()

    def far(change: Change, seed: int) -> float:
        moved = [change(each, np.random.default_rng(seed)) for each in (down, right)]
        return math.hypot(*(int(each[32, 32, 0]) / 4 - 32 for each in moved))

    farthest = 64 * 0.08
    assert farthest - 0.5 <= max(far(off_centre, seed) for seed in range(60)) <= farthest + 0.3
    displacements = [far(displace, seed) for seed in range(60)]
    assert farthest - 0.3 <= min(displacements)
    assert max(displacements) <= 64 * 0.4 + 0.3
    assert (displace(picture, np.random.default_rng(2)) != picture).any()
