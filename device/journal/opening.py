"""Opens the journal at power-on: repairs a damaged one; if none can be written, one lasts until power-off.

The table is never dark for want of a disk. What was recorded can often still be read, so an interrupted match goes on.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from device.journal.errors import JournalDamaged, JournalError
from device.journal.reading import Archive
from device.journal.salvage import salvage
from device.journal.writing import Journal
from engine.text import Text, say

_log = logging.getLogger(__name__)


class Opened(msgspec.Struct, frozen=True):
    """A journal to play with. mended: it was damaged. unsaved: nothing outlasts power-off, and why."""

    journal: Journal
    mended: Text | None = None
    unsaved: Text | None = None


def open_at_power_on(path: Path) -> Opened:
    """A journal in any case; what is wrong is logged, and in the answer for the displays."""
    try:
        return Opened(_proven(path))
    except JournalDamaged as error:
        return _mended(path, error)
    except JournalError as error:
        return _unsaved(path, error)


def _proven(path: Path) -> Journal:
    journal = Journal(path)
    try:
        journal.prove()
    except JournalError:
        journal.close()
        raise
    return journal


def _mended(path: Path, error: JournalDamaged) -> Opened:
    _log.error("%s", error)
    try:
        found = salvage(path)
        journal = _proven(path)
    except JournalError as worse:
        return _unsaved(path, worse)
    _log.warning(
        "mended: %d entries of %d matches saved, %d not whole; the damaged file is kept as %s",
        found.entries,
        found.matches,
        found.damaged,
        found.kept_as,
    )
    return Opened(journal, mended=say("The journal was damaged. What was whole of it is saved; check the disk."))


def _unsaved(path: Path, error: JournalError) -> Opened:
    _log.error("%s; until power-off nothing is saved", error)
    journal = Journal()
    try:
        with Archive(path) as archive:
            rows = archive.rows(archive.current) if archive.current is not None else ()
            journal.restore(rows, archive.settings())
    except JournalError as worse:
        _log.error("what was recorded cannot be read either: %s", worse)
    return Opened(journal, unsaved=error.unsaved)
