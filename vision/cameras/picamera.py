"""Reads the Raspberry Pi's camera by picamera2 (from apt, never a wheel's dependency).

The lores stream is the small gray one. Exposure, gains and focus settle and are locked, as hands would disturb them.
Captures and closing time out: an unplugged camera may block for ever, and the daemon kills this process.
"""

from __future__ import annotations

import errno
import logging
import os
import threading
import time
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from vision.camera import CameraLost, CameraStuck, Frame, Image, Pyramid
from vision.cameras.sensors import WHOLE, SensorMode, sensor_shape, shown_size, whole_field

if TYPE_CHECKING:
    from vision.cameras import CameraSpec

WARM_UP_S = 2.0
OPEN_TIMEOUT_S = 5.0
CLOSE_S = 2.0
CLOSING = "closes a camera"
SETTLING_FPS = 30.0
"""Rate while settling, which limits exposure against smear."""

FOCUS_S = 5.0
"""Time for a full search of 80 pictures."""

SHORT = 1
"""AeExposureMode: more gain, less smear (libcamera: ExposureShort)."""

FLICKER_MANUAL = 1
"""AeFlickerMode: whole periods of the lamps, against bands."""

EXPOSURE, GAIN = "ExposureTime", "AnalogueGain"
"""Controls and metadata: microseconds, and at least 1.0."""

AF_MANUAL, AF_AUTO = 0, 1
AF_START = 0
AF_SCANNING, AF_FOCUSED, AF_FAILED = 1, 2, 3

FAILS = (RuntimeError, OSError, ValueError, LookupError, AttributeError, CancelledError)
"""Errors of picamera2 and libcamera; AttributeError for mismatched versions."""

_log = logging.getLogger(__name__)


def lores_size(width: int, height: int) -> tuple[int, int]:
    """Return an even size 320 pixels wide in the main stream's shape."""
    return 320, max(2, round(320 * height / width / 2) * 2)


def _durations(frames_per_second: float) -> tuple[int, int]:
    duration = round(1e6 / frames_per_second)
    return duration, duration


def _darker(exposure_us: float, gain: float, stops: float, least: float) -> dict[str, Any]:
    """Return darker controls, reducing the gain (at least `least`) before the exposure."""
    share = 2.0**-stops
    left = max(least, gain * share)
    return {EXPOSURE: max(1, round(exposure_us * share * gain / left)), GAIN: left}


def _picamera2() -> Any:
    try:
        from picamera2 import Picamera2
    except ImportError as error:
        raise CameraLost(
            f"picamera2 is missing ({error}); install it with: sudo apt install python3-picamera2"
        ) from error
    except (ValueError, AttributeError, OSError) as error:
        raise CameraLost(
            f"picamera2 cannot be loaded ({error}): it was built for other packages than are there, such as a numpy "
            f"other than {np.__version__}; bring all up to date (sudo apt full-upgrade) and install the referee again"
        ) from error
    return Picamera2


def _open_camera(number: int) -> Any:
    """Return an opened camera, releasing resources if its constructor fails. Raises CameraLost or one of FAILS."""
    kind = _picamera2()
    if number >= (count := len(kind.global_camera_info())):
        raise CameraLost(f"there is no camera {number}: libcamera finds {count}; check the ribbon cable")
    camera = kind.__new__(kind)
    try:
        camera.__init__(number)
    except BaseException:
        with suppress(*FAILS):
            camera.close()
        if not camera.notifymeread.closed:
            camera.notifymeread.close()
            os.close(camera.notifyme_w)
        raise
    return camera


