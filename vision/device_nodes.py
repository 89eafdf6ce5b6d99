"""Device nodes that are there and may not be opened: by a service's sandbox, or by their owner, group and mode.

systemd looks up the classes of devices that a service may use once, when the service starts. A node of a class whose
driver was loaded later is refused with EPERM by the service's control group; one that the user may not open, by its
owner, group and mode, with EACCES (systemd.resource-control(5), DeviceAllow=).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

DEV = Path("/dev")
LATE = "its driver was loaded after the referee's service had started: sudo systemctl restart referee"
"""What a refusal by the control group means, and what to do."""


def open_errno(path: Path) -> int:
    """The error number with which opening the node is refused: EPERM, EACCES; 0 if it is not."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        return error.errno if error.errno in (errno.EPERM, errno.EACCES) else 0
    return 0


def forbidden_node(paths: Iterable[Path]) -> Path | None:
    """The first of these nodes that the service's sandbox keeps shut."""
    return next((path for path in paths if open_errno(path) == errno.EPERM), None)


def plugged_nodes(dev: Path = DEV) -> frozenset[str]:
    """The nodes of cameras that are there; one that was unplugged and plugged in again is another."""
    found = set()
    with suppress(OSError), os.scandir(dev) as entries:
        for entry in entries:
            if entry.name.startswith(("video", "media")):
                with suppress(OSError):
                    known = entry.stat()
                    found.add(f"{entry.name} {known.st_ino} {known.st_ctime_ns}")
    return frozenset(found)


def camera_nodes(source: str, target: str, dev: Path = DEV) -> list[Path]:
    """The nodes of a camera, by the source and target of its `CameraSpec`; none for a recording."""
    if source == "picamera2":
        return sorted((*dev.glob("media*"), *dev.glob("video*"), *(dev / "dma_heap").glob("*")))
    if source == "opencv" and target.isdecimal():
        return [path for path in (dev / f"video{target}",) if path.exists()]
    return [Path(target)] if source == "opencv" and Path(target).is_char_device() else []
