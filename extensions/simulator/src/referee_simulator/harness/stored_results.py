"""Stores results of a long run as they come, so that it can resume. A folder serves one code state and plan."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

import device
from device.resources import folders
from engine.errors import RefereeError
from referee_simulator.harness.processes import spread

T = TypeVar("T")
S = TypeVar("S")
R = TypeVar("R", bound=msgspec.Struct)

OnProgress: TypeAlias = Callable[[int, int], None]

SOURCES = (".py", ".c", ".toml", ".json", ".po")


class OtherRun(RefereeError, ValueError):
    """A folder holds other results."""


def no_progress(_done: int, _of: int) -> None:
    """Ignore progress."""


class Begun(msgspec.Struct, frozen=True):
    """Code state and plan (JSON) of stored results."""

    code: str
    plan: str


class StoredResults(Generic[S]):
    """A plan's results by number. done: stored ones."""

    def __init__(self, folder: Path | None, plan: object, kind: type[S]) -> None:
        """folder: None stores nothing. plan: encodable by msgspec. Raises OtherRun for another plan or code state,
        OSError if unusable."""
        self.done: dict[int, S] = {}
        self._path = None if folder is None else folder / "results.jsonl"
        if self._path is None:
            return
        begun = Begun(code(), msgspec.json.encode(plan, order="deterministic").decode())
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists() and not _is_torn(self._path, begun):
            self._read(self._path, begun, kind)
        else:
            self._path.write_bytes(b"")
            self._write(begun)

    def add(self, number: int, result: S) -> None:
        self.done[number] = result
        self._write((number, result))

    def _write(self, line: object) -> None:
        if self._path is None:
            return
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self, path: Path, begun: Begun, kind: type[S]) -> None:
        first, *lines = path.read_bytes().split(b"\n")
        try:
            before = msgspec.json.decode(first, type=Begun)
        except msgspec.DecodeError as error:
            raise OtherRun(f"{path} is not of such a run: name a new folder") from error
        if before != begun:
            what = "another plan" if before.code == begun.code else "another state of the code"
            raise OtherRun(f"{path} holds results of {what}: name a new folder, or remove this one")
        whole = path.stat().st_size - len(lines[-1] if lines else first)
        for line in lines[:-1]:
            number, result = msgspec.json.decode(line, type=tuple[int, kind])  # type: ignore[valid-type]
            self.done[number] = result
        os.truncate(path, whole)  # drops a line that was broken off


def _is_torn(path: Path, begun: Begun) -> bool:
    """Return True if a run was killed while it wrote its first line."""
    data = path.read_bytes()
    return b"\n" not in data and msgspec.json.encode(begun).startswith(data)


def carried_on(
    play: Callable[[T], S],
    tasks: Mapping[int, T],
    jobs: int,
    kept: StoredResults[S],
    progress: OnProgress,
) -> dict[int, S]:
    """Play tasks without a stored result, and store theirs; return all results by number."""
    left = {number: task for number, task in tasks.items() if number not in kept.done}
    progress(len(tasks) - len(left), len(tasks))
    for number, result in spread(play, left, jobs) if left else _nothing():
        kept.add(number, result)
        progress(len(kept.done), len(tasks))
    return {number: kept.done[number] for number in sorted(tasks)}


def total(results: Iterable[R], nothing: R) -> R:
    """Sum results by field: add numbers and tables, concatenate others."""
    found = nothing
    for result in results:
        fields = (field.name for field in msgspec.structs.fields(found))
        found = msgspec.structs.replace(found, **{n: _sum(getattr(found, n), getattr(result, n)) for n in fields})
    return found


def _sum(one: Any, other: Any) -> Any:
    if isinstance(one, dict):
        return dict(sorted((Counter(one) + Counter(other)).items()))
    return round(one + other, 3) if isinstance(one, float) else one + other


def _nothing() -> Generator[tuple[int, S], None, None]:
    yield from ()


SOURCE_FOLDERS = ("engine", "vision", "device", "extensions", "tools")


@cache
def code() -> str:
    found = hashlib.sha256()
    packages = [Path(device.__file__).parents[1] / name for name in SOURCE_FOLDERS]
    for folder in (*packages, *folders()):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in SOURCES):
            found.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]
