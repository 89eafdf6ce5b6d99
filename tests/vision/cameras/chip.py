"""A Raspberry Pi camera behind picamera2's interface: what it shows follows from how it is set, as with a real one.

Exposure and gains follow the light until they are switched off, and cannot be longer than a picture takes. A lens looks
for the sharpest place when told to, and stays where it is put. A control that the camera does not have is an error.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

FIELD = {
    "imx219": [
        (640, 480, 8, (1000, 752, 1280, 960)),
        (1640, 1232, 8, (0, 0, 3280, 2464)),
        (1920, 1080, 8, (680, 692, 1920, 1080)),
        (3280, 2464, 8, (0, 0, 3280, 2464)),
        (640, 480, 10, (1000, 752, 1280, 960)),
        (1640, 1232, 10, (0, 0, 3280, 2464)),
        (1920, 1080, 10, (680, 692, 1920, 1080)),
        (3280, 2464, 10, (0, 0, 3280, 2464)),
    ],
    "imx708": [
        (1536, 864, 10, (768, 432, 3072, 1728)),
        (2304, 1296, 10, (0, 0, 4608, 2592)),
        (4608, 2592, 10, (0, 0, 4608, 2592)),
    ],
    "ov5647": [
        (640, 480, 10, (16, 0, 2560, 1920)),
        (1296, 972, 10, (0, 0, 2592, 1944)),
        (1920, 1080, 10, (348, 434, 1928, 1080)),
        (2592, 1944, 10, (0, 0, 2592, 1944)),
    ],
    "imx477": [
        (1332, 990, 10, (696, 528, 2664, 1980)),
        (2028, 1080, 12, (0, 440, 4056, 2160)),
        (2028, 1520, 12, (0, 0, 4056, 3040)),
        (4056, 3040, 12, (0, 0, 4056, 3040)),
    ],
}
"""Modes by sensor, as `rpicam-hello --list-cameras` tells them: width, height, bits, and the part that is read."""

SCAN_FRAMES = 60


class Request:
    """What picamera2 hands out for one picture."""

    def __init__(self, camera: Picamera2) -> None:
        self._camera, self.released = camera, False
        self._size, self._metadata = camera.config["main"]["size"], camera._metadata()

    def make_array(self, name: str) -> np.ndarray:
        width, height = self._size
        light = self._metadata["ExposureTime"] * self._metadata["AnalogueGain"] * self._camera.light
        gray = int(np.clip(light / 100, 0, 255))
        shape = (height, width, 3) if name == "main" else (height * 320 // width * 3 // 2, 320)
        return np.full(shape, gray, np.uint8)

    def get_metadata(self) -> dict[str, Any]:
        return self._metadata

    def release(self) -> None:
        self.released = True


class Picamera2:
    """The part of picamera2 that the adapter uses. Class attributes say which camera is plugged in."""

    sensor: ClassVar[str] = "imx219"
    lens: ClassVar[bool] = False
    sharp_at: ClassVar[float | None] = 2.2
    """Where the lens sees the table sharply, in dioptres; None: nowhere, it is dark."""

    made: ClassVar[list[Picamera2]] = []

    def __init__(self, camera_num: int = 0) -> None:
        self.number, self.light = camera_num, 1.0
        self.now = 0.0
        self.started = False
        self.config: dict[str, Any] = {}
        self.field: tuple[int, int, int, int] = (0, 0, 0, 0)
        self.requests: list[Request] = []
        self._set: dict[str, Any] = {"AeEnable": True, "AwbEnable": True, "AnalogueGain": 1.0, "ExposureTime": 20_000}
        self._set |= {"ColourGains": (1.5, 1.5), "FrameDurationLimits": (33_333, 33_333), "AeExposureMode": 0}
        self._set |= {"AeFlickerMode": 0, "AeFlickerPeriod": 10_000}
        if self.lens:
            self._set |= {"AfMode": 0, "LensPosition": 1.0, "AfTrigger": 1}
        self._scan = 0
        self._af_state = 2  # of an earlier search
        Picamera2.made.append(self)

    @property
    def camera_controls(self) -> dict[str, tuple[Any, Any, Any]]:
        return {name: (None, None, value) for name, value in self._set.items()}

    @property
    def sensor_modes(self) -> list[dict[str, Any]]:
        if self.started:
            raise RuntimeError("Camera must be stopped before configuring")
        return [
            {"size": (width, height), "bit_depth": bits, "crop_limits": crop}
            for width, height, bits, crop in FIELD[self.sensor]
        ]

    def create_video_configuration(
        self,
        main: dict[str, Any],
        lores: dict[str, Any],
        buffer_count: int = 6,
        controls: dict[str, Any] | None = None,
        queue: bool = True,
        sensor: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        return {"main": main, "lores": lores, "controls": controls or {}, "sensor": sensor or {}}

    def configure(self, camera_config: dict[str, Any]) -> None:
        assert set(camera_config["sensor"]) <= {"output_size", "bit_depth"}
        self.config = camera_config
        wanted = camera_config["sensor"].get("output_size", camera_config["main"]["size"])
        bits = camera_config["sensor"].get("bit_depth", 10)
        wide = wanted[0] / wanted[1]
        # Shape counts most, as in picamera2: for 16:9 a mode of that shape, whatever of the field it reads.
        self.field = min(
            FIELD[self.sensor],
            key=lambda mode: (
                1500 * abs(mode[0] / mode[1] - wide) + abs(mode[0] - wanted[0]) / 4 + 500 * abs(mode[2] - bits)
            ),
        )[3]
        self.set_controls(camera_config["controls"])

    def start(self) -> None:
        self.started = True

    def close(self) -> None:
        self.started = False

    def set_controls(self, controls: dict[str, Any]) -> None:
        for name, value in controls.items():
            if name not in self._set:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")
            self._set[name] = value
        if self._set.get("AfMode") == 1 and controls.get("AfTrigger") == 0:
            self._scan = SCAN_FRAMES

    def capture_metadata(self, wait: float | None = None) -> dict[str, Any]:
        request = self.capture_request(wait)
        request.release()
        return request.get_metadata()

    def capture_request(self, wait: float | None = None) -> Request:
        duration = self._set["FrameDurationLimits"][0]
        self.now += duration / 1e6
        if self._set["AeEnable"]:
            self._expose(12_000 / self.light, duration)
        if self._set["AwbEnable"]:
            self._set["ColourGains"] = (1.5 / self.light, 1.5)
        self._move_lens()
        self.requests.append(Request(self))
        return self.requests[-1]

    def _expose(self, wanted: float, duration: int) -> None:
        """Towards the light that is there, a part of the way with every picture, in the order of the exposure mode."""
        have = self._set["ExposureTime"] * self._set["AnalogueGain"]
        product = have + (wanted - have) * 0.3
        longest = min(duration, 5_000 if self._set["AeExposureMode"] == 1 else 60_000)
        gain = min(product / min(product, longest), 8.0)
        exposure = min(product / gain, duration)
        period = self._set["AeFlickerPeriod"]
        if self._set["AeFlickerMode"] == 1 and exposure >= period:
            gain *= exposure / (exposure // period * period)
            exposure = exposure // period * period
        self._set |= {"ExposureTime": round(exposure), "AnalogueGain": gain}

    def _move_lens(self) -> None:
        if not self._scan:
            return
        self._scan -= 1
        self._af_state = 1
        self._set["LensPosition"] = 12.0 * (1 - self._scan / SCAN_FRAMES)
        if not self._scan:
            self._af_state = 3 if self.sharp_at is None else 2
            self._set["LensPosition"] = 1.0 if self.sharp_at is None else self.sharp_at

    def _metadata(self) -> dict[str, Any]:
        seen = {name: self._set[name] for name in ("ExposureTime", "AnalogueGain", "ColourGains")}
        if self.lens:
            seen |= {"LensPosition": self._set["LensPosition"], "AfState": self._af_state}
        return seen | {"SensorTimestamp": round(self.now * 1e9)}
