"""Illegal handling that no order asks for: stones placed wrongly, turned, carried off, peeked at too often."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from msgspec.structs import replace

from engine.errors import Breach
from engine.game import Attempt
from engine.table import Face, Layout, Move, Piece, Seat, Spot, Trace, ZoneLayout
from engine.tellstones.actions import At, Hide, Place, Swap
from engine.tellstones.apply import exchange, result, turn
from engine.tellstones.handling import both_hidden, handling
from engine.tellstones.judge import judge
from engine.tellstones.merging import merged
from engine.tellstones.places import line_spot, line_zone, place_word, pool_spot, pool_zone
from engine.tellstones.reading import words
from engine.tellstones.state import (
    Challenged,
    Mat,
    Opening,
    Ordering,
    Peeking,
    Proving,
    State,
    Stone,
    actors,
    ends,
    hidden,
    is_team,
    left_of,
    partner_of,
    peeks_left,
    stone_at,
    stones,
)
from engine.tellstones.stones import NAMES
from engine.tellstones.traces import crossed, layout, pool_layout, trace, with_mat
from engine.text import say


def fouls(state: State) -> Iterator[Attempt]:
    """All of them, the likely ones first."""
    for foul in _FOULS:
        yield from foul(state)


def _culprit(state: State) -> Seat:
    """The seat that is blamed for what anybody's hand could do: the one that may act."""
    return min(actors(state))


def placed_wrongly(state: State) -> Iterator[Attempt]:
    """Between two stones (T16), or beyond the edge of a mat with fixed spots (T18)."""
    seat = state.active
    for number, mat in enumerate(state.mats):
        for kind in mat.pool:
            for index in set(range(len(mat.line) + 1)) - set(ends(state, number)):
                action = Place(number, kind, index)
                name = "placed past the edge" if index in (0, len(mat.line)) else "placed between"
                seen = replace(trace(state, seat, action), declared=False)
                yield Attempt(name, seat, seen, judge(state, seat, action), words(state, action))


def placed_face_down(state: State) -> Iterator[Attempt]:
    """T15; the first stone T7."""
    opening = isinstance(state.phase, Opening)
    seat = _culprit(state) if opening else state.active
    hands = frozenset[Seat]() if opening else frozenset({left_of(state, seat)})
    breach = Breach("T7" if opening else "T15", say("A stone is placed face up."))
    for number, mat in enumerate(state.mats):
        for kind in mat.pool:
            for index in ends(state, number) if mat.line else (0,):
                source, target = pool_spot(state, number, kind), line_spot(state, At(number, index))
                line = (*mat.line[:index], Stone(kind, Face.DOWN), *mat.line[index:])
                after = with_mat(state, number, Mat(line, tuple(each for each in mat.pool if each != kind)))
                seen = Trace(after, moves=(Move(source, target),), turned=frozenset({source}), hands=hands)
                yield Attempt("placed face down", seat, seen, (breach,))


def flipped(state: State, at: At, hands: frozenset[Seat]) -> Trace:
    """The trace of a face-down stone that is turned up."""
    return Trace(layout(turn(state, at, Face.UP)), turned=frozenset({line_spot(state, at)}), hands=hands)


def _unasked_flip(state: State) -> Iterator[Attempt]:
    """A stone turned up without a challenge or a proof (T23), or before it was named (T36, T48)."""
    for at in hidden(state):
        place = place_word(state, at)
        match state.phase:
            case Challenged(stone) if stone == at:
                breach = Breach("T36", say("Name stone {place} first, then turn it up.", place=place))
            case Proving():
                breach = Breach("T48", say("Name stone {place} first, then turn it up.", place=place))
            case _:
                breach = Breach("T23", say("Stone {place} must stay face down.", place=place))
        yield Attempt("unasked flip", _culprit(state), flipped(state, at, frozenset()), (breach,))


def _unordered_swap(state: State) -> Iterator[Attempt]:
    """Two face-down stones exchanged without an order at the buttons, by whatever hand (T12)."""
    seat = state.active
    for one, two in combinations(hidden(state), 2):
        if one.mat == two.mat:
            text = say("Nobody ordered to swap stones {one} and {two}.", **_pair(state, one, two))
            seen = Trace(layout(state), moves=crossed(line_spot(state, one), line_spot(state, two)))
            breaches = (*judge(state, seat, Swap(one, two)), Breach("T12", text))
            yield Attempt("unordered swap of two hidden stones", seat, seen, breaches)


