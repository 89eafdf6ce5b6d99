"""How long an entry takes until it is on disk: `python -m tools.bench.bench_journal --folder /var/tmp`.

The journal of today and the statements of format 1 take turns, entry by entry, in one folder on one disk, so that both
meet the same noise. Milliseconds at the median and at the 99th percentile, the bytes that an entry puts into the log,
and what comes after the screens are out: the witness, and emptying the log at rest. Seconds to power on with a large
journal.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from device.journal import Journal
from device.journal.errors import translated_errors
from device.journal.opening import open_at_power_on
from engine.entry import Act, Entry, Start, encode

START = Start(0.0, "tellstones", {"orders": "seen", "mode": "standard"}, ("a", "b"), 7)
MATCHES, ENTRIES = 200, 100
"""Of the large journal."""

SHORT = 100
"""Entries after which the log is measured: before SQLite itself empties it."""


class Before:
    """What an entry did to a journal of format 1, statement by statement."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=FULL")
        self._db.executescript(
            "CREATE TABLE entry (id INTEGER PRIMARY KEY, match INTEGER NOT NULL, seq INTEGER NOT NULL, "
            "data BLOB NOT NULL, crc INTEGER NOT NULL, UNIQUE (match, seq));"
            "CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL);"
        )
        self._path, self._seq = path, 0

    def append(self, entries: Sequence[Entry]) -> None:
        with translated_errors(self._path), self._writing():
            rows = [(1, self._seq + n, data, zlib.crc32(data)) for n, data in enumerate(map(encode, entries))]
            self._db.executemany("INSERT INTO entry (match, seq, data, crc) VALUES (?, ?, ?, ?)", rows)
            self._db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", ())
            self._db.execute("DELETE FROM kept WHERE name = 'current'")
            self._db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", (("current", "1"),))
        self._seq += len(rows)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        yield
        self._db.execute("COMMIT")


def measure(folder: Path | None = None, entries: int = 500) -> dict[str, Any]:
    """Takes some seconds, on a slow disk a minute. folder: on the disk that is measured; None: the one for files
    of a moment."""
    with tempfile.TemporaryDirectory(prefix="bench-journal-", dir=folder) as place:
        before, after = Path(place) / "before.db", Path(place) / "after.db"
        old = Before(before)
        times: dict[str, list[float]] = {"format_1": [], "format_2": [], "witness": [], "rest": []}
        with Journal(after) as new:
            new.append((START,))
            old.append((START,))
            for number in range(entries):
                entry = Act(number + 0.125, "ab"[number % 2], ("place", "crown", "left"))
                first, second = (("format_1", old), ("format_2", new))[:: 1 if number % 2 else -1]
                for name, journal in (first, second):
                    times[name].append(_time_work(lambda journal=journal, entry=entry: journal.append((entry,))))  # type: ignore[misc]
                if number == SHORT:
                    sizes = {path.stem: _log(path) / SHORT for path in (before, after)}
            for _ in range(50):
                new.append((entry,))
                times["witness"].append(_time_work(new.attest))
                times["rest"].append(_time_work(new.rest))
        return {
            "entry_ms": {name: _figures(times[name]) for name in ("format_1", "format_2")},
            "log_bytes_an_entry": {"format_1": round(sizes["before"]), "format_2": round(sizes["after"])},
            "afterwards_ms": {name: _figures(times[name]) for name in ("witness", "rest")},
            "power_on": _power_on(Path(place) / "large.db"),
        }


def _time_work(work: Callable[[], None]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def _figures(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {f"p{part}": round(ordered[min(len(ordered) - 1, len(ordered) * part // 100)], 2) for part in (50, 99)}


def _log(path: Path) -> int:
    return path.with_name(f"{path.name}-wal").stat().st_size


def _power_on(path: Path) -> dict[str, float]:
    """With a journal as it is after years."""
    with Journal(path) as journal:
        acts = tuple(Act(n + 0.125, "ab"[n % 2], ("place", "crown", "left")) for n in range(ENTRIES - 1))
        for _ in range(MATCHES):
            journal.add((START, *acts))
    begun = time.perf_counter()
    open_at_power_on(path).journal.close()
    return {"entries": MATCHES * ENTRIES, "megabytes": round(path.stat().st_size / 1e6, 1),
            "seconds": round(time.perf_counter() - begun, 2)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="on the disk to be measured; without it that of $TMPDIR")
    parser.add_argument("--entries", type=int, default=500, help="entries of each (500)")
    given = parser.parse_args()
    print(json.dumps(measure(given.folder, given.entries), indent=2))


if __name__ == "__main__":
    main()
