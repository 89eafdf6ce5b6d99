"""Keeps pictures of the mat at rest for whoever improves the recognition, if the table's owner wants it.

They show no hand and nothing beyond the mat, and stay in the state folder until `referee pictures` deletes them.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from device.journal import Archive
from engine.table import Observation
from vision.files import BadFile, read_json
from vision.messages import RestPicture

FOLDER = "pictures"

MOST = 2000
"""Pictures kept, of about 200 KB; the oldest go."""

ROOM = 500_000_000
"""Free bytes of the disk that are left for everything else."""

MODE = 0o600

_log = logging.getLogger(__name__)


class KeptPicture(msgspec.Struct, frozen=True):
    """The data beside a picture.

    match: its number in the journal, or None.
    entries: the match's number of entries then.
    seen: recognised by the camera.
    """

    match: int | None
    entries: int
    seen: Observation


class KeptPictures:
    """Writes pictures into the state folder."""

    def __init__(self, state: Path, journal: Archive) -> None:
        self._folder, self._journal = state / FOLDER, journal
        self._fault = ""

    def keep(self, rest: RestPicture) -> None:
        """Keep a picture, deleting the oldest beyond MOST; drop it if the disk is nearly full. Log faults, repeated
        ones once."""
        match = self._journal.current
        head = None if match is None else self._journal.stock.heads.get(match)
        try:
            self._write(rest.jpeg, KeptPicture(match, 0 if head is None else head.count, rest.seen))
        except OSError as error:
            self._report(f"no picture of the mat is kept: {error}")

    def _write(self, jpeg: bytes, kept: KeptPicture) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        if shutil.disk_usage(self._folder).free < ROOM:
            self._report("no picture of the mat is kept: the disk is nearly full")
            return
        before = pictures(self._folder.parent)
        for path in before[: max(0, len(before) + 1 - MOST)]:
            delete(path)
        number = int(before[-1].stem) + 1 if before else 1
        path = self._folder / f"{number:06d}.jpg"
        for file, data in ((path, jpeg), (path.with_suffix(".json"), msgspec.json.encode(kept))):
            file.touch(MODE)
            file.write_bytes(data)

    def _report(self, fault: str) -> None:
        if fault != self._fault:
            _log.error("%s", fault)
        self._fault = fault


def pictures(state: Path) -> tuple[Path, ...]:
    """Return a state folder's kept pictures, oldest first."""
    return tuple(sorted(path for path in (state / FOLDER).glob("*.jpg") if path.stem.isdecimal()))


def read_all(state: Path) -> Iterator[tuple[Path, KeptPicture]]:
    """Yield pictures with their data, oldest first, without those whose data can't be read."""
    for path in pictures(state):
        with suppress(BadFile):
            yield path, read_json(path.with_suffix(".json"), KeptPicture)


def delete(path: Path) -> None:
    """Delete a picture and its data."""
    path.unlink(missing_ok=True)
    path.with_suffix(".json").unlink(missing_ok=True)
