"""What an owner may have made of a table, as small as it can be: files of the state folder that the table can use."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, NamedTuple

import cv2
import numpy as np

from device.owner.backup import NAME, archive_of, put_back, undo
from device.owner.file_faults import LeftOut, Unusable
from device.resources import find
from vision.files import BadFile

NAMED = "0123456789abcdef.png"
PICTURE = cv2.imencode(".png", np.full((8, 8, 3), 90, np.uint8))[1].tobytes()
INDEX = b'{"name": "stones", "symmetry": 1, "references": [{"kind": "sword", "file": "0123456789abcdef.png"}]}'
DECK = find("decks/fence.toml").read_bytes().replace(b"sp = 0\n", b"sp = 2\n", 1)
"""Of Fence, with one card corrected."""

MEASURES = b'{"pictures": {}}'
FILES: Mapping[str, bytes] = {
    "enrolled/stones/enrolled.json": INDEX,
    f"enrolled/stones/{NAMED}": PICTURE,
    "decks/fence.toml": DECK,
}


def packed(files: Mapping[str, bytes]) -> bytes:
    """As they lie in an archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def restored(
    state: Path, archive: Path | IO[bytes], wrong: Callable[[LeftOut], None] = lambda _fault: None
) -> tuple[Path, ...]:
    """Puts back an archive that lies in a file, or that is read from a stream."""
    if isinstance(archive, Path):
        return put_back(state, archive_of(archive), archive, wrong)
    return put_back(state, archive, NAME, wrong)


class Outcome(NamedTuple):
    """The end of a restore. files: written or removed. fault: why it failed, ""; sound: it was the disk, not the
    archive. left: the files that were left out."""

    files: int = 0
    fault: str = ""
    sound: bool = True
    left: tuple[Unusable, ...] = ()


def outcome(state: Path, archive: Path | IO[bytes] | None) -> Outcome:
    """Puts back an archive, or with None brings back what the last one replaced."""
    left: list[LeftOut] = []
    try:
        files = undo(state) if archive is None else restored(state, archive, left.append)
    except BadFile as error:
        return Outcome(fault=str(error), sound=False, left=(error.unusable,) if isinstance(error, LeftOut) else ())
    except OSError as error:
        return Outcome(fault=str(error))
    return Outcome(len(files), left=tuple(each.unusable for each in left))
