"""Makes local sockets in a private runtime folder, and writes to them without blocking.

A lock on its folders keeps a second referee out.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from engine.errors import RefereeError
from vision.files import private_dir

_LONGEST_PATH = 100
"""Longest socket path; the system's limit is 107 bytes."""


_log = logging.getLogger(__name__)


class EndpointError(RefereeError, OSError):
    """An endpoint can't be used."""


def runtime_dir(path: Path) -> Path:
    """Make the folder, or restrict it to its owner; return its path. Raises EndpointError."""
    try:
        return private_dir(path)
    except OSError as error:
        raise EndpointError(f"runtime directory {path} cannot be used ({error}): set runtime_dir") from error


def socket_path(folder: Path, name: str) -> Path:
    """Return a socket's path. Raises EndpointError if too long."""
    path = folder / f"{name}.sock"
    if len(str(path)) > _LONGEST_PATH:
        raise EndpointError(f"{path} is too long for a socket: set a shorter runtime_dir")
    return path


def ipc(folder: Path, name: str) -> str:
    """Return a ZeroMQ address. Raises EndpointError if too long."""
    return f"ipc://{socket_path(folder, name)}"


def shared_folder(folder: Path, group: str) -> int | None:
    """Make a folder for owner and group; return the group's number, None without a group or, logged, if it can't have
    the folder. Raises OSError."""
    import grp

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        number = grp.getgrnam(group).gr_gid if group else None
        if number is not None:
            os.chown(folder, -1, number)
    except (KeyError, OSError) as error:
        _log.warning("only this user has sockets there: the group %s cannot be given %s (%s)", group, folder, error)
        number = None
    folder.chmod(0o700 if number is None else 0o710)
    return number


def bind(path: Path, group: int | None) -> socket.socket:
    """Return a socket bound for owner and group, replacing a file; nobody can connect yet. Raises OSError."""
    path.unlink(missing_ok=True)  # a killed daemon's: `alone` keeps others out
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        opened.bind(str(path))
        if group is not None:
            os.chown(path, -1, group)
        path.chmod(0o600 if group is None else 0o660)
    except OSError:
        opened.close()
        raise
    return opened


HIGH = 1 << 18
"""Bytes buffered before `pause_writing`."""


class Connection(asyncio.Protocol):
    """A connection; subclasses handle a slow peer in `pause_writing`."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        """None while not connected."""

    def write(self, data: bytes) -> None:
        """Queue data; ignore it without a connection."""
        if self._transport is not None and data:
            self._transport.write(data)

    def cut(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # Calls of asyncio.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=HIGH)

    def connection_lost(self, _exc: Exception | None) -> None:
        self._transport = None


class AnotherReferee(RefereeError, OSError):
    """Another process, which the message names, already runs this table."""

    def __init__(self, holder: str, folder: Path) -> None:
        super().__init__(
            f"process {holder} is this table's referee already ({folder}): "
            "stop it, or give this one a table file with folders of its own (runtime_dir, state_dir)"
        )
        self.holder = holder


@contextmanager
def alone(*folders: Path) -> Iterator[None]:
    """Keep folders locked, except unwritable ones. Raises AnotherReferee."""
    with ExitStack() as held:
        for folder in folders:
            try:
                handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError:
                continue
            held.callback(os.close, handle)
            _lock(handle, folder)
        yield


def _lock(handle: int, folder: Path) -> None:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.read(handle, 20).decode("ascii", "replace") or "unknown"
        raise AnotherReferee(holder, folder) from error
    with suppress(OSError):  # on a full disk the lock holds without a name
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
