"""What an owner made of a table, in one file: the pieces that were enrolled, and the cards that were corrected.

It is saved on the owner's page or with `referee owner save`, and put back with `referee owner restore`. All of it is
first read as the table reads it; what it cannot use is left out and reported; and what is replaced is kept: `undo`
brings that back. Matches, names, keys and codes are not in it.
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
"""Of the state folder."""

NAME = "table-referee.zip"
"""As the owner's page calls it."""

MOST_BYTES = 64_000_000
MOST_FILES = 5_000
LONGEST = 8_000_000
"""Bytes of one file."""

BEFORE = "before-put-back.zip"
"""Of the state folder: what the last putting back replaced, and what it put where nothing was."""

BEGUN = f"{BEFORE}.begun"
"""The same of one that is under way, or was broken off."""

ADDED = "added.json"
"""In either: the names of files that were not there."""

NOWHERE = "which is neither in it nor here"
FEWER = "enrol fewer pictures"
REMEDY = "take a file that the owner's page or `referee owner save` made"
_NAME = re.compile(
    rf"enrolled/[A-Za-z0-9_-]{{1,64}}/(?:{'|'.join(map(re.escape, (INDEX, CHECKED, MEASURES)))}"
    r"|[0-9a-f]{16}\.png|[0-9]{3}-[0-9a-f]{12}\.png)|decks/[A-Za-z0-9_-]{1,64}\.toml"
)
"""What this program writes; pictures were numbered once."""

_SYSTEMS = re.compile(
    r"__MACOSX/.*|(?:.*/)?(?:\.(?!\.(?:/|$))[^/]+(?:/.*)?|@eaDir/.*|(?:eh)?thumbs\.db|desktop\.ini)",
    re.IGNORECASE | re.DOTALL,
)
"""Files that macOS, Windows, file managers and network drives put beside others."""

_DRAFT = re.compile(r".+\.(?:[0-9]+\.)?new")
"""What `write_all`, `_keep` and an enrolment write first."""

YOUNG_S = 120.0
"""A draft in which nothing was written for so long is nobody's."""

_DAY = (2000, 1, 1, 0, 0, 0)  # the same files make the same bytes
_BROKEN = (*DECODING, zipfile.BadZipFile, zlib.error, RuntimeError)
"""What a damaged archive, or none at all, is read with. An OSError is the disk's, but for a place that no file has."""

_log = logging.getLogger(__name__)
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


class Sifted(msgspec.Struct, frozen=True):
    """What is to be saved. out: the files that are not, since the table cannot use them or the set that they belong to;
    left: the first MOST_TOLD faults of theirs."""

    out: frozenset[str] = frozenset()
    left: tuple[Unusable, ...] = ()


def sift(state: Path) -> Sifted:
    """Reads all that would be saved as the table does, which takes as long as a start of the camera."""
    names = [path.relative_to(state).as_posix() for path in _files_to_save(state)]
    usable, faults = _judge_files(names, lambda name: read_bytes(state / name, limit=LONGEST), state, state)
    return Sifted(frozenset(names) - usable, tuple(each.unusable for each in faults[:MOST_TOLD]))


def save(state: Path, out: Collection[str] = ()) -> bytes | None:
    """The archive (ZIP); None if there is nothing to save. out: files that are left out. Raises BadFile for a file that
    cannot be read, or if there is too much of it."""
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
    """Removes the drafts that a power cut or a kill left there: nothing goes on with them. One that is younger than
    `YOUNG_S` may be somebody's who writes just now, and stays until the next time. Raises OSError."""
    drafts = [path for folder in FOLDERS for path in (state / folder).rglob("*.new")]
    named = [path for path in (*drafts, state / f"{BEGUN}.new") if _DRAFT.fullmatch(path.name) and path.is_file()]
    found = [path for path in named if time.time() - path.stat().st_mtime > YOUNG_S]
    for path in found:
        path.unlink(missing_ok=True)
    return tuple(found)


def archive_of(path: Path) -> IO[bytes]:
    """An archive that lies in a file, as `put_back` takes it. Raises BadFile."""
    return io.BytesIO(read_bytes(path, limit=MOST_BYTES, remedy=REMEDY))


def put_back(state: Path, archive: IO[bytes], name: Path | str, wrong: Callable[[LeftOut], None]) -> tuple[Path, ...]:
    """Puts what the table can use of an archive back in its place; its files, in the order of writing. What is there
    and not in the archive stays. wrong: hears of each file that cannot be used, and is left out with its whole set if
    that is of no use without it. Raises BadFile before any of it is written if it is damaged or nothing in it can be
    used, or OSError if the disk does not take it; what was written
    by then is taken back by `undo`, or before the next one. Where all of it is there already, nothing is written, and
    what was kept stays what `undo` brings back. name: of the archive, for errors."""
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
    """Return the bytes of a file; None if it cannot be read."""
    try:
        return read_bytes(path, limit=LONGEST)
    except BadFile:
        return None


def undoable(state: Path) -> bool:
    """Return True if there is something that `undo` would bring back."""
    return exists(state / BEGUN) or exists(state / BEFORE)


