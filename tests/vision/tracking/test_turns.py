"""By how much a piece was turned, and how much two are alike."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.scenes import face
from vision.tracking.turns import gain, likeness, polar_crops, turn_between


def test_turns_are_measured() -> None:
    for angle in (-40.0, -5.0, 4.0, 90.0):
        before = face("hammer")
        matrix = cv2.getRotationMatrix2D((79.5, 79.5), -angle, 1.0)
        after = np.asarray(cv2.warpAffine(before, matrix, (160, 160), borderMode=cv2.BORDER_REPLICATE), np.uint8)
        assert turn_between(*polar_crops(np.stack([before, after]))) == pytest.approx(angle, abs=1.0)
    crown, hammer = polar_crops(np.stack([face("crown"), face("hammer")]))
    assert turn_between(crown, crown) == pytest.approx(0, abs=0.2)
    assert likeness(crown, crown) == pytest.approx(1)
    assert likeness(crown, hammer) < 0.8


def test_a_print_that_looks_alike_all_round_does_not_turn_by_itself() -> None:
    rng, middle = np.random.default_rng(3), (79, 79)
    shot = np.full((160, 160, 3), 70, np.uint8)
    cv2.circle(shot, middle, 60, (180, 190, 200), -1)
    cv2.circle(shot, middle, 44, (60, 60, 170), -1)
    cv2.circle(shot, middle, 20, (180, 190, 200), -1)
    noisy = [np.asarray(np.clip(shot + rng.normal(0.0, 12.0, shot.shape), 0, 255), np.uint8) for _ in range(2)]
    assert gain(*polar_crops(np.stack(noisy))) < 1.3
    stone = face("hammer")
    matrix = cv2.getRotationMatrix2D((79.5, 79.5), -4.0, 1.0)
    after = np.asarray(cv2.warpAffine(stone, matrix, (160, 160), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    noisy = [np.asarray(np.clip(each + rng.normal(0.0, 12.0, shot.shape), 0, 255), np.uint8) for each in (stone, after)]
    assert gain(*polar_crops(np.stack(noisy))) > 1.8
