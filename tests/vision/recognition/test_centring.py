"""A crop that is off its piece's centre: named from its middle or not at all, never as what is left of it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.faces import INK, Image, tile
from vision.recognition.centring import Displacement, astray, shift_back
from vision.recognition.comparison import compare, examine
from vision.recognition.embedding import shipped_embedding
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.gallery import upright
from vision.recognition.keypoints import ReferenceKeypoints
from vision.recognition.recogniser import EnrolledRecogniser


def dots(count: int) -> Image:
    """A card with so many dots in a row, about its middle."""
    card = np.full((120, 120, 3), (215, 225, 230), np.uint8)
    for number in range(count):
        cv2.circle(card, (60 + round(34 * (number - (count - 1) / 2)), 60), 12, INK["green"], -1, cv2.LINE_AA)
    return card


def off(picture: Image, right: float, down: float) -> Image:
    """A crop beside the piece, in parts of its sides; the mat beyond repeats its edge."""
    height, width = picture.shape[:2]
    matrix = np.array([[1, 0, right * width], [0, 1, down * height]], np.float64)
    moved = cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


@pytest.fixture(scope="module")
def letters() -> EnrolledRecogniser:
    return EnrolledRecogniser(EnrolledSet("letters", 1, {letter: (tile(letter),) for letter in "ABEFGHKMRSTW"}))


def looked(judge: EnrolledRecogniser, crop: Image) -> Displacement | None:
    (seen,) = compare(judge.gallery, shipped_embedding(), [upright(crop, long=False)])
    found = examine(judge.gallery, ReferenceKeypoints(judge.gallery.details), seen)
    return astray(judge.gallery, seen, found.totals)


def test_what_lies_in_the_middle_is_not_astray(letters: EnrolledRecogniser) -> None:
    for letter in letters.kinds:
        for right, down in ((0.0, 0.0), (0.04, -0.03)):
            assert looked(letters, off(tile(letter), right, down)) is None


@pytest.mark.parametrize(("right", "down"), [(0.14, 0.0), (-0.1, 0.1), (0.0, -0.12)])
def test_where_a_piece_lies_beside_its_place(letters: EnrolledRecogniser, right: float, down: float) -> None:
    for letter in "KMR":
        found = looked(letters, off(tile(letter), right, down))
        assert found is not None
        assert found.within
        assert letter in {letters.kinds[kind] for kind in found.kinds}
        assert found.right == pytest.approx(right, abs=0.04)
        assert found.down == pytest.approx(down, abs=0.04)


@pytest.mark.parametrize(("right", "down"), [(0.2, 0.0), (-0.15, 0.12), (0.0, -0.19)])
def test_a_piece_so_far_beside_its_place_that_too_little_is_left_has_no_name(
    letters: EnrolledRecogniser, right: float, down: float
) -> None:
    for letter in "KMR":
        crop = off(tile(letter), right, down)
        found = looked(letters, crop)
        assert found is not None
        assert not found.within
        assert letters.name([crop])[0].kind is None


def test_a_piece_is_moved_back_to_its_middle() -> None:
    crop, beside = (upright(each, long=False) for each in (tile("K"), off(tile("K"), 0.125, 0.0)))
    back = shift_back(beside, Displacement(0.125, 0.0, frozenset({0}), within=True))
    for moved, straight in ((back.image, crop.image), (back.detail, crop.detail)):
        middle = slice(len(straight) // 4, -len(straight) // 4)
        assert np.abs(moved[middle, middle].astype(int) - straight[middle, middle]).mean() < 3


def test_a_letter_beside_its_place_is_named_all_the_same_or_not_at_all(letters: EnrolledRecogniser) -> None:
    named = [naming.kind for naming in letters.name([off(tile(letter), 0.12, 0.05) for letter in letters.kinds])]
    assert all(kind in (None, letter) for kind, letter in zip(named, letters.kinds, strict=True))
    assert {"K", "M", "R"} <= set(named)


@pytest.mark.parametrize("share", [0.1, 0.15, 0.2])
def test_three_dots_of_which_one_is_cut_off_are_never_two(share: float) -> None:
    judge = EnrolledRecogniser(EnrolledSet("dots", 1, {str(count): (dots(count),) for count in (1, 2, 3)}))
    for right in (share, -share):
        for truth in (2, 3):
            (naming,) = judge.name([off(dots(truth), right, 0.0)])
            assert naming.kind in (None, str(truth))


def shapes(count: int, angular: bool, ink: str, full: bool) -> Image:
    """A card with so many ovals or diamonds side by side."""
    card = np.full((120, 120, 3), (215, 225, 230), np.uint8)
    for number in range(count):
        x, width = 60 + round(34 * (number - (count - 1) / 2)), -1 if full else 3
        around = np.arange(0, 360, 90 if angular else 5) * np.pi / 180
        corners = np.stack([x + 11 * np.cos(around), 60 + 34 * np.sin(around)], axis=1).round().astype(np.int32)
        cv2.drawContours(card, [corners], 0, INK[ink], width, cv2.LINE_AA)
    return card


@pytest.mark.quick(1)
@pytest.mark.parametrize("share", [0.15, 0.2, -0.2])
def test_what_is_left_of_a_piece_is_laid_over_kinds_that_it_is_unlike(share: float) -> None:
    every = [(c, a, ink, full) for c in (1, 2, 3) for a in (False, True) for ink in INK for full in (False, True)]
    pictures = {"-".join(str(trait) for trait in kind): shapes(*kind) for kind in every}
    judge = EnrolledRecogniser(EnrolledSet("shapes", 2, {kind: (picture,) for kind, picture in pictures.items()}))
    named = judge.name([off(picture, share, 0.0) for picture in pictures.values()])
    assert {
        kind: naming.kind for kind, naming in zip(pictures, named, strict=True) if naming.kind not in (None, kind)
    } == {}
