"""By how much a piece was turned, and how much two are alike."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.scenes import face
from vision.following.turns import likeness, turn_between, unrolled


def test_turns_are_measured() -> None:
    for angle in (-40.0, -5.0, 4.0, 90.0):
        before = face("hammer")
        matrix = cv2.getRotationMatrix2D((79.5, 79.5), -angle, 1.0)
        after = np.asarray(cv2.warpAffine(before, matrix, (160, 160), borderMode=cv2.BORDER_REPLICATE), np.uint8)
        assert turn_between(*unrolled(np.stack([before, after]))) == pytest.approx(angle, abs=1.0)
    crown, hammer = unrolled(np.stack([face("crown"), face("hammer")]))
    assert turn_between(crown, crown) == pytest.approx(0, abs=0.2)
    assert likeness(crown, crown) == pytest.approx(1)
    assert likeness(crown, hammer) < 0.8
