"""Saves and restores enrolled pieces and corrected cards in one file.

Unusable files are left out. Replaced ones are kept for `undo`.
"""

from __future__ import annotations

import errno
import io
import logging
import os
import re
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

import msgspec

from device.owner.file_faults import FileProblem, LeftOut, Unusable
from vision.files import BadFile, Fault, NoFile, exists, read_bytes, shorten, sync, write_all
from vision.files.faults import MOST_TOLD, quote
from vision.files.reading import DECODING, text_of, toml_of
from vision.recognition.index import CHECKED, INDEX, MEASURES, Index, index_of, read_index

if TYPE_CHECKING:
    from engine.catalogue import GameSpec

FOLDERS = ("enrolled", "decks")
"""Saved folders of the state folder."""

NAME = "table-referee.zip"
"""The download's file name."""

MOST_BYTES = 64_000_000
MOST_FILES = 5_000
LONGEST = 8_000_000
"""Bytes of one file."""

BEFORE = "before-put-back.zip"
"""In the state folder: files that the last restore replaced or added."""

BEGUN = f"{BEFORE}.begun"
"""The same for an unfinished restore."""

ADDED = "added.json"
"""In both archives: names of added files."""

NOWHERE = "which is neither in it nor here"
FEWER = "enrol fewer pictures"
REMEDY = "take a file that the owner's page or `referee owner save` made"
_NAME = re.compile(
    rf"enrolled/[\w-]{{1,64}}/(?:{'|'.join(map(re.escape, (INDEX, CHECKED, MEASURES)))}"
    r"|[0-9a-f]{16}\.png|[0-9]{3}-[0-9a-f]{12}\.png)|decks/[\w-]{1,64}\.toml"
)
"""Names that this program writes; older pictures were numbered."""

_SYSTEMS = re.compile(
    r"__MACOSX/.*|(?:.*/)?(?:\.(?!\.(?:/|$))[^/]+(?:/.*)?|@eaDir/.*|(?:eh)?thumbs\.db|desktop\.ini)",
    re.IGNORECASE | re.DOTALL,
)
"""Files added by operating systems and network drives."""

_DRAFT = re.compile(r".+\.(?:[0-9]+\.)?new")
"""Temporary names of `write_all`, `_keep` and enrolment."""

YOUNG_S = 120.0
"""Seconds without a change after which a draft is abandoned."""

_DAY = (2000, 1, 1, 0, 0, 0)  # same files, same bytes
_BROKEN = (*DECODING, zipfile.BadZipFile, zlib.error, RuntimeError)
"""Errors of reading a damaged archive; OSError only for an impossible offset."""

_log = logging.getLogger(__name__)
_PACKED = (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED)
"""Accepted compressions; others may use unlimited memory."""

_ENTRY = 256
"""Bytes of one directory entry, with foreign additions."""

_END = struct.Struct("<4s4xHHL4xH")
"""End of an archive (APPNOTE 6.3.10, 4.3.16): signature, entries twice, bytes of directory and comment."""

_LOCATOR = b"PK\x06\x07"
_LOCATOR_BYTES = 20
"""Length of the ZIP64 locator before it (4.3.15)."""


class Sifted(msgspec.Struct, frozen=True):
    """A check's result. out: unusable files, with the rest of their sets. left: first MOST_TOLD faults."""

    out: frozenset[str] = frozenset()
    left: tuple[Unusable, ...] = ()


def sift(state: Path) -> Sifted:
    """Check all files as the table reads them. Slow."""
    names = [path.relative_to(state).as_posix() for path in _files_to_save(state)]
    usable, faults = _judge_files(names, lambda name: read_bytes(state / name, limit=LONGEST), state, state)
    return Sifted(frozenset(names) - usable, tuple(each.unusable for each in faults[:MOST_TOLD]))


