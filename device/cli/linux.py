"""Says in one sentence that a command needs Linux, and what works elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import RefereeError

UNIX_MODULES = frozenset({"fcntl", "grp", "pwd", "resource", "termios"})
"""Modules of Python that Windows lacks."""


class NotLinuxError(RefereeError, OSError):
    """A command needs Linux, and this is another system."""

    def __init__(self, command: str) -> None:
        super().__init__(
            f"`referee {command}` needs Linux; on this system `referee print`, `referee verify` and the table in a "
            "browser's tab work"
        )


def require_linux(command: str) -> None:
    """Raise NotLinuxError on another system."""
    if not sys.platform.startswith("linux"):
        raise NotLinuxError(command)


@contextmanager
def explain_missing_modules(command: str) -> Iterator[None]:
    """Raise NotLinuxError instead of ModuleNotFoundError for a module that only Unix has."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in UNIX_MODULES:
            raise
        raise NotLinuxError(command) from error
