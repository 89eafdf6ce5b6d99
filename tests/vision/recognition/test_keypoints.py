"""Keypoints that match in place: agreement of a piece with itself, with others, and with a plain field."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.faces import disc, lit, tile, turned
from vision.recognition.canonical import DETAIL, gray_detail
from vision.recognition.keypoints import SOFT, ReferenceKeypoints, agreement, keypoints, sharpness


@pytest.mark.parametrize("angle", [37, 143, 200])
def test_a_piece_agrees_with_itself_in_any_turn_and_light_more_than_with_another(angle: float) -> None:
    reference = keypoints(gray_detail(disc("R")))
    same = agreement(keypoints(gray_detail(lit(turned(disc("R"), angle), (0.6, 0.95, 1.25)))), reference)
    others = [agreement(keypoints(gray_detail(turned(disc(letter), angle))), reference) for letter in "ATMS"]
    assert same > 0.5
    assert all(other < same for other in others)


def test_a_plain_reference_says_nothing_and_a_plain_crop_disagrees() -> None:
    plain = keypoints(np.full((DETAIL, DETAIL), 127, np.uint8))
    letter = keypoints(gray_detail(tile("R")))
    assert agreement(letter, plain) == 0
    assert agreement(plain, letter) == 0
    assert agreement(letter, letter) > 1


def test_a_reference_is_as_soft_as_the_crop_that_it_is_compared_with() -> None:
    sharp = gray_detail(tile("R"))
    soft = np.asarray(cv2.GaussianBlur(sharp, (0, 0), SOFT[5]), np.uint8)
    known = ReferenceKeypoints([sharp])
    assert sharpness(soft) < sharpness(sharp) - 0.1
    assert np.array_equal(known.like(sharp, 0).descriptors, keypoints(sharp).descriptors)
    assert np.array_equal(known.like(soft, 0).descriptors, keypoints(soft).descriptors)
    assert np.isfinite(sharpness(np.zeros((DETAIL, DETAIL), np.uint8)))
