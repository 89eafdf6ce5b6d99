"""Errors with life counters (R5)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.errors import Violation
from engine.game import Attempt, ZonePrefilter
from engine.runes.mat import LIFE, life_zone, single_hand_trace, track_layout
from engine.runes.match import MOST_LIFE, State
from engine.table import Arrangement, Layout, Move, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import say, who


def counters_moved(state: State, seat: Seat, look: ZonePrefilter) -> Iterator[Attempt]:
    if state.rules.life_counter != "mat":
        return
    for owner in (wizard for wizard in state.wizards if not wizard.gone):
        zone, whose = life_zone(owner.seat), who(owner.seat)
        if not look.only(zone):
            continue
        breach = Violation("R5", say("{seat} has {life} life.", seat=whose, life=owner.life))
        for cell in range(12):
            track = track_layout(owner.seat, cell + 1)
            if cell != owner.life - 1 and look.allows(track):
                moves = (Move(Spot(zone, owner.life - 1), Spot(zone, cell)),)
                trace = single_hand_trace(state, seat, track, moves=moves)
                what = say("The life counter of {seat} went to {life}.", seat=whose, life=cell + 1)
                yield Attempt("life counter moved", seat, trace, (breach,), what=what)


def counters_misplaced(due: Trace, seat: Seat) -> Iterator[Attempt]:
    for number, move in enumerate(due.moves):
        if move.target is None or not move.target.zone.startswith(f"{LIFE}-"):
            continue
        owner = move.target.zone.removeprefix(f"{LIFE}-")
        text = say("The life counter of {seat} stands on the wrong number.", seat=who(owner))
        for cell in (move.target.index - 1, move.target.index + 1):
            target = Spot(move.target.zone, cell)
            if 0 <= cell < MOST_LIFE and target != move.source:
                moves = (*due.moves[:number], Move(move.source, target), *due.moves[number + 1 :])
                trace = replace(due, layout=_with_counter(due.layout, target), moves=moves, declared=False)
                what = say("A life counter was put beside its number.")
                yield Attempt("life counter misplaced", seat, trace, (Violation("R5", text),), what=what)


def _with_counter(before: Layout, spot: Spot) -> Layout:
    cells = tuple(Piece(LIFE) if number == spot.index else None for number in range(MOST_LIFE))
    track = ZoneLayout(spot.zone, Arrangement.CELLS, cells)
    return Layout(tuple(track if zone.zone == spot.zone else zone for zone in before.zones))
