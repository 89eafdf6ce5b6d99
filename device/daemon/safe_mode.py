"""Records starts and starts in safe mode after three failed ones, with shipped data and a new journal.

Too frequent starts wait; a reboot clears the record. The owner's data stays unchanged.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from device.bus.endpoints import EndpointError, runtime_dir
from device.journal import Journal, JournalError
from device.journal.opening import Opened
from device.settings import DEFAULT_TABLE, load, owner_settings, template
from device.settings.table import NoCamera, TableSettings
from engine.text import Text, say
from vision.files import BadFile, read_json, write_whole

WINDOW_S = 300.0
FREE = 6
"""Starts within the window without a wait."""

FIRST_S, LONGEST_S = 2.0, 60.0
FAILED = 3
"""Failed starts within the window before safe mode."""

STEADY_S = 60.0
"""Seconds of running that make a start good and clear earlier failures."""


class StartPlan(NamedTuple):
    """A start's plan. at: its beginning. pause_s: seconds to wait. failed: failures before it."""

    at: float
    pause_s: float
    failed: int

    @property
    def safe(self) -> bool:
        return self.failed >= FAILED


class _Notes(msgspec.Struct, frozen=True):
    starts: tuple[float, ...] = ()
    failed: tuple[float, ...] = ()


def pause_s(starts: Sequence[float], now: float) -> float:
    """Return the seconds to wait at `now`, after these starts."""
    recent = sum(now - WINDOW_S < start <= now for start in starts)
    return 0.0 if recent < FREE else min(FIRST_S * 2 ** (recent - FREE), LONGEST_S)


def record_start(folder: Path, now: float) -> StartPlan:
    """Record a start as failed until `record_ready`, and return its plan. Ignore file errors."""
    before = _read(folder)
    starts, failed = (tuple(at for at in each if now - WINDOW_S < at <= now) for each in (before.starts, before.failed))
    _write(folder, _Notes((*starts, now), (*failed, now)))
    return StartPlan(now, pause_s(starts, now), len(failed))


def record_ready(folder: Path, start: StartPlan) -> None:
    """Record that all was built, so the start succeeded."""
    notes = _read(folder)
    _write(folder, msgspec.structs.replace(notes, failed=tuple(at for at in notes.failed if at != start.at)))


def clear_failures(folder: Path) -> None:
    """Clear the failures, after a run of `STEADY_S`."""
    _write(folder, msgspec.structs.replace(_read(folder), failed=()))


def note_broken(folder: Path, start: StartPlan) -> None:
    """Record a fault soon after `record_ready` as a failure."""
    notes = _read(folder)
    _write(folder, msgspec.structs.replace(notes, failed=(*notes.failed, start.at)))


def clear_starts(folder: Path) -> None:
    """Delete the record, after a requested stop. Ignore file errors."""
    with suppress(OSError):
        _path(folder).unlink(missing_ok=True)


def _path(folder: Path) -> Path:
    return folder / "starts.json"


def _read(folder: Path) -> _Notes:
    try:
        return read_json(_path(folder), _Notes)
    except BadFile:
        return _Notes()


def _write(folder: Path, notes: _Notes) -> None:
    with suppress(OSError):
        write_whole(_path(folder), msgspec.json.encode(notes))


TOLD = say("Safe mode after a failed start: original cards and options, matches kept. Switch off and on to retry.")
UNREADABLE = say("The table file cannot be read: the shipped one is used.")
UNSAVED = say("Safe mode: nothing is saved.")

_log = logging.getLogger(__name__)


def runtime_folder() -> Path:
    """Return the runtime folder without a table file; systemd sets the service's."""
    return Path(os.environ.get("RUNTIME_DIRECTORY") or TableSettings(NoCamera()).runtime_dir)


def shipped_table() -> TableSettings:
    """Return the shipped table file with the service's folders."""
    settings = load(template("two-seats"))
    state = Path(os.environ.get("STATE_DIRECTORY") or settings.state_dir)
    return msgspec.structs.replace(settings, runtime_dir=runtime_folder(), state_dir=state)


def open_journal(folder: Path, failed: int) -> Opened:
    """Open safe mode's empty journal: a new file; memory, if that fails or safe mode has failed, too."""
    if failed > FAILED:
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
    """The daemon's start. start: None if not yet recorded. told: first messages for the displays. file: the table
    file."""

    table: TableSettings
    start: StartPlan | None = None
    told: tuple[Text, ...] = ()
    file: Path = DEFAULT_TABLE


def begin(path: Path, now: float) -> Begun:
    """Load the table file. If it is bad, record a failed start and raise BadFile; after FAILED such starts load the
    shipped one."""
    try:
        return Begun(load(path), file=path)
    except BadFile as error:
        try:
            start = record_start(runtime_dir(runtime_folder()), now)
        except EndpointError:  # of somebody who is not root: what is wrong is the table file
            raise error from None
        if start.failed < FAILED:
            raise
        _log.error("%s; the table file that is shipped is taken", error)
        return Begun(shipped_table(), start, (UNREADABLE,))


def with_choices(begun: Begun) -> Begun:
    """Return the start with the owner's choices, which are logged; unchanged in safe mode."""
    if begun.start is not None and begun.start.safe:
        return begun
    return begun._replace(table=owner_settings.at_start(begun.table))
