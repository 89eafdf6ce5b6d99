"""Repairs of what the referee believes: on which sector a pawn stands (design law 2)."""

from __future__ import annotations

import msgspec

from engine.errors import Invalid
from engine.game import Choice, Words
from engine.planetx.state import Acting, Player, State, in_order, player_of, sector_at, with_player
from engine.text import say
from engine.view import Event

PAWN = "pawn"


def corrections(state: State, prefix: Words = ()) -> tuple[Choice, ...]:
    """The words of a correction: pawn, seat, sector. Earth's arrow stays where it is."""
    if not isinstance(state.phase, Acting):
        return ()
    if not prefix:
        return (Choice(PAWN, say("A pawn stands elsewhere"), False),)
    if prefix[0] != PAWN or len(prefix) > 2:
        return ()
    if len(prefix) == 1:
        return tuple(Choice(p.seat, say("pawn of {seat}", seat=p.seat.upper()), False) for p in state.players)
    if prefix[1] not in {player.seat for player in state.players}:
        return ()
    times = _times(state, player_of(state, prefix[1]))
    return tuple(
        Choice(str(sector_at(state, time)), say("sector {sector}", sector=sector_at(state, time)), True)
        for time in times
    )


def correct(state: State, words: Words) -> tuple[State, tuple[Event, ...]]:
    """The state with one pawn put where it stands. Raises Invalid."""
    if len(words) != 3 or words[2] not in {choice.word for choice in corrections(state, words[:2])}:
        raise Invalid(say("A correction reads: pawn, seat, sector; Earth's arrow must keep a pawn behind it."))
    player = player_of(state, words[1])
    time = next(t for t in _times(state, player) if str(sector_at(state, t)) == words[2])
    put = msgspec.structs.replace(player, time=time, arrival=state.arrivals)
    state = msgspec.structs.replace(with_player(state, put), arrivals=state.arrivals + 1)
    told = say("Put right: the pawn of {seat} stands on sector {sector}.", seat=player.seat.upper(), sector=words[2])
    return state, (Event(told, None),)


def _times(state: State, player: Player) -> tuple[int, ...]:
    """Where a pawn can stand, other than it does: not behind the arrow, and somebody stays where that points."""
    held = any(other.time == state.arrow for other in in_order(state) if other.seat != player.seat)
    ahead = range(state.arrow, state.arrow + state.mode.sectors) if held else ()
    return tuple(time for time in ahead if time != player.time)
