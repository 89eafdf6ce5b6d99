"""Place: a stone goes from the Pool to an end of the Line, face up (T14-T18)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Violation
from engine.game import Attempt, Prefilter, Words
from engine.grammar import reading
from engine.rules import Values, Word, legal
from engine.table import Face, Move, Piece, Seat, Spot, Trace
from engine.tellstones.line import (
    KINDS,
    LETTERS,
    NAMES,
    At,
    Mats,
    Stone,
    StoneSet,
    layout,
    line_spot,
    line_zone,
    place_word,
    pool_spot,
    put,
)
from engine.tellstones.match import (
    OTHER_LINE,
    Order,
    Ordering,
    State,
    elsewhere,
    executor,
    left_of,
    lines,
    next_turn,
    opposite,
    other_hand,
    other_stones,
)
from engine.tellstones.words import StoneWord, no_stone
from engine.text import Text, say, who

SPOTS_A_SIDE = 3
"""Places on each side of the first stone with fixed spots (T18)."""


class MatLetter(Word[State, int]):
    """The Line; implied if there is only one."""

    optional = True

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        return lines(state, seat)

    def write(self, state: State, value: int, before: Values) -> Words:
        return () if len(state.mats) == 1 else (LETTERS[value],)

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        return say("Line {letter}", letter=LETTERS[value])

    def read(self, state: State, word: str, before: Values) -> int:
        return LETTERS.index(word.upper())


class PoolStone(StoneWord):
    """A stone of the mat's Pool (T14)."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[str]:
        (mat,) = before
        return filter(state.mats[mat].pool.__contains__, KINDS)


_LEFT, _RIGHT = say("left end"), say("right end")


