"""Decides whether a cheat can be seen: by the layout, by the pieces handled, or by whose hand it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from engine.catalogue import AnyGame
from engine.grammar import sentences
from engine.table import Arrangement, Face, Layout, Move, Seat, Spot, Trace, ZoneLayout

IN_A_ROW = 3
"""So many legal actions at most may pass for one: nobody does more before the others have seen the table."""


class Evidence(StrEnum):
    """What reveals a cheat, the plainest first."""

    LAYOUT = "layout"  # what lies on the table afterwards
    TRACKS = "tracks"  # which pieces changed places, or were turned over
    LIFTED = "lifted"  # which pieces were picked up and put back
    HANDS = "hands"  # from which side the hand came
    NONE = "none"  # nothing: it looks like a legal action


def legal_traces(game: AnyGame, state: object) -> tuple[Trace, ...]:
    """Traces of every action that is legal now and that needs no order at the buttons.

    What is neither seen nor ordered (to go no further) goes without saying: what is legal after it is legal now.
    """
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
    """Return True if what was done is some legal actions in a row that turn pieces where they are."""
    if done.moves or len(done.turned) < 2:
        return False
    level = [state]
    for _ in range(min(len(done.turned), IN_A_ROW)):
        level = [after for each in level for after in _turning(game, each, done.turned)]
        if any(_plain(game.layout(each)) == _plain(done.layout) for each in level):
            return True
    return False


def _turning(game: AnyGame, state: object, spots: frozenset[Spot]) -> Iterator[object]:
    """The states after each legal action that turns some of these pieces, and does nothing else that is seen."""
    for seat in sorted(game.actors(state)):
        for words in sentences(game, state, seat):
            action = game.read(state, seat, words)
            trace = game.trace(state, seat, action)
            if trace.turned and trace.turned <= spots and not (trace.moves or trace.declared or trace.unseen):
                yield game.apply(state, seat, action)[0]


def evidence(cheat: Trace, before: Layout, allowed: Iterable[Trace], seats: frozenset[Seat]) -> Evidence:
    """Return what tells the cheat from doing nothing and from everything allowed (or ordered)."""
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
    """Return where face-down pieces went. Face-up ones differ in the layout, which is compared already."""

    def hidden(spot: Spot | None) -> bool:
        piece = before.at(spot) if spot is not None else None
        return piece is not None and piece.face is Face.DOWN

    return frozenset(move for move in trace.moves if hidden(move.source))


def _plain(layout: Layout) -> tuple[object, ...]:
    return tuple(_zone(zone) for zone in layout.zones)


def _zone(zone: ZoneLayout) -> tuple[object, ...]:
    looks = [(p.kind or "", p.face) if p is not None else None for p in zone.pieces]
    return (
        (zone.zone, *sorted(look for look in looks if look)) if zone.order is Arrangement.AREA else (zone.zone, *looks)
    )