def undo(state: Path) -> tuple[Path, ...]:
    """Brings back what the last putting back replaced, and removes what it added; the files that it wrote or removed.
    What it takes away is kept in turn, so that a second time takes the first one back; but of one that was broken off.
    Raises BadFile, or OSError if the disk does not take it."""
    if exists(state / BEGUN):
        return _roll_back(state)
    path = state / BEFORE
    if not exists(path):
        raise BadFile(path, Fault("", "is not there", "nothing was put back, so nothing can be brought back"))
    with _unpacking(path), zipfile.ZipFile(path) as opened:
        found, added = _kept_of(opened)
        return _exchange(state, (opened, path), found, added)


def _roll_back(state: Path) -> tuple[Path, ...]:
    """Takes back what was broken off."""
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
"""An archive, and its name for errors."""


def _exchange(state: Path, archive: _Opened, written: _Files, removed: Collection[str]) -> tuple[Path, ...]:
    """Writes and removes files, and keeps what was there in BEFORE."""
    state.mkdir(parents=True, exist_ok=True)
    _keep(state, (*written, *removed))
    changed = _change(state, archive, written, removed)
    (state / BEGUN).replace(state / BEFORE)
    sync(state)
    return changed


def _change(state: Path, archive: _Opened, written: _Files, removed: Collection[str]) -> tuple[Path, ...]:
    """An index comes after the pictures that it names, and goes before them: broken off in between, there is no index
    whose pictures are not there. The files, in order."""
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
    """Files of an archive, one at a time, and where they are written."""
    opened, name = archive
    for file, each in files.items():
        with _unpacking(name):
            content = _content(opened, each)
        yield state / file, content


def _keep(state: Path, files: Iterable[str]) -> None:
    """Writes BEGUN: what there is of these files, and of the pictures of an index among them, which go when a kind is
    enrolled anew. What cannot be read is nothing that could be brought back."""
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
    """Yield what belongs to each index among files: its pictures as they are there, and what else was derived from
    them."""
    for name in filter(_is_index, files):
        folder = name.removesuffix(INDEX)
        yield from (f"{folder}{CHECKED}", f"{folder}{MEASURES}")
        with suppress(BadFile):
            yield from filter(_NAME.fullmatch, _name_text(name, read_index((state / name).parent)))


def _kept_of(opened: zipfile.ZipFile) -> tuple[_Files, tuple[str, ...]]:
    """Read what `_keep` wrote: files, and the names of those that were not there. All are unpacked once, so that a
    partly spoilt archive changes nothing. Raises one of _BROKEN."""
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
    """Turn errors of reading a damaged archive into BadFile."""
    try:
        yield
    except BadFile:
        raise
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        raise BadFile(name, Fault("", f"is no such archive: {quote(error)}", REMEDY)) from error


def _measure(archive: IO[bytes]) -> None:
    """Looks at an archive's end before anybody reads its directory: that takes memory and time for each entry, and a
    million of them fit into what a page may hand over. Raises ValueError."""
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
    """The files of an archive that the table can use, and what is wrong with others. Raises one of _BROKEN."""
    found = _list_files(opened)
    usable, faults = _judge_files(found, lambda file: _content(opened, found[file]), state, name)
    return {file: each for file, each in found.items() if file in usable}, faults


def _judge_files(
    files: Collection[str], content: Callable[[str], bytes], state: Path, where: Path | str
) -> tuple[frozenset[str], list[LeftOut]]:
    """Return which of these files the table can use, and what is wrong with others. An index with a missing or
    unreadable picture is useless, and so is a set without its index. where: of all, for errors."""
    from device.games import NotInstalled, decks  # with all that whoever only packs does not need

    games = cache(decks)  # read once, and only if there are cards
    faults = dict[str, LeftOut]()
    for file in sorted(files, key=_is_index):  # after its pictures
        try:
            named = _name_text(file, _look_through(file, content(file), where, games))
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
    """The files to be saved, in order."""
    for folder in FOLDERS:
        for path in sorted((state / folder).rglob("*")):
            if path.is_file() and _NAME.fullmatch(path.relative_to(state).as_posix()):
                yield path


def _list_files(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return its files by the names that the table gave them, before any of them is unpacked. Raises ValueError.

    What a computer added does not count, nor does one folder around everything: an archive that was unpacked and packed
    again holds the same files.
    """
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
    """One file, unpacked: so much is in memory at once. Raises one of _BROKEN."""
    with archive.open(listed) as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError("a file that is longer than it says")
    return content


def _look_through(
    name: str, content: bytes, archive: Path | str, games: Callable[[], Mapping[str, GameSpec]]
) -> Index | None:
    """Reads a file as the table will, so that nothing takes the place of a good one that would not be used. games: that
    have cards, by their file. The index, if it is one. Raises BadFile."""
    from device.games import check_deck
    from vision.pictures import decode
    from vision.recognition.check_round import checked_of
    from vision.recognition.measures import measures_of

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


def _name_text(name: str, index: Index | None) -> list[str]:
    """The pictures of an index, as files of the archive. name: the index's own."""
    folder = name.rpartition("/")[0]
    return [] if index is None else [f"{folder}/{each.file}" for each in index.references]
