"""Merges two traces into one: what a camera sees if the table rests only after both actions."""

from __future__ import annotations

from engine.table import Move, Spot, Trace
from engine.tellstones.places import line_zone, pool_zone
from engine.tellstones.state import State


def merged(before: State, first: Trace, middle: State, second: Trace, after: State) -> Trace:
    """The trace of both. Stones of one mat differ, so each is followed by its kind."""
    origin, target = _spots(before), _spots(after)
    between = {spot: stone for stone, spot in _spots(middle).items()}
    start = {spot: stone for stone, spot in origin.items()}

    def of(spots: frozenset[Spot], names: dict[Spot, tuple[int, str]]) -> frozenset[tuple[int, str]]:
        return frozenset(names[spot] for spot in spots)

    carried = of(_sources(first), start) | of(_sources(second), between)
    turned = of(first.turned, start) ^ of(second.turned, between)
    handled = of(first.handled, start) | of(second.handled, between)
    return Trace(
        second.layout,
        moves=tuple(sorted(Move(origin[stone], target[stone]) for stone in carried)),
        turned=frozenset(origin[stone] for stone in turned),
        lifted=frozenset(origin[stone] for stone in handled - carried - turned),
        hands=first.hands | second.hands,
    )


def _sources(trace: Trace) -> frozenset[Spot]:
    return frozenset(move.source for move in trace.moves if move.source is not None)


def _spots(state: State) -> dict[tuple[int, str], Spot]:
    """Where each stone is, by mat and kind."""
    found: dict[tuple[int, str], Spot] = {}
    for number, mat in enumerate(state.mats):
        line, pool = line_zone(state, number), pool_zone(state, number)
        found |= {(number, stone.kind): Spot(line, index) for index, stone in enumerate(mat.line)}
        found |= {(number, kind): Spot(pool, index) for index, kind in enumerate(mat.pool)}
    return found
