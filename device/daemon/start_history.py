"""Notes how the daemon's starts end: those that follow one another too fast wait, and after three failed ones the next
begins in safe mode (device/daemon/safe_mode.py).

The service manager restarts after a fixed time (its own back-off is younger than Bookworm's), so a table whose wiring
is broken would start for ever at full speed. The notes are kept in the runtime directory, which a reboot empties.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from vision.files import BadFile, read_json

WINDOW_S = 300.0
FREE = 6
"""Starts within the window that wait for nothing."""

FIRST_S, LONGEST_S = 2.0, 60.0
FAILED = 3
"""So many failed starts within the window, and the next begins in safe mode."""

STEADY_S = 60.0
"""A start whose loops went on for so long is a good one: it makes up for those before."""


class StartPlan(NamedTuple):
    """What a start has to do first. at: when it began; pause_s: to wait; failed: how many before it failed."""

    at: float
    pause_s: float
    failed: int

    @property
    def safe(self) -> bool:
        """Return True if it begins in safe mode."""
        return self.failed >= FAILED


class _Notes(msgspec.Struct, frozen=True):
    """When the daemon was started within the window, and which of these starts failed, or have not got ready yet."""

    starts: tuple[float, ...] = ()
    failed: tuple[float, ...] = ()


def pause(starts: Sequence[float], now: float) -> float:
    """Seconds to wait before a start at `now`, after those at `starts`."""
    recent = sum(now - WINDOW_S < start <= now for start in starts)
    return 0.0 if recent < FREE else min(FIRST_S * 2 ** (recent - FREE), LONGEST_S)


def begin(folder: Path, now: float) -> StartPlan:
    """Notes a start, as failed until it is `ready`. What cannot be read or written counts as no start."""
    before = _read(folder)
    starts, failed = (tuple(at for at in each if now - WINDOW_S < at <= now) for each in (before.starts, before.failed))
    _write(folder, _Notes((*starts, now), (*failed, now)))
    return StartPlan(now, pause(starts, now), len(failed))


def ready(folder: Path, start: StartPlan) -> None:
    """Everything was built: whoever kills the daemon from now on, it did not fail to start."""
    notes = _read(folder)
    _write(folder, msgspec.structs.replace(notes, failed=tuple(at for at in notes.failed if at != start.at)))


def steady(folder: Path) -> None:
    """The loops have gone on for `STEADY_S`: what failed before no longer counts."""
    _write(folder, msgspec.structs.replace(_read(folder), failed=()))


def note_broken(folder: Path, start: StartPlan) -> None:
    """Note that a fault ended a start soon after it was ready: it has failed after all."""
    notes = _read(folder)
    _write(folder, msgspec.structs.replace(notes, failed=(*notes.failed, start.at)))


def end(folder: Path) -> None:
    """Note that the daemon was told to stop: the next start waits for nothing, and earlier failures no longer count."""
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
    """Whole, whenever a kill comes; a power cut empties the folder anyway."""
    draft = _path(folder).with_suffix(".new")
    with suppress(OSError):
        draft.write_bytes(msgspec.json.encode(notes))
        draft.replace(_path(folder))
