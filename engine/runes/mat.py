"""The layout of the mat, and traces of changes.

Each wizard has a spot for the laid card, a spell sequence, and perhaps a life track of twelve cells; pile and discards
are in the middle (law 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache

from msgspec.structs import replace

from engine.errors import Violation
from engine.game import Attempt, Prefilter, ZonePrefilter, per_state
from engine.runes.match import MOST_LIFE, Queued, State, pile
from engine.table import Arrangement, Face, Layout, Move, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import Text, say, who

PILE, DISCARDS = "pile", "discards"
LIFE = "life"

LAID = Piece(None, Face.DOWN)

Places = dict[str, Spot]
"""Spots of named pieces: cards by id, life counters by track."""


def spot_zone(seat: Seat) -> str:
    return f"card-{seat}"


def sequence_zone(seat: Seat) -> str:
    return f"sequence-{seat}"


def life_zone(seat: Seat) -> str:
    return f"life-{seat}"


def cards_alone(state: State, glance: Prefilter) -> bool:
    """Return False if anything but cards changed; only spells move life counters."""
    return glance.only(*_card_zones(tuple(wizard.seat for wizard in state.wizards)))


@cache
def _card_zones(seats: tuple[Seat, ...]) -> tuple[str, ...]:
    return (PILE, DISCARDS, *map(spot_zone, seats), *map(sequence_zone, seats))


def layout(state: State) -> Layout:
    """Return all zones; pile and discards show only their top."""
    zones: list[ZoneLayout] = []
    tracked = state.rules.life_counter == "mat"
    for wizard in state.wizards:
        if not wizard.automatic:
            zones.append(spot_layout(wizard.seat, wizard.laid))
        zones.append(sequence_layout(wizard.seat, wizard.sequence))
        if tracked:
            zones.append(track_layout(wizard.seat, 0 if wizard.gone else wizard.life))
    zones.append(_top(PILE, LAID if pile(state) else None))
    zones.append(discards_layout(state.discards))
    return Layout(tuple(zones))


# Cached: the arbiter compares hundreds of layouts that differ in one or two zones.


@cache
def spot_layout(seat: Seat, laid: bool) -> ZoneLayout:
    zone = spot_zone(seat)
    return ZoneLayout(zone, Arrangement.CELLS, (LAID if laid else None,), places=(Text(zone),))


@lru_cache(256)
def sequence_layout(seat: Seat, sequence: tuple[Queued, ...]) -> ZoneLayout:
    queue = tuple(LAID if queued.down else Piece(queued.card) for queued in sequence)
    return ZoneLayout(sequence_zone(seat), Arrangement.SPLAY, queue)


@cache
def track_layout(seat: Seat, life: int) -> ZoneLayout:
    cells = tuple(Piece(LIFE) if life == number + 1 else None for number in range(MOST_LIFE))
    return ZoneLayout(life_zone(seat), Arrangement.CELLS, cells)


def discards_layout(discards: tuple[str, ...]) -> ZoneLayout:
    return _top(DISCARDS, Piece(discards[-1]) if discards else None)


@cache
def _top(zone: str, piece: Piece | None) -> ZoneLayout:
    return ZoneLayout(zone, Arrangement.PILE, () if piece is None else (piece,))


def single_hand_trace(
    state: State, seat: Seat, *changed: ZoneLayout, moves: tuple[Move, ...], turned: frozenset[Spot] = frozenset()
) -> Trace:
    """Return the trace of one hand's act that is no action. changed: the zones that differ."""
    zones = _zones(state) | {zone.zone: zone for zone in changed}
    return Trace(Layout(tuple(zones.values())), moves=moves, turned=turned, hands=frozenset({seat}))


@per_state
def _zones(state: State) -> dict[str, ZoneLayout]:
    return {zone.zone: zone for zone in layout(state).zones}


def difference(
    before: State,
    after: State,
    *,
    came: Mapping[str, Spot] | None = None,
    first: tuple[Move, ...] = (),
    last: tuple[Move, ...] = (),
    swept: bool = False,
    hands: frozenset[Seat] = frozenset(),
    declared: bool,
) -> Trace:
    """Return the trace between two states.

    came: sources of cards that nobody could name
    first, last: moves of unnamed pieces
    swept: the discards are taken up as one
    hands, declared: see `Trace`"""
    moves = (*first, *_moved_pieces(before, after, came or {}, swept), *last)
    turned = _turned_spots(before, after, moves)
    return Trace(layout(after), moves=moves, turned=turned, hands=hands, declared=declared)


def _places(state: State) -> Places:
    places: Places = {name: Spot(DISCARDS, 0) for name in state.discards}
    for wizard in state.wizards:
        for number, queued in enumerate(wizard.sequence):
            places[queued.card] = Spot(sequence_zone(wizard.seat), number)
        if state.rules.life_counter == "mat" and wizard.life > 0 and not wizard.gone:
            places[life_zone(wizard.seat)] = Spot(life_zone(wizard.seat), wizard.life - 1)
    return places


_places_before = per_state(_places)


def card_spots(state: State, cards: Iterable[str]) -> tuple[Spot, ...]:
    """Return the spots of cards that lie on the mat."""
    places = _places_before(state)
    return tuple(places[card] for card in cards if card in places)


def _moved_pieces(state: State, after: State, came: Mapping[str, Spot], swept: bool) -> tuple[Move, ...]:
    before, now = _places_before(state), _places(after)
    moves = []
    for name in (*(name for name in before if name not in now), *now):
        source, target = before.get(name), now.get(name)
        if swept and target is None and source is not None and source.zone == DISCARDS:
            continue
        if source is None or target is None or source.zone != target.zone or _is_carried(source, target):
            moves.append(Move(source if source is not None else came.get(name), target))
    return tuple(moves)


def _is_carried(source: Spot, target: Spot) -> bool:
    return source.zone.startswith(LIFE) and source != target


def _turned_spots(state: State, after: State, moves: tuple[Move, ...]) -> frozenset[Spot]:
    shown = {move.source for move in moves if move.source and move.source.zone.startswith((PILE, "card-"))}
    shown = {source for source in shown if any(m.source == source and m.target for m in moves)}
    old = {q.card: (n, w.seat, q.down) for w in state.wizards for n, q in enumerate(w.sequence)}
    new = {q.card: q.down for w in after.wizards for q in w.sequence} | dict.fromkeys(after.discards, False)
    flipped = {Spot(sequence_zone(s), n) for name, (n, s, down) in old.items() if new.get(name, down) != down}
    shuffled = {move.source for move in moves if move.source and move.source.zone == DISCARDS}
    return frozenset(shown | flipped | shuffled)


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
