"""Keeps the files of a journal that something is wrong with, under names that nothing else uses."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from device.journal.errors import JournalError

LOG, INDEX, WITNESS = "-wal", "-shm", "-witness"
"""What lies beside a journal: SQLite's log of writes and its index, and the witness."""


def keep(path: Path, endings: Sequence[str] = (LOG, INDEX, WITNESS, "")) -> Path:
    """Gives the files of a journal second names and returns the journal's. What is in them stays where it is, so that a
    power cut leaves either nothing or all of it behind. Raises OSError."""
    name = _free_name(path)
    for ending in endings:
        part, second = path.with_name(path.name + ending), name.with_name(name.name + ending)
        if not part.exists():
            continue
        try:
            os.link(part, second)
        except OSError:  # a file system without second names
            shutil.copyfile(part, second)
            second.chmod(0o600)
    return name


def replace(path: Path, new: Path) -> None:
    """Puts a new journal, which is closed, in the place of one that was kept. A log that is left over for a moment, if
    the power fails right here, makes a journal that does not fit together: then it is mended once more."""
    new.replace(path)
    for ending in (LOG, INDEX, WITNESS):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    second = new.with_name(new.name + WITNESS)
    if second.exists():
        second.replace(path.with_name(path.name + WITNESS))


def _free_name(path: Path) -> Path:
    for number in range(1, 1000):
        name = path.with_name(f"{path.name}.damaged-{number}")
        if not any(name.with_name(name.name + ending).exists() for ending in ("", LOG)):
            return name
    raise JournalError(f"{path.parent} holds a thousand damaged journals: move them away")
