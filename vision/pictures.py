"""Picture files of a folder: what its owner put there, and which of it OpenCV can read, by content and not by name.

A picture's size is read from its header before its pixels are: a file of 100 kB may claim to hold gigabytes of them.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

import cv2
import msgspec
import numpy as np

from vision.camera import Image
from vision.files import BadFile, read_bytes, read_head
from vision.files.reading import DECODING

PROMISES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
"""Ends of names that promise a picture: what is named so and cannot be read is broken, and not merely another thing."""

LITTER = frozenset({"__macosx", "thumbs.db", "desktop.ini"})
"""What file managers leave behind, besides names that begin with a dot."""

HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"})
SHARED_BRANDS = frozenset({b"mif1", b"msf1"})
"""Of HEIC or of AVIF, whichever the brands after the first one tell."""

HEIC_SUFFIXES = frozenset({".heic", ".heif"})

MOST_PIXELS = 25_000_000
"""Of a picture that is read: 75 MB in memory. Phones usually take 12 million, or 24."""

LONGEST = 100_000_000
"""Bytes of a picture file."""

PNG = b"\x89PNG\r\n\x1a\n"

BROKEN = "broken"
EMPTY = "empty"
FOREIGN = "no picture that OpenCV can read"
LARGE = f"more than {MOST_PIXELS // 1_000_000} million pixels: save it smaller"
HEIC = "HEIC, which OpenCV cannot read: save it as JPEG (on a phone: choose JPEG or 'most compatible' as the format)"

FLOATS = "of floating-point numbers, or of more than 16 bits: save it as JPEG, or with 8 bits a colour"
COMPRESSED = "of a compression that OpenCV cannot read: save it as JPEG, or without compression"

FLOAT_HEADS = (b"#?RADIANCE", b"#?RGBE", b"PF\n", b"Pf\n", b"\x76\x2f\x31\x01")
"""How files of Radiance, of Portable Float Map and of OpenEXR begin."""

TIFF_HEADS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
BITS, COMPRESSION, NUMBERS = 258, 259, 339
"""Tags of a TIFF (TIFF 6.0, section 8 and page 80): bits of each colour, how it is packed, and what its numbers are."""

UNPACKED = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 32773, 32946})
"""Ways to pack a TIFF that OpenCV's wheels unpack: none, CCITT, LZW, JPEG, Deflate, PackBits."""

FLOATING = 3
LOG_LUV = (34676, 34677)
"""Ways to pack floating-point numbers as logarithms (SGILOG of libtiff), which OpenCV 4 does by itself."""


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
    """Return True if a file begins like a picture that OpenCV reads; the rest of it may be broken."""
    return path.is_file() and cv2.haveImageReader(str(path)) and not _is_heic(_head(path))


def _head(path: Path) -> bytes:
    """Raises BadFile."""
    return read_head(path, 64)


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
    """A picture as BGR, of at most `MOST_PIXELS`."""
    try:
        raw = read_bytes(path, limit=LONGEST)
    except BadFile as error:
        return Unread(path, error.faults[0].wrong)
    image, why = decode(raw)
    return Unread(path, why or fault(path)) if image is None else image


def decode(raw: bytes) -> tuple[Image | None, str]:
    """A picture as BGR, of the bytes of its file; None if it has too many pixels, with that as a reason, or if it is no
    picture that can be read."""
    pixels = _pixels(raw) if _whole(raw) else None
    if pixels is None or pixels > MOST_PIXELS:
        return None, "" if pixels is None else LARGE
    try:
        image = cv2.imdecode(np.frombuffer(raw, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # a format that it was built without
        image = None
    return (None, "") if image is None else (image.astype(np.uint8, copy=False), "")


def _whole(raw: bytes) -> bool:
    """False for a PNG with a part that claims to be longer than the file: OpenCV makes room for all that it claims."""
    at = len(PNG)
    while raw.startswith(PNG) and at + 12 <= len(raw):
        at += 12 + int.from_bytes(raw[at : at + 4], "big")
    return at <= len(raw) or not raw.startswith(PNG)


def _pixels(raw: bytes) -> int | None:
    """Return how many pixels a picture has by its header; None if it has none, or is of a rare format."""
    import PIL.Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PIL.Image.DecompressionBombWarning)
        warnings.simplefilter("ignore", UserWarning)  # of tags that are cut off
        try:
            with PIL.Image.open(io.BytesIO(raw)) as picture:
                return picture.width * picture.height
        except PIL.Image.DecompressionBombError:
            return sys.maxsize
        except DECODING:
            return None


def fault(path: Path) -> str:
    """Return why a file cannot be read as a picture."""
    try:
        head = _head(path)
    except BadFile as error:
        return error.faults[0].wrong
    if not head:
        return EMPTY
    if path.suffix.lower() in HEIC_SUFFIXES or _is_heic(head):
        return HEIC
    if head.startswith(FLOAT_HEADS):
        return FLOATS
    if head.startswith(TIFF_HEADS) and (why := _unusual(path)):
        return why
    return BROKEN if path.suffix.lower() in PROMISES or is_picture(path) else FOREIGN


def _unusual(path: Path) -> str:
    """Return what keeps a whole TIFF from being read; "" if that is not known."""
    import PIL.TiffImagePlugin

    try:
        raw = read_bytes(path, limit=LONGEST)
        tags = PIL.TiffImagePlugin.ImageFileDirectory_v2(raw[: 16 if raw[2:3] == b"+" or raw[3:4] == b"+" else 8])
        file = io.BytesIO(raw)
        file.seek(tags.next)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            tags.load(file)
        bits, numbers = tags.get(BITS, (1,)), tags.get(NUMBERS, (1,))
        packed = tags.get(COMPRESSION, 1)
    except (BadFile, *DECODING):
        return ""
    if max(bits) > 16 or FLOATING in numbers or packed in LOG_LUV:
        return FLOATS
    return "" if packed in UNPACKED else COMPRESSED


def list_pictures(unread: Iterable[Unread], below: Path) -> str:
    """All of them in a line, by reason, with their names below a folder."""
    reasons: dict[str, list[str]] = {}
    for each in unread:
        path = each.path
        reasons.setdefault(each.why, []).append(str(path.relative_to(below) if path.is_relative_to(below) else path))
    return "; ".join(f"{', '.join(names)} ({why})" for why, names in reasons.items())


def skipped_text(unread: Sequence[Unread], below: Path) -> str:
    """Return the sentence about files that were left out."""
    return f"{len(unread)} {'file' if len(unread) == 1 else 'files'} of {below} skipped: {list_pictures(unread, below)}"
