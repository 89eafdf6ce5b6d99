"""Takes stock of a journal: how far each match has come, and whether every record of it is whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from device.journal.about import About, decoded, match_of, name_of
from device.journal.formats import COPIES, rows_one, rows_two, settings_one, settings_two
from device.journal.rows import NOTHING, Head, Row, Setting, setting


class Stock(msgspec.Struct, frozen=True):
    """What a journal holds.

    heads: how far each match is whole; settings: of each name the whole one; fault: the first thing that is not as it
    was written, or "": it may cost nothing, as everything is there twice.
    """

    heads: dict[int, Head] = {}
    settings: dict[str, Setting] = {}
    fault: str = ""

    @property
    def stamp(self) -> int:
        """Return the stamp of the newest setting."""
        return max((each.stamp for each in self.settings.values()), default=0)

    @property
    def current(self) -> int | None:
        """The match that is going on."""
        found = self.settings.get("current")
        return int(found.value) if found is not None and found.value else None

    def about(self, match: int) -> About:
        """Return what is known of a match beside its entries."""
        found = self.settings.get(name_of(match))
        return About() if found is None else decoded(found.value)

    @property
    def matches(self) -> frozenset[int]:
        """The numbers of all matches, also of those that are lost but for their number."""
        named = map(match_of, self.settings)
        return frozenset({*self.heads, *(match for match in named if match is not None)})


def take_stock(db: sqlite3.Connection, version: int) -> Stock:
    """Reads everything, of format 2 both copies."""
    if version == 0:
        return Stock()
    if version == 1:
        return _sensible(*_walked(rows_one(db)), [setting(*each, 0) for each in settings_one(db)])
    heads, faults = zip(*(_walked(rows_two(db, copy)) for copy in COPIES), strict=True)
    settings = [each for copy in COPIES for each in settings_two(db, copy)]
    best = {match: max((each.get(match, NOTHING) for each in heads), key=_count) for each in heads for match in each}
    fault = faults[0] or faults[1] or ("" if heads[0] == heads[1] else "an entry is not in both places")
    halves = len(settings) // 2
    if not all(each.whole for each in settings) or settings[:halves] != settings[halves:]:
        fault = fault or "a setting is not whole"
    return _sensible(best, fault, [each for each in settings if each.whole])


def _walked(rows: Iterable[Row]) -> tuple[dict[int, Head], str]:
    """Return how far each match is whole, and the first fault."""
    heads: dict[int, Head] = {}
    waiting: dict[int, int] = {}
    fault = ""
    for row in rows:
        head = heads.setdefault(row.match, NOTHING)
        if row.seq == head.count and row.follows(head.chain) and waiting.get(row.match, row.more) == row.more:
            heads[row.match] = Head(head.count + 1, row.chain)
            waiting[row.match] = row.more - 1
            if row.more == 0:
                del waiting[row.match]
        else:
            fault = fault or f"entry {head.count} of match {row.match} is not whole"
    for match in waiting:
        fault = fault or f"entry {heads[match].count} of match {match} is missing"
    return heads, fault


def _sensible(heads: dict[int, Head], fault: str, settings: list[Setting]) -> Stock:
    """Check that whole rows make sense, too."""
    found = Stock(heads, {each.name: each for each in settings}, fault)
    current = found.settings.get("current")
    if current is None or not current.value:
        return found
    if not (current.value.isascii() and current.value.isdigit()):
        del found.settings["current"]
        return msgspec.structs.replace(found, fault=fault or "the number of the current match is none")
    return found


def _count(head: Head) -> int:
    return head.count
