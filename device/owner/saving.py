"""What an owner made of a table, in one file: the pieces that were enrolled, and the cards that were corrected.

It is saved on the owner's page or with `referee owner save`, and put back on that page, by hand or from the part of the
card that every computer can write to, or with `referee owner restore`. Whichever way it came, all of it is looked
through before anything is written. Matches, names, keys and codes are not in it.
"""

from __future__ import annotations

import errno
import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from vision.files import BadFile, Fault, exists, read_bytes, write_whole
from vision.files.reading import DECODING, json_of, text_of, toml_of
from vision.recognition.index import INDEX, Index

FOLDERS = ("enrolled", "decks")
"""Of the state folder."""

NAME = "table-referee.zip"
"""As the owner's page calls it, and looks for it on the card."""

MOST_BYTES = 64_000_000
MOST_FILES = 5_000
LONGEST = 8_000_000
"""Bytes of one file."""

NOWHERE = "which is neither in it nor here"
PNG = b"\x89PNG\r\n\x1a\n"
"""How a picture begins."""

FEWER = "enrol fewer pictures"
REMEDY = "take a file that the owner's page or `referee owner save` made"
_NAME = re.compile(r"(?:enrolled/[A-Za-z0-9_-]{1,64}|decks)/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_DAY = (2000, 1, 1, 0, 0, 0)  # the same files make the same bytes
_BROKEN = (*DECODING, zipfile.BadZipFile, zlib.error, RuntimeError)
"""What a damaged archive, or none at all, is read with. An OSError is the disk's, but for a place that no file has."""

_PACKED = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)
"""How a file may be packed: other ways take memory as the archive says."""

_ENTRY = 256
"""Bytes of an entry of an archive's directory: 46 of them, the name, and what others than this program add."""

_END = struct.Struct("<4s4xHHL4xH")
"""How an archive ends (APPNOTE 6.3.10, 4.3.16): signature, entries here and in all, bytes of the directory, and of the
comment."""

_LOCATOR = b"PK\x06\x07"
_LOCATOR_BYTES = 20
"""What stands before the end of one with ZIP64, whose end it points to (4.3.15)."""


class Outcome(msgspec.Struct, frozen=True):
    """What became of an archive that was to be put back. files: that were written. fault: why not all of them were, ""
    if they were; sound: the archive can be read, and it was the disk."""

    files: int = 0
    fault: str = ""
    sound: bool = True


def saved(state: Path) -> bytes | None:
    """The archive (ZIP); None if there is nothing to save. Raises BadFile for a file that cannot be read, or if
    there is too much of it."""
    made = io.BytesIO()
    total = files = 0
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _kept(state):
            data = read_bytes(path, limit=LONGEST)
            total, files = total + len(data), files + 1
            if files > MOST_FILES:
                raise BadFile(state, Fault("", f"holds more than {MOST_FILES:,} files", FEWER))
            if max(total, made.tell()) > MOST_BYTES:
                raise _too_much(state)
            archive.writestr(zipfile.ZipInfo(path.relative_to(state).as_posix(), _DAY), data, zipfile.ZIP_DEFLATED)
    if len(made.getbuffer()) > MOST_BYTES:
        raise _too_much(state)
    return made.getvalue() if total else None


def restored(state: Path, archive: Path) -> tuple[Path, ...]:
    """Puts an archive back that lies in a file (`put_back`). Raises BadFile, or OSError."""
    return put_back(state, io.BytesIO(read_bytes(archive, limit=MOST_BYTES, remedy=REMEDY)), archive)


def outcome(state: Path, archive: Path | IO[bytes]) -> Outcome:
    """What becomes of an archive that is put back, from its file or as it is read."""
    try:
        if isinstance(archive, Path):
            return Outcome(len(restored(state, archive)))
        return Outcome(len(put_back(state, archive, NAME)))
    except BadFile as error:
        return Outcome(fault=str(error), sound=False)
    except OSError as error:
        return Outcome(fault=str(error))


