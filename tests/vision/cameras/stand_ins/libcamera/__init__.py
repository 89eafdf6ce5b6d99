"""libcamera without a camera: it obeys the memory of a Zero 2 W and the modes of each sensor (see `board`, `chip`)."""

from libcamera import _libcamera, controls, properties
from libcamera._libcamera import (
    Camera,
    CameraConfiguration,
    CameraManager,
    ColorSpace,
    ControlType,
    FrameBuffer,
    FrameBufferAllocator,
    FrameMetadata,
    Orientation,
    PixelFormat,
    Rectangle,
    Request,
    SensorConfiguration,
    Size,
    StreamRole,
    Transform,
)

__all__ = [
    "Camera",
    "CameraConfiguration",
    "CameraManager",
    "ColorSpace",
    "ControlType",
    "FrameBuffer",
    "FrameBufferAllocator",
    "FrameMetadata",
    "Orientation",
    "PixelFormat",
    "Rectangle",
    "Request",
    "SensorConfiguration",
    "Size",
    "StreamRole",
    "Transform",
    "_libcamera",
    "controls",
    "properties",
]
