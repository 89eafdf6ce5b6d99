"""Crops out of a picture that was taken aslant."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.registration.lens import Lens
from vision.registration.rectify import Projection, crops

STRAIGHT = Lens((1280, 720), (1000.0, 1000.0), (640.0, 360.0))
ASLANT = np.array([[1.6, -0.1, 300.0], [0.05, 1.5, 120.0], [0.0, -0.0008, 1.0]])


@pytest.mark.parametrize("angle", [0.0, 30.0, 180.0])
def test_a_card_seen_aslant_has_its_middle_and_its_corners_where_a_crop_has_them(angle: float) -> None:
    projection = Projection(ASLANT, STRAIGHT)
    turn = np.radians(angle)
    across, down = np.array([np.cos(turn), np.sin(turn)]) * 30, np.array([-np.sin(turn), np.cos(turn)]) * 40
    corners = [(-1, -1), (-1, 1), (1, -1)]  # the fourth is left out: a crop that is turned or mirrored is another
    dots = np.array([200.0, 150.0]) + np.array([0 * across, *(a * across + b * down for a, b in corners)])
    picture = np.zeros((720, 1280), np.uint8)
    for x, y in projection.pixels(dots):
        cv2.circle(picture, (round(x * 16), round(y * 16)), 4 * 16, (255,), -1, shift=4)
    (crop,) = crops(picture, projection, [(200, 150, angle)], size_mm=(75.6, 105.6), height_mm=0.0, pixels=(96, 134))
    seen = cv2.connectedComponentsWithStats(np.asarray(crop > 60, np.uint8))[3][1:]
    step = 96 / 75.6
    expected = [(47.5, 66.5), *((47.5 + a * 30 * step, 66.5 + b * 40 * step) for a, b in corners)]
    assert len(seen) == len(expected)
    assert max(float(np.hypot(*(seen - one).T).min()) for one in expected) < 0.5
