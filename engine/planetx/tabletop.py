"""What a camera sees of a match: the pawns on the time track and Earth's arrow (only with the option `camera`).

Every action is ordered at the buttons; the camera checks that pawns and Earth move as it demands (X21, X23).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.errors import Breach
from engine.game import Attempt
from engine.planetx.actions import Action
from engine.planetx.apply import apply
from engine.planetx.sky import wrap
from engine.planetx.state import Over, State, actors, sector_at
from engine.table import Layout, Move, Order, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import Text, say

EARTH = "earth"

Places = Mapping[str, int]
"""Where each piece stands: its kind, and a sector. A pawn's kind is its season."""


def layout(state: State) -> Layout:
    """A zone a sector for the pawns, and a cell a sector for Earth; nothing if no camera watches."""
    return _laid(_places(state), state.mode.sectors) if state.rules.camera else Layout(())


def trace(state: State, seat: Seat, action: Action) -> Trace:
    """What is to be moved by hand after an action; always ordered at the buttons first."""
    if not state.rules.camera:
        return Trace(Layout(()), declared=True)
    after, _ = apply(state, seat, action)
    return _trace(_places(state), _places(after), state.mode.sectors)


def attempts(state: State) -> Iterator[Attempt]:
    """A pawn or Earth moved without an action."""
    if not state.rules.camera or isinstance(state.phase, Over):
        return
    before, n = _places(state), state.mode.sectors
    for kind, sector in before.items():
        text = say("Nothing was ordered: put {piece} back to sector {sector}.", piece=_name(state, kind), sector=sector)
        yield _attempt("moved without an action", state, before, {**before, kind: wrap(sector + 1, n)}, text)


def misexecutions(state: State, seat: Seat, action: Action) -> Iterable[Attempt]:
    """A piece put one sector too far, or one short, when an order is carried out."""
    if not state.rules.camera:
        return
    n, before = state.mode.sectors, _places(state)
    after = _places(apply(state, seat, action)[0])
    for kind, sector in after.items():
        for kind_of_error, step in (("one too far", 1), ("one short", -1)):
            put = wrap(sector + step, n)
            if sector != before[kind] and put != before[kind]:
                text = say("{piece} belongs on sector {sector}.", piece=_name(state, kind), sector=sector)
                yield _attempt(kind_of_error, state, before, {**after, kind: put}, text)


def _places(state: State) -> Places:
    pawns = {player.season: sector_at(state, player.time) for player in state.players}
    return {**pawns, EARTH: sector_at(state, state.arrow)}


def _laid(places: Places, n: int) -> Layout:
    sectors = tuple(
        ZoneLayout(_zone(s), Order.AREA, tuple(Piece(kind) for kind in _standing(places, s))) for s in range(1, n + 1)
    )
    earth = tuple(Piece(EARTH) if places[EARTH] == s else None for s in range(1, n + 1))
    names = tuple(Text(_zone(s)) for s in range(1, n + 1))
    return Layout((*sectors, ZoneLayout(EARTH, Order.CELLS, earth, places=names)))


def _trace(before: Places, after: Places, n: int) -> Trace:
    moves = tuple(
        Move(_spot(before, kind), _spot(after, kind)) for kind in sorted(before) if before[kind] != after[kind]
    )
    return Trace(_laid(after, n), moves, declared=True)


def _attempt(kind: str, state: State, before: Places, after: Places, text: Text) -> Attempt:
    by = min(actors(state))
    return Attempt(kind, by, _trace(before, after, state.mode.sectors), (Breach("X21", text),))


def _standing(places: Places, sector: int) -> list[str]:
    """The pawns on a sector, listed by kind."""
    return sorted(kind for kind, at in places.items() if at == sector and kind != EARTH)


def _spot(places: Places, kind: str) -> Spot:
    sector = places[kind]
    return Spot(EARTH, sector - 1) if kind == EARTH else Spot(_zone(sector), _standing(places, sector).index(kind))


def _zone(sector: int) -> str:
    return f"sector-{sector}"


def _name(state: State, kind: str) -> Text:
    """A pawn by its seat, or Earth."""
    if kind == EARTH:
        return say("Earth's arrow")
    seat = next(player.seat for player in state.players if player.season == kind)
    return say("the pawn of {seat}", seat=seat.upper())
