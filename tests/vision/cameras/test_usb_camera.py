"""A USB camera: its buffers go on handing out old frames, it is locked after a warm-up, and it can be unplugged."""

from __future__ import annotations

import errno
import math
import struct
from collections import deque
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost, Dimming, Relocking
from vision.cameras import CameraSpec
from vision.cameras.opencv import BUFFERS, OpenCVCamera, node

OF = {
    cv2.CAP_PROP_EXPOSURE: cv2.CAP_PROP_AUTO_EXPOSURE,
    cv2.CAP_PROP_WB_TEMPERATURE: cv2.CAP_PROP_AUTO_WB,
    cv2.CAP_PROP_FOCUS: cv2.CAP_PROP_AUTOFOCUS,
}
"""Which switch lets the camera set a value by itself."""

GIVES_UP_S = 10.0
"""After so long without a frame OpenCV's V4L2 reader says that there is none."""


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


class Device:
    """What cv2.VideoCapture is for a V4L2 device: frames at its own rate, into buffers; full ones stay as they are.

    A picture's topmost row says when it was taken: seconds since the clock's start, times ten. The others are as bright
    as light and exposure make them: what is automatic follows the light, what is not can be written.
    """

    buffers, rate = 4, 30.0
    formats: ClassVar[tuple[str, ...]] = ("YUYV", "MJPG")
    """What it can send, the usual one first. Of the first there is room for 10 pictures a second on the wire."""

    kind: ClassVar[str] = "plain"
    """jumps: an automatic that is switched off leaves what was stored. stale: and until then that is what is read.
    deaf: and nothing can be written. bare: has no automatic at all."""

    held: ClassVar[bool] = False
    """Whether it was let go with everything held: it remembers that."""

    STORED: ClassVar[dict[int, float]] = {
        cv2.CAP_PROP_EXPOSURE: 20.0,
        cv2.CAP_PROP_WB_TEMPERATURE: 4000.0,
        cv2.CAP_PROP_FOCUS: 0.0,
    }

    def __init__(self, clock: Clock, source: int | str, backend: int) -> None:
        self.clock, self.source, self.backend = clock, source, backend
        self.size = [0, 0]
        self.format = self.formats[0]
        self.light, self.warmth, self.sharp_at = 1.0, 3000.0, 40.0
        self.released = False
        self.unplugged_at = math.inf
        self._automatic = {switch: not self.held for switch in OF.values()}
        self._written: dict[int, float] = dict(self.STORED)
        self._held: deque[float] = deque()
        self._next = clock.now
        self._grabbed = 0.0

    def isOpened(self) -> bool:
        return not self.released

    def now(self, value: int) -> float:
        """What a value really is."""
        found = {
            cv2.CAP_PROP_EXPOSURE: 100.0 / self.light,
            cv2.CAP_PROP_WB_TEMPERATURE: self.warmth,
            cv2.CAP_PROP_FOCUS: self.sharp_at,
        }
        return found[value] if self._automatic[OF[value]] else self._written[value]

    def get(self, key: int) -> float:
        if key == cv2.CAP_PROP_FOURCC:
            return float(cv2.VideoWriter.fourcc(*self.format))
        if self.kind == "bare" or key not in OF:
            if key != cv2.CAP_PROP_AUTO_EXPOSURE or self.kind == "bare":
                return -1.0
            return 3.0 if self._automatic[key] else 1.0
        return self.STORED[key] if self.kind == "stale" and self._automatic[OF[key]] else self.now(key)

    def set(self, key: int, value: float) -> bool:
        if key in {cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT}:
            self.size[key == cv2.CAP_PROP_FRAME_HEIGHT] = int(value)
            return True
        if key == cv2.CAP_PROP_FOURCC:
            named = {cv2.VideoWriter.fourcc(*name): name for name in self.formats}
            self.format = named.get(int(value), self.format)
            self.rate = self.rate if self.format == "MJPG" else 10.0
            return int(value) in named
        if self.kind == "bare" or key == cv2.CAP_PROP_BUFFERSIZE:  # many drivers refuse this one
            return False
        if key in self._automatic:
            return self._switch(key, value == (3 if key == cv2.CAP_PROP_AUTO_EXPOSURE else 1))
        if key not in OF or self._automatic[OF[key]] or self.kind == "deaf":
            return False
        self._written[key] = value
        return True

    def _switch(self, switch: int, on: bool) -> bool:
        for value in (value for value, of in OF.items() if of == switch):
            self._written[value] = self.now(value) if self.kind == "plain" else self.STORED[value]
        self._automatic[switch] = on
        return True

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
        gray = 120 * (self.now(cv2.CAP_PROP_EXPOSURE) * self.light / 100) ** (1 / 2.2)
        picture = np.full((48, 64, 3), round(min(gray, 255)), np.uint8)
        picture[0] = level % 256
        return True, picture


