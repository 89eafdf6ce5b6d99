"""A match as everybody at the table follows it, entry by entry: what is told to all, and what all may know (law 5)."""

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
    """What everybody heard of an entry, and what everybody may know after it (JSON). result: how the match ended, once
    everybody may see it."""

    told: tuple[Text, ...]
    view: bytes
    result: Outcome | None = None


class Follower:
    """Follows a match from its first entry on. known: its game. Raises Refusal if it does not fit that."""

    def __init__(self, known: KnownGame, start: Start) -> None:
        self._play = begin_match(known, start, None)
        self._state: Any = None
        self._view = b""

    def now(self) -> Moment:
        """Return what everybody heard of the last entry and may know now."""
        told = tuple(told.text for told in self._play.told if told.audience is None)
        result = self._play.match.result if over(self._play) else None
        state = shown_state(self._play.match)
        if state is not self._state:  # many entries, such as a hand's, leave the game's state as it is
            facts = self._play.known.game.view(state, None).facts
            self._state, self._view = state, msgspec.json.encode(facts, order="deterministic")
        return Moment(told, self._view, result)

    def clauses(self, entry: Entry) -> tuple[str, ...]:
        """Return the clauses by which the next entry is judged, if it is an action with a meaning. The game is asked
        with its whole state: public knowledge must decide which of several actions with one verb is meant (law 5)."""
        if not isinstance(entry, Act):
            return ()
        try:
            return self._play.known.game.clauses(self._play.match.state, entry.seat, entry.words)
        except Refusal:
            return ()

    def follow(self, entry: Entry) -> Moment:
        """The same after one more entry. Raises Refusal if it does not follow, and has then done nothing."""
        self._play = follow(msgspec.structs.replace(self._play, told=()), entry)
        return self.now()


def course(known: KnownGame, entries: Sequence[Entry]) -> Iterator[Moment]:
    """The moment after each entry. known: the game of the match. Raises Refusal at an entry that does not follow, and
    if the first is no `Start`."""
    follower = Follower(known, begins(entries))
    yield follower.now()
    yield from map(follower.follow, entries[1:])


def begins(entries: Sequence[Entry]) -> Start:
    """The first entry of a match. Raises Invalid."""
    if not entries or not isinstance(entries[0], Start):
        raise Invalid(say("A match begins with a start entry."))
    return entries[0]
