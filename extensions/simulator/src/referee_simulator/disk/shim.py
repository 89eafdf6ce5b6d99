"""Controls this process's simulated disk, if started under `interposer.c`. All file calls of one folder pass it,
SQLite's included."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import IntFlag
from functools import cache
from pathlib import Path

from engine.errors import RefereeError
from vision.files import private_dir

SOURCE = Path(__file__).with_name("interposer.c")
MOST_CALLS = 1 << 40


class NoCompiler(RefereeError, OSError):
    """The simulated disk cannot be built."""


class Calls(IntFlag):
    """Kinds of calls, as in `interposer.c`. SIZE: truncate, extend. NAME: rename, remove, make folders."""

    OPEN = 1
    READ = 2
    WRITE = 4
    SYNC = 8
    NAME = 16
    SIZE = 32
    ANY = 63


@cache
def build_library() -> Path:
    """Return the interposer library, compiled once into the user's cache. Raises NoCompiler."""
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "table-referee"
    path = kept / f"disk-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]}.so"
    if path.exists():
        return path
    compiler = next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)
    if compiler is None:
        raise NoCompiler("the simulated disk needs a C compiler: sudo apt install gcc libc6-dev")
    try:
        private_dir(kept)
        with tempfile.TemporaryDirectory(dir=kept) as folder:
            made = Path(folder) / path.name
            command = (compiler, "-O2", "-shared", "-fPIC", "-o", str(made), str(SOURCE))
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NoCompiler(f"{SOURCE} is not compiled by {compiler}: {done.stderr.strip()[-400:]}")
            made.replace(path)
    except OSError as error:
        if isinstance(error, NoCompiler):
            raise
        raise NoCompiler(f"the simulated disk cannot be kept in {kept}: {error.strerror}") from error
    return path


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a process with a simulated disk. Raises NoCompiler."""
    others = [path for path in os.environ.get("LD_PRELOAD", "").split(":") if path and path != str(build_library())]
    return {**os.environ, "LD_PRELOAD": ":".join((str(build_library()), *others)), **(more or {})}


def start_over() -> None:
    """Restart this program with a simulated disk, if it has none. Raises NoCompiler."""
    if not is_loaded():
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment())


def is_loaded() -> bool:
    return hasattr(_library(), "disk_watch")


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


class Disk:
    """A folder on the simulated disk, one per process. Raises RefereeError without such a disk, OSError if the record
    cannot be written.

    record: file for its calls, outside the folder"""

    def __init__(self, folder: Path, record: Path | None = None) -> None:
        if not is_loaded():
            raise RefereeError("this process was not started with a simulated disk")
        self.folder, self._library = folder.resolve(), _library()
        for name in ("disk_calls", "disk_records", "disk_recorded"):
            getattr(self._library, name).restype = ctypes.c_long
        log = None if record is None else os.fsencode(record)
        if self._library.disk_watch(os.fsencode(self.folder), log):
            raise OSError(errno.EIO, "the record of the simulated disk cannot be written", str(record))

    @property
    def calls(self) -> int:
        """File calls of the folder; of all files after `kill`."""
        return int(self._library.disk_calls())

    @property
    def records(self) -> int:
        """Number of recorded calls."""
        return int(self._library.disk_records())

    @property
    def recorded(self) -> int:
        """Bytes of the record."""
        return int(self._library.disk_recorded())

    def fail(self, error: int, kinds: Calls = Calls.ANY, *, after: int = 0, times: int = MOST_CALLS) -> None:
        """Let `after` more calls pass, then fail `times` calls of these kinds with the errno `error`."""
        start = ctypes.c_long(self.calls + 1 + after)
        self._library.disk_fail(start, ctypes.c_long(times), ctypes.c_int(error), ctypes.c_int(int(kinds)))

    def fill(self, full: bool = True) -> None:
        """Fill or free the disk. A full one still allows overwriting."""
        self._library.disk_full(ctypes.c_int(full))

    def spoil(self, path: Path, start: int, size: int = 512) -> None:
        """Make bytes of an existing file unreadable."""
        self._library.disk_bad(os.fsencode(path), ctypes.c_long(start), ctypes.c_long(start + size))

    def kill(self, after: int) -> None:
        self._library.disk_everything(ctypes.c_int(True))
        self._library.disk_kill(ctypes.c_long(self.calls + 1 + after))

    def heal(self) -> None:
        self._library.disk_heal()

    def close(self) -> None:
        self._library.disk_leave()


@contextmanager
def watch_folder(folder: Path, record: Path | None = None) -> Iterator[Disk]:
    """Put a folder on the simulated disk meanwhile. Raises as `Disk`."""
    disk = Disk(folder, record)
    try:
        yield disk
    finally:
        disk.close()