def _unordered(state: State) -> Iterator[Attempt]:
    """Under the option `orders` = "declared": what the right hand does before it was ordered at the buttons (T12)."""
    if not state.rules.declared or not isinstance(state.phase, Ordering | Peeking):
        return
    seat = state.active
    breach = Breach("T12", say("{seat} orders it at the buttons first.", seat=seat.upper()))
    for action in handling(state, seat):
        if not both_hidden(state, action) and not judge(state, seat, action):
            yield Attempt("unordered", seat, replace(trace(state, seat, action), declared=False), (breach,))


def _pair(state: State, one: At, two: At) -> dict[str, str]:
    return {"one": place_word(state, one), "two": place_word(state, two)}


def _peeking_too_many(state: State) -> Iterator[Attempt]:
    """One stone more than the Peek covers (T29, T30, T59)."""
    if not isinstance(state.phase, Ordering | Peeking):
        return
    seen = state.phase.seen if isinstance(state.phase, Peeking) else ()
    fresh = tuple(at for at in hidden(state) if at not in seen)
    allowed, seat = peeks_left(state), state.active
    most = allowed + len(seen)
    hands = frozenset({seat, partner_of(state, seat)})
    breach = Breach(
        "T29" if most == 1 else "T59" if is_team(state) else "T30",
        say("Stones that may be looked at in this turn: {count}, no more.", count=most),
    )
    for group in combinations(fresh, allowed + 1):
        lifted = frozenset(line_spot(state, at) for at in group)
        yield Attempt("peeking too many", seat, Trace(layout(state), lifted=lifted, hands=hands), (breach,))


def _returned(state: State) -> Iterator[Attempt]:
    """A stone of the Line back in the Pool (T19); face up there, so a hidden one is shown as well (T23)."""
    for at, stone in stones(state):
        mat = state.mats[at.mat]
        pool = tuple(sorted((*mat.pool, stone.kind)))
        after = with_mat(state, at.mat, Mat(_without(mat, at), pool))
        source, target = line_spot(state, at), Spot(pool_zone(state, at.mat), pool.index(stone.kind))
        back = Breach("T19", say("Stone {place} must stay on the Line.", place=place_word(state, at)))
        shown = (Breach("T23", say("Stone {place} must stay face down.", place=place_word(state, at))),)
        turned = frozenset({source}) if stone.down else frozenset[Spot]()
        seen = Trace(after, moves=(Move(source, target),), turned=turned)
        yield Attempt("stone returned to the pool", _culprit(state), seen, (back, *(shown if stone.down else ())))


def _gone(state: State) -> Iterator[Attempt]:
    """A stone that left the table: from the Line (T19), or from the Pool (T5)."""
    for at, _ in stones(state):
        breach = Breach("T19", say("Stone {place} must stay on the Line.", place=place_word(state, at)))
        mat = state.mats[at.mat]
        after = with_mat(state, at.mat, Mat(_without(mat, at), mat.pool))
        yield Attempt("stone gone", _culprit(state), Trace(after, moves=(Move(line_spot(state, at), None),)), (breach,))
    for number, mat in enumerate(state.mats):
        for kind in mat.pool:
            breach = Breach("T5", say("{stone} belongs in the Pool.", stone=NAMES[kind]))
            after = with_mat(state, number, Mat(mat.line, tuple(each for each in mat.pool if each != kind)))
            seen = Trace(after, moves=(Move(pool_spot(state, number, kind), None),))
            yield Attempt("stone gone", _culprit(state), seen, (breach,))


def _without(mat: Mat, at: At) -> tuple[Stone, ...]:
    return (*mat.line[: at.index], *mat.line[at.index + 1 :])


def _moved(state: State) -> Iterator[Attempt]:
    """A stone put elsewhere in its Line without another in exchange (T24)."""
    for at, stone in stones(state):
        mat = state.mats[at.mat]
        for index in range(len(mat.line)):
            if abs(index - at.index) < 2:
                continue
            rest = _without(mat, at)
            after = with_mat(state, at.mat, Mat((*rest[:index], stone, *rest[index:]), mat.pool))
            text = say("Stone {place} may change places with another one only.", place=place_word(state, at))
            seen = Trace(after, moves=(Move(line_spot(state, at), line_spot(state, At(at.mat, index))),))
            yield Attempt("moved in the line", _culprit(state), seen, (Breach("T24", text),))


