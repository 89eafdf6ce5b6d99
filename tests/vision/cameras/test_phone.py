"""A phone as a camera: the newest picture of the ring, and what is said when the phone is gone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import pytest

from vision.camera import CameraLost, NoFrameYet, Relocking
from vision.cameras import CameraSpec, open_camera
from vision.cameras.phone import LATE_S, PhoneCamera
from vision.cameras.ring import PictureRing, phone_ring

ROOM = 20_000


class Link(NamedTuple):
    """Both ends of a ring."""

    ring: PictureRing
    camera: PhoneCamera

    def sends(self, serial: int, data: bytes, age_s: float = 0.0) -> None:
        self.ring.put(serial, time.monotonic() - age_s, data)


def jpeg(value: int, size: tuple[int, int] = (64, 48)) -> bytes:
    width, height = size
    good, data = cv2.imencode(".jpg", np.full((height, width, 3), value, np.uint8))
    assert good
    return data.tobytes()


@pytest.fixture
def link(tmp_path: Path) -> Iterator[Link]:
    ring = PictureRing(tmp_path / "ring", ROOM)
    camera = open_camera(CameraSpec("phone", str(tmp_path / "ring")))
    assert isinstance(camera, PhoneCamera)
    camera.open()
    yield Link(ring, camera)
    camera.close()
    ring.close()


def test_the_newest_picture_is_read_once(link: Link) -> None:
    for serial, value in ((1, 10), (2, 200)):
        link.sends(serial, jpeg(value))
    frame = link.camera.read(1.0)
    assert frame is not None
    assert (frame.serial, frame.image.shape, round(float(frame.image.mean()), -1)) == (2, (48, 64, 3), 200)
    with pytest.raises(NoFrameYet):
        link.camera.read(0.05)


@pytest.mark.parametrize(
    "broken", [b"", b"\xff\xd8\xff\xd9", jpeg(3)[:40], b"\xff\xd8\xff" + bytes(5000) + b"\xff\xd9"]
)
def test_a_broken_picture_is_left_out_and_the_next_one_is_read(link: Link, broken: bytes) -> None:
    link.sends(1, jpeg(90))
    assert link.camera.read(1.0) is not None
    link.sends(2, broken)
    with pytest.raises(NoFrameYet):
        link.camera.read(0.05)
    link.sends(3, jpeg(90))
    frame = link.camera.read(1.0)
    assert frame is not None
    assert frame.serial == 3


def test_a_phone_that_sends_nothing_is_a_camera_that_went_away(link: Link) -> None:
    with pytest.raises(CameraLost, match="is its page open"):
        link.camera.read(0.01)
    link.sends(1, jpeg(90), age_s=LATE_S + 0.1)
    with pytest.raises(CameraLost, match="is its page open"):
        link.camera.read(0.01)
    link.sends(2, jpeg(90))
    assert link.camera.read(1.0) is not None


def test_a_phone_that_is_turned_is_opened_again(link: Link) -> None:
    link.sends(1, jpeg(90))
    link.camera.read(1.0)
    link.sends(2, jpeg(90, (48, 64)))
    with pytest.raises(CameraLost, match="turned"):
        link.camera.read(1.0)
    link.camera.close()
    link.camera.open()
    link.sends(3, jpeg(90, (48, 64)))
    frame = link.camera.read(1.0)
    assert frame is not None
    assert frame.image.shape == (64, 48, 3)


def test_a_region_that_goes_beyond_the_picture_keeps_its_shape(link: Link) -> None:
    wide = (-0.25, -0.5, 1.125, 0.0, 1.5, 1.0, 0.0, 3.0)
    link.camera.crop(wide)
    assert link.ring.region == wide


def test_the_phone_is_told_what_the_worker_wishes_until_another_reader_comes(link: Link) -> None:
    assert isinstance(link.camera, Relocking)
    link.camera.pace(7.5)
    link.camera.relock()
    link.camera.relock()
    assert (link.ring.pace, link.ring.relocks) == (7.5, 2)
    link.camera.close()
    link.camera.relock()
    link.camera.open()
    assert (link.ring.pace, link.ring.relocks) == (0.0, 0)


def test_the_ring_takes_no_more_than_its_room_and_lies_in_memory_for_its_user_alone(link: Link, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="bytes"):
        link.ring.put(1, 0.0, bytes(ROOM + 1))
    assert link.ring.path.stat().st_mode & 0o777 == 0o600
    assert phone_ring(tmp_path).parent == Path("/dev/shm")
    assert phone_ring(tmp_path) != phone_ring(tmp_path / "other")


def test_without_a_referee_there_is_no_ring(tmp_path: Path) -> None:
    with pytest.raises(CameraLost, match="does the referee run"):
        PhoneCamera(str(tmp_path / "none")).open()
