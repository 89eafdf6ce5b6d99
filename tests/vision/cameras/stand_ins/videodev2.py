"""What picamera2 takes of videodev2 when it is imported: numbers that only encoders use, and how calls are numbered."""

import ctypes


def __getattr__(name: str) -> int:
    if name.startswith(("V4L2_", "VIDIOC_")):
        return 0
    raise AttributeError(name)


def _IOWR(kind: str, number: int, size: type) -> int:
    return 3 << 30 | ctypes.sizeof(size) << 16 | ord(kind) << 8 | number


def _IOW(kind: str, number: int, size: type) -> int:
    return 1 << 30 | ctypes.sizeof(size) << 16 | ord(kind) << 8 | number


class v4l2_control(ctypes.Structure):  # noqa: N801
    """Nobody sets one here."""


class v4l2_capability(ctypes.Structure):  # noqa: N801
    """Nobody asks for one here."""
