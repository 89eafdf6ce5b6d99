"""Cameras behind one protocol: the shared ring, folders, and what is said when one is gone."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost, Dimming, NoFrameYet
from vision.cameras import CameraSpec, open_camera
from vision.cameras.picamera import lores_size
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


def test_who_writes_the_ring_is_told_how_dark_pictures_are_to_be(tmp_path: Path) -> None:
    ring = FrameRing(tmp_path / "ring", 64, 48)
    camera = SharedCamera(str(tmp_path / "ring"))
    assert isinstance(camera, Dimming)
    assert not camera.dim(0.5), "it is not open"
    camera.open()
    ring.write(1, 0.1, picture(1))
    assert ring.dimmed == 0.0
    assert camera.dim(1.5)
    ring.write(2, 0.2, picture(2))
    assert ring.dimmed == 1.5
    frame = camera.read(1.0)
    assert frame is not None
    assert frame.serial == 2
    camera.close()
    other = SharedCamera(str(tmp_path / "ring"))
    other.open()
    assert ring.dimmed == 0.0, "another reader begins again"
    other.close()
    ring.close()


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
