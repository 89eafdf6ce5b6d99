"""What a camera sees of things that no rule allows: traces of `attempts` and `misexecutions`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.runes.state import MOST_LIFE, Queued, State, Wizard, with_wizard
from engine.runes.tabletop import DISCARDS, LIFE, PILE, layout, life_zone, sequence_zone, spot_zone
from engine.table import Layout, Move, Order, Piece, Seat, Spot, Trace, ZoneLayout


def _seen(after: State, seat: Seat, moves: tuple[Move, ...] = (), turned: frozenset[Spot] = frozenset()) -> Trace:
    return Trace(layout(after), moves=moves, turned=turned, hands=frozenset({seat}))


def _lay(wizard: Wizard) -> Move:
    return Move(None, Spot(spot_zone(wizard.seat), 0))


def _end(wizard: Wizard) -> Spot:
    return Spot(sequence_zone(wizard.seat), len(wizard.sequence))


def laid(state: State, wizard: Wizard) -> Trace:
    """A card laid face down; the oldest is discarded if it has to be."""
    if len(wizard.sequence) == 4:
        return discarded_other(state, wizard, 0)
    return _seen(with_wizard(state, replace(wizard, laid=True)), wizard.seat, (_lay(wizard),))


def kept(state: State, wizard: Wizard) -> Trace:
    """A fifth card laid, and none discarded."""
    return _seen(with_wizard(state, replace(wizard, laid=True)), wizard.seat, (_lay(wizard),))


def discarded_other(state: State, wizard: Wizard, number: int) -> Trace:
    """A fifth card laid, and the card at `number` discarded."""
    gone = wizard.sequence[number]
    rest = (*wizard.sequence[:number], *wizard.sequence[number + 1 :])
    after = with_wizard(state, replace(wizard, laid=True, sequence=rest))
    after = replace(after, discards=(*state.discards, gone.card))
    source = Spot(sequence_zone(wizard.seat), number)
    turned = frozenset({source}) if gone.down else frozenset()
    return _seen(after, wizard.seat, (Move(source, Spot(DISCARDS, 0)), _lay(wizard)), turned)


def taken(state: State, seat: Seat) -> Trace:
    """A card drawn from the pile."""
    return _seen(state, seat, (Move(Spot(PILE, 0), None),))


def counter_moved(state: State, seat: Seat, owner: Wizard, cell: int) -> Trace:
    """A life counter put on another number."""
    zone = life_zone(owner.seat)
    after = with_wizard(state, replace(owner, life=cell + 1))
    return _seen(after, seat, (Move(Spot(zone, owner.life - 1), Spot(zone, cell)),))


def revealed(state: State, wizard: Wizard, name: str) -> Trace:
    """The card laid down turned up at the right end, showing `name`."""
    after = with_wizard(state, replace(wizard, laid=False, sequence=(*wizard.sequence, Queued(name))))
    source = Spot(spot_zone(wizard.seat), 0)
    return _seen(after, wizard.seat, (Move(source, _end(wizard)),), frozenset({source}))


def replaced(state: State, wizard: Wizard, name: str) -> Trace:
    """The newest card taken back and another put in its place."""
    after = with_wizard(state, replace(wizard, sequence=(*wizard.sequence[:-1], Queued(name))))
    place = Spot(sequence_zone(wizard.seat), len(wizard.sequence) - 1)
    return _seen(after, wizard.seat, (Move(place, None), Move(None, place)))


def joined(state: State, wizard: Wizard, name: str) -> Trace:
    """Another card put at the right end."""
    after = with_wizard(state, replace(wizard, sequence=(*wizard.sequence, Queued(name))))
    return _seen(after, wizard.seat, (Move(None, _end(wizard)),))


def turned_up(state: State, wizard: Wizard, number: int) -> Trace:
    """A face-down card of the sequence turned up again."""
    queue = list(wizard.sequence)
    queue[number] = Queued(queue[number].card)
    after = with_wizard(state, replace(wizard, sequence=tuple(queue)))
    return _seen(after, wizard.seat, turned=frozenset({Spot(sequence_zone(wizard.seat), number)}))


def put_back(state: State, wizard: Wizard, number: int) -> Trace:
    """A card of the sequence taken away."""
    rest = (*wizard.sequence[:number], *wizard.sequence[number + 1 :])
    after = with_wizard(state, replace(wizard, sequence=rest))
    return _seen(after, wizard.seat, (Move(Spot(sequence_zone(wizard.seat), number), None),))


def thrown(state: State, seat: Seat, name: str) -> Trace:
    """A card of the hand put on the discards."""
    return _seen(replace(state, discards=(*state.discards, name)), seat, (Move(None, Spot(DISCARDS, 0)),))


def took(state: State, seat: Seat) -> Trace:
    """The top card of the discards taken."""
    return _seen(replace(state, discards=state.discards[:-1]), seat, (Move(Spot(DISCARDS, 0), None),))


def misplaced(due: Trace) -> Iterator[tuple[Seat, Trace]]:
    """Each life counter that an order moves, put beside its cell instead."""
    for number, move in enumerate(due.moves):
        if move.target is None or not move.target.zone.startswith(f"{LIFE}-"):
            continue
        for cell in (move.target.index - 1, move.target.index + 1):
            target = Spot(move.target.zone, cell)
            if 0 <= cell < MOST_LIFE and target != move.source:
                moves = (*due.moves[:number], Move(move.source, target), *due.moves[number + 1 :])
                yield (
                    move.target.zone.removeprefix(f"{LIFE}-"),
                    replace(due, layout=_with_counter(due.layout, target), moves=moves, declared=False),
                )


def _with_counter(before: Layout, spot: Spot) -> Layout:
    cells = tuple(Piece(LIFE) if number == spot.index else None for number in range(MOST_LIFE))
    track = ZoneLayout(spot.zone, Order.CELLS, cells)
    return Layout(tuple(track if zone.zone == spot.zone else zone for zone in before.zones))