def save(state: Path, out: Collection[str] = ()) -> bytes | None:
    """Return the ZIP archive; None if empty. out: files to omit. Raises BadFile."""
    made = io.BytesIO()
    total = files = 0
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files_to_save(state):
            if path.relative_to(state).as_posix() in out:
                continue
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


def sweep(state: Path) -> tuple[Path, ...]:
    """Delete drafts unchanged for YOUNG_S; return their paths. Raises OSError."""
    drafts = [path for folder in FOLDERS for path in (state / folder).rglob("*.new")]
    named = [path for path in (*drafts, state / f"{BEGUN}.new") if _DRAFT.fullmatch(path.name) and path.is_file()]
    found = [path for path in named if time.time() - path.stat().st_mtime > YOUNG_S]
    for path in found:
        path.unlink(missing_ok=True)
    return tuple(found)


def archive_of(path: Path) -> IO[bytes]:
    """Open an archive. Raises BadFile."""
    return io.BytesIO(read_bytes(path, limit=MOST_BYTES, remedy=REMEDY))


def put_back(state: Path, archive: IO[bytes], name: Path | str, wrong: Callable[[LeftOut], None]) -> tuple[Path, ...]:
    """Restore an archive's usable files; return them in writing order. Writes nothing if all are identical.

    wrong: receives unusable files, whose sets may be left out. name: for errors. Raises BadFile, before writing if
    nothing is usable, and OSError; `undo` or the next call then reverts.
    """
    try:
        _roll_back(state)
    except BadFile as error:
        _log.warning("what was broken off stays as it is: %s", error)
        (state / BEGUN).unlink()
    with _unpacking(name):
        _measure(archive)
        with zipfile.ZipFile(archive) as opened:
            found, faults = _usable(state, opened, name)
    if not found:
        raise faults[0] if faults else BadFile(name, Fault("", "holds nothing", REMEDY))
    for fault in faults:
        wrong(fault)
    with zipfile.ZipFile(archive) as opened:
        with _unpacking(name):
            same = all(_there(state / file) == _content(opened, each) for file, each in found.items())
        if same:
            return tuple(state / file for file in sorted(found, key=_is_index))
        return _exchange(state, (opened, name), found, ())


def _there(path: Path) -> bytes | None:
    try:
        return read_bytes(path, limit=LONGEST)
    except BadFile:
        return None


def undoable(state: Path) -> bool:
    """Return True if `undo` can restore something."""
    return exists(state / BEGUN) or exists(state / BEFORE)


def undo(state: Path) -> tuple[Path, ...]:
    """Revert the last restore or `undo`; return the changed files. Raises BadFile, OSError."""
    if exists(state / BEGUN):
        return _roll_back(state)
    path = state / BEFORE
    if not exists(path):
        raise BadFile(path, Fault("", "is not there", "nothing was put back, so nothing can be brought back"))
    with _unpacking(path), zipfile.ZipFile(path) as opened:
        found, added = _kept_of(opened)
        return _exchange(state, (opened, path), found, added)


def _roll_back(state: Path) -> tuple[Path, ...]:
    path = state / BEGUN
    if not exists(path):
        return ()
    with _unpacking(path), zipfile.ZipFile(path) as opened:
        changed = _change(state, (opened, path), *_kept_of(opened))
    path.unlink()
    sync(state)
    return changed


_Files: TypeAlias = "Mapping[str, zipfile.ZipInfo]"
_Opened: TypeAlias = "tuple[zipfile.ZipFile, Path | str]"
"""An archive and its name for errors."""


def _exchange(state: Path, archive: _Opened, written: _Files, removed: Collection[str]) -> tuple[Path, ...]:
    state.mkdir(parents=True, exist_ok=True)
    _keep(state, (*written, *removed))
    changed = _change(state, archive, written, removed)
    (state / BEGUN).replace(state / BEFORE)
    sync(state)
    return changed


