"""What an honest table shows, and what a camera sees of an action (design law 3)."""

from __future__ import annotations

from engine.table import Face, Layout, Move, Order, Piece, Seat, Spot, Trace, ZoneLayout
from engine.tellstones.actions import Action, At, First, Hide, Names, Peek, Place, Stop, Swap
from engine.tellstones.apply import result
from engine.tellstones.handling import both_hidden
from engine.tellstones.places import line_spot, line_zone, pool_spot, pool_zone
from engine.tellstones.state import Challenged, Mat, State, Stone, left_of

_UP = Face.UP


def layout(state: State) -> Layout:
    """Line and Pool of every mat; face-down stones have no kind."""
    zones: list[ZoneLayout] = []
    for number, mat in enumerate(state.mats):
        zones.append(ZoneLayout(line_zone(state, number), Order.ROW, tuple(piece(stone) for stone in mat.line)))
        zones.append(pool_layout(pool_zone(state, number), tuple(Piece(kind) for kind in mat.pool)))
    return Layout(tuple(zones))


def piece(stone: Stone) -> Piece:
    return Piece(None, Face.DOWN) if stone.down else Piece(stone.kind, _UP)


def pool_layout(zone: str, pieces: tuple[Piece, ...]) -> ZoneLayout:
    """A Pool: an unordered area, listed by kind."""
    ordered: list[Piece] = sorted(pieces, key=_by_kind)
    return ZoneLayout(zone, Order.AREA, tuple(ordered))


def _by_kind(piece: Piece) -> tuple[str, Face]:
    return piece.kind or "", piece.face


def trace(state: State, seat: Seat, action: Action) -> Trace:  # noqa: PLR0911 -- one an action
    """What a camera sees when the action is carried out, by those who should (T12, T13, T36, T56, T58)."""
    after = layout(result(state, seat, action))
    executor = frozenset({left_of(state, seat)})
    declared = state.rules.declared
    match action:
        case First(kind):
            mat = next(number for number, each in enumerate(state.mats) if not each.line)
            return Trace(after, moves=(Move(pool_spot(state, mat, kind), line_spot(state, At(mat, 0))),))
        case Place(mat, kind, index):
            carried = Move(pool_spot(state, mat, kind), line_spot(state, At(mat, index)))
            return Trace(after, moves=(carried,), hands=executor, declared=declared)
        case Hide(At() as at):
            return Trace(after, turned=frozenset({line_spot(state, at)}), hands=executor, declared=declared)
        case Swap(At() as one, At() as two):
            swapped = crossed(line_spot(state, one), line_spot(state, two))
            return Trace(after, moves=swapped, hands=executor, declared=declared or both_hidden(state, action))
        case Peek(At() as at, looker):
            lifted = frozenset({line_spot(state, at)})
            return Trace(after, lifted=lifted, hands=frozenset({looker or seat}), declared=declared)
        case Names():
            turned = frozenset({line_spot(state, named_stone(state, action))})
            return Trace(after, turned=turned, hands=frozenset({seat}), declared=True)
        case Stop():
            return Trace(after)
        case _:
            return Trace(after, declared=True)


def crossed(one: Spot, two: Spot) -> tuple[Move, ...]:
    """Two pieces in each other's place."""
    return Move(one, two), Move(two, one)


def named_stone(state: State, action: Names) -> At:
    """The stone that an answer is about: the challenged one, or the one that is proved."""
    stone = state.phase.stone if isinstance(state.phase, Challenged) else action.stone
    if not isinstance(stone, At):
        raise ValueError("a name without a stone: judge the action before tracing it")
    return stone


def with_mat(state: State, number: int, mat: Mat) -> Layout:
    """The layout with another mat in one mat's place."""
    zones = list(layout(state).zones)
    zones[2 * number] = ZoneLayout(line_zone(state, number), Order.ROW, tuple(piece(stone) for stone in mat.line))
    zones[2 * number + 1] = pool_layout(pool_zone(state, number), tuple(Piece(kind) for kind in mat.pool))
    return Layout(tuple(zones))
