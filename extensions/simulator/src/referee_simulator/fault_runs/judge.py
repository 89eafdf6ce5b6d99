"""Judges the safety of a night: nothing that was shown is lost, nothing is doubled, no display shows what is not its.

What a display showed is remembered by the state of the match that it followed from, with the number of calls that the
disk had recorded by then. After a cut only what was shown before it counts.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from device.session.table import KnownGame
from engine.entry import Entry, Start
from engine.match import Match, advance, begin, encode


def digest(match: Match) -> int:
    """A short name for a match as it stands."""
    return zlib.crc32(encode(match))


def states(known: KnownGame, entries: Sequence[Entry]) -> tuple[Match, ...]:
    """The match after each entry."""
    if not entries or not isinstance(entries[0], Start):
        return ()
    found = [begin(known.game, entries[0])]
    for entry in entries[1:]:
        found.append(advance(known.game, found[-1], entry)[0])
    return tuple(found)


class Safety:
    """Counts what went wrong. told: losses of which the displays told."""

    def __init__(self) -> None:
        self.lost = self.doubled = self.leaked = self.alarms = self.told = 0
        self.notes: list[str] = []
        self._shown: dict[int, int] = {}
        self._entries: tuple[Entry, ...] = ()

    def show(self, match: Match, recorded: int) -> None:
        """A display shows something of this match; the disk had recorded so many calls."""
        self._shown.setdefault(digest(match), recorded)

    def read(self, entries: Sequence[Entry]) -> None:
        """The match as it is recorded while the daemon lives."""
        self._compare(tuple(entries), "while it was played")

    def come_back(
        self, known: KnownGame, entries: Sequence[Entry], cut: int, *, unsaved: bool, warned: str, excused: bool
    ) -> None:
        """The daemon has started anew, and has these entries. cut: calls that were recorded before the cut. unsaved:
        the life before it had said that nothing is saved. warned: what is told of the journal now. excused: something
        was wrong with the disk for which entries may be lost, if that is told.
        """
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
        """The daemon has started anew and says that nothing is saved: nothing has to be there."""
        self._shown.clear()
        self._entries = ()

    def leak(self, display: str, told: str) -> None:
        """A display shows pixels of another screen than its own."""
        self._note("leaked", f"display {display}: {told}")

    def _compare(self, there: tuple[Entry, ...], when: str) -> None:
        both = min(len(self._entries), len(there))
        if self._entries[:1] == there[:1] and self._entries[:both] != there[:both]:
            self._note("doubled", f"of {len(there)} entries some are others than were recorded {when}")
        self._entries = there

    def _note(self, what: str, how: str) -> None:
        setattr(self, what, getattr(self, what) + 1)
        self.notes.append(f"{what}: {how}")
