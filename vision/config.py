"""How a vision worker is started: one JSON document. Whoever starts one need not read in OpenCV for it."""

from __future__ import annotations

import msgspec

from vision.cameras import CameraSpec


class WorkerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a worker starts.

    address: the daemon's PAIR socket. data: folders with mats/ and sets/; of a file that several have, the first one's
    counts. enrolled: the folder of references for each set name; a set without one is followed but never named.
    corners: four image points of the mat's corners, clockwise from its top left, for a mat without markers. pictures:
    whether pictures may be sent.
    parent: the process that this one must not outlive (0: nobody).
    """

    camera: CameraSpec
    address: str
    data: tuple[str, ...]
    enrolled: dict[str, str] = {}
    lens: str | None = None
    corners: tuple[tuple[float, float], ...] | None = None
    pictures: bool = False
    parent: int = 0
