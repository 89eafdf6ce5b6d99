"""Socket addresses: ipc in a runtime directory that only the daemon's user may enter."""

from __future__ import annotations

import grp
import logging
import os
import socket
from pathlib import Path

from engine.errors import RefereeError
from vision.files import private_dir

_LONGEST_PATH = 100
"""Unix sockets have at most 107 bytes for their path."""


_log = logging.getLogger(__name__)


class EndpointError(RefereeError, OSError):
    """An endpoint cannot be used; the message says why and what to do."""


def runtime_dir(path: Path) -> Path:
    """Makes the directory, with mode 0700. Raises EndpointError if others may enter it or it cannot be made."""
    try:
        return private_dir(path)
    except OSError as error:
        raise EndpointError(f"runtime directory {path} cannot be used ({error}): set runtime_dir") from error


def socket_path(folder: Path, name: str) -> Path:
    """Return the path of a local socket. Raises EndpointError if it is too long for one."""
    path = folder / f"{name}.sock"
    if len(str(path)) > _LONGEST_PATH:
        raise EndpointError(f"{path} is too long for a socket: set a shorter runtime_dir")
    return path


def ipc(folder: Path, name: str) -> str:
    """The address of a local socket of ZeroMQ's. Raises EndpointError if the path is too long for one."""
    return f"ipc://{socket_path(folder, name)}"


def shared_folder(folder: Path, group: str) -> int | None:
    """The folder, closed to all but its owner and the group; its number, None if it is the owner's alone."""
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
    """A socket that is bound, and closed to all others before anybody can connect."""
    path.unlink(
        missing_ok=True
    )  # one that a killed daemon left: nobody else may be there (device/daemon/single_instance.py)
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
