"""The state after a legal action, and what is told to whom. No event names a face-down stone (T54)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.table import Face, Seat
from engine.tellstones.actions import (
    Action,
    At,
    Believe,
    Boast,
    Challenge,
    First,
    Hide,
    Names,
    Peek,
    Place,
    Prove,
    Stop,
    Swap,
    Takeover,
    Target,
)
from engine.tellstones.sentences import told, won
from engine.tellstones.state import (
    GOAL,
    Boasted,
    Challenged,
    Done,
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
    left_of,
    peeks_left,
    side_of,
    stone_at,
)
from engine.view import Event


def apply(state: State, seat: Seat, action: Action) -> tuple[State, tuple[Event, ...]]:
    """The state after an action that `judge` finds legal, and its events: all of them for everybody."""
    after = result(state, seat, action)
    reveals = isinstance(action, Peek | Names)
    texts = told(state, after, seat, action)
    return after, tuple(Event(text, audience=None, reveals=reveals) for text in texts)


def resign(state: State, seat: Seat) -> tuple[State, tuple[Event, ...]]:
    """The state after a seat gave up: the other side wins."""
    phase = Over(1 - side_of(state, seat), End.RESIGNED)
    after = replace(state, phase=phase, last=None)
    return after, (Event(won(after, phase), audience=None),)


def result(state: State, seat: Seat, action: Action) -> State:
    """The state after an action that `judge` finds legal."""
    return replace(_after(state, seat, action), last=Done(seat, action))


def _after(state: State, seat: Seat, action: Action) -> State:  # noqa: PLR0911, C901 -- one line an action
    match action:
        case First(kind):
            return _first(state, kind)
        case Place():
            return _next_turn(_placed(state, action))
        case Hide(stone):
            return _next_turn(turn(state, _at(stone), Face.DOWN))
        case Swap(one, two):
            return _next_turn(exchange(state, _at(one), _at(two)))
        case Peek(stone):
            return _peeked(state, _at(stone))
        case Stop():
            return _next_turn(state)
        case Challenge(stone):
            return replace(state, phase=Challenged(_at(stone)))
        case Boast():
            return replace(state, phase=Boasted())
        case Names(kind, stone):
            return _answered(state, kind) if stone is None else _proved(state, seat, kind, _at(stone))
        case Believe():
            return _point(state, 1 - side_of(state, seat))  # T43, T45a
        case Prove():
            return replace(state, phase=Proving(1 - side_of(state, seat)))  # T44, T45a
        case Takeover():
            return replace(state, phase=TakenOver())  # T45


def _at(stone: Target | None) -> At:
    """The place of a stone that lies on the Line, as those of legal actions do."""
    if not isinstance(stone, At):
        raise ValueError(f"{stone} does not lie on the Line: judge the action before applying it")
    return stone


def _next_turn(state: State) -> State:
    """Play goes clockwise (T9, T51, T55)."""
    return replace(state, phase=Ordering(), active=left_of(state, state.active), turn=state.turn + 1)


def _first(state: State, kind: str) -> State:
    """T7: one stone a Line; play begins when every Line has its first stone (T67)."""
    number = next(number for number, mat in enumerate(state.mats) if not mat.line)
    mat = state.mats[number]
    laid = replace(mat, line=(Stone(kind),), pool=tuple(other for other in mat.pool if other != kind))
    mats = put(state.mats, number, laid)
    return replace(state, mats=mats, phase=Ordering() if all(each.line for each in mats) else Opening())


def _placed(state: State, action: Place) -> State:
    """T15, T16: face up, at an end."""
    mat = state.mats[action.mat]
    line = (*mat.line[: action.index], Stone(action.kind), *mat.line[action.index :])
    pool = tuple(kind for kind in mat.pool if kind != action.kind)
    laid = Mat(line=line, pool=pool, left=mat.left + (action.index == 0))
    return replace(state, mats=put(state.mats, action.mat, laid))


def turn(state: State, at: At, face: Face) -> State:
    """A stone turned in its place (T21)."""
    line = list(state.mats[at.mat].line)
    line[at.index] = replace(line[at.index], face=face)
    return replace(state, mats=put(state.mats, at.mat, replace(state.mats[at.mat], line=tuple(line))))


def exchange(state: State, one: At, two: At) -> State:
    """Two stones of one Line in each other's place, each with its facing (T26, T27)."""
    line = list(state.mats[one.mat].line)
    line[one.index], line[two.index] = line[two.index], line[one.index]
    return replace(state, mats=put(state.mats, one.mat, replace(state.mats[one.mat], line=tuple(line))))


def put(mats: tuple[Mat, ...], number: int, mat: Mat) -> tuple[Mat, ...]:
    return (*mats[:number], mat, *mats[number + 1 :])


def _peeked(state: State, at: At) -> State:
    """T29; T30 and T32: up to three different stones, one after another."""
    left = peeks_left(state) - 1
    seen = state.phase.seen if isinstance(state.phase, Peeking) else ()
    return _next_turn(state) if left == 0 else replace(state, phase=Peeking((*seen, at), left))


def _answered(state: State, kind: str) -> State:
    """T36-T38: the stone is turned up and stays so; the point goes to the one who was right."""
    if not isinstance(state.phase, Challenged):
        raise ValueError("nothing was challenged: judge the action before applying it")
    at, challenger = state.phase.stone, side_of(state, state.active)
    right = stone_at(state, at).kind == kind
    return _point(turn(state, at, Face.UP), 1 - challenger if right else challenger)


def _point(state: State, side: int) -> State:
    """T37, T43: one point; T40, T62: three win at once."""
    score = (state.score[0] + (side == 0), state.score[1] + (side == 1))
    scored = (state.turn, state.scored[1]) if side == 0 else (state.scored[0], state.turn)
    after = replace(state, score=score, scored=scored)
    return replace(after, phase=Over(side, End.POINTS)) if score[side] >= GOAL else _next_turn(after)


def _proved(state: State, seat: Seat, kind: str, at: At) -> State:
    """T46: all right wins; T47: one mistake loses, and the stones not yet turned stay down."""
    side, after = side_of(state, seat), turn(state, at, Face.UP)
    if stone_at(state, at).kind != kind:
        return replace(after, phase=Over(1 - side, End.MISTAKE))
    return replace(after, phase=Proving(side, seat) if hidden(after) else Over(side, End.PROOF))
