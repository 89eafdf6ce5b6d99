"""Illegal handling, likely attempts first (T5, T19)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, product

from msgspec.structs import replace

from engine.errors import Violation
from engine.game import ANYTHING, Attempt, ZonePrefilter
from engine.table import Layout, Move, Piece, Seat, Spot, Trace, ZoneLayout
from engine.tellstones.hide import Hide, unasked_flip
from engine.tellstones.line import (
    NAMES,
    At,
    Mats,
    Stone,
    StoneSet,
    layout,
    line_spot,
    line_zone,
    place_word,
    pool_layout,
    pool_spot,
    pool_zone,
    put,
    shown_spots,
    stones,
    swap_moves,
)
from engine.tellstones.match import (
    OTHER_LINE,
    WRONG_HAND,
    Order,
    Ordering,
    Over,
    State,
    culprit,
    left_of,
    nobody_ordered,
    not_that_hand,
    one_action,
    side_of,
    stays_down,
)
from engine.tellstones.opening import OpeningPhase, Starting, first_face_down
from engine.tellstones.peek import TOO_MANY, Peek, Peeking, peeking_too_many, peeks
from engine.tellstones.place import placed_face_down, placed_wrongly, places, places_on
from engine.tellstones.swap import Swap, mixed_set_violation, moved_stones, swaps_on, turned_in_swap, unordered_swap
from engine.text import Text, say, who


def illegal_handling(state: State, look: ZonePrefilter = ANYTHING) -> Iterator[Attempt]:
    if isinstance(state.phase, Over):
        return
    yield from _wrong_hand(state, look)
    yield from _untimely(state, look)
    for each in _ILLEGAL:
        yield from each(state)
    yield from _two_actions(state, look)


def handling(state: State, seat: Seat) -> Iterator[Order]:
    for number in range(len(state.mats)):
        yield from places_on(state, seat, number)
        yield from swaps_on(state, number)
    yield from map(Hide, shown_spots(state.mats))
    yield from peeks(state, seat)


def _is_tracked(state: State, action: Order) -> bool:
    """Return True for an exchange of two face-down stones, which only tracking shows."""
    return isinstance(action, Swap) and action.both_hidden(state)


def _wrong_hand(state: State, look: ZonePrefilter) -> Iterator[Attempt]:
    if not isinstance(state.phase, Ordering):
        return
    seat, other = state.active, left_of(state, state.active)
    for action in handling(state, seat):
        if isinstance(action, Peek) or not action.may_be_seen(state, seat, look):
            continue
        due = action.trace(state, seat)
        if look.passes(due.layout):
            seen = replace(due, hands=frozenset(state.seats) - {other}, declared=False)
            violations = (not_that_hand(state), *action.judge(state, other))
            yield Attempt("wrong hand", seat, seen, violations, what=WRONG_HAND)


def _untimely(state: State, look: ZonePrefilter) -> Iterator[Attempt]:
    if isinstance(state.phase, OpeningPhase | Starting):
        return
    for seat in state.seats:
        for action in handling(state, seat):
            due = action.trace(state, seat)
            violations = action.judge(state, seat) if look.passes(due.layout) else ()
            if not violations or _seen_otherwise(state, seat, action):
                continue
            if isinstance(state.phase, Ordering) and not isinstance(action, Peek):
                violations = (*violations, not_that_hand(state))
            kind, said = _when(state, seat, action)
            yield Attempt(kind, seat, replace(due, declared=False), violations, action.notation(state), said)


def _seen_otherwise(state: State, seat: Seat, action: Order) -> bool:
    if isinstance(action, Peek):
        looking = isinstance(state.phase, Ordering | Peeking)
        return looking and seat != state.active and side_of(state, seat) == side_of(state, state.active)
    return isinstance(state.phase, Ordering) and _is_tracked(state, action)


_OUT_OF_TURN = ("out of turn", say("Somebody acted out of turn."))
_TWO_ACTIONS = ("two actions", say("Two actions were done in one turn."))
_UNASKED = ("peeking unasked", say("A stone was looked at unasked."))
_PENDING = ("answer pending", say("A stone was moved while an answer is due."))


def _when(state: State, seat: Seat, action: Order) -> tuple[str, Text]:
    peeking = isinstance(action, Peek)
    match state.phase:
        case Ordering() if seat == state.active:
            return ("other line", OTHER_LINE)
        case Ordering():
            return _OUT_OF_TURN
        case Peeking() if seat != state.active:
            return _OUT_OF_TURN
        case Peeking():
            return TOO_MANY if peeking else _TWO_ACTIONS
        case _:
            return _UNASKED if peeking else _PENDING


def _unordered_actions(state: State) -> Iterator[Attempt]:
    if not state.rules.declared or not isinstance(state.phase, Ordering | Peeking):
        return
    seat, said = state.active, say("A move was made that nobody chose.")
    breach = nobody_ordered(say("{seat} must choose it with the buttons first.", seat=who(seat)))
    for action in handling(state, seat):
        if not _is_tracked(state, action) and not action.judge(state, seat):
            seen = replace(action.trace(state, seat), declared=False)
            yield Attempt("unordered", seat, seen, (breach,), what=said)


def _returned_stones(state: State) -> Iterator[Attempt]:
    for at, stone in stones(state.mats):
        mat = state.mats[at.mat]
        pool = tuple(sorted((*mat.pool, stone.kind)))
        source, target = line_spot(state.mats, at), Spot(pool_zone(state.mats, at.mat), pool.index(stone.kind))
        seen = Trace(
            layout(put(state.mats, at.mat, StoneSet(_without(mat, at), pool))),
            moves=(Move(source, target),),
            turned=frozenset({source}) if stone.down else frozenset[Spot](),
        )
        violations = (_stays(state, at), *((stays_down(state, at),) if stone.down else ()))
        said = say("A stone was put back into the Pool.")
        yield Attempt("stone returned to the pool", culprit(state), seen, violations, what=said)


def _missing_stones(state: State) -> Iterator[Attempt]:
    said = say("A stone is missing.")
    for at, _ in stones(state.mats):
        mat = state.mats[at.mat]
        after = layout(put(state.mats, at.mat, replace(mat, line=_without(mat, at))))
        seen = Trace(after, moves=(Move(line_spot(state.mats, at), None),))
        yield Attempt("stone gone", culprit(state), seen, (_stays(state, at),), what=said)
    for number, mat in enumerate(state.mats):
        for kind in mat.pool:
            breach = Violation("T5", say("{stone} belongs in the Pool.", stone=NAMES[kind]))
            after = layout(put(state.mats, number, replace(mat, pool=mat.without(kind))))
            seen = Trace(after, moves=(Move(pool_spot(state.mats, number, kind), None),))
            yield Attempt("stone gone", culprit(state), seen, (breach,), what=said)


def _stays(state: State, at: At) -> Violation:
    return Violation("T19", say("Stone {place} must stay on the Line.", place=place_word(state.mats, at)))


def _without(mat: StoneSet, at: At) -> tuple[Stone, ...]:
    return (*mat.line[: at.index], *mat.line[at.index + 1 :])


def _mixed_sets(state: State) -> Iterator[Attempt]:
    if len(state.mats) < 2:
        return
    seat, said = state.active, say("The two sets were mixed.")
    zones = [[*zone.pieces] for zone in layout(state.mats).zones]
    for number, mat in enumerate(state.mats):
        other = 1 - number
        for kind, index in product(mat.pool, (0, len(state.mats[other].line))):
            source, target = pool_spot(state.mats, number, kind), line_spot(state.mats, At(other, index))
            after = [[*pieces] for pieces in zones]
            after[2 * number + 1].pop(source.index)
            after[2 * other].insert(index, Piece(kind))
            seen = Trace(_relaid(state.mats, after), moves=(Move(source, target),))
            yield Attempt("sets mixed", seat, seen, (mixed_set_violation(),), what=said)
    for (one, _), (two, _) in product(stones(state.mats), repeat=2):
        if one.mat < two.mat:
            after = [[*pieces] for pieces in zones]
            after[0][one.index], after[2][two.index] = after[2][two.index], after[0][one.index]
            moves = swap_moves(line_spot(state.mats, one), line_spot(state.mats, two))
            seen, swap = Trace(_relaid(state.mats, after), moves=moves), Swap(one, two)
            yield Attempt("sets mixed", seat, seen, swap.judge(state, seat), swap.notation(state), said)


def _relaid(mats: Mats, pieces: list[list[Piece | None]]) -> Layout:
    zones: list[ZoneLayout] = []
    for zone, found in zip(layout(mats).zones, pieces, strict=True):
        row = tuple(piece for piece in found if piece is not None)
        is_line = zone.zone in {line_zone(mats, number) for number in range(len(mats))}
        zones.append(replace(zone, pieces=row) if is_line else pool_layout(zone.zone, row))
    return Layout(tuple(zones))


def _two_actions(state: State, look: ZonePrefilter) -> Iterator[Attempt]:
    if not isinstance(state.phase, Ordering):
        return
    seat = state.active
    kind, said = _TWO_ACTIONS
    breach = one_action(say("One action a turn: take the second one back."))
    firsts = [(first, first.trace(state, seat)) for first in handling(state, seat) if not isinstance(first, Peek)]
    known = {trace.layout for _, trace in firsts} | {layout(state.mats)}
    for first, one in firsts:
        between = replace(first.after(state, seat), active=seat)
        for second in chain(places(between, seat), map(Hide, shown_spots(between.mats))):
            if not second.may_be_seen(between, seat, look):
                continue
            two = second.trace(between, seat)
            if two.layout in known:
                continue
            known.add(two.layout)
            if look.passes(two.layout):
                seen = _merge_traces(state.mats, one, between.mats, two, second.after(between, seat).mats)
                yield Attempt(kind, seat, seen, (breach,), what=said)


def _merge_traces(before: Mats, first: Trace, middle: Mats, second: Trace, after: Mats) -> Trace:
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


def _spots(mats: Mats) -> dict[tuple[int, str], Spot]:
    found: dict[tuple[int, str], Spot] = {}
    for number, mat in enumerate(mats):
        line, pool = line_zone(mats, number), pool_zone(mats, number)
        found |= {(number, stone.kind): Spot(line, index) for index, stone in enumerate(mat.line)}
        found |= {(number, kind): Spot(pool, index) for index, kind in enumerate(mat.pool)}
    return found


_ILLEGAL: tuple[Callable[[State], Iterator[Attempt]], ...] = (
    placed_wrongly,
    placed_face_down,
    first_face_down,
    unasked_flip,
    unordered_swap,
    _unordered_actions,
    peeking_too_many,
    _returned_stones,
    _missing_stones,
    moved_stones,
    turned_in_swap,
    _mixed_sets,
)
"""Attempts without a prefilter, likely ones first."""
