"""Reassembles a journal from single records by their chain values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from device.journal.formats import NOTHING, ChainHead, OldRow, OldSetting, Row, Setting, chain_rows, parse_record
from device.journal.raw_pages import Record


class Found:
    """Rows and settings among any records, duplicates and outdated ones included."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._rows: dict[int, dict[int, set[Row]]] = defaultdict(lambda: defaultdict(set))
        self._old: dict[int, dict[int, set[bytes]]] = defaultdict(lambda: defaultdict(set))
        self._settings: dict[str, Setting] = {}
        self._kept: dict[str, str] = {}
        for record in records:
            match parse_record(record):
                case Row() as row:
                    self._rows[row.match][row.seq].add(row)
                case OldRow(whole=True) as old:
                    self._old[old.match][old.seq].add(old.data)
                case Setting(whole=True) as each:
                    known = self._settings.setdefault(each.name, each)
                    self._settings[each.name] = max(known, each, key=lambda found: found.stamp)
                case OldSetting(name, value):
                    self._kept[name] = value
                case _:
                    pass

    @property
    def settings(self) -> dict[str, Setting]:
        """The newest intact setting of each name."""
        return dict(self._settings)

    @property
    def old_settings(self) -> dict[str, str]:
        """Settings of format 1; empty if newer ones exist."""
        return {} if self._settings else dict(self._kept)

    @property
    def matches(self) -> tuple[int, ...]:
        """Numbers of all matches with traces, oldest first."""
        return tuple(sorted({*self._rows, *self._old}))

    def rows(self, match: int, head: ChainHead = NOTHING) -> tuple[Row, ...]:
        """Return a match's longest chain of rows after this head, in whole groups."""
        steps: list[dict[bytes, tuple[Row, bytes]]] = []
        ends = {head.chain}
        while ends:
            step = {
                row.chain: (row, end) for end in sorted(ends) for row in self._next(match, head.count + len(steps), end)
            }
            steps.append(step)
            ends = set(step)
        return _whole_groups(_back(steps))

    def reach(self, match: int) -> int:
        """Return the least number of entries that the match had."""
        rows, old = self._rows.get(match, {}), self._old.get(match, {})
        followed = (seq + 2 for seq, here in rows.items() if any(self._next(match, seq + 1, row.chain) for row in here))
        beside = (seq + 1 for seq in old if seq - 1 in old or seq + 1 in old)
        return max(*followed, *beside, 0, 0)

    def _next(self, match: int, seq: int, before: bytes) -> list[Row]:
        found = [row for row in self._rows.get(match, {}).get(seq, ()) if row.follows(before)]
        if not found:
            old = self._old.get(match, {}).get(seq, ())
            found = [row for data in old for row in chain_rows(match, ChainHead(seq, before), [(0, data)])]
        return sorted(found, key=lambda row: row.chain)


def _back(steps: list[dict[bytes, tuple[Row, bytes]]]) -> list[Row]:
    rows: list[Row] = []
    end = None
    for step in reversed(steps):
        if not step:
            continue
        row, end = step[end] if end is not None else step[min(step)]
        rows.append(row)
    return rows[::-1]


def _whole_groups(rows: list[Row]) -> tuple[Row, ...]:
    count = next((n for n in range(len(rows), 0, -1) if rows[n - 1].more == 0), 0)
    return tuple(rows[:count])
