"""Defines the vision worker's configuration without importing OpenCV."""

from __future__ import annotations

import msgspec

from vision.cameras import CameraSpec


class WorkerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A worker's start-up configuration.

    address: the daemon's PAIR socket.
    data: folders with mats/ and sets/, first match wins.
    enrolled: reference folder by set name.
    corners: of a markerless mat, in pixels, clockwise from top left.
    pictures: allows sending them.
    rests: sends the rectified mat after each rest without a hand.
    keep: sends likewise the frame, gray beyond the mat.
    parent: process to end with; 0 for none.
    """

    camera: CameraSpec
    address: str
    data: tuple[str, ...]
    enrolled: dict[str, str] = {}
    lens: str | None = None
    corners: tuple[tuple[float, float], ...] | None = None
    pictures: bool = False
    rests: bool = False
    keep: bool = False
    parent: int = 0
