"""A crop laid over a reference, line by line."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.faces import tile
from tools.bench.perturbations import Change, blurred, glare, in_light, shifted
from vision.camera import Image
from vision.recognition.canonical import SIDE, canonical
from vision.recognition.closeness import (
    SOFT,
    Closeness,
    closeness,
    drawn,
    fitted,
    placed,
    reference,
    softness,
    strength,
)


def over(picture: Image, *faces: str, hidden: np.ndarray | None = None) -> Closeness:
    """A picture over a face, told from the others."""
    crop = drawn(picture, hidden)
    known = [reference(canonical(tile(face)), soft_as(picture, faces[0])) for face in faces]
    best, *others = (fitted(placed(crop, each), each) for each in known)
    return closeness(best, others)


def soft_as(picture: Image, face: str) -> int:
    known = [reference(canonical(tile(face)), soft) for soft in range(len(SOFT))]
    return softness(placed(drawn(picture), known[0]), np.array([strength(lines) for lines in known]))


def test_a_picture_lies_perfectly_over_itself() -> None:
    fits = over(canonical(tile("K")), "K", "R")
    assert fits.whole == pytest.approx(1, abs=0.01)
    assert fits.middle == pytest.approx(1, abs=0.01)
    assert (fits.bare, fits.telling) == pytest.approx((1, 1), abs=1e-3)
    assert (fits.worst < -3, fits.apart > 2) == (True, True)


@pytest.mark.parametrize(
    "change",
    [in_light((0.5, 0.8, 1.2)), shifted(0.04), blurred(1 / 8), glare(0.2)],
    ids=["warm lamp", "off centre", "out of focus", "glare"],
)
def test_a_stranger_fits_worse_than_the_piece_seen_badly(change: Change) -> None:
    """An X is the network's next best K."""
    known, strange = (over(canonical(change(tile(face), np.random.default_rng(3))), "K", "R") for face in "KX")
    assert known.whole > strange.whole + 0.1
    assert known.middle > strange.middle + 0.1
    assert known.worst < strange.worst - 0.5
    assert known.apart > strange.apart


def test_the_reference_is_blurred_as_the_crop_is() -> None:
    sharp = canonical(tile("K"))
    soft = [cv2.GaussianBlur(sharp, (0, 0), spread).astype(np.uint8) for spread in SOFT[1:]]
    assert [soft_as(picture, "K") for picture in soft] == [1, 2, 3, 4]
    assert min(over(picture, "K", "R").whole for picture in soft) > 0.97


def test_the_piece_that_is_beaten_least_says_how_sure_a_name_is() -> None:
    seen = canonical(tile("K"))
    next_is_r, next_is_x = over(seen, "K", "R", "X"), over(seen, "K", "X", "R")
    assert next_is_r.beside == next_is_x.beside == min(next_is_r.apart, next_is_x.apart)


def test_what_is_burnt_or_hidden_is_not_in_sight() -> None:
    white = canonical(tile("K"))
    white[:, : SIDE // 2] = 255
    mask = np.zeros((SIDE, SIDE), np.float32)
    mask[:, : SIDE // 2] = 1
    for fits in (over(white, "K", "R"), over(canonical(tile("K")), "K", "R", hidden=mask)):
        assert 0.2 < fits.bare < 0.8
        assert fits.telling < 1
        assert fits.whole > 0.9, "the rest lies as it should"


@pytest.mark.parametrize("away", [(0, 0), (4, -4), (-3, 1), (2, 3)])
def test_a_crop_is_placed_to_the_pixel(away: tuple[int, int]) -> None:
    moved = np.roll(canonical(tile("R")), away, axis=(0, 1))
    known = reference(canonical(tile("R")), 0)
    inner = np.s_[6:-6, 6:-6]
    assert np.abs(placed(drawn(moved), known).lines[inner] - known.lines[inner]).max() < 1e-3


def test_a_bare_or_burnt_picture_fits_nothing() -> None:
    for level in (0, 120, 255):
        fits = over(np.full((SIDE, SIDE, 3), level, np.uint8), "K", "R")
        assert np.isfinite(fits).all()
        assert fits.whole < 0.1


def test_one_kind_alone_is_told_from_nothing() -> None:
    alone = over(canonical(tile("K")), "K")
    assert (alone.apart, alone.beside, alone.telling) == (0.0, 0.0, 1.0)
