"""Replaces files atomically and creates private folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Flags for `os.open`. No system has all of them."""


def private_dir(path: Path) -> Path:
    """Create a folder for its owner alone, or restrict it. Raises OSError."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(0o700)
    return path


def write_whole(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Replace a file atomically, also across power cuts, creating absent folders. mode: before umask. Raises OSError,
    leaving no draft."""
    write_all(((path, data),), mode)


def rewrite(path: Path, data: bytes, mode: int) -> None:
    """Replace a file as `write_whole` does; it keeps its mode and, where that is allowed, its group. mode: of a new
    one, whatever the umask. Raises OSError."""
    try:
        there = path.stat()
        mode = stat.S_IMODE(there.st_mode)
    except FileNotFoundError:
        there = None
    write_whole(path, data, 0o600)  # it may hold a password
    if there is not None:
        with suppress(PermissionError):
            os.chown(path, -1, there.st_gid)
    path.chmod(mode)


def write_all(files: Iterable[tuple[Path, bytes]], mode: int = 0o666) -> None:
    """Replace files atomically one by one, once all are written and synced; create absent folders. mode: before umask.
    Raises OSError and errors of `files`, leaving no draft."""
    drafts = dict[Path, Path]()
    try:
        for path, data in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f"{path.name}.{os.getpid()}.new")
            draft.unlink(missing_ok=True)  # a killed process's draft may have another mode
            drafts[path] = draft
            _write(draft, data, mode)
        for draft in drafts.values():
            sync(draft)
        for path, draft in drafts.items():
            draft.replace(path)
    except BaseException:
        for draft in drafts.values():
            with suppress(OSError):
                draft.unlink(missing_ok=True)
        raise
    for folder in dict.fromkeys(path.parent for path in drafts):
        sync(folder)


def write_synced(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write and sync a file, but not its folder. Raises OSError."""
    _write(path, data, mode)
    sync(path)


def sync(path: Path) -> None:
    """Make a file, or a folder's names, durable. Raises OSError."""
    windows = os.name == "nt"  # it syncs no folders, and only files that are open for writing
    if windows and path.is_dir():
        return
    handle = os.open(path, os.O_RDWR if windows else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(path: Path, data: bytes, mode: int) -> None:
    with os.fdopen(os.open(path, WRITE_FLAGS, mode), "wb") as file:
        file.write(data)
