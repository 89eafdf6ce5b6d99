"""What an honest table shows, and what a camera sees of an action (design law 3).

Per wizard: a spot for the card laid face down, the spell sequence, and, if it is kept on the mat, a life track of
twelve cells. In the middle the draw pile and the discards.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import chain

from engine.memo import per_state
from engine.runes.actions import Action, Again, Draw, Lay, Pay, Reveal, Shuffle, Turn
from engine.runes.apply import apply
from engine.runes.state import MOST_LIFE, Queued, State, Wizard, pile
from engine.table import Face, Layout, Move, Order, Piece, Seat, Spot, Trace, ZoneLayout

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


def trace(state: State, seat: Seat, action: Action) -> Trace:
    """What a camera sees when the action and all that follows of itself are carried out."""
    return difference(state, apply(state, seat, action)[0], seat, action)


def difference(state: State, after: State, seat: Seat, action: Action) -> Trace:
    """The trace that leads from one state to another by an action of `seat`."""
    moves = (*_drawn(action), *_shuffled(state, action), *_moved(state, after, seat, action))
    return Trace(
        layout(after),
        moves=moves,
        turned=_turned(state, after, moves),
        lifted=_emptied(state, action),
        hands=frozenset({seat}) if isinstance(action, Pay | Draw) else frozenset(),  # elsewhere the zone tells whose
        declared=not isinstance(action, Lay | Reveal | Pay | Draw | Turn | Again),
    )


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


def _moved(state: State, after: State, seat: Seat, action: Action) -> tuple[Move, ...]:
    """Pieces that lie in another zone, or on another cell, than before; what closes ranks is not listed."""
    before, now = _places_before(state), _places(after)
    moves = []
    for name in (*(name for name in before if name not in now), *now):
        source, target = before.get(name), now.get(name)
        if isinstance(action, Shuffle) and target is None and source is not None and source.zone == DISCARDS:
            continue
        if source is None or target is None or source.zone != target.zone or _carried(source, target):
            moves.append(Move(source if source is not None else _origin(name, seat, action), target))
    laid = tuple(Move(None, Spot(spot_zone(seat), 0)) for _ in range(1) if isinstance(action, Lay))
    return (*moves, *laid)


def _carried(source: Spot, target: Spot) -> bool:
    return source.zone.startswith(LIFE) and source != target


def _origin(name: str, seat: Seat, action: Action) -> Spot | None:
    """Where a card comes from that nobody could name before."""
    if isinstance(action, Reveal) and name == action.card:
        return Spot(spot_zone(seat), 0)
    return Spot(PILE, 0) if isinstance(action, Turn) and name == action.card else None


def _drawn(action: Action) -> tuple[Move, ...]:
    return (Move(Spot(PILE, 0), None),) if isinstance(action, Draw) else ()


def _shuffled(state: State, action: Action) -> tuple[Move, ...]:
    """R58: the discards go back into the pile."""
    return (Move(Spot(DISCARDS, 0), Spot(PILE, 0)),) if isinstance(action, Shuffle) and state.discards else ()


def _emptied(state: State, action: Action) -> frozenset[Spot]:
    """Without discards only the pile itself is taken up and shuffled."""
    return frozenset({Spot(PILE, 0)}) if isinstance(action, Shuffle) and not state.discards else frozenset()


def _turned(state: State, after: State, moves: tuple[Move, ...]) -> frozenset[Spot]:
    """Pieces whose other face shows: what is revealed, and what Forgetfulness turned."""
    shown = {move.source for move in moves if move.source and move.source.zone.startswith((PILE, "card-"))}
    shown = {source for source in shown if any(m.source == source and m.target for m in moves)}
    old = {q.card: (n, w.seat, q.down) for w in state.wizards for n, q in enumerate(w.sequence)}
    new = {q.card: q.down for w in after.wizards for q in w.sequence} | dict.fromkeys(after.discards, False)
    flipped = {Spot(sequence_zone(s), n) for name, (n, s, down) in old.items() if new.get(name, down) != down}
    shuffled = {move.source for move in moves if move.source and move.source.zone == DISCARDS}
    return frozenset(shown | flipped | shuffled)
