"""Swap: two stones of a Line change places, keeping their faces (T24-T28)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations, starmap
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Ambiguous, Violation
from engine.game import Attempt, Prefilter, Words
from engine.grammar import reading
from engine.rules import Values
from engine.table import Face, Move, Seat, Trace
from engine.tellstones.line import (
    NAMES,
    At,
    Mats,
    hidden_spots,
    layout,
    line_spot,
    place_word,
    places,
    put,
    stone_at,
    stones,
    swap_moves,
    turn_stone,
)
from engine.tellstones.match import (
    ONE_LINE,
    Order,
    Ordering,
    State,
    culprit,
    elsewhere,
    executor,
    left_of,
    lines,
    next_turn,
    nobody_ordered,
    other_hand,
    other_stones,
)
from engine.tellstones.words import Absent, OnLine, Target, on_line, place_name
from engine.text import Text, say, who


class Swapped(OnLine):
    def text(self, state: State, value: Target, before: Values, number: int) -> Text:
        if isinstance(value, At) and len(state.mats) == 1 and not (stone := stone_at(state.mats, value)).down:
            return say("the {stone}", stone=NAMES[stone.kind])
        return super().text(state, value, before, number)


class One(Swapped):
    """A stone with another to its right (T24)."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[At]:
        return [at for number in lines(state, seat) for at in places(state.mats, number)[:-1]]


class Two(Swapped):
    """A stone right of the first, so that pairs come once."""

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[At]:
        one: At = before[0]
        return places(state.mats, one.mat, one.index + 1)


_ONE, _TWO = One(), Two()
_OTHERS = say("Other stones were swapped.")


class Swap(Order, frozen=True, tag="swap"):
    """Exchange two stones on the Line (T24)."""

    one: Annotated[Target, _ONE]
    two: Annotated[Target, _TWO]

    name = reading(say("Swap"), say("Swap {a} and {b}"))  # Translators: two stones, each with its place
    clauses = ("T24", "T28", ONE_LINE)
    when = (Ordering,)

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        one, two = self.one, self.two
        for stone in (one, two):
            if isinstance(stone, Absent):
                text = say("{stone} is in the Pool: only stones on the Line are swapped.", stone=NAMES[stone.kind])
                yield Violation("T28", text)
        if one == two:
            yield Violation("T24", say("Two different stones are swapped."))
        if all(len(mat.line) < 2 for mat in state.mats):
            yield Violation("T28", say("A swap needs two stones on the Line."))
        if isinstance(one, At) and isinstance(two, At) and one.mat != two.mat:
            yield mixed_set_violation()
            yield Violation(ONE_LINE, say("A swap stays within one Line."))
        elif isinstance(one, At):
            yield from elsewhere(state, seat, one.mat)

    def after(self, state: State, seat: Seat) -> State:
        return next_turn(state, mats=exchange(state.mats, on_line(self.one), on_line(self.two)))

    def sentence(self, state: State, seat: Seat) -> Text:
        hand, one, two = who(left_of(state, seat)), place_name(state, self.one), place_name(state, self.two)
        return say("{hand} swaps stones {one} and {two}.", hand=hand, one=one, two=two)

    def trace(self, state: State, seat: Seat) -> Trace:
        """Return the trace. Two face-down stones need an order: only tracking shows the exchange."""
        one, two = on_line(self.one), on_line(self.two)
        return Trace(
            layout(exchange(state.mats, one, two)),
            moves=swap_moves(line_spot(state.mats, one), line_spot(state.mats, two)),
            hands=executor(state, seat),
            declared=state.rules.declared or self.both_hidden(state),
        )

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        spots = (line_spot(state.mats, on_line(stone)) for stone in (self.one, self.two))
        return all(map(glance.is_touched, spots)) and not self.both_hidden(state)

    def both_hidden(self, state: State) -> bool:
        return all(isinstance(stone, At) and stone_at(state.mats, stone).down for stone in (self.one, self.two))

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        yield from other_stones(state, seat, self, swaps(state), "other stones swapped", "T24", _OTHERS)
        yield from _with_a_turn(state, self)
        yield from other_hand(state, seat, self)

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Swap:
        if len(rest) > 2:
            raise cls.too_many(rest)
        known = [_ONE.read(state, word, ()) for word in rest]
        if len(known) < 2:
            raise Ambiguous(say("Which two stones are swapped?"))
        one, two = known
        return Swap(two, one) if isinstance(one, At) and isinstance(two, At) and two < one else Swap(one, two)


def exchange(mats: Mats, one: At, two: At) -> Mats:
    """Exchange two stones with their faces (T26), adjacent or not (T27)."""
    line = list(mats[one.mat].line)
    line[one.index], line[two.index] = line[two.index], line[one.index]
    return put(mats, one.mat, replace(mats[one.mat], line=tuple(line)))


def mixed_set_violation() -> Violation:
    return Violation("T66", say("The two sets are never mixed."))


def swaps(state: State) -> Iterator[Swap]:
    """Yield all swaps within a Line (T27, T66)."""
    return chain.from_iterable(swaps_on(state, number) for number in range(len(state.mats)))


def swaps_on(state: State, number: int) -> Iterator[Swap]:
    return starmap(Swap, combinations(places(state.mats, number), 2))


def turned_in_swap(state: State) -> Iterator[Attempt]:
    for swap in swaps(state):
        yield from _with_a_turn(state, swap)


def _with_a_turn(state: State, swap: Swap) -> Iterator[Attempt]:
    one, two, said = on_line(swap.one), on_line(swap.two), say("A stone was turned in the swap.")
    for at, target in ((one, two), (two, one)):
        face = Face.UP if stone_at(state.mats, at).down else Face.DOWN
        text = say("Stone {place} keeps its face in the swap.", place=place_word(state.mats, at))
        seen = Trace(
            layout(turn_stone(exchange(state.mats, one, two), target, face)),
            moves=swap_moves(line_spot(state.mats, one), line_spot(state.mats, two)),
            turned=frozenset({line_spot(state.mats, at)}),
        )
        yield Attempt("turned in the exchange", state.active, seen, (Violation("T26", text),), what=said)


def unordered_swap(state: State) -> Iterator[Attempt]:
    said = say("Two hidden stones were swapped.")
    for one, two in combinations(hidden_spots(state.mats), 2):
        if one.mat == two.mat:
            seen = Trace(layout(state.mats), moves=swap_moves(line_spot(state.mats, one), line_spot(state.mats, two)))
            places = {"one": place_word(state.mats, one), "two": place_word(state.mats, two)}
            told = say("Nobody asked to swap stones {one} and {two}.", **places)
            violations = (*Swap(one, two).judge(state, state.active), nobody_ordered(told))
            yield Attempt("unordered swap of two hidden stones", state.active, seen, violations, what=said)


def moved_stones(state: State) -> Iterator[Attempt]:
    said = say("A stone was moved in the Line.")
    for at, stone in stones(state.mats):
        mat = state.mats[at.mat]
        for index in range(len(mat.line)):
            if abs(index - at.index) < 2:
                continue  # adjacent, it is an exchange
            line = [*mat.line[: at.index], *mat.line[at.index + 1 :]]
            line.insert(index, stone)
            after = put(state.mats, at.mat, replace(mat, line=tuple(line)))
            text = say("Stone {place} may change places with another one only.", place=place_word(state.mats, at))
            target = At(at.mat, index)
            seen = Trace(layout(after), moves=(Move(line_spot(state.mats, at), line_spot(state.mats, target)),))
            yield Attempt("moved in the line", culprit(state), seen, (Violation("T24", text),), what=said)
