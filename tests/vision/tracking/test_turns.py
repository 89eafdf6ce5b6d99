"""By how much a piece was turned, and how much two are alike."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.table import Face, Sight
from tests.vision.scenes import face
from vision.camera import Image
from vision.tracking.tracker import Look, has_turned
from vision.tracking.turns import PolarCrop, gain, likeness, polar_crops, turn_between


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


def counter(x: float, y: float) -> Image:
    """A plain counter, blurred, whose middle was taken to lie elsewhere: so many pixels right and down of it."""
    shot = np.full((160, 160, 3), (110, 130, 130), np.uint8)
    for radius, colour in ((66, (170, 190, 200)), (44, (90, 110, 190)), (16, (170, 190, 200))):
        middle = round((79 + x) * 16), round((79 + y) * 16)
        cv2.circle(shot, middle, radius * 16, colour, -1, cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(shot, (0, 0), 9.0), np.uint8)


def seen(rings: PolarCrop) -> Look:
    return Look(0.0, 0.0, 0.0, None, Face.UP, Sight.SEEN, 0.99, rings)


def test_a_plain_counter_whose_middle_is_taken_elsewhere_was_not_turned() -> None:
    before, after = polar_crops(np.stack([counter(8.0, 2.0), counter(3.0, 9.0)]))
    assert likeness(before, after) < 0.9
    assert not has_turned(seen(before), seen(after))
    stone = face("hammer") // 2 + 60
    matrix = cv2.getRotationMatrix2D((79.5, 79.5), -6.0, 1.0)
    other = np.asarray(cv2.warpAffine(stone, matrix, (160, 160), borderMode=cv2.BORDER_REPLICATE), np.uint8)
    before, after = polar_crops(np.stack([stone, other]))
    assert has_turned(seen(before), seen(after))


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
