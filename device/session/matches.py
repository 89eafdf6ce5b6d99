"""Entries into a match under way: folded, told to their audiences, and the table's expectation carried along."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from device.session.state import Desk, Mode, Play, Session, Told
from device.session.table import Known, Table
from engine.arbiter.expectation import Expectation, Handling, carry
from engine.arbiter.watch import Watch
from engine.entry import Act, Correct, Entry, Settle, Source, Start, Undo
from engine.match import Match, advance, begin
from engine.table import Seat
from engine.view import Event

replace = msgspec.structs.replace


def known_of(table: Table, play: Play) -> Known:
    """The game that is played."""
    return table.games[play.match.start.game]


def match_time(session: Session, play: Play) -> float:
    """Seconds since the match began, in whole milliseconds; it stands still while the match is held."""
    if play.epoch is None:
        return play.match.at
    return max(play.match.at, round(session.now - play.epoch, 3))


def begun(known: Known, start: Start, epoch: float | None) -> Play:
    """A match after its first entry. Raises Invalid if its rules do not go together."""
    return Play(begin(known.game, start), epoch)


def record(known: Known, play: Play, entries: Sequence[Entry]) -> Play:
    """The play after these entries. Raises Refusal if one is not accepted; then none is."""
    for entry in entries:
        match, events = advance(known.game, play.match, entry)
        play = _expected(known, play, entry, match)
        play = replace(play, match=match, told=(*play.told, *_told(entry.at, events)))
    desks = {seat: _still_open(known, play, seat, desk) for seat, desk in play.desks.items()}
    return replace(play, desks=desks, alert=(), disorder=False, question=None, waiting=None, due=None, cursor=0)


def _told(at: float, events: Sequence[Event]) -> tuple[Told, ...]:
    return tuple(Told(at, event.text, event.audience) for event in events)


def _expected(known: Known, play: Play, entry: Entry, after: Match) -> Play:
    """Carries the expectation along with what is done by hand, and back again."""
    base = play.watch.base if play.watch else None
    if isinstance(entry, Act):
        done_by_hand = entry.source is Source.CAMERA
        bases = (*play.bases, base)[-len(after.past) :] if after.past else ()
        return replace(play, bases=bases, watch=_acted(known, play, entry) if done_by_hand else play.watch)
    if isinstance(entry, Settle) and play.watch is not None and play.match.owed is not None:
        return replace(play, watch=replace(play.watch, base=carry(play.watch.base, play.match.owed.trace)))
    if isinstance(entry, Undo) and play.bases:
        return replace(play, bases=play.bases[:-1], watch=_taken_back(play.watch, play.bases[-1]))
    if isinstance(entry, Correct):
        return replace(play, watch=None, bases=(None,) * len(after.past))
    return play


def _acted(known: Known, play: Play, entry: Act) -> Watch | None:
    if play.watch is None:
        return None
    state = play.match.state
    trace = known.game.trace(state, entry.seat, known.game.read(state, entry.seat, entry.words))
    return replace(play.watch, base=carry(play.watch.base, trace))


def _taken_back(watch: Watch | None, before: Expectation | None) -> Watch | None:
    """The table as it was; whatever lies elsewhere now has to be handled to bring it there."""
    if watch is None or before is None:
        return None
    now = _places(watch.base)
    moved = sorted(track for track, place in _places(before).items() if now.get(track) != place)
    return replace(watch, base=replace(before, handled=tuple(Handling(t, False, frozenset()) for t in moved)))


def _places(expectation: Expectation) -> dict[int, tuple[str, int, str]]:
    return {
        held.track: (zone, index, held.piece.face)
        for zone, _, holdings in expectation.zones
        for index, held in enumerate(holdings)
        if held is not None and held.track is not None
    }


def _still_open(known: Known, play: Play, seat: Seat, desk: Desk) -> Desk:
    """A desk whose words can no longer be chosen is closed; the others are left as they are."""
    if desk.mode not in (Mode.ACT, Mode.CONFIRM):
        return desk
    if play.match.result is not None or play.match.owed is not None:
        return Desk()
    state, words = play.match.state, desk.words
    if seat not in known.game.actors(state):
        return Desk()
    fits = all(
        any(choice.word == word for choice in known.game.choices(state, seat, words[:place]))
        for place, word in enumerate(words)
    )
    return desk if fits else Desk()
