"""Decides if a cheat is visible: by layout, handled pieces, or hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from engine.catalogue import AnyGame
from engine.grammar import sentences
from engine.table import Arrangement, Face, Layout, Move, Seat, Spot, Trace, ZoneLayout

IN_A_ROW = 3


class Evidence(StrEnum):
    LAYOUT = "layout"  # what lies there afterwards
    TRACKS = "tracks"  # which hidden pieces changed places
    LIFTED = "lifted"  # which pieces were lifted and put back
    HANDS = "hands"  # from which side the hand came
    NONE = "none"  # nothing: it looks legal


def legal_traces(game: AnyGame, state: object) -> tuple[Trace, ...]:
    """Return traces of all legal actions that need no order, also behind unseen ones."""
    traces: list[Trace] = []
    for seat in sorted(game.actors(state)):
        for words in sentences(game, state, seat):
            action = game.read(state, seat, words)
            trace = game.trace(state, seat, action)
            if trace.declared:
                continue
            traces += legal_traces(game, game.apply(state, seat, action)[0]) if trace.unseen else (trace,)
    return tuple(traces)


def is_play(game: AnyGame, state: object, done: Trace) -> bool:
    """Return True if the deed turns several pieces in place, as at most IN_A_ROW successive legal actions could."""
    if done.moves or len(done.turned) < 2:
        return False
    level = [state]
    for _ in range(min(len(done.turned), IN_A_ROW)):
        level = [after for each in level for after in _turning(game, each, done.turned)]
        if any(_plain(game.layout(each)) == _plain(done.layout) for each in level):
            return True
    return False


def _turning(game: AnyGame, state: object, spots: frozenset[Spot]) -> Iterator[object]:
    for seat in sorted(game.actors(state)):
        for words in sentences(game, state, seat):
            action = game.read(state, seat, words)
            trace = game.trace(state, seat, action)
            if trace.turned and trace.turned <= spots and not (trace.moves or trace.declared or trace.unseen):
                yield game.apply(state, seat, action)[0]


def evidence(cheat: Trace, before: Layout, allowed: Iterable[Trace], seats: frozenset[Seat]) -> Evidence:
    """Return the first evidence that separates the cheat from doing nothing and from allowed traces."""
    nothing = Trace(before)
    left = [trace for trace in (nothing, *allowed) if _plain(trace.layout) == _plain(cheat.layout)]
    if not left:
        return Evidence.LAYOUT
    left = [trace for trace in left if _paths(trace, before) == _paths(cheat, before)]
    if not left:
        return Evidence.TRACKS
    left = [trace for trace in left if trace.lifted == cheat.lifted]
    if not left:
        return Evidence.LIFTED
    hands = cheat.hands or seats
    if not any(hands & (trace.hands or seats) for trace in left):
        return Evidence.HANDS
    return Evidence.NONE


def _paths(trace: Trace, before: Layout) -> frozenset[Move]:
    def is_hidden(spot: Spot | None) -> bool:
        piece = before.at(spot) if spot is not None else None
        return piece is not None and piece.face is Face.DOWN

    return frozenset(move for move in trace.moves if is_hidden(move.source))


def _plain(layout: Layout) -> tuple[object, ...]:
    return tuple(_zone(zone) for zone in layout.zones)


def _zone(zone: ZoneLayout) -> tuple[object, ...]:
    looks = [(p.kind or "", p.face) if p is not None else None for p in zone.pieces]
    return (
        (zone.zone, *sorted(look for look in looks if look)) if zone.order is Arrangement.AREA else (zone.zone, *looks)
    )
