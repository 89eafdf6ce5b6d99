"""The pictures that the machine's camera shows. Needs no machine."""

from __future__ import annotations

import cv2
import numpy as np

from engine.table import Health
from tests.machine.film import yuyv
from tests.machine.guest.agent import SIZE, grained
from vision.camera import Frame
from vision.cameras.small import small_gray
from vision.care import FROZEN_S, Watch

WIDTH, HEIGHT = SIZE


def test_a_table_at_rest_is_not_taken_for_a_camera_that_stands_still() -> None:
    ramp = np.linspace(40, 200, WIDTH, dtype=np.uint8)
    still = yuyv(np.broadcast_to(ramp[None, :, None], (HEIGHT, WIDTH, 3)).copy())
    watch = Watch()
    for second in range(int(3 * FROZEN_S)):
        packed = np.frombuffer(grained(still), np.uint8).reshape(HEIGHT, WIDTH, 2)
        picture = np.asarray(cv2.cvtColor(packed, cv2.COLOR_YUV2BGR_YUYV), np.uint8)
        assert watch.judge(Frame(second, float(second), picture, small_gray(picture))) is Health.OK
