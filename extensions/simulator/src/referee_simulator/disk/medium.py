"""Contents of a simulated disk after a power cut: synced data, and part of the rest.

As strict as POSIX, as lenient as ext4 and f2fs:

- Data survives up to its file's last fsync or fdatasync.
- Names (made, renamed, removed) survive up to the folder's last fsync. Later ones may survive, in order only, as with a
  journaling file system.
- A name may survive without its data, so files are synced before a rename."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

import msgspec

SECTOR = 512
"""Bytes written atomically."""


class Loss(StrEnum):
    ALL = "all"  # nothing unsynced
    SUBSET = "subset"  # any of the writes
    REORDERED = "reordered"  # any of the writes, later ones first
    TORN = "torn"  # the first ones, and some sectors of the next
    SIZE = "size"  # new sizes, with zeros where data was added
    NAMES = "names"  # every name, no unsynced data


class Call(msgspec.Struct, frozen=True):
    """A recorded call.

    what: O(pened), C(losed), W(ritten), T(runcated), S(ynced), R(enamed), U(nlinked), M(ade folder)
    at: position or size; for O: 1 made, 2 emptied
    data: written, or the new name
    ends: bytes of the record so far"""

    what: str
    handle: int
    at: int
    path: str
    data: bytes
    ends: int


HEADER = 24


def calls(record: bytes) -> Iterator[Call]:
    place = 0
    while place + HEADER <= len(record):
        what = chr(int.from_bytes(record[place : place + 4], "little"))
        handle = int.from_bytes(record[place + 4 : place + 8], "little", signed=True)
        at = int.from_bytes(record[place + 8 : place + 16], "little", signed=True)
        one = int.from_bytes(record[place + 16 : place + 20], "little")
        two = int.from_bytes(record[place + 20 : place + 24], "little")
        start, place = place + HEADER, place + HEADER + one + two
        if place > len(record):
            return
        first, second = record[start : start + one], record[start + one : place]
        if what == "W":
            yield Call(what, handle, at, "", first, place)
        else:
            yield Call(what, handle, at, first.decode("utf-8", "surrogateescape"), second, place)


class Write(msgspec.Struct, frozen=True):
    at: int
    data: bytes | None


class File:
    """A nameless file: synced bytes, and writes since."""

    def __init__(self, synced: bytes = b"") -> None:
        self.synced, self.writes = synced, list[Write]()

    def sync(self) -> None:
        self.synced, self.writes = apply_writes(self.synced, self.writes), []


def apply_writes(before: bytes, writes: Sequence[Write]) -> bytes:
    data = bytearray(before)
    for write in writes:
        if write.data is None:
            del data[write.at :]
            data.extend(bytes(write.at - len(data)))
        else:
            data.extend(bytes(max(0, write.at - len(data))))
            data[write.at : write.at + len(write.data)] = write.data
    return bytes(data)


Names: TypeAlias = "dict[str, File | None]"
"""Files by relative path; None is a folder."""


class Naming(msgspec.Struct, frozen=True):
    """A change from `old` to `new` name; "" is none. along: changes of a folder's contents."""

    old: str = ""
    new: str = ""
    file: File | None = None
    along: tuple[Naming, ...] = ()


class Medium:
    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        """files: synced initial contents by relative path."""
        self._synced: Names = {path: File(data) for path, data in (files or {}).items()}
        for path in list(self._synced):
            self._synced |= {str(parent): None for parent in list(Path(path).parents)[:-1]}
        self._names: Names = dict(self._synced)
        self._changes: list[Naming] = []
        self._open: dict[int, tuple[str, File | None]] = {}

    def take(self, call: Call) -> None:
        """Apply a call."""
        match call.what:
            case "O":
                self._note_open(call)
            case "C":
                self._open.pop(call.handle, None)
            case "W" | "T":
                _, file = self._open[call.handle]
                if file is not None:
                    file.writes.append(Write(call.at, call.data if call.what == "W" else None))
            case "S":
                self._sync(*self._open[call.handle])
            case "R":
                self._rename(call.path, call.data.decode("utf-8", "surrogateescape"))
            case "U":
                self._change(Naming(old=call.path))
            case "M":
                self._change(Naming(new=call.path))

    def now(self) -> Names:
        return {path: file and File(apply_writes(file.synced, file.writes)) for path, file in self._names.items()}

    def contents_left(self, loss: Loss, dice: random.Random) -> Names:
        """Return the contents after a power cut now."""
        kept = {Loss.ALL: 0, Loss.NAMES: len(self._changes)}.get(loss, dice.randint(0, len(self._changes)))
        names = dict(self._synced)
        for change in self._changes[:kept]:
            _apply(names, change)
        return {path: file and File(_file_left(file, loss, dice)) for path, file in names.items()}

    def _note_open(self, call: Call) -> None:
        path = call.path
        if call.at & 1:
            self._change(Naming(new=path, file=File()))
        file = self._names.get(path)
        if file is not None and call.at & 2:
            file.writes.append(Write(0, None))
        self._open[call.handle] = path, file

    def _rename(self, old: str, new: str) -> None:
        inside = [path for path in self._names if path.startswith(f"{old}/")]
        along = tuple(Naming(path, new + path[len(old) :], self._names[path]) for path in inside)
        self._change(Naming(old, new, self._names[old], along))

    def _change(self, change: Naming) -> None:
        _apply(self._names, change)
        self._changes.append(change)

    def _sync(self, path: str, file: File | None) -> None:
        if file is not None:
            file.sync()
            return
        last = max((n for n, each in enumerate(self._changes, 1) if _inside(path, each)), default=0)
        for change in self._changes[:last]:  # with it everything that came before
            _apply(self._synced, change)
        del self._changes[:last]


def _apply(names: Names, change: Naming) -> None:
    if change.old:
        names.pop(change.old, None)
    if change.new:
        names[change.new] = change.file
    for each in change.along:
        _apply(names, each)


def _inside(folder: str, change: Naming) -> bool:
    return folder in {str(Path(name).parent) if "/" in name else "" for name in (change.old, change.new) if name}


def _file_left(file: File, loss: Loss, dice: random.Random) -> bytes:
    writes = file.writes
    match loss:
        case Loss.SUBSET | Loss.REORDERED:
            some = [write for write in writes if dice.random() < 0.5]
            return apply_writes(file.synced, some if loss is Loss.SUBSET else some[::-1])
        case Loss.TORN if writes:
            whole = dice.randrange(len(writes))
            return apply_writes(file.synced, [*writes[:whole], *_tear(writes[whole], dice)])
        case Loss.SIZE:
            size = len(apply_writes(file.synced, writes))
            return apply_writes(file.synced, [Write(size, None)])
        case _:
            return file.synced


def _tear(write: Write, dice: random.Random) -> Iterator[Write]:
    if write.data is None:
        return
    start = write.at
    while start < write.at + len(write.data):
        end = min((start // SECTOR + 1) * SECTOR, write.at + len(write.data))
        if dice.random() < 0.5:
            yield Write(start, write.data[start - write.at : end - write.at])
        start = end


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def lay(names: Names, folder: Path) -> None:
    for path in sorted(path for path, file in names.items() if file is None):
        (folder / path).mkdir(parents=True, exist_ok=True)
    for path, file in names.items():
        if file is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(file.synced)
