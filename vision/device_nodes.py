"""Finds device nodes that cannot be opened.

systemd resolves device classes when a service starts: nodes of later drivers are refused with EPERM, wrong owner, group
or mode with EACCES (systemd.resource-control(5), DeviceAllow=).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

DEV = Path("/dev")
LATE = "its driver was loaded after the referee's service had started: sudo systemctl restart referee"
"""Cause and remedy of a refusal by the control group."""


def open_errno(path: Path) -> int:
    """Return EPERM or EACCES if opening the node fails with it, else 0."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC))
    except OSError as error:
        return error.errno if error.errno in (errno.EPERM, errno.EACCES) else 0
    return 0


def forbidden_node(paths: Iterable[Path]) -> Path | None:
    """Return the first node that the service's sandbox refuses (EPERM), or None."""
    return next((path for path in paths if open_errno(path) == errno.EPERM), None)


def plugged_nodes(dev: Path = DEV) -> frozenset[str]:
    """Return an identifier for each connected camera node, changed by replugging."""
    found = set()
    with suppress(OSError), os.scandir(dev) as entries:
        for entry in entries:
            if entry.name.startswith(("video", "media")):
                with suppress(OSError):
                    known = entry.stat()
                    found.add(f"{entry.name} {known.st_ino} {known.st_ctime_ns}")
    return frozenset(found)


def camera_nodes(source: str, target: str, dev: Path = DEV) -> list[Path]:
    """Return a camera's existing nodes by `CameraSpec` source and target; empty for recordings, phones and streams."""
    if source == "picamera2":
        return sorted((*dev.glob("media*"), *dev.glob("video*"), *(dev / "dma_heap").glob("*")))
    if source == "opencv" and target.isdecimal():
        return [path for path in (dev / f"video{target}",) if path.exists()]
    return [Path(target)] if source == "opencv" and Path(target).is_char_device() else []
