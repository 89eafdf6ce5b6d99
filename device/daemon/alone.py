"""One referee a table: a second one would take the first one's sockets, pins and displays away from it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import RefereeError


class AnotherReferee(RefereeError, OSError):
    """The table has its referee; the message says which process it is and what to do."""


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Holds the runtime directory; the lock goes with the process, however it ends. Raises AnotherReferee."""
    with (folder / "lock").open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            raise AnotherReferee(
                f"process {file.read().strip() or 'unknown'} is this table's referee already ({folder}): "
                "stop it, or give this one a table file with another runtime_dir"
            ) from error
        with suppress(OSError):  # without room the lock holds all the same, and has no name
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), str(os.getpid()).encode())
        yield
