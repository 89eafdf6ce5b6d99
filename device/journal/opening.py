"""Opens the journal at power-on, repairing or replacing it if needed."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from device.journal.errors import JournalDamaged, JournalError, JournalNewer
from device.journal.salvage import Gathered, gather, salvage
from device.journal.writing import Journal
from engine.text import Text, say

_log = logging.getLogger(__name__)


class Opened(msgspec.Struct, frozen=True):
    """The opened journal. mended: it was damaged. unsaved: why nothing is stored."""

    journal: Journal
    mended: Text | None = None
    unsaved: Text | None = None


def open_at_power_on(path: Path) -> Opened:
    """Return a journal in any case; log faults and report them for the displays."""
    try:
        return Opened(_proven(path))
    except JournalDamaged as error:
        return _repair(path, error)
    except JournalError as error:
        return _open_unsaved(path, error)


def _proven(path: Path) -> Journal:
    journal = Journal(path)
    try:
        journal.prove()
        journal.rest()
    except JournalError:
        journal.close()
        raise
    return journal


def _repair(path: Path, error: JournalDamaged) -> Opened:
    _log.error("%s", error)
    try:
        mended = salvage(path)
        journal = _proven(path)
    except JournalError as worse:
        return _open_unsaved(path, worse)
    found = mended.found
    _log.warning(
        "mended: %d entries of %d matches saved; the damaged file is kept as %s",
        found.entries,
        len(found.rows),
        mended.kept_as,
    )
    for match, count in found.lost.items():
        _log.error("%d entries of match %d are lost, after the first %d", count, match, found.saved_count(match))
    return Opened(journal, mended=_loss_text(found))


def _loss_text(found: Gathered) -> Text:
    if not found.lost:
        if found.certain:
            return say("The journal was damaged and repaired. Check the last move and the disk.")
        return say("The journal was damaged. The intact part is saved; check the disk.")
    (match, count), *others = found.lost.items()
    if not others and found.saved_count(match):
        return say(
            "Journal damaged. Match {match}: {count} entries lost. It continues after entry {kept}. Check the disk.",
            match=match,
            count=count,
            kept=found.saved_count(match),
        )
    return say(
        "Journal damaged. Matches {matches}: {count} entries lost. Check the disk.",
        matches=", ".join(map(str, found.lost)),
        count=sum(found.lost.values()),
    )


def _open_unsaved(path: Path, error: JournalError) -> Opened:
    _log.error("%s; until power-off nothing is saved", error)
    journal = Journal()
    try:
        found = gather(path) if not isinstance(error, JournalNewer) else None
        if found is not None and found.current is not None:
            journal.restore(found.rows[found.current], found.settings)
    except JournalError as worse:
        _log.error("what was recorded cannot be read either: %s", worse)
    return Opened(journal, unsaved=error.unsaved)
