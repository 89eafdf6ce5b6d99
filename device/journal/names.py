"""Notices when the files of an open journal are taken away or exchanged: what is written then has no name any more."""

from __future__ import annotations

from pathlib import Path

from device.journal.aside import LOG


class Names:
    """The files that a journal was opened with."""

    def __init__(self, path: Path) -> None:
        self._known: dict[Path, tuple[int, int]] = {}
        self._paths = (path, path.with_name(path.name + LOG))
        self.stand()

    def stand(self) -> bool:
        """Whether the names still lead to the files of this journal. Its log is known from when SQLite made it."""
        for path in self._paths:
            there = _identity(path)
            if there is not None:
                self._known.setdefault(path, there)
            if self._known.get(path) != there:
                return False
        return True


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
