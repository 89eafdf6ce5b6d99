"""The reverse of an action, for a hand to put back after undo."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.catalogue import AnyGame
from engine.game import Words
from engine.table import Layout, Move, Seat, Spot, Trace


class Back(msgspec.Struct, frozen=True):
    """An undoable action. state: before it; lies: layout after it; trace: reverses it."""

    state: Any
    seat: Seat
    lies: Layout
    trace: Trace


def way_back(game: AnyGame, state: Any, seat: Seat, words: Words) -> Back:
    """Return the reverse of an action in this state."""
    trace = game.trace(state, seat, game.read(state, seat, words))
    return Back(state, seat, trace.layout, _reverse(trace, game.layout(state)))


def _reverse(trace: Trace, before: Layout) -> Trace:
    goes: dict[Spot, Spot | None] = {move.source: move.target for move in trace.moves if move.source is not None}
    turned = (goes.get(spot, spot) for spot in trace.turned)
    return Trace(
        before,
        moves=tuple(Move(move.target, move.source) for move in trace.moves),
        turned=frozenset(spot for spot in turned if spot is not None),
    )
