"""Records starts of the daemon: too frequent ones have to wait, and three failures cause safe mode. A reboot clears the
record."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from vision.files import BadFile, read_json

WINDOW_S = 300.0
FREE = 6
"""Starts within the window without a wait."""

FIRST_S, LONGEST_S = 2.0, 60.0
FAILED = 3
"""Failed starts within the window before safe mode."""

STEADY_S = 60.0
"""Seconds of running that make a start good and clear earlier failures."""


class StartPlan(NamedTuple):
    """A start's plan. at: when it began. pause_s: seconds to wait. failed: failures before it."""

    at: float
    pause_s: float
    failed: int

    @property
    def safe(self) -> bool:
        """True if it starts in safe mode."""
        return self.failed >= FAILED


class _Notes(msgspec.Struct, frozen=True):
    starts: tuple[float, ...] = ()
    failed: tuple[float, ...] = ()


def pause(starts: Sequence[float], now: float) -> float:
    """Return the seconds to wait at `now`, after these starts."""
    recent = sum(now - WINDOW_S < start <= now for start in starts)
    return 0.0 if recent < FREE else min(FIRST_S * 2 ** (recent - FREE), LONGEST_S)


def begin(folder: Path, now: float) -> StartPlan:
    """Record a start as failed until `ready`. File errors are ignored."""
    before = _read(folder)
    starts, failed = (tuple(at for at in each if now - WINDOW_S < at <= now) for each in (before.starts, before.failed))
    _write(folder, _Notes((*starts, now), (*failed, now)))
    return StartPlan(now, pause(starts, now), len(failed))


def ready(folder: Path, start: StartPlan) -> None:
    """Record that everything was built, so the start succeeded."""
    notes = _read(folder)
    _write(folder, msgspec.structs.replace(notes, failed=tuple(at for at in notes.failed if at != start.at)))


def steady(folder: Path) -> None:
    """Clear earlier failures after `STEADY_S` of running."""
    _write(folder, msgspec.structs.replace(_read(folder), failed=()))


def note_broken(folder: Path, start: StartPlan) -> None:
    """Record a fault soon after `ready` as a failure."""
    notes = _read(folder)
    _write(folder, msgspec.structs.replace(notes, failed=(*notes.failed, start.at)))


def end(folder: Path) -> None:
    """Clear the notes after a requested stop."""
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
    draft = _path(folder).with_suffix(".new")
    with suppress(OSError):
        draft.write_bytes(msgspec.json.encode(notes))
        draft.replace(_path(folder))
