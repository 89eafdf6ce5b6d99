"""Safe mode: after three failed starts the daemon starts on shipped data, with a journal of its own beside the old one.

What is wrong is then in a file of the owner: the table file or what was chosen over it, corrected cards, options that
were kept, a match that was interrupted. None of these is read in safe mode but the table file, if it can be, and none
is written. Every display says so, and what to do. The next start is a usual one again.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import NamedTuple

import msgspec

from device.bus.endpoints import runtime_dir
from device.daemon import start_history
from device.journal import Journal, JournalError
from device.journal.opening import Opened
from device.settings import load, owner_settings, template
from device.settings.table import NoCamera, TableSettings
from engine.text import Text, say
from vision.files import BadFile

TOLD = say("Safe mode, as starting failed: cards and options as shipped, matches are kept. Off and on tries again.")
UNREADABLE = say("The table file cannot be read: the shipped one is used.")
UNSAVED = say("Safe mode: nothing is saved.")

_log = logging.getLogger(__name__)


def runtime_folder() -> Path:
    """Return the folder for what a reboot may empty, if no table file says: systemd names the service's own."""
    return Path(os.environ.get("RUNTIME_DIRECTORY") or TableSettings(NoCamera()).runtime_dir)


def shipped_table() -> TableSettings:
    """The table file that is shipped, with the folders of the service."""
    settings = load(template("two-seats"))
    state = Path(os.environ.get("STATE_DIRECTORY") or settings.state_dir)
    return msgspec.structs.replace(settings, runtime_dir=runtime_folder(), state_dir=state)


def open_journal(folder: Path, failed: int) -> Opened:
    """A journal without an entry, beside those that are there; after safe mode has failed, too, in memory alone.

    failed: how many starts have failed.
    """
    if failed > start_history.FAILED:
        return Opened(Journal(), unsaved=UNSAVED)
    number = 1
    while (path := folder / f"journal-safe-{number}.db").exists():
        number += 1
    try:
        journal = Journal(path)
    except JournalError as error:
        _log.error("%s; until power-off nothing is saved", error)
        return Opened(Journal(), unsaved=error.unsaved)
    _log.warning("safe mode: matches go to %s; the others are kept as they are", path)
    return Opened(journal)


class Begun(NamedTuple):
    """What a daemon begins with. start: None if it is still to be noted. told: what its displays say first."""

    table: TableSettings
    start: start_history.StartPlan | None = None
    told: tuple[Text, ...] = ()


def begin(path: Path, now: float) -> Begun:
    """The table that a file describes; the shipped one, if that file made the last starts fail. Raises BadFile."""
    try:
        return Begun(load(path))
    except BadFile as error:
        start = start_history.begin(runtime_dir(runtime_folder()), now)
        if start.failed < start_history.FAILED:
            raise
        _log.error("%s; the table file that is shipped is taken", error)
        return Begun(shipped_table(), start, (UNREADABLE,))


def with_choices(begun: Begun) -> Begun:
    """The table with what its owner chose over the file; in safe mode as the file says."""
    if begun.start is not None and begun.start.safe:
        return begun
    return begun._replace(table=owner_settings.at_start(begun.table))
