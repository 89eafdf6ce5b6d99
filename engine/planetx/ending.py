"""The end of a match: last moves, revelation, score (X60-X66)."""

from __future__ import annotations

import msgspec

from engine.planetx.state import Ending, Over, Placing, Player, State, in_order, placeable, player_of, with_player
from engine.table import Seat
from engine.text import Text, say
from engine.view import Event, Outcome

Step = tuple[State, tuple[Event, ...]]

FIRST_FINDER = 10


class Tally(msgspec.Struct, frozen=True):
    """A player's points: for theories, for having been first, for Planet X (X63-X65)."""

    seat: Seat
    theories: int
    firsts: int
    planet: int

    @property
    def total(self) -> int:
        return self.theories + self.firsts + self.planet


def found(state: State, seat: Seat) -> State:
    """A success in Locate: the first one begins the end (X35, X60)."""
    player = msgspec.structs.replace(player_of(state, seat), located=True)
    state = with_player(state, player)
    if state.finder is not None:
        return state
    state = msgspec.structs.replace(state, finder=seat)
    if state.rules.app_only:
        return state
    return msgspec.structs.replace(state, phase=Ending(_last_moves(state)))


def _last_moves(state: State) -> tuple[tuple[Seat, int], ...]:
    """Who makes a last move, and how many theories it may be: none for those level or ahead (X60, X61)."""
    behind = ((player.seat, gap(state, player)) for player in in_order(state))
    return tuple((seat, 1 if distance <= 3 else 2) for seat, distance in behind if distance > 0)


def gap(state: State, player: Player) -> int:
    """How many sectors a player stands behind the finder; negative if ahead of it."""
    return player_of(state, state.finder or player.seat).time - player.time


def next_last_move(state: State, phase: Ending) -> State:
    """The first seat has made its last move."""
    return msgspec.structs.replace(state, phase=Ending(phase.left[1:]))


def after_last_theory(state: State, phase: Ending) -> State:
    """The first seat has placed one of its last theories."""
    (seat, count), rest = phase.left[0], phase.left[1:]
    if count == 1 or not placeable(state, seat):
        return next_last_move(state, phase)
    return msgspec.structs.replace(state, phase=Ending(((seat, count - 1), *rest), begun=True))


def resigned(state: State, seat: Seat) -> Step:
    """A player leaves; the others play on, and the last one left wins."""
    player = msgspec.structs.replace(player_of(state, seat), gone=True)
    state = with_player(state, player)
    phase = state.phase
    if isinstance(phase, Placing | Ending):
        kept = tuple(entry for entry in phase.left if entry[0] != seat)
        begun = isinstance(phase, Ending) and phase.begun and phase.left[0][0] != seat
        state = msgspec.structs.replace(
            state, phase=Ending(kept, begun) if isinstance(phase, Ending) else Placing(kept)
        )
    told = Event(say("{seat} resigns.", seat=seat.upper()), None)
    left = in_order(state)
    if isinstance(phase, Over) or len(left) > 1 or (left and state.rules.app_only):
        return state, (told,)
    state, events = revealed(state)
    return state, (told, *events)


def revealed(state: State) -> Step:
    """All is revealed; right theories stay, wrong ones go without penalty (X62)."""
    right = tuple(
        msgspec.structs.replace(t, shown=True) for t in state.theories if state.game.board[t.sector - 1] == t.kind
    )
    state = msgspec.structs.replace(state, theories=right, phase=Over())
    told = say("Planet X was in sector {sector}.", sector=state.game.board.index("X") + 1)
    return state, (Event(told, None, reveals=True),)


def tallies(state: State) -> tuple[Tally, ...]:
    """The points of a revealed match, by seat (X63-X65)."""
    return tuple(
        Tally(
            seat=player.seat,
            theories=sum(_worth(state, t.kind) for t in state.theories if t.owner == player.seat),
            firsts=_firsts(state, player.seat),
            planet=_planet(state, player),
        )
        for player in state.players
    )


def _worth(state: State, kind: str) -> int:
    """X64."""
    return {"A": 2, "C": 3, "G": 4, "D": 4 if state.mode.dwarf_band is None else 2}[kind]


def _firsts(state: State, seat: Seat) -> int:
    """X63: one point a sector for the first right theory there; theories of one phase are simultaneous (X51)."""
    earliest: dict[int, int] = {}
    for theory in state.theories:
        earliest[theory.sector] = min(theory.phase, earliest.get(theory.sector, theory.phase))
    return sum(t.owner == seat and t.phase == earliest[t.sector] for t in state.theories)


def _planet(state: State, player: Player) -> int:
    """X65."""
    if not player.located:
        return 0
    return FIRST_FINDER if player.seat == state.finder else max(0, min(FIRST_FINDER, 2 * gap(state, player)))


def outcome(state: State) -> Outcome | None:
    """Who won, and why: most points, then for Planet X, then firsts; then it is shared (X66)."""
    if not isinstance(state.phase, Over):
        return None
    if state.rules.app_only:
        return Outcome(frozenset(), say("All is revealed: count your points."))
    here = {player.seat for player in in_order(state)}
    points = [tally for tally in tallies(state) if tally.seat in here]
    if not points:
        return Outcome(frozenset(), say("Everybody has given up."))
    best = max((t.total, t.planet, t.firsts) for t in points)
    winners = frozenset(t.seat for t in points if (t.total, t.planet, t.firsts) == best)
    if winners == {state.rules.opponent}:
        return Outcome(frozenset(), say("The automatic opponent wins with {points} points.", points=best[0]))
    return Outcome(winners - {state.rules.opponent or ""}, _won(tuple(sorted(winners)), best[0]))


def _won(winners: tuple[Seat, ...], points: int) -> Text:
    if len(winners) == 1:
        return say("{seat} wins with {points} points.", seat=winners[0].upper(), points=points)
    names = ", ".join(seat.upper() for seat in winners)
    return say("{seats} share the victory with {points} points.", seats=names, points=points)
