"""libcamera's Python module as picamera2 uses it, after its py_main.cpp and the Raspberry Pi pipeline handler.

Errors are those of pybind11: whatever libcamera returns as a number below zero becomes a RuntimeError.
"""

from __future__ import annotations

import errno
import mmap
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import Enum
from typing import Any

from libcamera.board import board
from libcamera.chip import Chip, Rect

PACE_S = 0.0005
"""So often it is looked whether somebody wants a picture. It is made at once: `Chip.now` counts the table's time."""


def _failed(what: str, number: int) -> RuntimeError:
    return RuntimeError(f"{what}: {os.strerror(number)}")


class Size:
    def __init__(self, width: int = 0, height: int = 0) -> None:
        self.width, self.height = int(width), int(height)


class Rectangle:
    def __init__(self, x: int, y: int, width: int, height: int) -> None:
        self.x, self.y, self.width, self.height = x, y, width, height


class Transform:
    def __init__(self, of: Transform | None = None, *, hflip: int = 0, vflip: int = 0, transpose: int = 0) -> None:
        self.hflip: bool = bool(hflip) if of is None else of.hflip
        self.vflip: bool = bool(vflip) if of is None else of.vflip
        self.transpose: bool = bool(transpose) if of is None else of.transpose

    def __str__(self) -> str:
        return f"{self.hflip} {self.vflip} {self.transpose}"


Orientation = Enum(
    "Orientation",
    "Rotate0 Rotate0Mirror Rotate180Mirror Rotate180 Rotate90Mirror Rotate270 Rotate90 Rotate270Mirror",
)


class ColorSpace:
    YcbcrEncoding = Enum("YcbcrEncoding", "Null Rec601 Rec709")
    Range = Enum("Range", "Full Limited")

    def __init__(self, of: ColorSpace | str) -> None:
        self.primaries: str = of if isinstance(of, str) else of.primaries
        self.transferFunction = self.primaries
        self.ycbcrEncoding, self.range = self.YcbcrEncoding.Rec601, self.Range.Full

    def __str__(self) -> str:
        return self.primaries

    @staticmethod
    def Raw() -> ColorSpace:
        return ColorSpace("raw")

    @staticmethod
    def Sycc() -> ColorSpace:
        return ColorSpace("sycc")

    @staticmethod
    def Smpte170m() -> ColorSpace:
        return ColorSpace("smpte170m")

    @staticmethod
    def Rec709() -> ColorSpace:
        return ColorSpace("rec709")


class PixelFormat:
    def __init__(self, name: str) -> None:
        self._name = str(name)

    def __str__(self) -> str:
        return self._name


StreamRole = Enum("StreamRole", "Raw StillCapture VideoRecording Viewfinder")
ControlType = Enum("ControlType", "Bool Integer32 Float Rectangle Size")


class ControlId:
    """One for each name, so that it can be a key."""

    known: dict[str, ControlId] = {}  # noqa: RUF012

    def __init__(self, name: str) -> None:
        self.name = name
        self.type = ControlType.Rectangle if name in {"ScalerCrop", "ScalerCrops"} else ControlType.Integer32

    @staticmethod
    def of(name: str) -> ControlId:
        return ControlId.known.setdefault(name, ControlId(name))


class ControlInfo:
    def __init__(self, least: Any, most: Any, default: Any) -> None:
        self.min, self.max, self.default = least, most, default


class SensorConfiguration:
    bit_depth = 0
    output_size = Size()


class StreamFormats:
    def __init__(self, chip: Chip) -> None:
        self._sizes: dict[str, list[Size]] = {}
        for width, height, bits, _ in chip.modes:
            name = f"R{bits}_CSI2P" if "mono" in chip.model else f"SRGGB{bits}_CSI2P" if bits > 8 else "SRGGB8"
            self._sizes.setdefault(name, []).append(Size(width, height))
        if chip.usb:
            self._sizes = {"MJPEG": [Size(1280, 720)], "YUYV": [Size(640, 480)]}
        self.pixel_formats = [PixelFormat(name) for name in self._sizes]

    def sizes(self, format: PixelFormat) -> list[Size]:
        return self._sizes[str(format)]