def turned_in_swap(state: State) -> Iterator[Attempt]:
    """An exchange in which one of the two is turned over (T26)."""
    for action in handling(state, state.active):
        if not isinstance(action, Swap) or not isinstance(action.one, At) or not isinstance(action.two, At):
            continue
        for at, target in ((action.one, action.two), (action.two, action.one)):
            face = Face.UP if stone_at(state, at).down else Face.DOWN
            after = turn(exchange(state, action.one, action.two), target, face)
            text = say("Stone {place} keeps its face in the swap.", place=place_word(state, at))
            seen = Trace(
                layout(after),
                moves=crossed(line_spot(state, action.one), line_spot(state, action.two)),
                turned=frozenset({line_spot(state, at)}),
            )
            yield Attempt("turned in the exchange", state.active, seen, (Breach("T26", text),))


def _mixed(state: State) -> Iterator[Attempt]:
    """A stone of one set on the other's Line: placed there, or exchanged across (T66, T67)."""
    if len(state.mats) < 2:
        return
    breach = Breach("T66", say("The two sets are never mixed."))
    zones = [list(zone.pieces) for zone in layout(state).zones]
    for number, mat in enumerate(state.mats):
        other = 1 - number
        for kind in mat.pool:
            for index in (0, len(state.mats[other].line)):
                source, target = pool_spot(state, number, kind), line_spot(state, At(other, index))
                after = [list(pieces) for pieces in zones]
                after[2 * number + 1].pop(source.index)
                after[2 * other].insert(index, Piece(kind))
                seen = Trace(_relaid(state, after), moves=(Move(source, target),))
                yield Attempt("sets mixed", state.active, seen, (breach,))
    for one, _ in stones(state):
        for two, _ in stones(state):
            if one.mat < two.mat:
                after = [list(pieces) for pieces in zones]
                after[0][one.index], after[2][two.index] = after[2][two.index], after[0][one.index]
                seen = Trace(_relaid(state, after), moves=crossed(line_spot(state, one), line_spot(state, two)))
                crossing = Swap(one, two)
                breaches = judge(state, state.active, crossing)
                yield Attempt("sets mixed", state.active, seen, breaches, words(state, crossing))


def _relaid(state: State, pieces: list[list[Piece | None]]) -> Layout:
    """The layout with other pieces in its zones, in their order."""
    zones: list[ZoneLayout] = []
    for zone, found in zip(layout(state).zones, pieces, strict=True):
        row = tuple(piece for piece in found if piece is not None)
        is_line = zone.zone in {line_zone(state, number) for number in range(len(state.mats))}
        zones.append(replace(zone, pieces=row) if is_line else pool_layout(zone.zone, row))
    return Layout(tuple(zones))


def _two_actions(state: State) -> Iterator[Attempt]:
    """Two orders of one player in one turn, seen as one (T9): the second places or hides a stone."""
    if not isinstance(state.phase, Ordering):
        return
    seat = state.active
    breach = Breach("T9", say("One action a turn: take the second one back."))
    firsts = [action for action in handling(state, seat) if isinstance(action, Place | Hide | Swap)]
    known = {trace(state, seat, action).layout for action in firsts} | {layout(state)}
    for first in firsts:
        between = replace(result(state, seat, first), active=seat)
        one = trace(state, seat, first)
        for second in handling(between, seat):
            if not isinstance(second, Place | Hide):
                continue
            two = trace(between, seat, second)
            seen = merged(state, one, between, two, result(between, seat, second))
            if seen.layout not in known:
                known.add(seen.layout)
                yield Attempt("two actions", seat, seen, (breach,))


_FOULS: tuple[Callable[[State], Iterator[Attempt]], ...] = (
    placed_wrongly,
    placed_face_down,
    _unasked_flip,
    _unordered_swap,
    _unordered,
    _peeking_too_many,
    _returned,
    _gone,
    _moved,
    turned_in_swap,
    _mixed,
    _two_actions,
)
