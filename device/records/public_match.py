"""Follows a match with public knowledge only (law 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from device.session.matches import begin_match, follow, over, shown_state
from device.session.table import KnownGame
from engine.entry import Act, Entry, Start
from engine.errors import Invalid, Refusal
from engine.text import Text, say
from engine.view import Outcome


class Moment(msgspec.Struct, frozen=True):
    """The public state after an entry: messages, view (JSON); result, None before the end."""

    told: tuple[Text, ...]
    view: bytes
    result: Outcome | None = None


class Follower:
    """Follows a match from its first entry. Raises Refusal."""

    def __init__(self, known: KnownGame, start: Start) -> None:
        self._play = begin_match(known, start, None)
        self._state: Any = None
        self._view = b""

    def now(self) -> Moment:
        told = tuple(told.text for told in self._play.told if told.audience is None)
        result = self._play.match.result if over(self._play) else None
        state = shown_state(self._play.match)
        if state is not self._state:  # many entries, such as a hand's, leave the state as it is
            facts = self._play.known.game.view(state, None).facts
            self._state, self._view = state, msgspec.json.encode(facts, order="deterministic")
        return Moment(told, self._view, result)

    def clauses(self, entry: Entry) -> tuple[str, ...]:
        """Return the clauses that judge this entry as the next action; () for other or unreadable entries.

        Public knowledge decides between actions of one verb (law 5).
        """
        if not isinstance(entry, Act):
            return ()
        try:
            return self._play.known.game.clauses(self._play.match.state, entry.seat, entry.words)
        except Refusal:
            return ()

    def follow(self, entry: Entry) -> Moment:
        """Apply an entry; return the public state. Raises Refusal, changing nothing."""
        self._play = follow(msgspec.structs.replace(self._play, told=()), entry)
        return self.now()


def course(known: KnownGame, entries: Sequence[Entry]) -> Iterator[Moment]:
    """Yield the public state after each entry. Raises Refusal."""
    follower = Follower(known, begins(entries))
    yield follower.now()
    yield from map(follower.follow, entries[1:])


def begins(entries: Sequence[Entry]) -> Start:
    """Return a match's first entry. Raises Invalid if it is no start."""
    if not entries or not isinstance(entries[0], Start):
        raise Invalid(say("A match must begin with a start entry."))
    return entries[0]
