"""Takes stock of a journal: how far each match has come, and whether every record of it is whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from device.journal import formats
from device.journal.formats import CURRENT, NOTHING, Head, Row, Setting, decoded, match_of, name_of, number_of
from device.journal.match_info import About


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
        found = self.settings.get(CURRENT)
        return None if found is None else number_of(found.value)

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
    """Read everything, from each place that holds it."""
    walked = [_walked(rows) for rows in formats.rows(db, version)]
    heads = [found for found, _ in walked]
    fault = next((fault for _, fault in walked if fault), "")
    settings = [list(each) for each in formats.settings(db, version)]
    if any(each != heads[0] for each in heads):
        fault = fault or "an entry is not in both places"
    if any(each != settings[0] or not all(one.whole for one in each) for each in settings):
        fault = fault or "a setting is not whole"
    best = {match: max((each.get(match, NOTHING) for each in heads), key=_count) for each in heads for match in each}
    return _sensible(best, fault, [one for each in settings for one in each if one.whole])


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
    current = found.settings.get(CURRENT)
    if current is None or not current.value or found.current is not None:
        return found
    del found.settings[CURRENT]
    return msgspec.structs.replace(found, fault=fault or "the number of the current match is none")


def _count(head: Head) -> int:
    return head.count