class Plug:
    """Opens devices in place of cv2.VideoCapture, all on one clock. It stands in for their driver, too."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.devices: list[Device] = []
        self.controls: dict[int, int] = {}
        self.knows_mains = True

    def ioctl(self, handle: int, request: int, data: bytes) -> bytes:
        """VIDIOC_S_CTRL: _IOWR('V', 28, struct v4l2_control). The mains are 0 (off), 1 (50 Hz), 2 (60 Hz) or 3."""
        number, value = struct.unpack("=Ii", data)
        if request != (3 << 30 | 8 << 16 | ord("V") << 8 | 28):
            raise OSError(errno.ENOTTY, "Inappropriate ioctl for device")
        if number != 0x00980900 + 24 or not self.knows_mains:  # V4L2_CID_BASE + 24
            raise OSError(errno.EINVAL, "Invalid argument")
        self.controls[number] = value
        return data

    def __call__(self, source: int | str, backend: int) -> Device:
        self.devices.append(Device(self.clock, source, backend))
        return self.devices[-1]


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Plug:
    plug = Plug()
    (tmp_path / "video").touch()
    monkeypatch.setattr("vision.cameras.opencv.node", lambda target: str(tmp_path / "video"))
    monkeypatch.setattr("fcntl.ioctl", plug.ioctl)
    monkeypatch.setattr("vision.cameras.opencv.cv2.VideoCapture", plug)
    monkeypatch.setattr("vision.cameras.opencv.time.monotonic", plug.clock.monotonic)
    return plug


def opened(fps: float = 10.0, mains_hz: int = 50) -> OpenCVCamera:
    camera = OpenCVCamera(CameraSpec("opencv", "2", 640, 480, fps, mains_hz=mains_hz))
    camera.open()
    return camera


def brightness(camera: OpenCVCamera) -> int:
    frame = camera.read(2.0)
    assert frame is not None
    return int(frame.image[5, 5, 0])


def values(device: Device) -> list[float]:
    return [device.now(value) for value in OF]


def test_it_is_opened_at_the_size_asked_for_and_let_go(plug: Plug) -> None:
    camera = opened()
    device = plug.devices[0]
    assert (device.source, device.backend, device.size) == (2, cv2.CAP_V4L2, [640, 480])
    assert plug.clock.now >= 101.5, "automatic exposure had its time"
    camera.close()
    assert device.released


def test_it_sends_pictures_that_fit_through_the_wire(plug: Plug, caplog: pytest.LogCaptureFixture) -> None:
    opened(fps=30.0)
    assert plug.devices[0].format == "MJPG"
    assert "MJPG" not in caplog.text


def test_one_that_can_only_send_them_as_they_are_is_said_to_be_slow(
    plug: Plug, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Device, "formats", ("YUYV",))
    camera = opened()
    assert camera.read(2.0) is not None
    assert "camera 2 sends no MJPG: over USB 2 expect 5 to 10 pictures a second" in caplog.text


@pytest.mark.parametrize(("mains_hz", "value"), [(50, 1), (60, 2)])
def test_it_is_told_how_lamps_flicker(plug: Plug, mains_hz: int, value: int) -> None:
    opened(mains_hz=mains_hz)
    assert plug.controls == {0x00980918: value}


@pytest.mark.parametrize("why", ["no such control", "no such device"])
def test_one_that_knows_nothing_of_lamps_is_used_all_the_same(
    plug: Plug, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, why: str
) -> None:
    plug.knows_mains = False
    if why == "no such device":
        monkeypatch.setattr("vision.cameras.opencv.node", lambda target: "/dev/none")
    with caplog.at_level("INFO"):
        assert opened().read(2.0) is not None
    assert "camera 2 cannot be told mains_hz" in caplog.text


def test_a_camera_is_found_by_its_number_or_its_path() -> None:
    assert (node("2"), node("/dev/v4l/by-id/usb-camera")) == ("/dev/video2", "/dev/v4l/by-id/usb-camera")


@pytest.mark.parametrize("kind", ["plain", "jumps", "stale"])
def test_what_it_found_in_its_warm_up_is_held_whatever_a_hand_does(
    plug: Plug, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(Device, "kind", kind)
    camera = opened()
    device = plug.devices[0]
    assert brightness(camera) == pytest.approx(120, rel=0.2), "as bright as it was by itself"
    if kind != "stale":
        assert values(device) == pytest.approx([100.0, 3000.0, 40.0])
    before = values(device)
    device.light, device.warmth, device.sharp_at = 0.4, 6000.0, 90.0
    for _ in range(30):
        camera.read(2.0)
    assert values(device) == before


def test_one_that_was_held_the_last_time_looks_for_itself_first(plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "held", True)
    opened()
    assert values(plug.devices[0]) == pytest.approx([100.0, 3000.0, 40.0])


def test_one_that_cannot_be_held_is_left_to_itself(
    plug: Plug, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Device, "kind", "deaf")
    camera = opened()
    for light in (0.4, 1.0):
        plug.devices[0].light = light
        camera.relock()
        while plug.clock.now < 110.0 + light * 10:
            assert brightness(camera) == 120, "it follows the light"
    assert caplog.text.count("camera 2 jumps when its exposure is held") == 1


def test_one_that_has_no_automatic_is_used_as_it_is(plug: Plug, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Device, "kind", "bare")
    camera = opened()
    assert camera.read(2.0) is not None


def test_a_room_so_dark_that_hands_smear_is_told(
    plug: Plug, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    camera = opened()
    assert "hands smear" not in caplog.text
    plug.devices[0].light = 0.2
    camera.relock()
    while plug.clock.now < 106.0:
        camera.read(2.0)
    assert "camera 2 exposes for 50 ms, and hands smear: more light helps" in caplog.text


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


@pytest.mark.parametrize("kind", ["plain", "jumps"])
def test_it_is_locked_anew_while_frames_go_on(plug: Plug, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(Device, "kind", kind)
    camera = opened()
    assert isinstance(camera, Relocking)
    device, began = plug.devices[0], plug.clock.now
    device.light, device.warmth, device.sharp_at = 0.5, 6000.0, 90.0
    camera.relock()
    stamps = []
    while plug.clock.now < began + 2.0:
        frame = camera.read(2.0)
        assert frame is not None
        stamps.append(frame.at)
    assert max(np.diff(stamps)) < 0.2
    assert values(device) == [200.0, 6000.0, 40.0], "the lens stays where it was"
    device.light = 1.0
    camera.read(2.0)
    assert values(device) == [200.0, 6000.0, 40.0]


@pytest.mark.parametrize(("kind", "can"), [("plain", True), ("jumps", True), ("stale", False), ("deaf", False)])
def test_it_is_turned_down_if_it_can_be_held_and_says_where(
    plug: Plug, monkeypatch: pytest.MonkeyPatch, kind: str, can: bool
) -> None:
    monkeypatch.setattr(Device, "kind", kind)
    camera = opened()
    assert isinstance(camera, Dimming)
    before = brightness(camera)
    assert camera.dim(1.0) is can
    assert (brightness(camera) < 0.8 * before) is can
    if can:
        assert values(plug.devices[0])[0] == 50.0
        assert camera.dim(0.0)
        assert brightness(camera) == pytest.approx(before, rel=0.02)


def test_it_is_turned_down_no_farther_than_its_shortest_exposure(plug: Plug) -> None:
    camera, device, began = opened(), plug.devices[0], plug.clock.now
    device.light = 25.0
    camera.relock()
    while plug.clock.now < began + 2.0:
        camera.read(2.0)
    assert values(device)[0] == 4.0
    assert [camera.dim(stops) for stops in (0.5, 1.0, 1.5, 2.0)] == [True, True, True, False]
    assert values(device)[0] == 1.0


def test_it_is_not_turned_down_while_it_looks_for_its_exposure(plug: Plug) -> None:
    camera, began = opened(), plug.clock.now
    camera.relock()
    assert not camera.dim(1.0)
    while plug.clock.now < began + 2.0:
        camera.read(2.0)
    assert camera.dim(1.0)
    camera.close()
    assert not camera.dim(1.0)


def test_one_that_says_nothing_true_of_its_exposure_is_as_bright_as_before_in_another_light(
    plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Device, "kind", "stale")
    camera = opened()
    device, began = plug.devices[0], plug.clock.now
    device.light = 0.3
    camera.relock()
    while plug.clock.now < began + 4.0:
        camera.read(2.0)
    assert brightness(camera) == pytest.approx(120, rel=0.25)
    device.light = 0.6
    assert brightness(camera) > 140, "it is held"


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
