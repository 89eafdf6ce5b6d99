"""Cameras behind one protocol: the shared ring, folders, and what is said when one is gone."""

from __future__ import annotations

import itertools
import sys
import types
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost, NoFrameYet, Relocking
from vision.cameras import CameraSpec, open_camera
from vision.cameras.picamera import PiCamera, lores_size
from vision.cameras.shared import FrameRing, SharedCamera


def picture(value: int) -> np.ndarray:
    return np.full((48, 64, 3), value, np.uint8)


def test_the_ring_hands_over_each_newest_frame_once(tmp_path: Path) -> None:
    ring = FrameRing(tmp_path / "ring", 64, 48)
    camera = SharedCamera(str(tmp_path / "ring"))
    camera.open()
    for serial in range(1, 8):
        ring.write(serial, serial / 10, picture(serial))
        frame = camera.read(1.0)
        assert frame is not None
        assert (frame.serial, frame.at, int(frame.image[5, 5, 0])) == (serial, serial / 10, serial)
    with pytest.raises(NoFrameYet, match="within"):
        camera.read(0.05)
    ring.end()
    assert camera.read(1.0) is None
    camera.close()
    ring.close()
    assert not (tmp_path / "ring").exists()


def test_the_ring_refuses_misshapen_pictures_and_strangers(tmp_path: Path) -> None:
    ring = FrameRing(tmp_path / "ring", 64, 48)
    with pytest.raises(ValueError, match="48 x 64"):
        ring.write(1, 0.0, picture(1)[:10])
    ring.close()
    (tmp_path / "other").write_bytes(b"x" * 5000)
    for path in ("ring", "other"):
        with pytest.raises(CameraLost):
            SharedCamera(str(tmp_path / path)).open()


def test_a_folder_is_read_by_name(tmp_path: Path) -> None:
    for value in (3, 1, 2):
        cv2.imwrite(str(tmp_path / f"{value}.png"), picture(value))
    camera = open_camera(CameraSpec("opencv", str(tmp_path)))
    camera.open()
    values = []
    while (frame := camera.read(1.0)) is not None:
        values.append((int(frame.image[0, 0, 0]), frame.at))
    assert values == [(1, 0.0), (2, 1.0), (3, 2.0)]


@pytest.mark.parametrize(
    "spec", [CameraSpec("opencv", "none.mp4"), CameraSpec("opencv", "97"), CameraSpec("picamera2")]
)
def test_a_camera_that_is_not_there_is_lost(spec: CameraSpec) -> None:
    camera = open_camera(spec)
    with pytest.raises(CameraLost):
        camera.open()
    camera.close()


def test_lores_keeps_the_shape() -> None:
    assert lores_size(1280, 720) == (320, 180)
    assert lores_size(1640, 1232) == (320, 240)


class Request:
    """What picamera2 hands out for one picture."""

    def __init__(self, exposure: int) -> None:
        self.exposure, self.released = exposure, False

    def make_array(self, name: str) -> np.ndarray:
        return np.zeros((720, 1280, 3), np.uint8) if name == "main" else np.zeros((270, 320), np.uint8)

    def get_metadata(self) -> dict[str, object]:
        return {"SensorTimestamp": 5_000_000_000, "ExposureTime": self.exposure, "AnalogueGain": 1.5}

    def release(self) -> None:
        self.released = True


class Picamera2:
    """The part of picamera2 that the adapter uses; its automatic exposure wanders until it is switched off."""

    made: ClassVar[list[Picamera2]] = []

    def __init__(self, camera_num: int = 0) -> None:
        self.number, self.exposure = camera_num, 1000
        self.controls: list[dict[str, object]] = []
        self.requests: list[Request] = []
        Picamera2.made.append(self)

    def create_video_configuration(
        self, main: object, lores: object, buffer_count: int, controls: object, queue: bool
    ) -> dict[str, object]:
        return {"main": main, "lores": lores, "controls": controls, "buffer_count": buffer_count, "queue": queue}

    def configure(self, camera_config: object) -> None: ...

    def start(self) -> None: ...

    def close(self) -> None: ...

    def set_controls(self, controls: dict[str, object]) -> None:
        self.controls.append(controls)

    def capture_metadata(self, wait: float | None = None) -> dict[str, object]:
        return self.capture_request(wait).get_metadata()

    def capture_request(self, wait: float | None = None) -> Request:
        self.exposure += 10
        self.requests.append(Request(self.exposure))
        return self.requests[-1]


def test_a_pi_camera_is_locked_after_its_warm_up_and_locked_anew_without_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("picamera2")
    monkeypatch.setattr(module, "Picamera2", Picamera2, raising=False)
    monkeypatch.setitem(sys.modules, "picamera2", module)
    ticks = itertools.count()
    monkeypatch.setattr("vision.cameras.picamera.time.monotonic", lambda: next(ticks) * 0.25)
    camera = PiCamera(CameraSpec("picamera2", "1"))
    camera.open()
    chip = Picamera2.made[-1]
    assert chip.controls == [
        {"AeEnable": False, "AwbEnable": False, "ExposureTime": chip.exposure, "AnalogueGain": 1.5}
    ]
    before = len(chip.requests)
    camera.relock()
    assert len(chip.requests) == before, "locking anew waits for nothing"
    while len(chip.controls) < 3:
        frame = camera.read(1.0)
        assert frame is not None
        assert (frame.at, frame.small.shape) == (5.0, (180, 320))
    assert chip.controls[1] == {"AeEnable": True, "AwbEnable": True}
    assert chip.controls[2]["ExposureTime"] == chip.exposure
    assert len(chip.requests) - before >= 4
    assert all(request.released for request in chip.requests[before:])
    assert isinstance(camera, Relocking)
