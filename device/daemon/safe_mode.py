"""Starts in safe mode after three failed starts, with shipped data and a new journal, leaving the owner's data
unchanged."""

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

TOLD = say("Safe mode after a failed start: original cards and options, matches kept. Switch off and on to retry.")
UNREADABLE = say("The table file cannot be read: the shipped one is used.")
UNSAVED = say("Safe mode: nothing is saved.")

_log = logging.getLogger(__name__)


def runtime_folder() -> Path:
    """Return the runtime folder when no table file names one; systemd sets the service's."""
    return Path(os.environ.get("RUNTIME_DIRECTORY") or TableSettings(NoCamera()).runtime_dir)


def shipped_table() -> TableSettings:
    """Return the shipped table file with the service's folders."""
    settings = load(template("two-seats"))
    state = Path(os.environ.get("STATE_DIRECTORY") or settings.state_dir)
    return msgspec.structs.replace(settings, runtime_dir=runtime_folder(), state_dir=state)


def open_journal(folder: Path, failed: int) -> Opened:
    """Open an empty journal, in memory after a failed safe mode. failed: number of failed starts."""
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
    """The daemon's start. start: None if not yet recorded. told: first messages for the displays."""

    table: TableSettings
    start: start_history.StartPlan | None = None
    told: tuple[Text, ...] = ()


def begin(path: Path, now: float) -> Begun:
    """Load the table file, or the shipped one after failed starts. Raises BadFile."""
    try:
        return Begun(load(path))
    except BadFile as error:
        start = start_history.begin(runtime_dir(runtime_folder()), now)
        if start.failed < start_history.FAILED:
            raise
        _log.error("%s; the table file that is shipped is taken", error)
        return Begun(shipped_table(), start, (UNREADABLE,))


def with_choices(begun: Begun) -> Begun:
    """Apply the owner's choices, except in safe mode."""
    if begun.start is not None and begun.start.safe:
        return begun
    return begun._replace(table=owner_settings.at_start(begun.table))
