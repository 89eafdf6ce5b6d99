"""What V4L2 lets a camera be told and OpenCV has no name for (linux/v4l2-controls.h, linux/videodev2.h)."""

from __future__ import annotations

import fcntl
import os
import struct

POWER_LINE_FREQUENCY = 0x00980918
HZ = {50: 1, 60: 2}
"""Of the values of that control those that stand for a frequency."""

SET_CONTROL = 0xC008561C
"""VIDIOC_S_CTRL, of a struct of a control's number and its value, both of 32 bits."""


def node(target: str) -> str:
    """The device of a camera that is named by its number or its path."""
    return f"/dev/video{target}" if target.isdecimal() else target


def set_mains(target: str, hertz: int) -> None:
    """Has exposures last for whole periods of the lamps' light, or it would show as bands that wander.

    Raises OSError: ENOTTY or EINVAL if the camera knows nothing of that.
    """
    handle = os.open(node(target), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.ioctl(handle, SET_CONTROL, struct.pack("Ii", POWER_LINE_FREQUENCY, HZ[hertz]))
    finally:
        os.close(handle)