def _change(state: Path, archive: _Opened, written: _Files, removed: Collection[str]) -> tuple[Path, ...]:
    """Write pictures before their index; delete them after it."""
    ordered = sorted(written, key=_is_index)
    for last in (False, True):
        group = [file for file in ordered if _is_index(file) is last]
        write_all(_unpack(state, archive, {file: written[file] for file in group}), 0o600)
    gone = [file for file in sorted(removed, key=_is_index, reverse=True) if exists(state / file)]
    for file in gone:
        (state / file).unlink()
    for folder in {(state / file).parent for file in gone}:
        sync(folder)
    return tuple(state / file for file in (*ordered, *gone))


def _unpack(state: Path, archive: _Opened, files: _Files) -> Iterator[tuple[Path, bytes]]:
    opened, name = archive
    for file, each in files.items():
        with _unpacking(name):
            content = _content(opened, each)
        yield state / file, content


def _keep(state: Path, files: Iterable[str]) -> None:
    """Store the present files and their indexes' pictures in BEGUN; skip unreadable ones."""
    draft = state / f"{BEGUN}.new"
    try:
        _pack(state, draft, files)
        draft.replace(state / BEGUN)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    sync(state)


def _pack(state: Path, archive: Path, files: Iterable[str]) -> None:
    added = []
    with os.fdopen(os.open(archive, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
        with zipfile.ZipFile(file, "w") as kept:
            for name in sorted({*files, *_beside(state, files)}):
                try:
                    kept.writestr(zipfile.ZipInfo(name, _DAY), read_bytes(state / name, limit=LONGEST))
                except NoFile:
                    added.append(name)
                except BadFile as error:
                    _log.warning("it is not kept when other files are put back: %s", error)
            kept.writestr(zipfile.ZipInfo(ADDED, _DAY), msgspec.json.encode(added))
        file.flush()
        os.fsync(file.fileno())


def _beside(state: Path, files: Iterable[str]) -> Iterator[str]:
    for name in filter(_is_index, files):
        folder = name.removesuffix(INDEX)
        yield from (f"{folder}{CHECKED}", f"{folder}{MEASURES}")
        with suppress(BadFile):
            yield from filter(_NAME.fullmatch, _pictures_of(name, read_index((state / name).parent)))


def _kept_of(opened: zipfile.ZipFile) -> tuple[_Files, tuple[str, ...]]:
    found = {each.filename: each for each in opened.infolist()}
    added = msgspec.json.decode(opened.read(found.pop(ADDED)), type=tuple[str, ...])
    if not all(_NAME.fullmatch(name) for name in (*found, *added)):
        raise ValueError("a file that is never kept")
    for each in found.values():
        _content(opened, each)
    return found, added


def _is_index(name: str) -> bool:
    return name.endswith(f"/{INDEX}")


@contextmanager
def _unpacking(name: Path | str) -> Iterator[None]:
    try:
        yield
    except BadFile:
        raise
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise BadFile(name, Fault("", f"is no such archive: {quote(error)}", REMEDY)) from error


def _measure(archive: IO[bytes]) -> None:
    """Check the end before reading the directory, which may be huge. Raises ValueError."""
    length = archive.seek(0, os.SEEK_END)
    archive.seek(max(0, length - _LOCATOR_BYTES - _END.size))
    tail = archive.read(_LOCATOR_BYTES + _END.size)
    if len(tail) < _END.size:
        raise ValueError("it is too short")
    signature, here, entries, directory, comment = _END.unpack(tail[-_END.size :])
    if signature != b"PK\x05\x06" or comment or tail.startswith(_LOCATOR):
        raise ValueError("it ends otherwise than the table writes it")
    if max(here, entries) > MOST_FILES or directory > MOST_FILES * _ENTRY:
        raise ValueError(f"it holds more than {MOST_FILES:,} files")


def _usable(state: Path, opened: zipfile.ZipFile, name: Path | str) -> tuple[_Files, list[LeftOut]]:
    found = _list_files(opened)
    usable, faults = _judge_files(found, lambda file: _content(opened, found[file]), state, name)
    return {file: each for file, each in found.items() if file in usable}, faults


def _judge_files(
    files: Collection[str], content: Callable[[str], bytes], state: Path, where: Path | str
) -> tuple[frozenset[str], list[LeftOut]]:
    from device.games import NotInstalled, decks  # not needed for packing

    games = cache(decks)  # read once, if there are cards
    faults = dict[str, LeftOut]()
    for file in sorted(files, key=_is_index):  # after its pictures
        try:
            named = _pictures_of(file, _look_through(file, content(file), where, games))
        except BadFile as error:
            unknown = isinstance(error, NotInstalled)
            faults[file] = LeftOut(error, file, FileProblem.UNKNOWN if unknown else FileProblem.DAMAGED)
            continue
        for each in named:
            missing = each not in files and not exists(state / each)
            if each in faults or missing:
                told = f"names {shorten(each)}, {NOWHERE if missing else 'which cannot be used'}"
                fault = BadFile(f"{where}: {file}", Fault("references", told, REMEDY))
                faults[file] = LeftOut(fault, file, FileProblem.INCOMPLETE if missing else FileProblem.DAMAGED)
                break
    sets = {file.removesuffix(INDEX) for file in faults if _is_index(file)}
    usable = (file for file in files if file not in faults and f"{file.rpartition('/')[0]}/" not in sets)
    return frozenset(usable), list(faults.values())


def _too_much(state: Path) -> BadFile:
    return BadFile(state, Fault("", f"holds more than {MOST_BYTES:,} bytes", FEWER))


def _files_to_save(state: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((state / folder).rglob("*")):
            if path.is_file() and _NAME.fullmatch(path.relative_to(state).as_posix()):
                yield path


def _list_files(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    listed = archive.infolist()
    if len(listed) > MOST_FILES or sum(each.file_size for each in listed) > MOST_BYTES:
        raise ValueError(f"it holds more than {MOST_FILES:,} files or {MOST_BYTES:,} bytes")
    paths = {each: each.filename.replace("\\", "/") for each in listed if not each.is_dir()}
    own = {each: path for each, path in paths.items() if not _SYSTEMS.fullmatch(path)}
    around = {path.partition("/")[0] for path in own.values()}
    if len(around) == 1 and around.isdisjoint(FOLDERS):
        own = {each: path.partition("/")[2] for each, path in own.items()}
    found = dict[str, zipfile.ZipInfo]()
    for each, name in own.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{shorten(each.filename)} in it is no file that a table saves")
        if name in found:
            raise ValueError(f"{shorten(each.filename)} is in it twice")
        if each.file_size > LONGEST or each.compress_type not in _PACKED:
            raise ValueError(f"{shorten(each.filename)} in it is packed otherwise than a table packs files")
        found[name] = each
    return found


def _content(archive: zipfile.ZipFile, listed: zipfile.ZipInfo) -> bytes:
    with archive.open(listed) as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError("a file that is longer than it says")
    return content


def _look_through(
    name: str, content: bytes, archive: Path | str, games: Callable[[], Mapping[str, GameSpec]]
) -> Index | None:
    from device.games import check_deck
    from vision.pictures import decode
    from vision.recognition.check_round import checked_of
    from vision.recognition.piece_sizes import measures_of

    where = f"{archive}: {name}"
    if _is_index(name):
        return index_of(content, where, REMEDY)
    if name.endswith(f"/{CHECKED}"):
        checked_of(content, where, REMEDY)
    elif name.endswith(f"/{MEASURES}"):
        measures_of(content, where, REMEDY)
    elif name.endswith(".toml"):
        check_deck(games().get(name), toml_of(text_of(content, where), where), where)
    else:
        image, why = decode(content)
        if image is None:
            raise BadFile(where, Fault("", why or "is no picture", REMEDY))
    return None


def _pictures_of(name: str, index: Index | None) -> list[str]:
    folder = name.rpartition("/")[0]
    return [] if index is None else [f"{folder}/{each.file}" for each in index.references]
