"""Cameras: picamera2, whatever OpenCV opens, and frames by shared memory. `open_camera` picks one by its spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from vision.camera import Camera


class CameraSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which camera, and how to run it.

    target: for "opencv" a V4L2 index, a video file or a folder of pictures; for "shared" the path of the ring's file;
        for "picamera2" the camera's number.
    height: None: a Pi camera's pictures have the shape of its whole field, others that of 16:9.
    focus: of a Pi camera whose lens can focus: where it stays, in dioptres (1 / metres); None: it looks once by itself.
    mains_hz: of a Pi or USB camera: of the mains that the lamps hang on, 50 or 60.
    """

    source: Literal["picamera2", "opencv", "shared"]
    target: str = "0"
    width: int = 1280
    height: int | None = 720
    fps: float = 10.0
    focus: float | None = None
    mains_hz: int = 50

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, where the camera does not know better."""
        return self.width, self.height if self.height is not None else round(self.width * 9 / 16)

    @property
    def live(self) -> bool:
        """True if it can take pictures of any size at any rate: no recording, and nothing simulated."""
        device = self.target.isdecimal() or self.target.startswith("/dev/")
        return self.source == "picamera2" or (self.source == "opencv" and device)


def open_camera(spec: CameraSpec) -> Camera:
    """The camera of that spec, not yet opened. Imports only what that camera needs."""
    if spec.source == "picamera2":
        from vision.cameras.picamera import PiCamera

        return PiCamera(spec)
    if spec.source == "shared":
        from vision.cameras.shared import SharedCamera

        return SharedCamera(spec.target)
    from vision.cameras.opencv import FolderCamera, OpenCVCamera, is_folder

    return FolderCamera(spec) if is_folder(spec.target) else OpenCVCamera(spec)
