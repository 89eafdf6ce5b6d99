"""Files that are replaced whole or not at all, and private folders."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
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
    write_all(((path, data),), mode)


def write_all(files: Iterable[tuple[Path, bytes]], mode: int = 0o666) -> None:
    """Replaces many files, each whole or not at all, and waits for the disk about as long as for one.

    A disk that is asked to keep one file keeps what was written before it, too: so all drafts are written before the
    first is asked for. mode: as in `write_whole`. Raises OSError, and what `files` raises, and leaves no draft behind.
    """
    drafts = dict[Path, Path]()
    try:
        for path, data in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_name(f"{path.name}.{os.getpid()}.new")
            draft.unlink(missing_ok=True)  # one that a killed process left may have another mode
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
    """Writes a file that nobody reads yet: what it holds is on disk, its name only after `sync`. Raises OSError."""
    _write(path, data, mode)
    sync(path)


def sync(path: Path) -> None:
    """Makes a file durable, or the names in a folder: without it a power cut can leave them out. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(path: Path, data: bytes, mode: int) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode), "wb") as file:
        file.write(data)
