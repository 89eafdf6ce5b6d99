"""Repairs of what the referee believes: where a pawn stands, how many targets are left (design law 2)."""

from __future__ import annotations

import msgspec

from engine.errors import Invalid
from engine.game import Choice, Words
from engine.planetx.state import Acting, Over, Player, State, in_order, player_of, sector_at, with_player
from engine.table import Seat
from engine.text import say
from engine.view import Event

PAWN, TARGETS = "pawn", "targets"


def corrections(state: State, prefix: Words = ()) -> tuple[Choice, ...]:
    """The words of a correction: pawn, seat, sector; or targets, seat, number left."""
    if isinstance(state.phase, Over) or len(prefix) > 2:
        return ()
    if not prefix:
        pawn = Choice(PAWN, say("A pawn stands elsewhere, or in front"), False)
        targets = Choice(TARGETS, say("Targets left"), False)
        return (pawn, targets) if _pawns(state) else (targets,)
    seats = {PAWN: _pawns(state), TARGETS: tuple(p.seat for p in in_order(state))}.get(prefix[0], ())
    if len(prefix) == 1:
        return tuple(Choice(seat, say("seat {seat}", seat=seat.upper()), False) for seat in seats)
    if prefix[1] not in seats:
        return ()
    player = player_of(state, prefix[1])
    if prefix[0] == TARGETS:
        return tuple(Choice(str(k), say("{left} left", left=k), True) for k in range(3) if k != player.targets)
    sectors = [sector_at(state, time) for time in _times(state, player)]
    return tuple(Choice(str(sector), say("sector {sector}", sector=sector), True) for sector in sectors)


def correct(state: State, words: Words) -> tuple[State, tuple[Event, ...]]:
    """The state put right. Raises Invalid."""
    if len(words) != 3 or words[2] not in {choice.word for choice in corrections(state, words[:2])}:
        raise Invalid(say("A correction reads: pawn, seat, sector; or: targets, seat, number left."))
    player, seat = player_of(state, words[1]), words[1].upper()
    if words[0] == TARGETS:
        state = with_player(state, msgspec.structs.replace(player, targets=int(words[2])))
        return state, (Event(say("Put right: targets left to {seat}: {left}.", seat=seat, left=words[2]), None),)
    time = next(t for t in _times(state, player) if str(sector_at(state, t)) == words[2])
    told = say("Put right: the pawn of {seat} stands in front on sector {sector}.", seat=seat, sector=words[2])
    return _put(state, player, time), (Event(told, None),)


def _put(state: State, player: Player, time: int) -> State:
    put = msgspec.structs.replace(player, time=time, arrival=state.arrivals)
    return msgspec.structs.replace(with_player(state, put), arrivals=state.arrivals + 1)


def _pawns(state: State) -> tuple[Seat, ...]:
    """Whose pawn can be put elsewhere: only while the last pawn's owner acts."""
    if not isinstance(state.phase, Acting):
        return ()
    return tuple(player.seat for player in in_order(state) if _times(state, player))


def _times(state: State, player: Player) -> tuple[int, ...]:
    """Where a pawn can stand: Earth's arrow still has one, and it is not the automatic opponent that acts next."""
    ahead = range(state.arrow, state.arrow + state.mode.sectors)
    return tuple(time for time in ahead if _fits(state, _put(state, player, time)))


def _fits(state: State, after: State) -> bool:
    first = in_order(after)[0]
    return first.time == state.arrow and first.seat != state.rules.opponent
