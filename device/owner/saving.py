"""What an owner made of a table, in one file: the pieces that were enrolled, and the cards that were corrected.

It is saved on the owner's page or with `referee owner save`, and put back from the card alone: on the owner's page,
once it lies on the part of the card that every computer can write to, or with `referee owner restore`. Nothing enters a
table over the network. Matches, names, keys and codes are not in it.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from vision.files import BadFile, Fault, read_bytes, write_whole
from vision.recognition.index import INDEX

FOLDERS = ("enrolled", "decks")
"""Of the state folder."""

NAME = "table-referee.zip"
"""As the owner's page calls it, and looks for it on the card."""

MOST_BYTES = 64_000_000
MOST_FILES = 5_000
LONGEST = 8_000_000
"""Bytes of one file."""

FEWER = "enrol fewer pictures"
REMEDY = "take a file that the owner's page or `referee owner save` made"
_NAME = re.compile(r"(?:enrolled/[A-Za-z0-9_-]{1,64}|decks)/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_DAY = (2000, 1, 1, 0, 0, 0)  # the same files make the same bytes
_BROKEN = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError)
"""What a damaged archive, or none at all, is read with."""


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
    """Puts all of an archive back in its place; the files that were written, in order. What is there and not in the
    archive stays. An index comes after the pictures that it names: broken off in between, the old one stands. Raises
    BadFile before anything is written, or OSError if the disk does not take it."""
    data = read_bytes(archive, limit=MOST_BYTES, remedy=REMEDY)
    try:
        files = dict(_read(data))
    except _BROKEN as error:
        raise BadFile(archive, Fault("", f"is no such archive ({type(error).__name__})", REMEDY)) from error
    if not files:
        raise BadFile(archive, Fault("", "holds nothing", REMEDY))
    ordered = sorted(files, key=lambda name: name.endswith(f"/{INDEX}"))
    for name in ordered:
        write_whole(state / name, files[name], 0o600)
    return tuple(state / name for name in ordered)


def _too_much(state: Path) -> BadFile:
    return BadFile(state, Fault("", f"holds more than {MOST_BYTES:,} bytes", FEWER))


def _kept(state: Path) -> Iterator[Path]:
    """The files to be saved, in order."""
    for folder in FOLDERS:
        for path in sorted((state / folder).rglob("*")):
            if path.is_file() and _NAME.fullmatch(path.relative_to(state).as_posix()):
                yield path


def _read(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Names and contents. Raises one of _BROKEN."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        listed = archive.infolist()
        if len(listed) > MOST_FILES or sum(each.file_size for each in listed) > MOST_BYTES:
            raise ValueError("more than was ever saved")
        for each in listed:
            if not _NAME.fullmatch(each.filename) or each.file_size > LONGEST:
                raise ValueError("a file that is never saved")
            with archive.open(each) as file:
                content = file.read(LONGEST + 1)
            if len(content) > LONGEST:
                raise ValueError("a file that is longer than it says")
            yield each.filename, content
