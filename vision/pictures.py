"""Picture files of a folder: what its owner put there, and which of it OpenCV can read, by content and not by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

import cv2
import msgspec
import numpy as np

from vision.camera import Image

PROMISES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
"""Ends of names that promise a picture: what is named so and cannot be read is broken, and not merely another thing."""

LITTER = frozenset({"__macosx", "thumbs.db", "desktop.ini"})
"""What file managers leave behind, besides names that begin with a dot."""

HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"})
SHARED_BRANDS = frozenset({b"mif1", b"msf1"})
"""Of HEIC or of AVIF, whichever the brands after the first one tell."""

HEIC_SUFFIXES = frozenset({".heic", ".heif"})

BROKEN = "broken"
EMPTY = "empty"
FOREIGN = "no picture that OpenCV can read"
HEIC = "HEIC, which OpenCV cannot read: save it as JPEG (on a phone: choose JPEG or 'most compatible' as the format)"


class Unread(msgspec.Struct, frozen=True):
    """A file that was not used, and why: one of the words above, or what the system said."""

    path: Path
    why: str


Skip: TypeAlias = Callable[[Unread], None]
"""Hears of each file that is left out."""


def unheard(_unread: Unread) -> None:
    """Nobody asks what is left out."""


def folders(folder: Path) -> list[Path]:
    """The folders in a folder, by name. Raises OSError."""
    return [path for path in _entries(folder) if path.is_dir()]


def files(folder: Path) -> list[Path]:
    """The files in a folder, by name. Raises OSError."""
    return [path for path in _entries(folder) if path.is_file()]


def _entries(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if not (each.name[0] == "." or each.name.lower() in LITTER))


def is_picture(path: Path) -> bool:
    """Whether a file begins as a picture does that OpenCV reads; the rest of it may be broken all the same."""
    return path.is_file() and cv2.haveImageReader(str(path)) and not _is_heic(_head(path))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(64)


def _is_heic(head: bytes) -> bool:
    """OpenCV takes one that it cannot decode for an AVIF file."""
    brand = head[8:12] if head[4:8] == b"ftyp" else b""
    return brand in HEIC_BRANDS or (brand in SHARED_BRANDS and b"avif" not in head)


def pictures(folder: Path, skip: Skip = unheard) -> list[Path]:
    """The files of a folder that are pictures, or ought to be by their names. Raises OSError."""
    found = []
    for path in files(folder):
        if path.suffix.lower() in PROMISES or is_picture(path):
            found.append(path)
        else:
            skip(Unread(path, fault(path)))
    return found


def read(path: Path) -> Image | Unread:
    """A picture as BGR."""
    try:
        raw = np.frombuffer(path.read_bytes(), np.uint8)
    except OSError as error:
        return Unread(path, error.strerror or str(error))
    try:
        image = cv2.imdecode(raw, cv2.IMREAD_COLOR) if raw.size else None
    except cv2.error:  # more pixels than OpenCV takes, or a format that it was built without
        image = None
    return Unread(path, fault(path)) if image is None else image.astype(np.uint8, copy=False)


def fault(path: Path) -> str:
    """Why a file cannot be read as a picture."""
    try:
        head = _head(path)
    except OSError as error:
        return error.strerror or str(error)
    if not head:
        return EMPTY
    if path.suffix.lower() in HEIC_SUFFIXES or _is_heic(head):
        return HEIC
    return BROKEN if path.suffix.lower() in PROMISES or is_picture(path) else FOREIGN


def listed(unread: Iterable[Unread], below: Path) -> str:
    """All of them in a line, by reason, with their names below a folder."""
    reasons: dict[str, list[str]] = {}
    for each in unread:
        path = each.path
        reasons.setdefault(each.why, []).append(str(path.relative_to(below) if path.is_relative_to(below) else path))
    return "; ".join(f"{', '.join(names)} ({why})" for why, names in reasons.items())


def skipped(unread: Sequence[Unread], below: Path) -> str:
    """What a person is told of files that were left out."""
    return f"{len(unread)} {'file' if len(unread) == 1 else 'files'} of {below} skipped: {listed(unread, below)}"
