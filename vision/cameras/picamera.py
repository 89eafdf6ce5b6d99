"""The Raspberry Pi's camera, by picamera2 (from apt; never a dependency of the wheel).

The lores stream is the small gray one. Exposure and gains are left to the camera for a warm-up, then locked: automatic
white balance would swing whenever a hand enters. A lens that can focus does so once, and stays. `stop()` of an
unplugged camera can block for ever, so every capture has a timeout, and the daemon kills this process from outside if
it hangs.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from vision.camera import CameraLost, Frame
from vision.cameras.modes import whole_field

if TYPE_CHECKING:
    from vision.cameras import CameraSpec

WARM_UP_S = 2.0
OPEN_TIMEOUT_S = 5.0
SETTLING_FPS = 30.0
"""While exposure settles: no exposure is longer than a picture takes, and in a long one hands smear."""

FOCUS_S = 5.0
"""A search over the whole way of the lens takes up to 80 pictures."""

SHORT = 1
"""AeExposureMode: rather more gain than an exposure in which a hand smears (libcamera: ExposureShort)."""

FLICKER_MANUAL = 1
"""AeFlickerMode: exposures last for whole periods of the lamp's light, or it would show as bands that wander."""

AF_MANUAL, AF_AUTO = 0, 1
AF_START = 0
AF_SCANNING, AF_FOCUSED, AF_FAILED = 1, 2, 3

_log = logging.getLogger(__name__)


def lores_size(width: int, height: int) -> tuple[int, int]:
    """A lores stream of the main stream's shape, even-sized, 320 pixels wide."""
    return 320, max(2, round(320 * height / width / 2) * 2)


def _durations(frames_per_second: float) -> tuple[int, int]:
    """Shortest and longest duration of a picture, in microseconds."""
    duration = round(1e6 / frames_per_second)
    return duration, duration


class PiCamera:
    """`target` is the camera's number."""

    def __init__(self, spec: CameraSpec) -> None:
        self._spec = spec
        self._camera: Any = None
        self._serial = 0
        self._lock_due: float | None = None
        self._fps = spec.fps

    def open(self) -> None:
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise CameraLost("picamera2 is missing; install it with: sudo apt install python3-picamera2") from error
        try:
            self._camera = Picamera2(int(self._spec.target))
            self._camera.configure(self._configuration())
            self._camera.start()
            self._settle()
        except (RuntimeError, IndexError, TimeoutError) as error:
            self.close()
            held = "a referee that runs may hold it"
            raise CameraLost(f"camera {self._spec.target} does not start: {error}; {held}") from error

    def _configuration(self) -> Any:
        size = (self._spec.width, self._spec.height)
        sensor = whole_field(self._camera.sensor_modes, size)  # configures the camera, to ask it
        controls: dict[str, Any] = {"FrameDurationLimits": _durations(SETTLING_FPS)}
        period = round(1e6 / (2 * self._spec.mains_hz))  # a lamp is bright twice in a period of the mains
        wanted = {"AeExposureMode": SHORT, "AeFlickerMode": FLICKER_MANUAL, "AeFlickerPeriod": period}
        controls |= {name: value for name, value in wanted.items() if name in self._camera.camera_controls}
        return self._camera.create_video_configuration(
            main={"size": size, "format": "RGB888"},  # picamera2's RGB888 is B, G, R in memory
            lores={"size": lores_size(*size), "format": "YUV420"},
            controls=controls,
            sensor=sensor or {},
            buffer_count=3,
            queue=False,
        )

    def _settle(self) -> None:
        """Exposure, gains and focus settle, and are locked."""
        focuses = "AfMode" in self._camera.camera_controls
        if focuses and self._spec.focus is not None:
            self._camera.set_controls({"AfMode": AF_MANUAL, "LensPosition": self._spec.focus})
        until = time.monotonic() + WARM_UP_S
        seen: dict[str, Any] = {}
        while time.monotonic() < until:
            seen = self._metadata()
        if focuses and self._spec.focus is None:
            seen = self._focus()
        elif self._spec.focus is not None and not focuses:
            _log.warning("camera %s cannot focus: focus = %g is ignored", self._spec.target, self._spec.focus)
        self._lock_to(seen)

    def _focus(self) -> dict[str, Any]:
        """Focuses once, and leaves the lens there: it would hunt whenever a hand enters. Returns the last metadata."""
        self._camera.set_controls({"AfMode": AF_AUTO, "AfTrigger": AF_START})
        until, scanning, state = time.monotonic() + FOCUS_S, False, None
        seen = self._metadata()
        while time.monotonic() < until and not (scanning and state in {AF_FOCUSED, AF_FAILED}):
            seen = self._metadata()
            state = seen.get("AfState")
            scanning |= state == AF_SCANNING  # what is told before is of an earlier search
        where = seen.get("LensPosition")
        if state != AF_FOCUSED:
            _log.warning(
                "camera %s found no sharp picture (lens at %s dioptres): light the mat and start again, or set focus",
                self._spec.target,
                where,
            )
        if where is not None:
            self._camera.set_controls({"AfMode": AF_MANUAL, "LensPosition": where})
        return seen

    def _metadata(self) -> dict[str, Any]:
        seen: dict[str, Any] = self._camera.capture_metadata(wait=OPEN_TIMEOUT_S)
        return seen

    def _lock_to(self, seen: dict[str, Any]) -> None:
        """Locks exposure and gains to what the metadata of a picture say; from here on pictures come at their pace."""
        locked: dict[str, Any] = {"AeEnable": False, "AwbEnable": False, "FrameDurationLimits": _durations(self._fps)}
        for name in ("ExposureTime", "AnalogueGain", "ColourGains"):
            if name in seen:
                locked[name] = seen[name]
        self._lock_due = None
        self._camera.set_controls(locked)

    def relock(self) -> None:
        """Lets exposure and gains settle anew while pictures go on, and locks them then: nothing goes unseen."""
        if self._camera is not None:
            settling = {"AeEnable": True, "AwbEnable": True, "FrameDurationLimits": _durations(SETTLING_FPS)}
            self._camera.set_controls(settling)
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
        self._fps = frames_per_second
        if self._camera is not None and self._lock_due is None:
            self._camera.set_controls({"FrameDurationLimits": _durations(frames_per_second)})

    def close(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()
