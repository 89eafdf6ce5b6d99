"""What an honest table shows, and what a camera sees of an action (design law 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.fence.actions import UNKNOWN, Action, Change, Clear, Exchange, Play, Retreat
from engine.fence.actions import Move as Step
from engine.fence.apply import result
from engine.fence.cards import Weapon
from engine.fence.rules import TRACK
from engine.fence.state import LAST, Fencer, State, ahead, off, side_of
from engine.table import Face, Layout, Move, Order, Piece, Seat, Spot, Trace, ZoneLayout

COLOURS = ("green", "red")
"""The sides as zones and pieces are named."""

STRIP, BESIDE, TIMER, DISCARD = "strip", "beside", "timer", "discard"
POSITIONS = tuple(Weapon)


def lane(side: int) -> str:
    return f"lane-{COLOURS[side]}"


def weapon(side: int) -> str:
    return f"weapon-{COLOURS[side]}"


def track(side: int) -> str:
    return f"stamina-{COLOURS[side]}"


def layout(state: State) -> Layout:
    """The strip with its two zones as cells 0 and 11, the squares beside it, lanes, markers, timer deck and discards.

    While the top card of the discards is one that nobody named, that pile is left out: it may show anything.
    """
    pair = (0, 1)
    timer = (Piece(None, Face.DOWN),) if state.piles.timer else ()
    top = tuple(Piece(name) for name in state.piles.discards[-1:])
    discards = () if top == (Piece(UNKNOWN),) else (ZoneLayout(DISCARD, Order.PILE, top),)
    return Layout(
        (
            ZoneLayout(STRIP, Order.CELLS, _figures(state, beside=False)),
            ZoneLayout(BESIDE, Order.CELLS, _figures(state, beside=True)),
            *(ZoneLayout(lane(side), Order.AREA, _cards(state.fencers[side])) for side in pair),
            *(ZoneLayout(weapon(side), Order.CELLS, _weapon(state, side)) for side in pair),
            *(ZoneLayout(track(side), Order.CELLS, _stamina(state, side)) for side in pair),
            ZoneLayout(TIMER, Order.PILE, timer),
            *discards,
        )
    )


def _figures(state: State, beside: bool) -> tuple[Piece | None, ...]:
    cells: list[Piece | None] = [None] * (LAST + 2)
    for side, fencer in enumerate(state.fencers):
        if bool(fencer.beside) == beside:
            cells[fencer.beside or fencer.square] = Piece(COLOURS[side])
    return tuple(cells)


def _cards(fencer: Fencer) -> tuple[Piece, ...]:
    return tuple(Piece(name) for name in sorted(fencer.lane))


def _weapon(state: State, side: int) -> tuple[Piece | None, ...]:
    marker = Piece(f"{COLOURS[side]}-weapon")
    return tuple(marker if position is state.fencers[side].weapon else None for position in POSITIONS)


def _stamina(state: State, side: int) -> tuple[Piece | None, ...]:
    marker = Piece(f"{COLOURS[side]}-stamina")
    return tuple(marker if points == state.fencers[side].stamina else None for points in range(TRACK + 1))


_SEEN = (Step, Change, Retreat, Play, Clear)
"""Actions that a camera can tell; the others are ordered at the buttons. A named exchange is seen, too."""


def trace(state: State, seat: Seat, action: Action) -> Trace:
    """What a camera sees of an action, done by the hand of its seat; anybody may put the table in order."""
    seen = isinstance(action, _SEEN)
    if isinstance(action, Exchange):  # one more card like that on top of the discards shows nothing
        seen = action.card not in (UNKNOWN, *state.piles.discards[-1:])
    if isinstance(action, Retreat) and off(state.fencers[side_of(state, seat)].square - ahead(side_of(state, seat))):
        seen = False  # from the last square it looks like a step
    hands = frozenset[Seat]() if isinstance(action, Clear) else frozenset({seat})
    return difference(state, result(state, seat, action), hands, declared=not seen)


def difference(before: State, after: State, hands: frozenset[Seat] = frozenset(), declared: bool = False) -> Trace:
    """The trace that leads from the table of one state to that of another."""
    target = layout(after)
    moves = (*_markers(layout(before), target), *_laid_and_taken(before, after))
    return Trace(target, moves=tuple(sorted(moves, key=str)), hands=hands, declared=declared)


def _markers(before: Layout, after: Layout) -> Iterator[Move]:
    """Figures and markers: each is the only one of its kind."""
    old, new = _places(before), _places(after)
    yield from (Move(old[kind], new[kind]) for kind in old if old[kind] != new[kind])


def _places(table: Layout) -> dict[str, Spot]:
    return {
        piece.kind: Spot(zone.zone, index)
        for zone in table.zones
        if zone.order is Order.CELLS
        for index, piece in enumerate(zone.pieces)
        if piece is not None and piece.kind is not None
    }


def _laid_and_taken(before: State, after: State) -> Iterator[Move]:
    """Cards between lanes, hands and discards; of the discards only the newest is seen."""
    old, new = before.piles.discards, after.piles.discards
    arrived = new[-1] if len(new) > len(old) and new[-1] != UNKNOWN else None
    for side in (0, 1):
        was, now = sorted(before.fencers[side].lane), sorted(after.fencers[side].lane)
        for index in _extra(now, was):
            yield Move(None, Spot(lane(side), index))
        for index in _extra(was, now):
            if was[index] == arrived:
                yield Move(Spot(lane(side), index), Spot(DISCARD, 0))
                arrived = None
            else:
                yield Move(Spot(lane(side), index), None)
    if arrived is not None:
        yield Move(None, Spot(DISCARD, 0))
    if old and old[-1] != UNKNOWN and not new:
        yield Move(Spot(DISCARD, 0), None)


def _extra(cards: list[str], others: list[str]) -> Iterator[int]:
    """The indices of the cards that are more than in the other list."""
    left = Counter(others)
    for index, card in enumerate(cards):
        if left[card]:
            left[card] -= 1
        else:
            yield index