class StreamConfiguration:
    def __init__(self, role: Any, chip: Chip) -> None:
        self.role, self.formats, self.stream = role, StreamFormats(chip), Stream()
        self.size, self.pixel_format = Size(640, 480), PixelFormat("XRGB8888")
        self.stride = self.frame_size = 0
        self.buffer_count = 4
        self.color_space: ColorSpace | None = None

    def measure(self) -> None:
        """Bytes of a line and of a picture, as the ISP lays them out."""
        name, width = str(self.pixel_format), self.size.width
        if name in {"YUV420", "YVU420"}:
            self.stride = -(-width // 64) * 64
            self.frame_size = self.stride * self.size.height * 3 // 2
            return
        bits = {"RGB888": 24, "BGR888": 24}.get(name, 32)
        if name.endswith("CSI2P") or name.startswith("S"):
            bits = 12 if "12" in name else 10 if "10" in name else 8
        self.stride = -(-width * bits // (8 * 32)) * 32
        self.frame_size = self.stride * self.size.height


class Stream:
    configuration: StreamConfiguration


class CameraConfiguration:
    Status = Enum("Status", "Valid Adjusted Invalid")

    def __init__(self, chip: Chip, roles: Sequence[Any]) -> None:
        self._chip = chip
        self._streams = [StreamConfiguration(role, chip) for role in roles]
        self.orientation = Orientation.Rotate0
        self.sensor_config: SensorConfiguration | None = None

    def at(self, number: int) -> StreamConfiguration:
        return self._streams[number]

    def __iter__(self) -> Iterator[StreamConfiguration]:
        return iter(self._streams)

    def mode(self) -> tuple[int, int, int, Rect] | None:
        """The one that is asked for; None if the sensor has no such."""
        if self.sensor_config is None:
            return None
        size, bits = self.sensor_config.output_size, self.sensor_config.bit_depth
        return next((each for each in self._chip.modes if each[:3] == (size.width, size.height, bits)), None)

    def validate(self) -> Any:
        mode = self.mode()
        if not self._chip.usb and mode is None:
            return self.Status.Invalid
        if self._chip.usb and len(self._streams) > 1:
            return self.Status.Invalid
        status = self.Status.Valid
        for each in self._streams:
            if each.role is StreamRole.Raw and mode is not None and (each.size.width, each.size.height) != mode[:2]:
                each.size, status = Size(*mode[:2]), self.Status.Adjusted
            each.measure()
        return status


class Plane:
    """SharedFD: it keeps an own copy of the file that it is given."""

    offset = length = 0

    def __init__(self) -> None:
        self._fd = -1

    @property
    def fd(self) -> int:
        return self._fd

    @fd.setter
    def fd(self, given: int) -> None:
        self._fd = os.dup(given)

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)


class FrameMetadata:
    Status = Enum("Status", "Success Error Cancelled")

    def __init__(self) -> None:
        self.status = self.Status.Success


class FrameBuffer:
    Plane: type = Plane

    def __init__(self, planes: list[Any], cookie: int = 0) -> None:
        self.planes, self.metadata = list(planes), FrameMetadata()
        self._gray: int | None = None

    def show(self, gray: int) -> None:
        """Holds one gray picture; of planes of colour it takes no heed."""
        if gray != self._gray:
            with mmap.mmap(self.planes[0].fd, self.planes[0].length) as memory:
                memory[:] = bytes([gray]) * len(memory)
            self._gray = gray


class Request:
    Status = Enum("Status", "Pending Complete Cancelled")

    def __init__(self, cookie: int) -> None:
        self.cookie, self.status = cookie, self.Status.Pending
        self.buffers: dict[Stream, FrameBuffer] = {}
        self.metadata: dict[ControlId, Any] = {}
        self.controls: dict[ControlId, Any] = {}

    def add_buffer(self, stream: Stream, buffer: FrameBuffer) -> None:
        self.buffers[stream] = buffer

    def reuse(self) -> None:
        self.status, self.metadata, self.controls = self.Status.Pending, {}, {}

    def set_control(self, control: ControlId, value: Any) -> None:
        self.controls[control] = value


class FrameBufferAllocator:
    """Only for picamera2's other allocator, which nobody uses here."""


class Camera:
    def __init__(self, chip: Chip, place: int) -> None:
        self.chip = chip
        self.id = f"/base/usb@0/camera@{place}" if chip.usb else f"/base/soc/i2c0mux/i2c@{place}/{chip.model}@10"
        self._acquired = self._running = False
        self._mode: tuple[int, int, int, Rect] | None = None
        self._internal: list[int] = []
        self._queue: list[Request] = []
        self._wakes = threading.Condition()
        self._thread: threading.Thread | None = None

    @property
    def properties(self) -> dict[ControlId, Any]:
        found: dict[str, Any] = {"Model": self.chip.model.removesuffix(" mono"), "Location": 2, "Rotation": 0}
        if not self.chip.usb:
            width, height = self.chip.whole
            found |= {"ColorFilterArrangement": 0, "PixelArraySize": Size(width, height)}
            found["PixelArrayActiveAreas"] = [Rectangle(0, 0, width, height)]
        return {ControlId.of(name): value for name, value in found.items()}

    @property
    def controls(self) -> dict[ControlId, ControlInfo]:
        found = {name: ControlInfo(None, None, value) for name, value in self.chip.set.items()}
        found["FrameDurationLimits"] = ControlInfo(33_333, 120_000, 33_333)
        found["ExposureTime"] = ControlInfo(31, 66_666, 20_000)
        found["AnalogueGain"] = ControlInfo(self.chip.least_gain, 16.0, self.chip.least_gain)
        if self._mode is not None and self.chip.field is not None:
            crop = Rectangle(*self._mode[3])
            found["ScalerCrop"] = ControlInfo(Rectangle(0, 0, 64, 64), crop, Rectangle(*self.chip.field))
        return {ControlId.of(name): value for name, value in found.items()}

    def acquire(self) -> None:
        if self._acquired or self.chip.held:
            raise _failed("Failed to acquire camera", errno.EBUSY)
        self._acquired = True

    def release(self) -> None:
        if self._running:
            raise _failed("Failed to release camera", errno.EACCES)
        self._acquired = False
        self._free()

    def generate_configuration(self, roles: Sequence[Any]) -> CameraConfiguration:
        return CameraConfiguration(self.chip, roles)

    def configure(self, config: CameraConfiguration) -> None:
        if not self._acquired or self._running:
            raise _failed("Failed to configure camera", errno.EACCES)
        self._free()
        self._config, self._mode = config, config.mode()
        if self._mode is not None:
            self.chip.field = _cropped(self._mode[3], config.at(0).size)

    def start(self, controls: dict[ControlId, Any]) -> None:
        if not self._acquired:
            raise _failed("Failed to start camera", errno.EACCES)
        self._apply(controls)
        try:
            self._buffer()
        except OSError as error:
            self._free()
            raise _failed("Failed to start camera", error.errno or errno.EIO) from error
        self._running = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        while self.chip.hangs:
            threading.Event().wait(0.01)
        with self._wakes:
            self._running = False
            self._wakes.notify()
        if self._thread is not None:
            self._thread.join()
        for request in self._queue:
            request.status = Request.Status.Cancelled
        manager().ready(self._queue)
        self._queue = []

    def create_request(self, cookie: int = 0) -> Request:
        return Request(cookie)

    def queue_request(self, request: Request) -> None:
        if not self._running or self.chip.fails_to_queue:
            raise _failed("Failed to queue request", errno.EACCES)
        with self._wakes:
            self._queue.append(request)
            self._wakes.notify()

    def _apply(self, controls: dict[ControlId, Any]) -> None:
        self.chip.told({control.name: value for control, value in controls.items()})

    def _buffer(self) -> None:
        """The pipeline's own: two raw ones, or what lacks to four with those that are asked for; one of each other."""
        if self._mode is None:
            return
        raw = StreamConfiguration(StreamRole.Raw, self.chip)
        raw.size = Size(*self._mode[:2])
        raw.pixel_format = PixelFormat(f"SRGGB{self._mode[2]}_CSI2P")
        raw.measure()
        asked = sum(each.buffer_count for each in self._config if each.role is StreamRole.Raw)
        sizes = [raw.frame_size] * max(2, 4 - asked)
        sizes += [each.frame_size for each in self._config if each.role is not StreamRole.Raw]
        for size in sizes:
            self._internal.append(board.allocate(size))

    def _free(self) -> None:
        for handle in self._internal:
            os.close(handle)
        self._internal = []

    def _next(self) -> Request | None:
        """The oldest that is queued, once somebody wants a picture; None when the camera stops."""
        while True:
            with self._wakes:
                if not self._running:
                    return None
                if self._queue and self.chip.plugged and board.wanted():
                    return self._queue.pop(0)
                self._wakes.wait(PACE_S)

    def _run(self) -> None:
        while (request := self._next()) is not None:
            self._apply(request.controls)
            gray, told = self.chip.picture()
            for buffer in request.buffers.values():
                buffer.show(gray)
            request.metadata = {ControlId.of(name): value for name, value in told.items()}
            request.status = Request.Status.Complete
            manager().ready([request])


def _cropped(field: Rect, size: Size) -> Rect:
    """What a picture of that size shows of a field: as much of its middle as has the picture's shape."""
    x, y, width, height = field
    across = min(width, round(height * size.width / size.height))
    down = min(height, round(width * size.height / size.width))
    return x + (width - across) // 2, y + (height - down) // 2, across, down


class CameraManager:
    def __init__(self) -> None:
        self.event_fd = os.eventfd(0, os.EFD_NONBLOCK)
        self._ready: list[Request] = []
        self._lock = threading.Lock()
        self._cameras: dict[Chip, Camera] = {}

    @staticmethod
    def singleton() -> CameraManager:
        return manager()

    @property
    def cameras(self) -> list[Camera]:
        """Those that are plugged in; each stays the same as long as there is a manager."""
        there = enumerate(chip for chip in board.chips if chip.plugged)
        return [self._cameras.setdefault(chip, Camera(chip, place)) for place, chip in there]

    def ready(self, requests: Sequence[Request]) -> None:
        with self._lock:
            self._ready += requests
        os.eventfd_write(self.event_fd, 1)

    def get_ready_requests(self) -> list[Request]:
        with suppress(BlockingIOError):
            os.eventfd_read(self.event_fd)
        with self._lock:
            found, self._ready = self._ready, []
        return found

    def __del__(self) -> None:
        os.close(self.event_fd)


_manager: weakref.ref[CameraManager] | None = None


def manager() -> CameraManager:
    """The one that there is, or a new one if nobody holds it any more."""
    global _manager  # noqa: PLW0603  # as in libcamera
    found = _manager() if _manager is not None else None
    if found is None:
        found = CameraManager()
        _manager = weakref.ref(found)
    return found
