"""Files that are replaced whole or not at all, and private folders."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def private_dir(path: Path) -> Path:
    """Makes a directory that nobody else may enter, or closes it to them. Raises OSError."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(0o700)
    return path


def write_whole(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Replaces a file: after a power cut it is the old one or the new one, never half of either. mode: who may read it,
    as far as the umask lets them. Raises OSError, and leaves no draft behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)  # one that a killed process left may have another mode
    try:
        write_synced(draft, data, mode)
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    sync(path.parent)


def write_synced(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Writes a file that nobody reads yet: what it holds is on disk, its name only after `sync`. Raises OSError."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync(folder: Path) -> None:
    """Makes the names in a folder durable: without it a power cut can leave them out. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
