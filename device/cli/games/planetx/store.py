"""All boards of Planet X kept in a file: read in milliseconds, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from engine.planetx.boards import Boards, legal_boards, pack, unpack
from engine.planetx.sky import Mode
from vision.files import write_whole


def stored(mode: Mode, folder: Path) -> Boards:
    """The boards of a mode from `folder`; a file that is missing or damaged is made anew. Raises OSError."""
    path = folder / f"planetx-{mode.name}.boards"
    boards = _read(path)
    if boards is None or boards.mode != mode:
        boards = legal_boards(mode)
        write_whole(path, pack(boards))
    return boards


def _read(path: Path) -> Boards | None:
    """The boards in a file; None if there is none, or none that is whole."""
    try:
        return unpack(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
