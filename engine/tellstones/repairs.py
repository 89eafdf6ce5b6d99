"""The states that result when the referee's belief is repaired; `corrections` has the words."""

from __future__ import annotations

from msgspec.structs import replace

from engine.table import Face, Seat
from engine.tellstones.actions import At
from engine.tellstones.apply import put, turn
from engine.tellstones.state import (
    GOAL,
    SPOTS_A_SIDE,
    Boasted,
    Challenged,
    End,
    Mat,
    Opening,
    Ordering,
    Over,
    Peeking,
    Proving,
    State,
    Stone,
    TakenOver,
    hidden,
    stone_at,
    stones,
)


def exchanged(state: State, one: At, two: At) -> State:
    """Two face-down stones of one Line are what the other was believed to be."""
    return _kinds(state, one, stone_at(state, two).kind)


def being(state: State, at: At, kind: str) -> State:
    """The stone is `kind`, whichever face is up; what was believed to be `kind` is what was believed to lie here."""
    return _kinds(state, at, kind)


def showing(state: State, at: At, kind: str) -> State:
    """The stone lies face up and is `kind`; what was believed to be `kind` is what was believed to lie here."""
    return turn(_kinds(state, at, kind), at, Face.UP)


def _kinds(state: State, at: At, kind: str) -> State:
    """`kind` and the kind at a place change places, wherever `kind` was believed to be on that mat."""
    mat, old = state.mats[at.mat], stone_at(state, at).kind
    other = {old: kind, kind: old}
    line = tuple(replace(stone, kind=other.get(stone.kind, stone.kind)) for stone in mat.line)
    pool = tuple(sorted(other.get(each, each) for each in mat.pool))
    return replace(state, mats=put(state.mats, at.mat, replace(mat, line=line, pool=pool)))


def moved(state: State, at: At, index: int) -> State:
    """The stone stands at another place of its Line; the others close ranks."""
    mat = state.mats[at.mat]
    line = list(mat.line)
    line.insert(index, line.pop(at.index))
    return _relined(state, at.mat, tuple(line), mat.pool)


def pooled(state: State, at: At) -> State:
    """The stone is in the Pool."""
    mat = state.mats[at.mat]
    line = (*mat.line[: at.index], *mat.line[at.index + 1 :])
    return _relined(state, at.mat, line, tuple(sorted((*mat.pool, mat.line[at.index].kind))))


def laid(state: State, kind: str, at: At) -> State:
    """The stone of the Pool stands on the Line, face up, at that place."""
    mat = state.mats[at.mat]
    line = (*mat.line[: at.index], Stone(kind), *mat.line[at.index :])
    return _relined(state, at.mat, line, tuple(each for each in mat.pool if each != kind))


def _relined(state: State, number: int, line: tuple[Stone, ...], pool: tuple[str, ...]) -> State:
    """Another Line, to whose new places pending questions are carried over."""
    mat = state.mats[number]
    left = min(max(mat.left, len(line) - 1 - SPOTS_A_SIDE), SPOTS_A_SIDE, len(line) - 1)
    after = replace(state, mats=put(state.mats, number, Mat(line, pool, left)))
    match state.phase:
        case Challenged(stone):
            found = _follow(state, after, stone)
            return replace(after, phase=Challenged(found) if found else Ordering())
        case Peeking(seen, count):
            follow = (_follow(state, after, at) for at in seen)
            return replace(after, phase=Peeking(tuple(at for at in follow if at), count))
        case _:
            return after


def _follow(before: State, after: State, at: At) -> At | None:
    """The same stone after its Line was repaired; None if it left the Line."""
    stone = stone_at(before, at)
    return next((found for found, each in stones(after) if found.mat == at.mat and each.kind == stone.kind), None)


def scored(state: State, side: int, points: int) -> State:
    """A side has so many points."""
    score = (points, state.score[1]) if side == 0 else (state.score[0], points)
    return replace(state, score=score)


def to_act(state: State, seat: Seat) -> State:
    """It is this seat's turn; what was asked of anybody is void."""
    return replace(state, active=seat, phase=state.phase if isinstance(state.phase, Opening) else Ordering())


def settled(state: State) -> State:
    """The state without questions that no longer make sense, and without the last action's task."""
    return replace(state, phase=_phase(state), last=None)


def _phase(state: State) -> Opening | Ordering | Peeking | Challenged | Boasted | TakenOver | Proving | Over:
    winner = next((side for side, points in enumerate(state.score) if points >= GOAL), None)
    if winner is not None:
        return Over(winner, End.POINTS)
    match state.phase:
        case Over(_, End.POINTS):
            return Ordering()
        case Challenged(stone) if not stone_at(state, stone).down:
            return Ordering()
        case Peeking(seen, left):
            left = min(left, len(set(hidden(state)) - set(seen)))
            return Peeking(seen, left) if left else Ordering()
        case Boasted() | TakenOver() | Proving() if not hidden(state):
            return Ordering()
        case phase:
            return phase
