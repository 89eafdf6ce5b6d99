"""What the Raspberry Pi's sensors can read, known without asking them: the modes that show all that the lens does.

Many modes read only the middle of the sensor, and picamera2 chooses by size and shape alone. It can list a sensor's
modes with the part that each reads, but sets up the camera for each of them to find out, with buffers for four whole
pictures: on a board of 512 MB there is no room for that (picamera2's issue 1358).
"""

from __future__ import annotations

import msgspec

WHOLE = 0.98
"""Share of the field's width and height that counts as all of it: some modes leave out a few columns at the edge."""


class SensorMode(msgspec.Struct, frozen=True):
    """A mode that reads the whole sensor: width and height of its pictures, and bits of a pixel."""

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
"""By libcamera's names, the smallest first: camera module 1, 2, HQ, 3, AI and global shutter."""


def whole_field(model: str, size: tuple[int, int]) -> SensorMode | None:
    """The smallest mode that shows all and fills pictures of that size; if none is so large, the largest.

    model: as libcamera names it; "imx708_wide_noir" has the modes of "imx708". None for a sensor that is not known.
    """
    modes = SENSORS.get(model.partition("_")[0], ())
    filling = (mode for mode in modes if mode.size[0] >= size[0] and mode.size[1] >= size[1])
    return next(filling, modes[-1] if modes else None)


def sensor_shape(width: int, sensor: tuple[int, int]) -> tuple[int, int]:
    """A picture so wide, with the shape of a sensor of that size; its sides are even."""
    return width, round(width * sensor[1] / sensor[0] / 2) * 2


def shown_size(part: tuple[int, ...], whole: tuple[int, ...]) -> tuple[float, float]:
    """Return the shares of a field's width and height that a part of it has; both end with width and height."""
    return part[-2] / whole[-2], part[-1] / whole[-1]
