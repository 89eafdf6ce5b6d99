"""Restart back-off: starts that follow one another too fast wait, each twice as long as the one before.

The service manager restarts after a fixed time (its own back-off is younger than Bookworm's), so a table whose wiring
is broken would start for ever at full speed. The starts are kept in the runtime directory, which a reboot empties.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from vision.files import BadFile, read_json

WINDOW_S = 300.0
FREE = 2
"""Starts within the window that wait for nothing."""

FIRST_S, LONGEST_S = 2.0, 60.0


def pause(starts: Sequence[float], now: float) -> float:
    """Seconds to wait before a start at `now`, after those at `starts`."""
    recent = sum(now - WINDOW_S < start <= now for start in starts)
    return 0.0 if recent < FREE else min(FIRST_S * 2 ** (recent - FREE), LONGEST_S)


def begin(folder: Path, now: float) -> float:
    """Notes a start; returns the seconds to wait. What cannot be read or written counts as no start."""
    path = folder / "starts.json"
    try:
        starts = read_json(path, tuple[float, ...])
    except BadFile:
        starts = ()
    kept = tuple(start for start in starts if now - WINDOW_S < start <= now)
    with suppress(OSError):
        path.write_bytes(msgspec.json.encode((*kept, now)))
    return pause(kept, now)


def end(folder: Path) -> None:
    """It was told to stop, so the next start waits for nothing."""
    (folder / "starts.json").unlink(missing_ok=True)
