"""Renames damaged journal files, and detects removed ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from device.journal.errors import JournalError
from device.journal.formats import INDEX, LOG, WITNESS, witness_of


def keep(path: Path, endings: Sequence[str] = (LOG, INDEX, WITNESS, "")) -> Path:
    """Link a journal's files to free names and return the journal's; safe against power cuts. Raises OSError."""
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
    """Replace a saved journal by a new, closed one."""
    new.replace(path)
    for ending in (LOG, INDEX, WITNESS):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    if witness_of(new).exists():
        witness_of(new).replace(witness_of(path))


def _free_name(path: Path) -> Path:
    for number in range(1, 1000):
        name = path.with_name(f"{path.name}.damaged-{number}")
        if not any(name.with_name(name.name + ending).exists() for ending in ("", LOG)):
            return name
    raise JournalError(f"{path.parent} holds a thousand damaged journals: move them away")


class Names:
    """The identity of an open journal's files."""

    def __init__(self, path: Path) -> None:
        self._known: dict[str, tuple[int, int]] = {}
        self._names = {ending: f"{path}{ending}" for ending in ("", LOG)}
        self.stand()

    def stand(self) -> bool:
        """Return True if the names still belong to these files."""
        for ending, name in self._names.items():
            there = _identity(name)
            if there != self._known.get(ending) and (there is None or self._known.setdefault(ending, there) != there):
                return False
        return True

    def strange(self) -> tuple[str, ...]:
        """Return endings of names that now belong to another journal's files."""
        there = {ending: _identity(name) for ending, name in self._names.items()}
        return tuple(ending for ending, found in there.items() if found not in (None, self._known.get(ending)))


def _identity(name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name)  # noqa: PTH116  # at every entry, and many times as fast
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
