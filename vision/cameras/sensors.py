"""Lists the Raspberry Pi sensors' modes that read the whole field.

picamera2 may choose cropped modes; listing crops needs too much of 512 MB (picamera2's issue 1358).
"""

from __future__ import annotations

import msgspec

WHOLE = 0.98
"""Share of width and height counted as all; modes may omit columns."""


class SensorMode(msgspec.Struct, frozen=True):
    """A mode that reads the whole sensor. bits: per pixel."""

    size: tuple[int, int]
    bits: int


SENSORS: dict[str, tuple[SensorMode, ...]] = {
    "ov5647": (SensorMode((640, 480), 10), SensorMode((1296, 972), 10), SensorMode((2592, 1944), 10)),
    "imx219": (SensorMode((1640, 1232), 10), SensorMode((3280, 2464), 10)),
    "imx477": (SensorMode((2028, 1520), 12), SensorMode((4056, 3040), 12)),
    "imx708": (SensorMode((2304, 1296), 10), SensorMode((4608, 2592), 10)),
    "imx500": (SensorMode((2028, 1520), 10), SensorMode((4056, 3040), 10)),
    "imx296": (SensorMode((1456, 1088), 10),),
}
"""By libcamera's names, smallest mode first."""


def whole_field(model: str, size: tuple[int, int]) -> SensorMode | None:
    """Return the smallest sufficient full-field mode, else the largest; None for unknown sensors. model: libcamera's,
    suffixes ignored."""
    modes = SENSORS.get(model.partition("_")[0], ())
    filling = (mode for mode in modes if mode.size[0] >= size[0] and mode.size[1] >= size[1])
    return next(filling, modes[-1] if modes else None)


def sensor_shape(width: int, sensor: tuple[int, int]) -> tuple[int, int]:
    """Return an even size of this width in the sensor's shape."""
    return width, round(width * sensor[1] / sensor[0] / 2) * 2


def shown_size(part: tuple[int, ...], whole: tuple[int, ...]) -> tuple[float, float]:
    """Return the part's width and height as shares of the whole's; tuples end with them."""
    return part[-2] / whole[-2], part[-1] / whole[-1]
