"""Reads picture files, recognised by content.

Sizes are read from headers first: a small file may claim gigabytes.
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
"""Suffixes of pictures, broken if unreadable."""

LITTER = frozenset({"__macosx", "thumbs.db", "desktop.ini"})
"""Files created by file managers."""

HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx"})
SHARED_BRANDS = frozenset({b"mif1", b"msf1"})
"""HEIC or AVIF, by the other brands."""

HEIC_SUFFIXES = frozenset({".heic", ".heif"})

MOST_PIXELS = 25_000_000
"""Largest picture: 75 MB in memory; phones take 12 or 24 million."""

LONGEST = 100_000_000
"""Largest picture file in bytes."""

PNG = b"\x89PNG\r\n\x1a\n"

BROKEN = "broken"
EMPTY = "empty"
FOREIGN = "no picture that OpenCV can read"
LARGE = f"more than {MOST_PIXELS // 1_000_000} million pixels: save it smaller"
HEIC = "HEIC, which OpenCV cannot read: save it as JPEG (on a phone: choose JPEG or 'most compatible' as the format)"

FLOATS = "of floating-point numbers, or of more than 16 bits: save it as JPEG, or with 8 bits a colour"
COMPRESSED = "of a compression that OpenCV cannot read: save it as JPEG, or without compression"

FLOAT_HEADS = (b"#?RADIANCE", b"#?RGBE", b"PF\n", b"Pf\n", b"\x76\x2f\x31\x01")
"""First bytes of Radiance, Portable Float Map and OpenEXR files."""

TIFF_HEADS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
BITS, COMPRESSION, NUMBERS = 258, 259, 339
"""TIFF tags (TIFF 6.0, section 8 and page 80): BitsPerSample, Compression, SampleFormat."""

UNPACKED = frozenset({1, 2, 3, 4, 5, 6, 7, 8, 32773, 32946})
"""TIFF compressions that OpenCV reads: none, CCITT, LZW, JPEG, Deflate, PackBits."""

FLOATING = 3
LOG_LUV = (34676, 34677)
"""TIFF compressions of logarithmic floats (SGILOG)."""


class Unread(msgspec.Struct, frozen=True):
    """A skipped file and the reason: a constant above or the system's error."""

    path: Path
    why: str


Skip: TypeAlias = Callable[[Unread], None]
"""Receives each skipped file."""


def unheard(_unread: Unread) -> None:
    """Ignore skipped files."""


def folders(folder: Path) -> list[Path]:
    """Return a folder's subfolders, sorted, without hidden ones and LITTER. Raises OSError."""
    return [path for path in _entries(folder) if path.is_dir()]


def files(folder: Path) -> list[Path]:
    """Return a folder's files, sorted, without hidden ones and LITTER. Raises OSError."""
    return [path for path in _entries(folder) if path.is_file()]


def _entries(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if not (each.name[0] == "." or each.name.lower() in LITTER))


def is_picture(path: Path) -> bool:
    """Return True if a file begins like a picture that OpenCV reads."""
    try:
        known = path.is_file() and cv2.haveImageReader(str(path).encode("utf-8").decode())
    except UnicodeEncodeError:  # a name that isn't UTF-8, which OpenCV can't take
        return False
    return known and not _is_heic(_head(path))


def _head(path: Path) -> bytes:
    return read_head(path, 64)


def _is_heic(head: bytes) -> bool:
    """Return True for HEIC, mistaken for AVIF by OpenCV."""
    brand = head[8:12] if head[4:8] == b"ftyp" else b""
    return brand in HEIC_BRANDS or (brand in SHARED_BRANDS and b"avif" not in head)


def pictures(folder: Path, skip: Skip = unheard) -> list[Path]:
    """Return a folder's files that are pictures by content or suffix; `skip` gets the others. Raises OSError."""
    found = []
    for path in files(folder):
        if path.suffix.lower() in PROMISES or is_picture(path):
            found.append(path)
        else:
            skip(Unread(path, fault(path)))
    return found


def read(path: Path) -> Image | Unread:
    """Read a picture of at most `MOST_PIXELS` as BGR, or return Unread with the reason."""
    try:
        raw = read_bytes(path, limit=LONGEST)
    except BadFile as error:
        return Unread(path, error.faults[0].wrong)
    image, why = decode(raw)
    return Unread(path, why or fault(path)) if image is None else image


def decode(raw: bytes) -> tuple[Image | None, str]:
    """Decode a picture as BGR; None and a reason if too large, None and "" if unreadable."""
    pixels = _pixels(raw) if _whole(raw) else None
    if pixels is None or pixels > MOST_PIXELS:
        return None, "" if pixels is None else LARGE
    try:
        image = cv2.imdecode(np.frombuffer(raw, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # a format that it was built without
        image = None
    return (None, "") if image is None else (image.astype(np.uint8, copy=False), "")


def _whole(raw: bytes) -> bool:
    """Return False for a PNG chunk beyond the file's end, for which OpenCV would allocate."""
    at = len(PNG)
    while raw.startswith(PNG) and at + 12 <= len(raw):
        at += 12 + int.from_bytes(raw[at : at + 4], "big")
    return at <= len(raw) or not raw.startswith(PNG)


def _pixels(raw: bytes) -> int | None:
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
    """Return one line of files by reason, relative to `below`."""
    reasons: dict[str, list[str]] = {}
    for each in unread:
        path = each.path
        reasons.setdefault(each.why, []).append(str(path.relative_to(below) if path.is_relative_to(below) else path))
    return "; ".join(f"{', '.join(names)} ({why})" for why, names in reasons.items())


def skipped_text(unread: Sequence[Unread], below: Path) -> str:
    """Return a sentence about the skipped files."""
    return f"{len(unread)} {'file' if len(unread) == 1 else 'files'} of {below} skipped: {list_pictures(unread, below)}"
