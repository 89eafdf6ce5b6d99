"""A match as everybody at the table follows it, entry by entry: what is told to all, and what all may know (law 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from device.session.matches import begun, followed, shown_state
from device.session.table import Known
from engine.entry import Entry, Start
from engine.text import Text


class Moment(msgspec.Struct, frozen=True):
    """What everybody heard of an entry, and what everybody may know after it (JSON)."""

    told: tuple[Text, ...]
    view: bytes


def course(known: Known, entries: Sequence[Entry]) -> Iterator[Moment]:
    """The moment after each entry. known: the game of the match. Raises Refusal at an entry that does not follow, and
    ValueError if the first is no `Start`."""
    start = begins(entries)
    known = known.playing(start)
    play = begun(known, start, None)
    yield Moment((), _view(known, shown_state(play.match)))
    for entry in entries[1:]:
        heard = len(play.told)
        play = followed(known.game, play, entry)
        told = tuple(told.text for told in play.told[heard:] if told.audience is None)
        yield Moment(told, _view(known, shown_state(play.match)))


def begins(entries: Sequence[Entry]) -> Start:
    """The first entry of a match. Raises ValueError."""
    if not entries or not isinstance(entries[0], Start):
        raise ValueError("a match begins with a start entry")
    return entries[0]


def _view(known: Known, state: object) -> bytes:
    return msgspec.json.encode(known.game.view(state, None).facts, order="deterministic")
