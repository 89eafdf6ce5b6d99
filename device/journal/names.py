"""Notices when the files of an open journal are taken away or exchanged: what is written then has no name any more."""

from __future__ import annotations

import os
from pathlib import Path

from device.journal.aside import LOG


class Names:
    """The files that a journal was opened with."""

    def __init__(self, path: Path) -> None:
        self._known: dict[str, tuple[int, int]] = {}
        self._names = {ending: f"{path}{ending}" for ending in ("", LOG)}
        self.stand()

    def stand(self) -> bool:
        """Return True if the names still lead to the files of this journal. Its log counts once SQLite has made it."""
        for ending, name in self._names.items():
            there = _identity(name)
            if there != self._known.get(ending) and (there is None or self._known.setdefault(ending, there) != there):
                return False
        return True

    def strange(self) -> tuple[str, ...]:
        """Endings of names that lead to files of another journal."""
        there = {ending: _identity(name) for ending, name in self._names.items()}
        return tuple(ending for ending, found in there.items() if found not in (None, self._known.get(ending)))


def _identity(name: str) -> tuple[int, int] | None:
    try:
        found = os.stat(name)  # noqa: PTH116  # at every entry, and many times as fast
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
