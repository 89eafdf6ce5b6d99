"""Opens cameras: picamera2, OpenCV, a phone, a stream, or shared memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from vision.files import write_whole

if TYPE_CHECKING:
    from vision.camera import Camera


class CameraSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Camera selection and settings.

    target: for "opencv" a V4L2 index, video or folder; for "shared" and "phone" the ring's path; for "picamera2" the
        number; for "stream" the address or its file's path.
    height: None for a Pi camera's whole field, or others' 16:9.
    focus: fixed dioptres of a Pi camera; None to focus once.
    mains_hz: 50 or 60.
    """

    source: Literal["picamera2", "opencv", "phone", "stream", "shared"]
    target: str = "0"
    width: int = 1280
    height: int | None = 720
    fps: float = 10.0
    focus: float | None = None
    mains_hz: int = 50

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height, 16:9 without a height."""
        return self.width, self.height if self.height is not None else round(self.width * 9 / 16)

    @property
    def live(self) -> bool:
        """Return True for a Pi, V4L2 or network camera."""
        device = self.target.isdecimal() or self.target.startswith("/dev/")
        return self.source in ("picamera2", "stream") or (self.source == "opencv" and device)


def hide_address(spec: CameraSpec, folder: Path) -> CameraSpec:
    """Write a stream's address to a private file in the folder, as all users can read command lines; return the spec
    with its path. Return other specs unchanged. Raises OSError."""
    if spec.source != "stream":
        return spec
    file = folder / "camera-address"
    write_whole(file, spec.target.encode(), 0o600)
    return msgspec.structs.replace(spec, target=str(file))


def open_camera(spec: CameraSpec) -> Camera:
    """Return the unopened camera, importing only its driver."""
    if spec.source == "picamera2":
        from vision.cameras.picamera import PiCamera

        return PiCamera(spec)
    if spec.source == "shared":
        from vision.cameras.shared import SharedCamera

        return SharedCamera(spec.target)
    if spec.source == "phone":
        from vision.cameras.phone import PhoneCamera

        return PhoneCamera(spec.target)
    if spec.source == "stream":
        from vision.cameras.stream import StreamCamera

        return StreamCamera(spec)
    from vision.cameras.opencv import FolderCamera, OpenCVCamera, is_folder

    return FolderCamera(spec) if is_folder(spec.target) else OpenCVCamera(spec)