def put_back(state: Path, archive: IO[bytes], name: Path | str) -> tuple[Path, ...]:
    """Puts all of an archive back in its place; the files that were written, in order. What is there and not in the
    archive stays. An index comes after the pictures that it names: broken off in between, the old one stands. Raises
    BadFile before anything is written, or OSError if the disk does not take it. name: of the archive, for errors."""
    with _unpacking(name):
        _measure(archive)
        with zipfile.ZipFile(archive) as opened:
            found = _listed(opened)
            for each in found.values():
                index = _look_through(each.filename, _content(opened, each), name)
                named = _named(each.filename, index)
                lost = [file for file in named if file not in found and not exists(state / file)]
                if lost:
                    fault = Fault("references", f"names {lost[0]}, {NOWHERE}", REMEDY)
                    raise BadFile(f"{name}: {each.filename}", fault)
    if not found:
        raise BadFile(name, Fault("", "holds nothing", REMEDY))
    ordered = sorted(found, key=lambda file: file.endswith(f"/{INDEX}"))
    with zipfile.ZipFile(archive) as opened:
        for file in ordered:
            with _unpacking(name):
                content = _content(opened, found[file])
            write_whole(state / file, content, 0o600)
    return tuple(state / file for file in ordered)


@contextmanager
def _unpacking(name: Path | str) -> Iterator[None]:
    """What a damaged archive is read with becomes BadFile."""
    try:
        yield
    except BadFile:
        raise
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise BadFile(name, Fault("", f"is no such archive ({type(error).__name__})", REMEDY)) from error


def _measure(archive: IO[bytes]) -> None:
    """Looks at an archive's end before anybody reads its directory: that takes memory and time for each entry, and a
    million of them fit into what a page may hand over. Raises ValueError."""
    length = archive.seek(0, os.SEEK_END)
    archive.seek(max(0, length - _LOCATOR_BYTES - _END.size))
    tail = archive.read(_LOCATOR_BYTES + _END.size)
    if len(tail) < _END.size:
        raise ValueError("too short")
    signature, here, entries, directory, comment = _END.unpack(tail[-_END.size :])
    if signature != b"PK\x05\x06" or comment or tail.startswith(_LOCATOR):
        raise ValueError("not as it was ever saved")
    if max(here, entries) > MOST_FILES or directory > MOST_FILES * _ENTRY:
        raise ValueError("more than was ever saved")


def _too_much(state: Path) -> BadFile:
    return BadFile(state, Fault("", f"holds more than {MOST_BYTES:,} bytes", FEWER))


def _kept(state: Path) -> Iterator[Path]:
    """The files to be saved, in order."""
    for folder in FOLDERS:
        for path in sorted((state / folder).rglob("*")):
            if path.is_file() and _NAME.fullmatch(path.relative_to(state).as_posix()):
                yield path


def _listed(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Its files by their names, before any of them is unpacked. Raises ValueError."""
    listed = archive.infolist()
    if len(listed) > MOST_FILES or sum(each.file_size for each in listed) > MOST_BYTES:
        raise ValueError("more than was ever saved")
    for each in listed:
        if not _NAME.fullmatch(each.filename) or each.file_size > LONGEST or each.compress_type not in _PACKED:
            raise ValueError("a file that is never saved")
    return {each.filename: each for each in listed}


def _content(archive: zipfile.ZipFile, listed: zipfile.ZipInfo) -> bytes:
    """One file, unpacked: so much is in memory at once. Raises one of _BROKEN."""
    with archive.open(listed) as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError("a file that is longer than it says")
    return content


def _look_through(name: str, content: bytes, archive: Path | str) -> Index | None:
    """What would cost the owner the pieces or cards that are there, if it took their place: what nobody can read. The
    index, if it is one. Raises BadFile."""
    from vision.recognition.checked import CHECKED, CheckRound  # with NumPy, which whoever only saves does not need
    from vision.recognition.measures import MEASURES, Measures

    where = f"{archive}: {name}"
    if name.endswith(f"/{INDEX}"):
        return json_of(content, Index, where, REMEDY)
    if name.endswith(f"/{CHECKED}"):
        json_of(content, CheckRound, where, REMEDY)
    elif name.endswith(f"/{MEASURES}"):
        json_of(content, Measures, where, REMEDY)
    elif name.endswith(".toml"):
        toml_of(text_of(content, where), where)
    elif name.endswith(".png") and not content.startswith(PNG):
        raise BadFile(where, Fault("", "is no picture", REMEDY))
    return None


def _named(name: str, index: Index | None) -> list[str]:
    """The pictures of an index, as files of the archive. name: the index's own."""
    folder = name.rpartition("/")[0]
    return [] if index is None else [f"{folder}/{each.file}" for each in index.references]