class PiCamera:
    """A Pi camera by number."""

    def __init__(self, spec: CameraSpec) -> None:
        self._spec = spec
        self._camera: Any = None
        self._size = (0, 0)
        self._serial = 0
        self._lock_due: float | None = None
        self._locked: dict[str, Any] = {}
        self._fps = spec.fps

    def open(self) -> None:
        if _Closing.stuck.is_set():
            raise CameraStuck(f"camera {self._spec.target} does not let go of its driver: a new process is needed")
        try:
            self._camera = _open_camera(int(self._spec.target))
            if "ColorFilterArrangement" not in self._camera.camera_properties:
                raise CameraLost(f'camera {self._spec.target} is on USB: write source = "v4l2" for it')
            self._camera.configure(self._configuration())
            self._tell_what_is_shown()
            self._camera.start()
            self._settle()
        except CameraLost:
            self.close()
            raise
        except FAILS as error:
            self.close()
            raise CameraLost(f"camera {self._spec.target} does not start: {self._why(error)}") from error

    def _why(self, error: BaseException) -> str:
        cause = error.__cause__ if error.__cause__ is not None else error
        if isinstance(error, PermissionError):
            return f"{error.filename} is forbidden; the user must be in group video (the service's is)"
        if (isinstance(error, OSError) and error.errno == errno.ENOMEM) or "Cannot allocate memory" in str(error):
            width, height = self._size
            return (
                f"no memory for pictures of {width} x {height} ({error}); end what else uses the camera or the screen, "
                "or write a smaller `size`"
            )
        if isinstance(error, TimeoutError):
            return "it sends no pictures; check the ribbon cable"
        return f"{error if cause is error else f'{error} ({cause})'}; a referee that runs may hold it"

    def _configuration(self) -> Any:
        model = str(self._camera.camera_properties.get("Model", ""))
        width, height = self._spec.width, self._spec.height
        self._size = (width, height) if height is not None else sensor_shape(width, self._camera.sensor_resolution)
        mode = whole_field(model, self._size)
        controls: dict[str, Any] = {"FrameDurationLimits": _durations(SETTLING_FPS)}
        period = round(1e6 / (2 * self._spec.mains_hz))  # lamps are bright twice in a mains period
        wanted = {"AeExposureMode": SHORT, "AeFlickerMode": FLICKER_MANUAL, "AeFlickerPeriod": period}
        controls |= {name: value for name, value in wanted.items() if name in self._camera.camera_controls}
        return self._camera.create_video_configuration(
            main={"size": self._size, "format": "RGB888"},  # picamera2's RGB888 is B, G, R in memory
            lores={"size": lores_size(*self._size), "format": "YUV420"},
            controls=controls,
            sensor=_ask_camera(mode) if mode is not None else {},
            buffer_count=3,
            queue=False,
        )

    def _tell_what_is_shown(self) -> None:
        """Warn if part of the field is lost."""
        areas = self._camera.camera_properties.get("PixelArrayActiveAreas")
        crop = self._camera.camera_controls.get("ScalerCrop")
        if not areas or crop is None:
            return
        wide, high = shown_size(crop[2], areas[0])
        if min(wide, high) < WHOLE:
            model = self._camera.camera_properties.get("Model")
            _log.warning(
                "camera %s (%s) shows %.0f%% of its width and %.0f%% of its height at %d x %d: %s",
                *(self._spec.target, model, 100 * wide, 100 * high, *self._size),
                "without `size` it shows all" if self._spec.height is not None else "hang it higher",
            )

    def _settle(self) -> None:
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
        self._camera.set_controls({"AfMode": AF_AUTO, "AfTrigger": AF_START})
        until, scanning, state = time.monotonic() + FOCUS_S, False, None
        seen = self._metadata()
        while time.monotonic() < until and not (scanning and state in {AF_FOCUSED, AF_FAILED}):
            seen = self._metadata()
            state = seen.get("AfState")
            scanning |= state == AF_SCANNING  # earlier states belong to an earlier search
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
        off: dict[str, Any] = {"AeEnable": False, "AwbEnable": False, "FrameDurationLimits": _durations(self._fps)}
        self._locked = {name: seen[name] for name in (EXPOSURE, GAIN, "ColourGains") if name in seen}
        self._lock_due = None
        self._camera.set_controls(off | self._locked)

    def relock(self) -> None:
        if self._camera is not None:
            settling = {"AeEnable": True, "AwbEnable": True, "FrameDurationLimits": _durations(SETTLING_FPS)}
            self._camera.set_controls(settling)
            self._lock_due = time.monotonic() + WARM_UP_S

    def dim(self, stops: float) -> bool:
        if self._camera is None or self._lock_due is not None or not {EXPOSURE, GAIN} <= self._locked.keys():
            return False
        with suppress(*FAILS):
            least, *_ = self._camera.camera_controls.get(GAIN, (1.0,))
            self._camera.set_controls(_darker(self._locked[EXPOSURE], self._locked[GAIN], stops, least))
            return True
        return False

    def read(self, timeout_s: float) -> Frame | None:
        if self._camera is None:
            raise CameraLost("the camera is not open")
        try:
            image, luma, metadata = self._picture(timeout_s)
            if self._lock_due is not None and time.monotonic() >= self._lock_due:
                self._lock_to(metadata)
        except TimeoutError as error:
            raise CameraLost(f"camera {self._spec.target} sent no frame within {timeout_s:g} s") from error
        except FAILS as error:
            raise CameraLost(f"camera {self._spec.target} gives no frame: {error}") from error
        stamp = metadata.get("SensorTimestamp")
        self._serial += 1
        at = stamp / 1e9 if stamp is not None else time.monotonic()
        width, height = lores_size(*self._size)
        return Frame(self._serial, at, Pyramid(image), np.ascontiguousarray(luma[:height, :width]))

    def _picture(self, timeout_s: float) -> tuple[Image, Image, dict[str, Any]]:
        request = self._camera.capture_request(wait=timeout_s)
        try:
            image = np.asarray(request.make_array("main"), np.uint8)
            luma = np.asarray(request.make_array("lores"), np.uint8)
            return image, luma, request.get_metadata()
        finally:
            request.release()

    def pace(self, frames_per_second: float) -> None:
        self._fps = frames_per_second
        if self._camera is not None and self._lock_due is None:
            self._camera.set_controls({"FrameDurationLimits": _durations(frames_per_second)})

    def close(self) -> None:
        """Close within CLOSE_S; otherwise `open` raises CameraStuck."""
        camera, self._camera = self._camera, None
        if camera is not None:
            _Closing(camera, self._spec.target).run()


class _Closing:
    """Closes a camera in a thread that may hang."""

    stuck = threading.Event()

    def __init__(self, camera: Any, name: str) -> None:
        self._camera, self._name = camera, name

    def run(self) -> None:
        """Close the camera; set `stuck` if that fails or takes longer than CLOSE_S."""
        thread = threading.Thread(target=self._close, name=CLOSING, daemon=True)
        thread.start()
        thread.join(CLOSE_S)
        if thread.is_alive():
            _log.error("camera %s does not close", self._name)
            self.stuck.set()

    def _close(self) -> None:
        try:
            self._camera.close()
        except FAILS as error:
            _log.error("camera %s does not close: %s", self._name, error)
            self.stuck.set()


def _ask_camera(mode: SensorMode) -> dict[str, Any]:
    return {"output_size": mode.size, "bit_depth": mode.bits}
