"""What an owner made of a table, in one file: the pieces that were enrolled, and the cards that were corrected.

It is saved on the owner's page or with `referee owner save`, and put back on that page, by hand or from the part of the
card that every computer can write to, or with `referee owner restore`. Whichever way it came, all of it is looked
through before anything is written. Matches, names, keys and codes are not in it.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from vision.files import BadFile, Fault, read_bytes, write_whole
from vision.files.reading import json_of, text_of, toml_of
from vision.recognition.index import INDEX, Index

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
    """Puts an archive back that lies in a file (`put_back`). Raises BadFile, or OSError."""
    return put_back(state, io.BytesIO(read_bytes(archive, limit=MOST_BYTES, remedy=REMEDY)), archive)


def put_back(state: Path, archive: IO[bytes], name: Path | str) -> tuple[Path, ...]:
    """Puts all of an archive back in its place; the files that were written, in order. What is there and not in the
    archive stays. An index comes after the pictures that it names: broken off in between, the old one stands. Raises
    BadFile before anything is written, or OSError if the disk does not take it. name: of the archive, for errors."""
    try:
        with zipfile.ZipFile(archive) as opened:
            found = _listed(opened)
            for each in found.values():
                _look_through(each.filename, _content(opened, each), name)
    except BadFile:
        raise
    except _BROKEN as error:
        raise BadFile(name, Fault("", f"is no such archive ({type(error).__name__})", REMEDY)) from error
    if not found:
        raise BadFile(name, Fault("", "holds nothing", REMEDY))
    ordered = sorted(found, key=lambda file: file.endswith(f"/{INDEX}"))
    with zipfile.ZipFile(archive) as opened:
        for file in ordered:
            write_whole(state / file, _content(opened, found[file]), 0o600)
    return tuple(state / file for file in ordered)


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
        if not _NAME.fullmatch(each.filename) or each.file_size > LONGEST:
            raise ValueError("a file that is never saved")
    return {each.filename: each for each in listed}


def _content(archive: zipfile.ZipFile, listed: zipfile.ZipInfo) -> bytes:
    """One file, unpacked: so much is in memory at once. Raises one of _BROKEN."""
    with archive.open(listed) as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError("a file that is longer than it says")
    return content


def _look_through(name: str, content: bytes, archive: Path | str) -> None:
    """What would cost the owner the pieces or cards that are there, if it took their place: an index or a deck that
    nobody can read. Raises BadFile."""
    if name.endswith(f"/{INDEX}"):
        json_of(content, Index, f"{archive}: {name}", REMEDY)
    elif name.endswith(".toml"):
        toml_of(text_of(content, f"{archive}: {name}"), f"{archive}: {name}")
