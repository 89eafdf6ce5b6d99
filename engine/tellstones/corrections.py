"""Corrections of the referee's belief (law 2); none reveals a face-down stone.

exchange 2 4    two face-down stones are swapped
is 2 crown      the face-down stone at place 2 is the Crown
show 3 crown    the stone at place 3 is face up: the Crown
down 3          the stone is face down
move 2 5        a stone is at another place of its Line
pool 3          a face-up stone is in the Pool
line crown 2    a stone of the Pool is on the Line, at that place
score a 2       points of a seat's side
turn b          the seat to play"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

from msgspec.structs import replace

from engine.game import Words
from engine.rules import Correction, MenuWord, Values
from engine.table import Face, Seat, Spot
from engine.tellstones.boast import Boasted, Proving, TakenOver
from engine.tellstones.challenge import Challenged
from engine.tellstones.line import (
    KINDS,
    NAMES,
    At,
    Stone,
    StoneSet,
    hidden_spots,
    line_spot,
    place_word,
    put,
    shown_spots,
    stone_at,
    stones,
    turn_stone,
)
from engine.tellstones.match import (
    GOAL,
    EndReason,
    Ordering,
    Over,
    State,
    end_proof,
    hidden_for,
    next_turn,
    side_of,
)
from engine.tellstones.opening import OpeningPhase, Starting
from engine.tellstones.peek import Peeking
from engine.tellstones.place import SPOTS_A_SIDE
from engine.tellstones.words import ByPlace
from engine.text import Text, say, seat_of

# --- the words


class NewPlace(ByPlace):
    def text(self, state: State, value: At, before: Values, number: int) -> Text:
        return say("Place {place}", place=place_word(state.mats, value))


def _kind(offered: Callable[[State, Values], Iterable[str]]) -> MenuWord[State, str]:
    return MenuWord(lambda state, before: sorted(offered(state, before), key=KINDS.index), NAMES.__getitem__)


def _hidden_before(state: State, _: Values) -> Iterable[At]:
    down = hidden_spots(state.mats)
    return (at for at in down if any(at.mat == other.mat and at < other for other in down))


def _hidden_after(state: State, before: Values) -> Iterable[At]:
    (one,) = before
    return (at for at in hidden_spots(state.mats) if at.mat == one.mat and one < at)


def _every(state: State, _: Values) -> Iterable[At]:
    return (at for at, _ in stones(state.mats))


def _of_longer_lines(places: Iterable[At], state: State) -> Iterable[At]:
    return (at for at in places if len(state.mats[at.mat].line) > 1)


def _other_places(state: State, before: Values) -> Iterable[At]:
    (one,) = before
    return (at for at, _ in stones(state.mats) if at.mat == one.mat and at != one)


def _hidden_kinds(state: State, before: Values) -> set[str]:
    at: At = before[0]
    return {each.kind for each in state.mats[at.mat].line if each.down}


def _other_faces(state: State, before: Values) -> set[str]:
    stone = stone_at(state.mats, before[0])
    return _hidden_kinds(state, before) if stone.down else {*KINDS} - {stone.kind}


def _pool_kinds(state: State, _: Values) -> set[str]:
    return {kind for mat in state.mats for kind in mat.pool} if all(mat.line for mat in state.mats) else set()


def _new_places(state: State, before: Values) -> Iterable[At]:
    (kind,) = before
    return (
        At(number, index)
        for number, mat in enumerate(state.mats)
        if kind in mat.pool
        for index in range(len(mat.line) + 1)
    )


_HIDDEN = ByPlace(lambda state, _: hidden_spots(state.mats))
_SHOWN = ByPlace(lambda state, _: shown_spots(state.mats))
_ANY = ByPlace(_every)
_ONE, _OTHER = ByPlace(_hidden_before), ByPlace(_hidden_after)
_MOVABLE = ByPlace(lambda state, _: _of_longer_lines(_every(state, ()), state))
_REMOVABLE = ByPlace(lambda state, _: _of_longer_lines(shown_spots(state.mats), state))
_ELSEWHERE, _ANYWHERE = NewPlace(_other_places), NewPlace(_new_places)
_HIDDEN_KIND, _FACE, _POOLED = _kind(_hidden_kinds), _kind(_other_faces), _kind(_pool_kinds)
_SEAT = MenuWord[State, Seat](lambda state, _: state.seats, seat_of)
_SCORER = MenuWord[State, Seat](lambda state, _: () if _opens(state) else state.seats, seat_of)
_POINTS = MenuWord[State, int](
    lambda *_: range(GOAL + 1),
    lambda points: say("Points: {points}", points=points),
    lambda state, before: state.score[side_of(state, before[0])],
)


# --- the corrections


class Repair(Correction[State], frozen=True):
    def after(self, state: State) -> State:
        """Return the corrected state, without the last action and pointless questions."""
        return replace(_go_on(self.repair(state)), last=None)

    def repair(self, state: State) -> State:
        raise NotImplementedError


class ExchangeRepair(Repair, frozen=True, tag="exchange"):
    one: Annotated[At, _ONE]
    two: Annotated[At, _OTHER]

    name = say("Two face-down stones are mixed up")

    def repair(self, state: State) -> State:
        return _being(state, self.one, stone_at(state.mats, self.two).kind)


class Is(Repair, frozen=True, tag="is"):
    at: Annotated[At, _HIDDEN]
    kind: Annotated[str, _HIDDEN_KIND]

    name = say("A face-down stone is another")

    def repair(self, state: State) -> State:
        return _being(state, self.at, self.kind)


class ShowRepair(Repair, frozen=True, tag="show"):
    at: Annotated[At, _ANY]
    kind: Annotated[str, _FACE]

    name = say("Stone is face up")

    def repair(self, state: State) -> State:
        return _turn_stone(_being(state, self.at, self.kind), self.at, Face.UP)


class Down(Repair, frozen=True, tag="down"):
    at: Annotated[At, _SHOWN]

    name = say("Stone is face down")

    def repair(self, state: State) -> State:
        return _turn_stone(state, self.at, Face.DOWN)


class MoveRepair(Repair, frozen=True, tag="move"):
    at: Annotated[At, _MOVABLE]
    to: Annotated[At, _ELSEWHERE]

    name = say("A stone stands elsewhere")

    def repair(self, state: State) -> State:
        mat = state.mats[self.at.mat]
        line = list(mat.line)
        line.insert(self.to.index, line.pop(self.at.index))
        return _change_line(state, self.at.mat, tuple(line), mat.pool)


class PoolRepair(Repair, frozen=True, tag="pool"):
    at: Annotated[At, _REMOVABLE]

    name = say("A stone is in the Pool")

    def repair(self, state: State) -> State:
        mat, index = state.mats[self.at.mat], self.at.index
        line = (*mat.line[:index], *mat.line[index + 1 :])
        return _change_line(state, self.at.mat, line, tuple(sorted((*mat.pool, mat.line[index].kind))))


class LineRepair(Repair, frozen=True, tag="line"):
    kind: Annotated[str, _POOLED]
    at: Annotated[At, _ANYWHERE]

    name = say("A stone is on the Line")

    def repair(self, state: State) -> State:
        mat, index = state.mats[self.at.mat], self.at.index
        line = (*mat.line[:index], Stone(self.kind), *mat.line[index:])
        return _change_line(state, self.at.mat, line, mat.without(self.kind))


class SideScore(Repair, frozen=True, tag="score"):
    seat: Annotated[Seat, _SCORER]
    points: Annotated[int, _POINTS]

    name = say("The score")

    def repair(self, state: State) -> State:
        score = list(state.score)
        score[side_of(state, self.seat)] = self.points
        return replace(state, score=(score[0], score[1]))


class TurnRepair(Repair, frozen=True, tag="turn"):
    seat: Annotated[Seat, _SEAT]

    name = say("Whose turn it is")

    def repair(self, state: State) -> State:
        """Give the turn to the seat and drop open questions of play."""
        return replace(state, active=self.seat, phase=state.phase if _opens(state) else Ordering())


REPAIRS = (ExchangeRepair, Is, ShowRepair, Down, MoveRepair, PoolRepair, LineRepair, SideScore, TurnRepair)


def identify(state: State, spot: Spot, kind: str) -> Words | None:
    """Return the correction that gives a face-down stone this kind; None if no such stone of the Line has it."""
    found = next((at for at in hidden_spots(state.mats) if line_spot(state.mats, at) == spot), None)
    return Is(found, kind).notation(state) if found and kind in _hidden_kinds(state, (found,)) else None


# --- what they change


def _opens(state: State) -> bool:
    return isinstance(state.phase, OpeningPhase | Starting)


def _turn_stone(state: State, at: At, face: Face) -> State:
    return replace(state, mats=turn_stone(state.mats, at, face))


def _being(state: State, at: At, kind: str) -> State:
    mat, old = state.mats[at.mat], stone_at(state.mats, at).kind
    other = {old: kind, kind: old}
    line = tuple(replace(stone, kind=other.get(stone.kind, stone.kind)) for stone in mat.line)
    pool = tuple(sorted(other.get(each, each) for each in mat.pool))
    return replace(state, mats=put(state.mats, at.mat, replace(mat, line=line, pool=pool)))


def _change_line(state: State, number: int, line: tuple[Stone, ...], pool: tuple[str, ...]) -> State:
    mat = state.mats[number]
    left = min(max(mat.left, len(line) - 1 - SPOTS_A_SIDE), SPOTS_A_SIDE, len(line) - 1)
    after = replace(state, mats=put(state.mats, number, StoneSet(line, pool, left)))
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
    stone = stone_at(before.mats, at)
    return next((found for found, each in stones(after.mats) if found.mat == at.mat and each.kind == stone.kind), None)


def _go_on(state: State) -> State:
    """Return the state without pointless questions. The turn passes where the corrected action ended it."""
    winner = next((side for side, points in enumerate(state.score) if points >= GOAL), None)
    if winner is not None:
        return replace(state, phase=Over(winner, EndReason.POINTS))
    hidden = hidden_for(state, state.active)
    match state.phase:
        case Over(_, EndReason.POINTS):
            return next_turn(state)
        case Peeking(seen, left) if seen and not {*hidden} - {*seen}:
            return next_turn(state)
        case Peeking(seen, left):
            left = min(left, len({*hidden} - {*seen}))
            return replace(state, phase=Peeking(seen, left) if left else Ordering())
        case Proving(side, last) if last is not None and not hidden:
            return replace(state, phase=end_proof(side, True))
    asked_in_vain = isinstance(state.phase, Boasted | TakenOver | Proving) and not hidden
    shown = isinstance(state.phase, Challenged) and not stone_at(state.mats, state.phase.stone).down
    return replace(state, phase=Ordering()) if asked_in_vain or shown else state
