"""Judges a fault run: no displayed state is lost, no entry doubled, no foreign screen shown. After a cut, only states
displayed before it count."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from device.session.table import KnownGame
from engine.entry import Entry, Start
from engine.match import Match, advance, begin, encode


def digest(match: Match) -> int:
    return zlib.crc32(encode(match))


def states(known: KnownGame, entries: Sequence[Entry]) -> tuple[Match, ...]:
    if not entries or not isinstance(entries[0], Start):
        return ()
    found = [begin(known.game, entries[0])]
    for entry in entries[1:]:
        found.append(advance(known.game, found[-1], entry)[0])
    return tuple(found)


class Safety:
    """Counts failures. told: excused losses that displays reported."""

    def __init__(self) -> None:
        self.lost = self.doubled = self.leaked = self.alarms = self.told = 0
        self.notes: list[str] = []
        self._shown: dict[int, int] = {}
        self._entries: tuple[Entry, ...] = ()

    def show(self, match: Match, recorded: int) -> None:
        """Note a displayed match. recorded: disk calls so far."""
        self._shown.setdefault(digest(match), recorded)

    def read(self, entries: Sequence[Entry]) -> None:
        self._compare(tuple(entries), "while it was played")

    def come_back(
        self, known: KnownGame, entries: Sequence[Entry], cut: int, *, unsaved: bool, warned: str, excused: bool
    ) -> None:
        """Check the entries after a restart.

        cut: disk calls recorded before it
        unsaved: the last life reported that nothing is saved
        warned: report of a loss, or ""
        excused: such a report is allowed"""
        there = tuple(entries)
        match = self._entries[:1] == there[:1]
        if not unsaved and not (warned and excused):
            have = {digest(state) for state in states(known, there)}
            missing = sum(at <= cut and state not in have for state, at in self._shown.items())
            if missing and (match or not there):
                self._note("lost", f"{missing} states were shown that the {len(there)} entries do not lead to")
        self.told += bool(warned and excused)
        if warned and not excused:
            self._note("alarms", f"told of a loss without one: {warned}")
        self._compare(there, "over a restart")
        self._shown.clear()
        self._entries = there

    def forget(self) -> None:
        """Expect nothing after a restart without storage."""
        self._shown.clear()
        self._entries = ()

    def leak(self, display: str, told: str) -> None:
        """Count a display with foreign pixels."""
        self._note("leaked", f"display {display}: {told}")

    def _compare(self, there: tuple[Entry, ...], when: str) -> None:
        both = min(len(self._entries), len(there))
        if self._entries[:1] == there[:1] and self._entries[:both] != there[:both]:
            self._note("doubled", f"of {len(there)} entries some are others than were recorded {when}")
        self._entries = there

    def _note(self, what: str, how: str) -> None:
        setattr(self, what, getattr(self, what) + 1)
        self.notes.append(f"{what}: {how}")
