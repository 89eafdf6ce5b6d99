"""All boards of Planet X kept in a file: read in milliseconds, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from engine.planetx.sky import Boards, Mode, legal_boards, pack, unpack
from vision.files import BadFile, decoding, read_bytes, write_whole

LONGEST = 20_000_000
"""Bytes: three times what all boards of the larger mode take."""


def stored(mode: Mode, folder: Path) -> Boards:
    """The boards of a mode from `folder`; a file that is missing or damaged is made anew. Raises OSError."""
    path = folder / f"planetx-{mode.name}.boards"
    boards = kept(path)
    if boards is None or boards.mode != mode:
        boards = legal_boards(mode)
        write_whole(path, pack(boards))
    return boards


def kept(path: Path) -> Boards | None:
    """The boards in a file; None if there is none, or none that is whole."""
    try:
        data = read_bytes(path, limit=LONGEST)
        with decoding(path):
            return unpack(data)
    except BadFile:
        return None
