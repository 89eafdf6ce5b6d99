"""Notices when the files of an open journal are taken away or exchanged: what is written then has no name any more."""

from __future__ import annotations

from pathlib import Path

from device.journal.aside import LOG


class Names:
    """The files that a journal was opened with."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, tuple[int, int]] = {}
        self.stand()

    def stand(self) -> bool:
        """Whether the names still lead to the files of this journal. Its log is known from when SQLite made it."""
        for ending in ("", LOG):
            there = _identity(self._path, ending)
            if there is not None:
                self._known.setdefault(ending, there)
            if self._known.get(ending) != there:
                return False
        return True

    def strange(self) -> tuple[str, ...]:
        """Endings of names that lead to files of another journal."""
        there = {ending: _identity(self._path, ending) for ending in ("", LOG)}
        return tuple(ending for ending, found in there.items() if found not in (None, self._known.get(ending)))


def _identity(path: Path, ending: str) -> tuple[int, int] | None:
    try:
        found = path.with_name(path.name + ending).stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
