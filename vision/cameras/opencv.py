"""Reads V4L2 devices, videos and folders of pictures by OpenCV."""

from __future__ import annotations

import logging
import os
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from vision.camera import CameraLost, Frame, Pyramid
from vision.cameras.automatics import Automatics
from vision.pictures import Unread, pictures, read

if TYPE_CHECKING:
    from vision.cameras import CameraSpec

FOLDER_PACE_S = 1.0
WARM_UP_S = 1.5
ANSWER_S = 0.4
"""Delay until pictures show a setting."""

BUFFERS = 10
"""Most old frames in the driver's queue."""

WAITED_S = 0.005
"""Waiting time that proves a new frame."""

MJPG = cv2.VideoWriter.fourcc(*"MJPG")
"""Format; uncompressed 1280 x 720 reaches 5 to 10 fps on USB 2."""

POWER_LINE_FREQUENCY = 0x00980918
"""Control unknown to OpenCV (linux/v4l2-controls.h)."""

HZ = {50: 1, 60: 2}
"""Its values by frequency."""

SET_CONTROL = 0xC008561C
"""VIDIOC_S_CTRL, of two 32-bit fields (linux/videodev2.h)."""

_log = logging.getLogger(__name__)


def is_folder(target: str) -> bool:
    return Path(target).is_dir()


class OpenCVCamera:
    """A V4L2 device by index or path, or a video file, read frame by frame."""

    def __init__(self, spec: CameraSpec) -> None:
        self._spec = spec
        self._live = spec.live
        self._capture: cv2.VideoCapture | None = None
        self._serial = 0
        self._interval = 1.0 / spec.fps
        self._due = 0.0
        self._automatics: Automatics | None = None
        self._lock_due: float | None = None

    def open(self) -> None:
        target = self._spec.target
        if not self._live and not Path(target).is_file():
            raise CameraLost(f"no video file {target}")
        source: int | str = int(target) if target.isdecimal() else target
        self._capture = cv2.VideoCapture(source, cv2.CAP_V4L2) if self._live else cv2.VideoCapture(source)
        if not self._capture.isOpened():
            self.close()
            live = "is it plugged in, is the user in group video, does a referee that runs hold it?"
            why = live if self._live else "is it a video?"
            raise CameraLost(f"OpenCV cannot open {target}: {why}")
        if self._live:
            try:
                self._start_live()
            except CameraLost:
                self.close()
                raise

    def _start_live(self) -> None:
        assert self._capture is not None
        self._mind_mains()
        for key, value in (
            (cv2.CAP_PROP_FOURCC, MJPG),  # before the size, which depends on it
            (cv2.CAP_PROP_FRAME_WIDTH, self._spec.size[0]),
            (cv2.CAP_PROP_FRAME_HEIGHT, self._spec.size[1]),
            (cv2.CAP_PROP_BUFFERSIZE, 1),
        ):
            self._capture.set(key, value)
        if int(self._capture.get(cv2.CAP_PROP_FOURCC)) != MJPG:
            _log.warning("camera %s sends no MJPG: over USB 2 expect 5 to 10 pictures a second", self._spec.target)
        self._automatics = Automatics(self._capture, self._spec.target)
        self._automatics.release()
        self._let_pass(WARM_UP_S)
        self._automatics.hold_focus()
        self._automatics.hold_light(self._brightness)

    def _mind_mains(self) -> None:
        try:
            set_mains(self._spec.target, self._spec.mains_hz)
        except OSError as error:
            _log.info("camera %s cannot be told mains_hz (%s): lamps may flicker", self._spec.target, error.strerror)

    def _let_pass(self, seconds: float) -> None:
        assert self._capture is not None
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not self._capture.grab():
                raise CameraLost(f"camera {self._spec.target} sends no frames")

    def _brightness(self) -> float:
        assert self._capture is not None
        self._let_pass(ANSWER_S)
        good, image = self._capture.retrieve()
        if not good:
            raise CameraLost(f"camera {self._spec.target} sends no frames")
        return float(np.mean(Pyramid(np.asarray(image, np.uint8)).small()))

    def relock(self) -> None:
        if self._automatics is not None:
            self._automatics.release_light()
            self._lock_due = time.monotonic() + WARM_UP_S

    def dim(self, stops: float) -> bool:
        held = self._automatics is not None and self._lock_due is None
        return held and self._automatics is not None and self._automatics.dim(stops)

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame; None at a video's end. Raises CameraLost; a silent device may block for 10 s."""
        if self._capture is None:
            raise CameraLost("the camera is not open")
        if self._live:
            if self._automatics is not None and self._lock_due is not None and time.monotonic() >= self._lock_due:
                self._automatics.hold_light(self._brightness if self._automatics.misreads else None)
                self._lock_due = None
            self._grab_new(timeout_s)
        good, image = self._capture.retrieve() if self._live else self._capture.read()
        if not good or image is None:
            if self._live:
                raise CameraLost(f"camera {self._spec.target} sent no frame")
            return None
        self._serial += 1
        at = time.monotonic() if self._live else self._stamp()
        picture = np.asarray(image, np.uint8)
        return Frame.of(self._serial, at, picture)

    def _stamp(self) -> float:
        assert self._capture is not None
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        return (self._serial - 1) / rate if rate > 0 else self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000.0

    def _grab_new(self, timeout_s: float) -> None:
        """Wait for the next due frame, dropping queued ones. Raises CameraLost if none comes in time."""
        assert self._capture is not None
        until, grabbed, new = time.monotonic() + timeout_s, 0, False
        while not new or time.monotonic() < self._due:
            asked = time.monotonic()
            if asked > until or not self._capture.grab():
                raise CameraLost(f"camera {self._spec.target} sent no frame in time")
            grabbed += 1
            new = grabbed > BUFFERS or time.monotonic() - asked >= WAITED_S
        self._due = max(self._due + self._interval, time.monotonic())

    def pace(self, frames_per_second: float) -> None:
        self._interval = 1.0 / frames_per_second

    def close(self) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = self._automatics = self._lock_due = None


class FolderCamera:
    """A folder's pictures by name, with timestamps a second apart."""

    def __init__(self, spec: CameraSpec) -> None:
        self._folder = Path(spec.target)
        self._paths: list[Path] = []
        self._serial = 0

    def open(self) -> None:
        try:
            self._paths = pictures(self._folder)
        except OSError as error:
            raise CameraLost(f"cannot list {self._folder}: {error}") from error
        self._serial = 0

    def read(self, timeout_s: float) -> Frame | None:  # noqa: ARG002  a folder never waits
        if self._serial >= len(self._paths):
            return None
        path = self._paths[self._serial]
        self._serial += 1
        image = read(path)
        if isinstance(image, Unread):
            raise CameraLost(f"{path} cannot be read ({image.why})")
        return Frame.of(self._serial, (self._serial - 1) * FOLDER_PACE_S, image)

    def pace(self, frames_per_second: float) -> None:
        """Do nothing."""

    def close(self) -> None:
        self._paths = []


def node(target: str) -> str:
    """Return the device path of a number or path."""
    return f"/dev/video{target}" if target.isdecimal() else target


def set_mains(target: str, hertz: int) -> None:
    """Fit exposures to lamps' flicker at 50 or 60 hertz. Raises OSError: ENOTTY or EINVAL if unsupported."""
    import fcntl

    handle = os.open(node(target), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.ioctl(handle, SET_CONTROL, struct.pack("Ii", POWER_LINE_FREQUENCY, HZ[hertz]))
    finally:
        os.close(handle)
