"""Surveys a journal: the extent of each match, and the integrity of every record."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from device.journal import formats
from device.journal.formats import CURRENT, NOTHING, ChainHead, Row, Setting, decode_about, match_of, name_of, number_of
from device.journal.match_info import About


class Stock(msgspec.Struct, frozen=True):
    """A journal's contents.

    heads: intact parts.
    settings: intact ones by key.
    fault: first damage, or "".
    """

    heads: dict[int, ChainHead] = {}
    settings: dict[str, Setting] = {}
    fault: str = ""

    @property
    def stamp(self) -> int:
        """The newest setting's stamp."""
        return max((each.stamp for each in self.settings.values()), default=0)

    @property
    def current(self) -> int | None:
        """The current match."""
        found = self.settings.get(CURRENT)
        return None if found is None else number_of(found.value)

    def about(self, match: int) -> About:
        """Return a match's description."""
        found = self.settings.get(name_of(match))
        return About() if found is None else decode_about(found.value)

    @property
    def matches(self) -> frozenset[int]:
        """All match numbers, lost ones included."""
        named = map(match_of, self.settings)
        return frozenset({*self.heads, *(match for match in named if match is not None)})


def take_stock(db: sqlite3.Connection, version: int) -> Stock:
    """Read every record from each copy."""
    walked = [_walk(rows) for rows in formats.rows(db, version)]
    heads = [found for found, _ in walked]
    fault = next((fault for _, fault in walked if fault), "")
    settings = [list(each) for each in formats.settings(db, version)]
    if any(each != heads[0] for each in heads):
        fault = fault or "an entry is not in both places"
    if any(each != settings[0] or not all(one.whole for one in each) for each in settings):
        fault = fault or "a setting is not whole"
    best = {match: max((each.get(match, NOTHING) for each in heads), key=_count) for each in heads for match in each}
    return _sensible(best, fault, [one for each in settings for one in each if one.whole])


def _walk(rows: Iterable[Row]) -> tuple[dict[int, ChainHead], str]:
    heads: dict[int, ChainHead] = {}
    waiting: dict[int, int] = {}
    fault = ""
    for row in rows:
        head = heads.setdefault(row.match, NOTHING)
        if row.seq == head.count and row.follows(head.chain) and waiting.get(row.match, row.more) == row.more:
            heads[row.match] = ChainHead(head.count + 1, row.chain)
            waiting[row.match] = row.more - 1
            if row.more == 0:
                del waiting[row.match]
        else:
            fault = fault or f"entry {head.count} of match {row.match} is not whole"
    for match in waiting:
        fault = fault or f"entry {heads[match].count} of match {match} is missing"
    return heads, fault


def _sensible(heads: dict[int, ChainHead], fault: str, settings: list[Setting]) -> Stock:
    found = Stock(heads, {each.name: each for each in settings}, fault)
    current = found.settings.get(CURRENT)
    if current is None or not current.value or found.current is not None:
        return found
    del found.settings[CURRENT]
    return msgspec.structs.replace(found, fault=fault or "the number of the current match is none")


def _count(head: ChainHead) -> int:
    return head.count
