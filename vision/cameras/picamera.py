"""The Raspberry Pi's camera, by picamera2 (from apt; never a dependency of the wheel).

The lores stream is the small gray one. Exposure and gains are left to the camera for a warm-up, then locked: automatic
white balance would swing whenever a hand enters. `stop()` of an unplugged camera can block for ever, so every capture
has a timeout, and the daemon kills this process from outside if it hangs.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from vision.camera import CameraLost, Frame

if TYPE_CHECKING:
    from vision.cameras import CameraSpec

WARM_UP_S = 2.0
OPEN_TIMEOUT_S = 5.0


def lores_size(width: int, height: int) -> tuple[int, int]:
    """A lores stream of the main stream's shape, even-sized, 320 pixels wide."""
    return 320, max(2, round(320 * height / width / 2) * 2)


class PiCamera:
    """`target` is the camera's number."""

    def __init__(self, spec: CameraSpec) -> None:
        self._spec = spec
        self._camera: Any = None
        self._serial = 0
        self._lock_due: float | None = None

    def open(self) -> None:
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise CameraLost("picamera2 is missing; install it with: sudo apt install python3-picamera2") from error
        try:
            self._camera = Picamera2(int(self._spec.target))
            self._camera.configure(self._configuration())
            self._camera.start()
            self._lock()
        except (RuntimeError, IndexError, TimeoutError) as error:
            self.close()
            held = "a referee that runs may hold it"
            raise CameraLost(f"camera {self._spec.target} does not start: {error}; {held}") from error

    def _configuration(self) -> Any:
        size = (self._spec.width, self._spec.height)
        return self._camera.create_video_configuration(
            main={"size": size, "format": "RGB888"},  # picamera2's RGB888 is B, G, R in memory
            lores={"size": lores_size(*size), "format": "YUV420"},
            controls={"FrameDurationLimits": self._durations(self._spec.fps)},
            buffer_count=3,
            queue=False,
        )

    @staticmethod
    def _durations(frames_per_second: float) -> tuple[int, int]:
        duration = round(1e6 / frames_per_second)
        return duration, duration

    def _lock(self) -> None:
        until = time.monotonic() + WARM_UP_S
        seen: dict[str, Any] = {}
        while time.monotonic() < until:
            seen = self._camera.capture_metadata(wait=OPEN_TIMEOUT_S)
        self._lock_to(seen)

    def _lock_to(self, seen: dict[str, Any]) -> None:
        """Locks exposure and gains to what the metadata of a picture say."""
        locked: dict[str, Any] = {"AeEnable": False, "AwbEnable": False}
        for name in ("ExposureTime", "AnalogueGain", "ColourGains"):
            if name in seen:
                locked[name] = seen[name]
        self._lock_due = None
        self._camera.set_controls(locked)

    def relock(self) -> None:
        """Lets exposure and gains settle anew while pictures go on, and locks them then: nothing goes unseen."""
        if self._camera is not None:
            self._camera.set_controls({"AeEnable": True, "AwbEnable": True})
            self._lock_due = time.monotonic() + WARM_UP_S

    def read(self, timeout_s: float) -> Frame | None:
        if self._camera is None:
            raise CameraLost("the camera is not open")
        try:
            request = self._camera.capture_request(wait=timeout_s)
        except (TimeoutError, RuntimeError) as error:
            raise CameraLost(f"camera {self._spec.target} sent no frame within {timeout_s:g} s") from error
        try:
            image = np.asarray(request.make_array("main"), np.uint8)
            luma = np.asarray(request.make_array("lores"), np.uint8)
            metadata = request.get_metadata()
        finally:
            request.release()
        if self._lock_due is not None and time.monotonic() >= self._lock_due:
            self._lock_to(metadata)
        stamp = metadata.get("SensorTimestamp")
        self._serial += 1
        at = stamp / 1e9 if stamp is not None else time.monotonic()
        width, height = lores_size(self._spec.width, self._spec.height)
        return Frame(self._serial, at, image, np.ascontiguousarray(luma[:height, :width]))

    def pace(self, frames_per_second: float) -> None:
        if self._camera is not None:
            self._camera.set_controls({"FrameDurationLimits": self._durations(frames_per_second)})

    def close(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()
