"""Keeps a second referee from starting on the same sockets, pins, displays and journal."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from engine.errors import RefereeError


class AnotherReferee(RefereeError, OSError):
    """Another process already runs this table; the message names it and says what to do."""


@contextmanager
def alone(*folders: Path) -> Iterator[None]:
    """Lock these folders until the process ends; skip unwritable ones. Raises AnotherReferee."""
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
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.read(handle, 20).decode("ascii", "replace") or "unknown"
        raise AnotherReferee(
            f"process {holder} is this table's referee already ({folder}): "
            "stop it, or give this one a table file with folders of its own (runtime_dir, state_dir)"
        ) from error
    with suppress(OSError):  # without room the lock holds all the same, and has no name
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