class LineEnd(Word[State, int]):
    """The stone's new place: left or right for seat a in notation, for the player in menus (T16)."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[int]:
        mat, _ = before
        return (0, len(state.mats[mat].line))

    def write(self, state: State, value: int, before: Values) -> Words:
        mat, _ = before
        return ("left" if value == 0 else "right" if value == len(state.mats[mat].line) else str(value + 1),)

    def text(self, state: State, value: int, before: Values, number: int) -> Text:
        left = (value == 0) is not opposite(state, state.active)
        return _LEFT if left else _RIGHT

    def read(self, state: State, word: str, before: Values) -> int:
        """Read an end, or a number: an illegal place between others (T16)."""
        size = len(state.mats[before[0]].line)
        if word in ("left", "right"):
            return 0 if word == "left" else size
        if word.isdecimal() and 1 <= int(word) <= size + 1:
            return int(word) - 1
        raise Invalid(say("A stone is placed left or right, not at {word}.", word=word))


_MAT, _STONE, _END = MatLetter(), PoolStone(), LineEnd()
_OTHER = say("Another stone was placed.")
PLACED_FACE_DOWN = say("A stone was placed face down.")


class Place(Order, frozen=True, tag="place"):
    """Put a stone of the Pool on the Line, face up, at place `index` (T14, T15)."""

    mat: Annotated[int, _MAT]
    kind: Annotated[str, _STONE]
    index: Annotated[int, _END]

    name = reading(say("Place"), say("{a} to the {b}"))  # Translators: a stone, and an end of the Line
    clauses = ("T14", "T15", "T16", "T17", "T18")
    when = (Ordering,)

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        mat = state.mats[self.mat]
        if not mat.pool:
            yield Violation("T17", say("The Pool is empty."))
        if self.kind not in mat.pool:
            yield Violation("T14", say("{stone} is not in the Pool.", stone=NAMES[self.kind]))
        if self.index not in (0, len(mat.line)):
            yield Violation("T16", say("A stone goes to an end of the Line, never between two stones."))
        elif not has_room(state, self.mat, self.index):
            yield Violation("T18", say("That edge of the mat is reached: place the stone at the other end."))
        yield from elsewhere(state, seat, self.mat)

    def after(self, state: State, seat: Seat) -> State:
        return next_turn(state, mats=lay(state, self, Face.UP))

    def sentence(self, state: State, seat: Seat) -> Text:
        """Name the place, which is the same from both sides."""
        place, hand = place_word(state.mats, At(self.mat, self.index)), who(left_of(state, seat))
        return say("{hand} puts the {stone} at place {place}.", hand=hand, stone=NAMES[self.kind], place=place)

    def task(self, state: State, seat: Seat, turned_round: bool = False) -> Text:
        """Name left or right as the viewer sees it (T16)."""
        hand, stone = who(left_of(state, seat)), NAMES[self.kind]
        end = say("left end") if (self.index == 0) is not turned_round else say("right end")
        if len(state.mats) == 1:
            return say("{hand} puts the {stone} at the {end}.", hand=hand, stone=stone, end=end)
        line = LETTERS[self.mat]
        return say("{hand} puts the {stone} on Line {line}, {end}.", hand=hand, stone=stone, line=line, end=end)

    def trace(self, state: State, seat: Seat) -> Trace:
        return replace(self.lay_trace(state, Face.UP, executor(state, seat)), declared=state.rules.declared)

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        if not glance.is_touched(pool_spot(state.mats, self.mat, self.kind)):
            return False
        hidden_since = Piece(None, Face.DOWN)
        return any(glance.lies(line_zone(state.mats, self.mat), piece) for piece in (Piece(self.kind), hidden_since))

    def lay_trace(self, state: State, face: Face, hands: frozenset[Seat]) -> Trace:
        source, target = pool_spot(state.mats, self.mat, self.kind), line_spot(state.mats, At(self.mat, self.index))
        turned = frozenset({source}) if face is Face.DOWN else frozenset[Spot]()
        return Trace(layout(lay(state, self, face)), moves=(Move(source, target),), turned=turned, hands=hands)

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        yield from other_stones(state, seat, self, places(state, seat), "other stone placed", "T14", _OTHER)
        for attempt in (*placed_wrongly(state), *placed_face_down(state)):
            if attempt.trace.moves[0].source == pool_spot(state.mats, self.mat, self.kind):
                yield attempt
        yield from other_hand(state, seat, self)

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Place:
        """Read `place crown left`, or `place A crown left` with two Lines, in any order."""
        most = 2 if len(state.mats) == 1 else 3
        if len(rest) > most:
            raise Invalid(say("Too many words: {words}", words=" ".join(rest[most:])))
        kinds = tuple(word for word in rest if word in KINDS)
        lines = tuple(word for word in rest if len(state.mats) > 1 and word.upper() in LETTERS)
        others = tuple(word for word in rest if word not in KINDS and word not in lines)
        for other in others:
            if other not in ("left", "right") and not other.isdecimal():
                raise no_stone(other)
        if len(others) > 1 and not kinds:
            raise no_stone(others[0])  # a place stands where a stone is expected
        if len(kinds) > 1 or len(lines) > 1 or len(others) > 1:
            raise Invalid(say("Place one stone at one end: {words}", words=" ".join(rest)))
        if not kinds:
            raise Ambiguous(say("Which stone is placed?"))
        mat = _MAT.read(state, lines[0], ()) if lines else _mat_with(state, kinds[0])
        if not others:
            raise Ambiguous(say("At which end: left or right?"))
        return Place(mat, kinds[0], _END.read(state, others[0], (mat, kinds[0])))


def _mat_with(state: State, kind: str) -> int:
    """Return the mat whose Pool has the stone (T14), or the only mat. Raises Ambiguous unless one of two has it."""
    mats = tuple(number for number, mat in enumerate(state.mats) if kind in mat.pool)
    if len(state.mats) > 1 and len(mats) != 1:
        raise Ambiguous(say("On which Line: A or B?"))
    return mats[0] if mats else 0


def has_room(state: State, number: int, index: int) -> bool:
    """Return True if the Line may grow at this end; fixed spots limit it (T18)."""
    if not state.rules.fixed_spots:
        return True
    mat = state.mats[number]
    return (mat.left if index == 0 else len(mat.line) - 1 - mat.left) < SPOTS_A_SIDE


def lay(state: State, place: Place, face: Face) -> Mats:
    mat, index = state.mats[place.mat], place.index
    line = (*mat.line[:index], Stone(place.kind, face), *mat.line[index:])
    return put(state.mats, place.mat, StoneSet(line, mat.without(place.kind), mat.left + (index == 0)))


def places(state: State, seat: Seat) -> Iterator[Place]:
    """Yield all legal placements (T18)."""
    return chain.from_iterable(places_on(state, seat, number) for number in range(len(state.mats)))


def places_on(state: State, seat: Seat, number: int) -> Iterator[Place]:
    mat = state.mats[number]
    ends = dict.fromkeys((0, len(mat.line)))
    return legal((Place(number, kind, index) for kind in mat.pool for index in ends), state, seat)


def placed_wrongly(state: State) -> Iterator[Attempt]:
    """Yield placements between stones (T16), beyond the edge (T18) or on the rival's Line."""
    seat = state.active
    for number, mat in enumerate(state.mats):
        for kind in mat.pool:
            for index in range(len(mat.line) + 1):
                action = Place(number, kind, index)
                if any(action.violations(state, seat)):
                    name, said = _wrong_place(state, action)
                    seen = replace(action.trace(state, seat), declared=False)
                    yield Attempt(name, seat, seen, action.judge(state, seat), action.notation(state), said)


def _wrong_place(state: State, place: Place) -> tuple[str, Text]:
    if place.index not in (0, len(state.mats[place.mat].line)):
        return _BETWEEN
    return _ELSEWHERE if has_room(state, place.mat, place.index) else _PAST


_BETWEEN = ("placed between", say("A stone was placed between others."))
_ELSEWHERE = ("other line", OTHER_LINE)
_PAST = ("placed past the edge", say("A stone was placed past the edge."))


def placed_face_down(state: State) -> Iterator[Attempt]:
    breach = Violation("T15", say("A stone is placed face up."))
    if not all(mat.line for mat in state.mats):
        return  # no Line yet
    for action in places(state, state.active):
        seen = action.lay_trace(state, Face.DOWN, executor(state, state.active))
        yield Attempt("placed face down", state.active, seen, (breach,), what=PLACED_FACE_DOWN)
