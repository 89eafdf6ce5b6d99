"""Actions that a hidden pile's top card determines. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine.catalogue import AnyGame
from engine.game import Words
from engine.grammar import sentences
from engine.match import PendingOrder
from engine.table import Arrangement, Layout, Seat, Spot, Trace, ZoneLayout
from referee_simulator.table.holding import Holding


class Turning(msgspec.Struct, frozen=True):
    """A determined action, as if ordered. card: the pile's top."""

    due: PendingOrder
    card: str


def turned_up(game: AnyGame, holding: Holding, state: Any) -> Turning | None:
    """Return the action that the real cards leave; None if there is a choice or no pile decides."""
    before = game.layout(state)
    tops = {Spot(zone.zone, 0): zone.zone for zone in before.zones if _is_hidden_pile(zone)}
    if not any(_handled_spots(trace) & tops.keys() for trace in _firsts(game, state)):
        return None
    only = _only(game, holding, state)
    if only is None:
        return None
    seat, words = only
    trace = game.trace(state, seat, game.read(state, seat, words))
    pile = _decides(trace, tops)
    return None if pile is None else Turning(PendingOrder(seat, words, state, before, trace), holding.stacks[pile][-1])


def _decides(trace: Trace, tops: Mapping[Spot, str]) -> str | None:
    shown = {m.source for m in trace.moves if m.target is not None and _is_open(trace.layout, m.target)}
    spots = _handled_spots(trace) if trace.declared else shown
    return next((tops[spot] for spot in sorted(tops) if spot in spots), None)


def _firsts(game: AnyGame, state: Any) -> Iterator[Trace]:
    for seat in sorted(game.actors(state)):
        for choice in game.choices(state, seat):
            verb = (choice.word,)
            words = verb if choice.final else next(sentences(game, state, seat, verb))
            yield game.trace(state, seat, game.read(state, seat, words))


def _handled_spots(trace: Trace) -> set[Spot]:
    ends = {spot for move in trace.moves for spot in (move.source, move.target)}
    return {*trace.lifted, *(spot for spot in ends if spot is not None)}


def _only(game: AnyGame, holding: Holding, state: Any) -> tuple[Seat, Words] | None:
    """Return the only one of several legal actions that the real cards allow, else None."""
    legal = ((seat, words) for seat in sorted(game.actors(state)) for words in sentences(game, state, seat))
    count, found = 0, None
    for seat, words in legal:
        count += 1
        real = holding.real(state, seat, words)
        if real is not None and found is not None:
            return None
        found = found if real is None else (seat, real)
    return found if count > 1 else None


def _is_hidden_pile(zone: ZoneLayout) -> bool:
    top = zone.pieces[0] if zone.pieces else None
    return zone.order is Arrangement.PILE and top is not None and top.kind is None


def _is_open(shown: Layout, spot: Spot) -> bool:
    piece = shown.at(spot)
    return piece is not None and piece.kind is not None
