"""Sensors, and what a camera does by itself: exposure and gains follow the light, a lens looks for what is sharp."""

from __future__ import annotations

from typing import Any

Rect = tuple[int, int, int, int]

MODES: dict[str, tuple[tuple[int, int, int, Rect], ...]] = {
    "ov5647": (
        (640, 480, 10, (16, 0, 2560, 1920)),
        (1296, 972, 10, (0, 0, 2592, 1944)),
        (1920, 1080, 10, (348, 434, 1928, 1080)),
        (2592, 1944, 10, (0, 0, 2592, 1944)),
    ),
    "imx219": (
        (640, 480, 8, (1000, 752, 1280, 960)),
        (1640, 1232, 8, (0, 0, 3280, 2464)),
        (1920, 1080, 8, (680, 692, 1920, 1080)),
        (3280, 2464, 8, (0, 0, 3280, 2464)),
        (640, 480, 10, (1000, 752, 1280, 960)),
        (1640, 1232, 10, (0, 0, 3280, 2464)),
        (1920, 1080, 10, (680, 692, 1920, 1080)),
        (3280, 2464, 10, (0, 0, 3280, 2464)),
    ),
    "imx477": (
        (1332, 990, 10, (696, 528, 2664, 1980)),
        (2028, 1080, 12, (0, 440, 4056, 2160)),
        (2028, 1520, 12, (0, 0, 4056, 3040)),
        (4056, 3040, 12, (0, 0, 4056, 3040)),
    ),
    "imx708": (
        (1536, 864, 10, (768, 432, 3072, 1728)),
        (2304, 1296, 10, (0, 0, 4608, 2592)),
        (4608, 2592, 10, (0, 0, 4608, 2592)),
    ),
    "imx500": ((2028, 1520, 10, (0, 0, 4056, 3040)), (4056, 3040, 10, (0, 0, 4056, 3040))),
    "imx296": ((1456, 1088, 10, (0, 0, 1456, 1088)),),
    "imx296 mono": ((728, 544, 10, (0, 0, 1456, 1088)), (1456, 1088, 10, (0, 0, 1456, 1088))),
    "ov9281": (
        (640, 400, 10, (0, 0, 1280, 800)),
        (1280, 720, 10, (0, 0, 1280, 720)),
        (1280, 800, 10, (0, 0, 1280, 800)),
    ),
    "arducam_64mp": (
        (1280, 720, 10, (2064, 2032, 5120, 2880)),
        (2312, 1736, 10, (0, 0, 9248, 6944)),
        (9152, 6944, 10, (48, 0, 9152, 6944)),
    ),
}
"""Of each sensor as `rpicam-hello --list-cameras` tells them: width, height, bits, and the part that is read."""

SCAN_FRAMES = 60


class Chip:
    """One camera: its sensor, its lens and the light before it.

    sharp_at: where the lens sees the table sharply, in dioptres; None: nowhere, it is dark. plugged: False stops its
    pictures, whoever waits. held: another process has it.
    """

    def __init__(self, model: str = "imx219", lens: bool = False) -> None:
        self.model, self.lens, self.usb = model, lens, model == "usb"
        self.modes = MODES.get(model.replace("_wide", "").replace("_noir", ""), ())
        self.least_gain = 1.12 if model == "imx708" else 1.0
        self.light, self.sharp_at = 1.0, 2.2 if lens else None
        self.plugged, self.held = True, False
        self.fails_to_queue = self.hangs = False
        self.now = 0.0
        self.field: Rect | None = None
        """The part of the sensor that pictures show."""
        self.pictures = 0
        self.set: dict[str, Any] = {"AeEnable": True, "AwbEnable": True, "AnalogueGain": 1.0, "ExposureTime": 20_000}
        self.set |= {"ColourGains": (1.5, 1.5), "FrameDurationLimits": (33_333, 33_333), "AeExposureMode": 0}
        self.set |= {"AeFlickerMode": 0, "AeFlickerPeriod": 10_000, "NoiseReductionMode": 0}
        self.set |= {"ExposureTimeMode": 0, "AnalogueGainMode": 0}
        if lens:
            self.set |= {"AfMode": 0, "LensPosition": 1.0, "AfTrigger": 1}
        self._scan = 0
        self._af_state = 2  # of an earlier search

    @property
    def whole(self) -> tuple[int, int]:
        """Width and height of the whole field."""
        return max(mode[3][0] + mode[3][2] for mode in self.modes), max(mode[3][1] + mode[3][3] for mode in self.modes)

    def told(self, controls: dict[str, Any]) -> None:
        """Controls are set, all at once."""
        self.set |= controls
        self.set["AnalogueGain"] = max(self.least_gain, self.set["AnalogueGain"])
        if self.set.get("AfMode") == 1 and controls.get("AfTrigger") == 0:
            self._scan = SCAN_FRAMES

    def picture(self) -> tuple[int, dict[str, Any]]:
        """The next one: its gray level, and what is told of it."""
        duration = self.set["FrameDurationLimits"][0]
        self.now += duration / 1e6
        self.pictures += 1
        if self.set["AeEnable"]:
            self._expose(12_000 / self.light, duration)
        if self.set["AwbEnable"]:
            self.set["ColourGains"] = (1.5 / self.light, 1.5)
        if self._scan:
            self._search()
        told = {name: self.set[name] for name in ("ExposureTime", "AnalogueGain", "ColourGains")}
        if self.lens:
            told |= {"LensPosition": self.set["LensPosition"], "AfState": self._af_state}
        gray = int(min(255.0, self.set["ExposureTime"] * self.set["AnalogueGain"] * self.light / 100))
        return gray, told | {"SensorTimestamp": round(self.now * 1e9)}

    def _expose(self, wanted: float, duration: int) -> None:
        """Towards the light that is there, a part of the way with every picture, in the order of the exposure mode."""
        have = self.set["ExposureTime"] * self.set["AnalogueGain"]
        product = have + (wanted - have) * 0.3
        longest = min(duration, 5_000 if self.set["AeExposureMode"] == 1 else 60_000)
        gain = max(self.least_gain, min(product / min(product, longest), 8.0))
        exposure = min(product / gain, duration)
        period = self.set["AeFlickerPeriod"]
        if self.set["AeFlickerMode"] == 1 and exposure >= period:
            gain *= exposure / (exposure // period * period)
            exposure = exposure // period * period
        self.set |= {"ExposureTime": round(exposure), "AnalogueGain": gain}

    def _search(self) -> None:
        self._scan -= 1
        self._af_state = 1
        self.set["LensPosition"] = 12.0 * (1 - self._scan / SCAN_FRAMES)
        if not self._scan:
            self._af_state = 3 if self.sharp_at is None else 2
            self.set["LensPosition"] = 1.0 if self.sharp_at is None else self.sharp_at
