"""A match as the pure fold over its journal entries (law 1): `begin`, then `advance`, which raises for a refused
one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from engine import clocks as clockwork
from engine.catalogue import AnyGame
from engine.clocks import Clocks, Fall
from engine.entry import MOVES, Act, Correct, Draw, Entry, Flag, Pause, Resign, Restored, Settle, Source, Start, Undo
from engine.errors import Illegal, Invalid, Refusal, Violation
from engine.game import Words
from engine.table import Face, Layout, Seat, Spot, Trace
from engine.text import Text, say, who
from engine.view import Event, Outcome


class PendingOrder(msgspec.Struct, frozen=True):
    """An action ordered at the buttons that a hand must still carry out. state, before: game state and layout at the
    order."""

    seat: Seat
    words: Words
    state: Any
    before: Layout
    trace: Trace


class Past(msgspec.Struct, frozen=True):
    """Position that an undo returns to. clocks: as they stood when the action came."""

    state: Any
    pending: PendingOrder | None
    clocks: Clocks


class Match(msgspec.Struct, frozen=True):
    """A match at one moment. past: states that undo can return to, none before the last revelation (law 2)."""

    start: Start
    state: Any
    clocks: Clocks
    at: float
    pending: PendingOrder | None = None
    paused: bool = False
    past: tuple[Past, ...] = ()
    result: Outcome | None = None


Step = tuple[Match, tuple[Event, ...]]


def reveals(pending: PendingOrder | None) -> tuple[Spot, ...]:
    """Return the spots before the order of face-down pieces that it turns up."""
    if pending is None:
        return ()
    pieces = ((spot, pending.before.at(spot)) for spot in sorted(pending.trace.turned))
    return tuple(spot for spot, piece in pieces if piece is not None and piece.face is Face.DOWN)


def begin(game: AnyGame, start: Start) -> Match:
    """Begin a match. Raises Invalid if options, seats or clock do not fit."""
    state = game.setup(start.options, start.seats, start.seed)
    wound = clockwork.wind(clockwork.rules(start.clock), start.seats)
    return Match(start, state, clockwork.resume(wound, game.actors(state), start.at), start.at)


def advance(game: AnyGame, match: Match, entry: Entry) -> Step:
    """Apply one entry. Raises Invalid, Ambiguous or Illegal."""
    if isinstance(entry, Start):
        raise Invalid(say("The match has already begun."))
    if match.result is not None and not _repairs(game, match, entry):
        raise _too_late(game, match, entry)
    if match.paused and match.result is None and not isinstance(entry, Pause | Resign | Draw):
        raise Invalid(say("The match is paused."))
    if entry.at < match.at:
        raise Invalid(say("An entry at {at} s comes after one at {last} s.", at=str(entry.at), last=str(match.at)))
    return _FOLDS[type(entry)](game, match, entry)


def replay(game: AnyGame, entries: Iterable[Entry]) -> Match:
    """Fold all entries, the first a Start. Raises as `begin` and `advance`."""
    rest = iter(entries)
    start = next(rest, None)
    if not isinstance(start, Start):
        raise Invalid(say("A match must begin with a start entry."))
    match = begin(game, start)
    for entry in rest:
        match, _ = advance(game, match, entry)
    return match


def encode(match: Match) -> bytes:
    """Encode a match as JSON, the same bytes on every machine."""
    return msgspec.json.encode(match, order="deterministic")


def _act(game: AnyGame, match: Match, entry: Act) -> Step:
    action = game.read(match.state, entry.seat, entry.words)
    violations = game.judge(match.state, entry.seat, action)
    if violations:
        raise Illegal(violations)
    pending = _pending_order(game, match, entry, action) if entry.source is Source.BUTTONS else None
    state, events = game.apply(match.state, entry.seat, action)
    private = is_private(game, match.state, state)
    stood = Past(match.state, match.pending, clockwork.stop(match.clocks, entry.at))
    past = match.past if private else (*match.past, stood)
    past = () if any(event.reveals for event in events) else past
    moved = None if private or match.start.version < MOVES else entry.seat
    return _advance_state(game, match, entry.at, state, pending=pending, past=past, moved=moved), events


def _pending_order(game: AnyGame, match: Match, entry: Act, action: Any) -> PendingOrder | None:
    trace = game.trace(match.state, entry.seat, action)
    if trace.unseen:
        return None
    return PendingOrder(entry.seat, entry.words, match.state, game.layout(match.state), trace)


def _settle(_game: AnyGame, match: Match, entry: Settle) -> Step:
    if match.pending is None:
        raise Invalid(say("Nothing is waiting to be carried out."))
    return msgspec.structs.replace(match, pending=None, at=entry.at), ()


def time_is_up(seat: Seat) -> Text:
    return say("Time is up for {seat}.", seat=who(seat))


def _flag(game: AnyGame, match: Match, entry: Flag) -> Step:
    if entry.seat not in clockwork.due(match.clocks, entry.at):
        raise Invalid(say("The clock of {seat} has not run out.", seat=who(entry.seat)))
    told = Event(time_is_up(entry.seat), None)
    noted = msgspec.structs.replace(match, clocks=clockwork.note(match.clocks, entry.seat), at=entry.at)
    if match.clocks.rules.fall is Fall.NOTE:
        return noted, (told,)
    lost, events = _give_up(game, noted, entry.seat, entry.at)
    return lost, (told, *events)


def _pause(game: AnyGame, match: Match, entry: Pause) -> Step:
    if entry.paused == match.paused:
        raise Invalid(say("The match is paused.") if match.paused else say("The match is not paused."))
    if entry.paused:
        stopped = clockwork.stop(match.clocks, entry.at)
    else:
        stopped = clockwork.resume(match.clocks, game.actors(match.state), entry.at)
    return msgspec.structs.replace(match, paused=entry.paused, clocks=stopped, at=entry.at), ()


def _undo(game: AnyGame, match: Match, entry: Undo) -> Step:
    _check_seat(match, entry.seat)
    if not match.past:
        raise Invalid(say("There is nothing to take back: undo ends where somebody learned something."))
    last = match.past[-1]
    undone = _advance_state(game, match, entry.at, last.state, pending=last.pending, past=match.past[:-1])
    if match.start.version >= MOVES:
        clocks = clockwork.resume(last.clocks, game.actors(last.state), entry.at)
        undone = msgspec.structs.replace(undone, clocks=clocks)
    return undone, (Event(say("{seat} takes back the last action.", seat=who(entry.seat)), None),)


def _correct(game: AnyGame, match: Match, entry: Correct) -> Step:
    if entry.again:
        return _again(game, match, entry)
    state, events = game.correct(match.state, entry.words)
    return _advance_state(game, match, entry.at, state, pending=None, past=()), events


def _again(game: AnyGame, match: Match, entry: Correct) -> Step:
    if match.pending is None:
        raise Invalid(say("Nothing is waiting to be carried out."))
    pending = match.pending
    repaired, told = game.correct(pending.state, entry.words)
    action = game.read(repaired, pending.seat, pending.words)
    violations = game.judge(repaired, pending.seat, action)
    if violations:
        raise Illegal(violations)
    state, events = game.apply(repaired, pending.seat, action)
    ordered = PendingOrder(
        pending.seat,
        pending.words,
        repaired,
        pending.before,
        game.trace(repaired, pending.seat, action),
    )
    return _advance_state(game, match, entry.at, state, pending=ordered, past=()), (*told, *events)


def _restore_state(_game: AnyGame, match: Match, entry: Restored) -> Step:
    _check_seat(match, entry.seat)
    told = Event(say("{seat}: everything is put right.", seat=who(entry.seat)), None)
    return msgspec.structs.replace(match, at=entry.at), (told,)


def _check_seat(match: Match, seat: Seat) -> None:
    if seat not in match.start.seats:
        raise Invalid(say("There is no seat {seat} in this match.", seat=who(seat)))


def _resign(game: AnyGame, match: Match, entry: Resign) -> Step:
    _check_seat(match, entry.seat)
    return _give_up(game, match, entry.seat, entry.at)


def _draw(_game: AnyGame, match: Match, entry: Draw) -> Step:
    told = say("A draw by agreement.")
    stopped = clockwork.stop(match.clocks, entry.at)
    drawn = msgspec.structs.replace(match, clocks=stopped, at=entry.at, result=Outcome(frozenset(), told))
    return drawn, (Event(told, None),)


def _give_up(game: AnyGame, match: Match, seat: Seat, at: float) -> Step:
    state, events = game.resign(match.state, seat)
    return _advance_state(game, match, at, state, pending=None, past=()), events


def _advance_state(
    game: AnyGame,
    match: Match,
    at: float,
    state: Any,
    *,
    pending: PendingOrder | None,
    past: tuple[Past, ...],
    moved: Seat | None = None,
) -> Match:
    result = game.outcome(state)
    if result is not None or match.paused:
        wound = clockwork.stop(match.clocks, at)
    else:
        wound = clockwork.press(match.clocks, game.actors(state), at, moved)
    return msgspec.structs.replace(match, state=state, clocks=wound, at=at, pending=pending, past=past, result=result)


def _repairs(game: AnyGame, match: Match, entry: Entry) -> bool:
    if isinstance(entry, Correct | Undo):
        return game.outcome(match.state) is not None
    return isinstance(entry, Settle | Restored)


def _too_late(game: AnyGame, match: Match, entry: Entry) -> Refusal:
    """Return the refusal after the end, by the game's clause if it names one."""
    violations: tuple[Violation, ...] = ()
    if isinstance(entry, Act) and game.outcome(match.state) is not None:
        violations = game.judge(match.state, entry.seat, game.read(match.state, entry.seat, entry.words))
    return Illegal(violations) if violations else Invalid(say("The match is over."))


def is_private(game: AnyGame, before: Any, after: Any) -> bool:
    """Return True if others see nothing of an action between these states, so an undo would reveal it (law 5)."""
    return bool(game.layout(before) == game.layout(after) and game.view(before, None) == game.view(after, None))


_FOLDS: dict[type, Callable[[AnyGame, Match, Any], Step]] = {
    Act: _act,
    Settle: _settle,
    Flag: _flag,
    Pause: _pause,
    Undo: _undo,
    Correct: _correct,
    Restored: _restore_state,
    Resign: _resign,
    Draw: _draw,
}
