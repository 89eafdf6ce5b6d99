"""Socket addresses: ipc in a runtime directory that only the daemon's user may enter."""

from __future__ import annotations

from pathlib import Path

from engine.errors import RefereeError
from vision.files import private_dir

_LONGEST_PATH = 100
"""Unix sockets have at most 107 bytes for their path."""


class EndpointError(RefereeError, OSError):
    """An endpoint cannot be used; the message says why and what to do."""


def runtime_dir(path: Path) -> Path:
    """Makes the directory, with mode 0700. Raises EndpointError if others may enter it or it cannot be made."""
    try:
        return private_dir(path)
    except OSError as error:
        raise EndpointError(f"runtime directory {path} cannot be used ({error}): set runtime_dir") from error


def socket_path(folder: Path, name: str) -> Path:
    """Where a local socket is. Raises EndpointError if the path is too long for one."""
    path = folder / f"{name}.sock"
    if len(str(path)) > _LONGEST_PATH:
        raise EndpointError(f"{path} is too long for a socket: set a shorter runtime_dir")
    return path


def ipc(folder: Path, name: str) -> str:
    """The address of a local socket of ZeroMQ's. Raises EndpointError if the path is too long for one."""
    return f"ipc://{socket_path(folder, name)}"
