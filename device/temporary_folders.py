"""Makes temporary folders and removes those of killed processes."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

PREFIX = "table-referee-run-"
"""Name prefix; users hold a shared lock until they end."""


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a temporary folder, after removing those of killed processes. Raises OSError."""
    if find_spec("fcntl") is None:  # on Windows, which has no such locks, nothing is removed
        with tempfile.TemporaryDirectory(prefix=PREFIX) as unlocked:
            yield Path(unlocked)
        return
    _sweep(Path(tempfile.gettempdir()))
    lock = None
    while lock is None:
        folder = tempfile.TemporaryDirectory(prefix=PREFIX)
        lock = hold(Path(folder.name))
    try:
        with folder:
            yield Path(folder.name)
    finally:
        os.close(lock)


def hold(folder: Path) -> int | None:
    """Lock a folder until the returned descriptor is closed; None if the folder is gone."""
    import fcntl

    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    with suppress(OSError):  # without locks nothing is swept either
        fcntl.flock(lock, fcntl.LOCK_SH)
    if _same(folder, lock):
        return lock
    os.close(lock)
    return None


def _same(folder: Path, lock: int) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(folder.stat(), os.fstat(lock))
    return False


def _sweep(place: Path) -> None:
    import fcntl

    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(lock).st_uid == os.getuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
