"""What an honest table shows, what a camera sees of a change (design law 3), and the life counters (R5).

Per wizard: a spot for the card laid face down, the spell sequence, and, if it is kept on the mat, a life track of
twelve cells. In the middle the draw pile and the discards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain

from msgspec.structs import replace

from engine.errors import Breach
from engine.game import Attempt
from engine.memo import per_state
from engine.runes.state import MOST_LIFE, Queued, State, Wizard, pile, with_wizard
from engine.table import Face, Layout, Move, Order, Piece, Seat, Spot, Trace, ZoneLayout
from engine.text import say, who

PILE, DISCARDS = "pile", "discards"
LIFE = "life"
"""The kind of a life counter."""

_DOWN = Piece(None, Face.DOWN)

Places = dict[str, Spot]
"""Where each named piece lies: a card by its id, a life counter by its track."""


def spot_zone(seat: Seat) -> str:
    """The place for a card laid face down."""
    return f"card-{seat}"


def sequence_zone(seat: Seat) -> str:
    """The spell sequence."""
    return f"sequence-{seat}"


def life_zone(seat: Seat) -> str:
    """The life track."""
    return f"life-{seat}"


def layout(state: State) -> Layout:
    """Every wizard's zones, then pile and discards; of these two only the top card shows."""
    zones = list(chain.from_iterable(_own(state, wizard) for wizard in state.wizards))
    zones.append(_top(PILE, _DOWN if pile(state) else None))
    zones.append(_top(DISCARDS, Piece(state.discards[-1]) if state.discards else None))
    return Layout(tuple(zones))


def _own(state: State, wizard: Wizard) -> Iterator[ZoneLayout]:
    seat = wizard.seat
    if seat != state.rules.opponent:
        yield _spot(seat, wizard.laid)
    yield _sequence(seat, wizard.sequence)
    if state.rules.life_counter == "mat":
        yield _track(seat, 0 if wizard.gone else wizard.life)


# Zones are few and seen again and again: the arbiter compares hundreds of layouts that differ in one or two of them.


@cache
def _spot(seat: Seat, laid: bool) -> ZoneLayout:
    return ZoneLayout(spot_zone(seat), Order.CELLS, (_DOWN if laid else None,))


@lru_cache(256)
def _sequence(seat: Seat, sequence: tuple[Queued, ...]) -> ZoneLayout:
    queue = tuple(_DOWN if queued.down else Piece(queued.card) for queued in sequence)
    return ZoneLayout(sequence_zone(seat), Order.SPLAY, queue)


@cache
def _track(seat: Seat, life: int) -> ZoneLayout:
    cells = tuple(Piece(LIFE) if life == number + 1 else None for number in range(MOST_LIFE))
    return ZoneLayout(life_zone(seat), Order.CELLS, cells)


@cache
def _top(zone: str, piece: Piece | None) -> ZoneLayout:
    return ZoneLayout(zone, Order.PILE, () if piece is None else (piece,))


def seen(after: State, seat: Seat, moves: tuple[Move, ...] = (), turned: frozenset[Spot] = frozenset()) -> Trace:
    """The trace of one hand that does something which no action stands for."""
    return Trace(layout(after), moves=moves, turned=turned, hands=frozenset({seat}))


def difference(
    before: State,
    after: State,
    *,
    came: Mapping[str, Spot] | None = None,
    first: tuple[Move, ...] = (),
    last: tuple[Move, ...] = (),
    swept: bool = False,
    lifted: frozenset[Spot] = frozenset(),
    hands: frozenset[Seat] = frozenset(),
    declared: bool = True,
) -> Trace:
    """The trace that leads from one state to another.

    came: where cards come from that nobody could name before. first, last: moves of pieces that have no name. swept:
    the discards are taken up as one. hands: where the zones do not tell whose.
    """
    moves = (*first, *_moved(before, after, came or {}, swept), *last)
    turned = _turned(before, after, moves)
    return Trace(layout(after), moves=moves, turned=turned, lifted=lifted, hands=hands, declared=declared)


def _places(state: State) -> Places:
    """Every piece that can be told from others."""
    places: Places = {name: Spot(DISCARDS, 0) for name in state.discards}
    for wizard in state.wizards:
        for number, queued in enumerate(wizard.sequence):
            places[queued.card] = Spot(sequence_zone(wizard.seat), number)
        if state.rules.life_counter == "mat" and wizard.life > 0 and not wizard.gone:
            places[life_zone(wizard.seat)] = Spot(life_zone(wizard.seat), wizard.life - 1)
    return places


_places_before = per_state(_places)


def _moved(state: State, after: State, came: Mapping[str, Spot], swept: bool) -> tuple[Move, ...]:
    """Pieces that lie in another zone, or on another cell, than before; what closes ranks is not listed."""
    before, now = _places_before(state), _places(after)
    moves = []
    for name in (*(name for name in before if name not in now), *now):
        source, target = before.get(name), now.get(name)
        if swept and target is None and source is not None and source.zone == DISCARDS:
            continue
        if source is None or target is None or source.zone != target.zone or _carried(source, target):
            moves.append(Move(source if source is not None else came.get(name), target))
    return tuple(moves)


def _carried(source: Spot, target: Spot) -> bool:
    return source.zone.startswith(LIFE) and source != target


def _turned(state: State, after: State, moves: tuple[Move, ...]) -> frozenset[Spot]:
    """Pieces whose other face shows: what is revealed, and what was turned face down."""
    shown = {move.source for move in moves if move.source and move.source.zone.startswith((PILE, "card-"))}
    shown = {source for source in shown if any(m.source == source and m.target for m in moves)}
    old = {q.card: (n, w.seat, q.down) for w in state.wizards for n, q in enumerate(w.sequence)}
    new = {q.card: q.down for w in after.wizards for q in w.sequence} | dict.fromkeys(after.discards, False)
    flipped = {Spot(sequence_zone(s), n) for name, (n, s, down) in old.items() if new.get(name, down) != down}
    shuffled = {move.source for move in moves if move.source and move.source.zone == DISCARDS}
    return frozenset(shown | flipped | shuffled)


# --- life counters


def counters_moved(state: State, seat: Seat) -> Iterator[Attempt]:
    """A hand puts a life counter on another number: life changes by spells alone."""
    if state.rules.life_counter != "mat":
        return
    for owner in (wizard for wizard in state.wizards if not wizard.gone):
        zone, whose = life_zone(owner.seat), who(owner.seat)
        breach = Breach("R5", say("{seat} has {life} life.", seat=whose, life=owner.life))
        for cell in range(12):
            if cell != owner.life - 1:
                after = with_wizard(state, replace(owner, life=cell + 1))
                trace = seen(after, seat, (Move(Spot(zone, owner.life - 1), Spot(zone, cell)),))
                what = say("The life counter of {seat} went to {life}.", seat=whose, life=cell + 1)
                yield Attempt("life counter moved", seat, trace, (breach,), what=what)


def counters_misplaced(due: Trace, seat: Seat) -> Iterator[Attempt]:
    """A life counter that an order moves is put one too far, or one short."""
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
                yield Attempt("life counter misplaced", seat, trace, (Breach("R5", text),), what=what)


def _with_counter(before: Layout, spot: Spot) -> Layout:
    cells = tuple(Piece(LIFE) if number == spot.index else None for number in range(MOST_LIFE))
    track = ZoneLayout(spot.zone, Order.CELLS, cells)
    return Layout(tuple(track if zone.zone == spot.zone else zone for zone in before.zones))
