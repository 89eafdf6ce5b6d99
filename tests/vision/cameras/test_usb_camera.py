"""A USB camera: its buffers go on handing out old frames, it is locked after a warm-up, and it can be unplugged."""

from __future__ import annotations

import math
from collections import deque

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost, Relocking
from vision.cameras import CameraSpec
from vision.cameras.opencv import BUFFERS, OpenCVCamera

GIVES_UP_S = 10.0
"""After so long without a frame OpenCV's V4L2 reader says that there is none."""


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Device:
    """What cv2.VideoCapture is for a V4L2 device: frames at its own rate, into buffers; full ones stay as they are.

    A picture's gray level says when it was taken: seconds since the clock's start, times ten.
    """

    buffers, rate = 4, 30.0

    def __init__(self, clock: Clock, source: int | str, backend: int) -> None:
        self.clock, self.source, self.backend = clock, source, backend
        self.controls: list[tuple[int, float]] = []
        self.released = False
        self.unplugged_at = math.inf
        self._held: deque[float] = deque()
        self._next = clock.now
        self._grabbed = 0.0

    def isOpened(self) -> bool:
        return not self.released

    def set(self, key: int, value: float) -> bool:
        self.controls.append((key, value))
        return key != cv2.CAP_PROP_BUFFERSIZE  # many drivers refuse it

    def release(self) -> None:
        self.released = True

    def grab(self) -> bool:
        while self._next <= self.clock.now:
            self._expose()
        if not self._held:
            if self._next >= self.unplugged_at:
                self.clock.now += GIVES_UP_S
                return False
            self.clock.now = self._next
            self._expose()
        self._grabbed = self._held.popleft()
        return True

    def _expose(self) -> None:
        if len(self._held) < self.buffers and self._next < self.unplugged_at:
            self._held.append(self._next)
        self._next += 1 / self.rate

    def retrieve(self) -> tuple[bool, np.ndarray]:
        level = round((self._grabbed - 100.0) * 10)
        return True, np.full((48, 64, 3), level, np.uint8)


class Plug:
    """Opens devices in place of cv2.VideoCapture, all on one clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.devices: list[Device] = []

    def __call__(self, source: int | str, backend: int) -> Device:
        self.devices.append(Device(self.clock, source, backend))
        return self.devices[-1]


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Plug:
    plug = Plug()
    monkeypatch.setattr("vision.cameras.opencv.cv2.VideoCapture", plug)
    monkeypatch.setattr("vision.cameras.opencv.time.monotonic", plug.clock.monotonic)
    return plug


def opened(fps: float = 10.0) -> OpenCVCamera:
    camera = OpenCVCamera(CameraSpec("opencv", "2", 640, 480, fps))
    camera.open()
    return camera


def test_it_is_opened_at_the_size_asked_for_and_locked_after_its_warm_up(plug: Plug) -> None:
    camera = opened()
    device = plug.devices[0]
    assert (device.source, device.backend) == (2, cv2.CAP_V4L2)
    assert device.controls == [
        (cv2.CAP_PROP_FRAME_WIDTH, 640),
        (cv2.CAP_PROP_FRAME_HEIGHT, 480),
        (cv2.CAP_PROP_BUFFERSIZE, 1),
        (cv2.CAP_PROP_AUTO_WB, 0),
        (cv2.CAP_PROP_AUTO_EXPOSURE, 1),
    ]
    assert plug.clock.now >= 101.5, "automatic exposure had its time"
    camera.close()
    assert device.released


def test_frames_come_at_the_pace_asked_for(plug: Plug) -> None:
    camera = opened(fps=5.0)
    camera.read(2.0)
    stamps = [frame.at for _ in range(6) if (frame := camera.read(2.0)) is not None]
    assert np.diff(stamps) == pytest.approx(0.2, abs=0.04)
    camera.pace(10.0)
    stamps = [frame.at for _ in range(6) if (frame := camera.read(2.0)) is not None]
    assert np.diff(stamps[1:]) == pytest.approx(0.1, abs=0.04)


@pytest.mark.parametrize("pause", [0.5, 20.0])
def test_after_a_pause_the_table_is_shown_as_it_is_now(plug: Plug, pause: float) -> None:
    camera = opened()
    camera.read(2.0)
    plug.clock.now += pause  # somebody lays another piece there; the buffers still show the one before
    frame = camera.read(2.0)
    assert frame is not None
    assert frame.at == plug.clock.now
    taken = 100.0 + int(frame.image[0, 0, 0]) / 10
    assert plug.clock.now - taken <= 0.1


def test_a_camera_that_is_quicker_than_anybody_can_tell_is_read_all_the_same(
    plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Device, "rate", 1000.0)
    monkeypatch.setattr(Device, "buffers", BUFFERS)
    camera = opened()
    assert [camera.read(1.0) is not None for _ in range(3)] == [True] * 3


def test_it_is_locked_anew_while_frames_go_on(plug: Plug) -> None:
    camera = opened()
    assert isinstance(camera, Relocking)
    device, began = plug.devices[0], plug.clock.now
    device.controls.clear()
    camera.relock()
    on = [(cv2.CAP_PROP_AUTO_WB, 1), (cv2.CAP_PROP_AUTO_EXPOSURE, 3)]
    while plug.clock.now < began + 1.4:
        camera.read(2.0)
        assert device.controls == on
    while plug.clock.now < began + 2.0:
        camera.read(2.0)
    assert device.controls == [*on, (cv2.CAP_PROP_AUTO_WB, 0), (cv2.CAP_PROP_AUTO_EXPOSURE, 1)]


def test_one_that_is_unplugged_is_lost_and_can_be_opened_again(plug: Plug) -> None:
    camera = opened()
    plug.devices[0].unplugged_at = plug.clock.now + 0.5
    while plug.clock.now < plug.devices[0].unplugged_at - 0.1:
        camera.read(2.0)
    plug.clock.now += 0.2
    with pytest.raises(CameraLost, match="camera 2 sent no frame"):
        camera.read(2.0)
    camera.close()
    camera.open()
    assert len(plug.devices) == 2
    assert camera.read(2.0) is not None


def test_one_that_sends_nothing_from_the_start_is_lost_and_let_go(plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "grab", lambda device: False)
    with pytest.raises(CameraLost, match="camera 2 sends no frames"):
        opened()
    assert plug.devices[0].released


def test_a_camera_that_trickles_is_lost_after_the_time_allowed(plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    camera = opened(fps=0.1)  # ten seconds to the next frame that is due, but one second is allowed
    camera.read(2.0)
    camera.read(2.0)
    with pytest.raises(CameraLost, match="in time"):
        camera.read(1.0)
