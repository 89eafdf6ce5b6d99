"""All boards of Planet X kept in a file: read in milliseconds, written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from engine.planetx.boards import Boards, legal_boards, pack, unpack
from engine.planetx.sky import Mode


def stored(mode: Mode, folder: Path) -> Boards:
    """The boards of a mode from `folder`; a file that is missing or damaged is made anew. Raises OSError."""
    path = folder / f"planetx-{mode.name}.boards"
    boards = _read(path)
    if boards is None or boards.mode != mode:
        boards = legal_boards(mode)
        _write(path, pack(boards))
    return boards


def _read(path: Path) -> Boards | None:
    """The boards in a file; None if there is none, or none that is whole."""
    try:
        return unpack(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def _write(path: Path, data: bytes) -> None:
    """Replaces a file: after a power cut it is the old one or the new one, never half of either."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}.new")
    with fresh.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
