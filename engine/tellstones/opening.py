"""The opening: options, first stone and starter (T7, T8, T53, T63, T64)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec.structs import replace

from engine.draws import draw
from engine.errors import Invalid, Violation
from engine.game import Attempt, Options, Prefilter
from engine.rules import Values, Word
from engine.table import Face, Move, Seat, Trace
from engine.tellstones.line import KINDS, LETTERS, NAMES, At, Stone, StoneSet, layout, line_spot, pool_spot, put
from engine.tellstones.match import Order, Ordering, Phase, Rulings, State, answerer, culprit
from engine.tellstones.place import PLACED_FACE_DOWN, places
from engine.tellstones.words import StoneWord
from engine.text import Text, say, seat_of, who


def setup(options: Options, seats: tuple[Seat, ...], seed: int) -> State:
    """Set up a match. Raises Invalid if seats, variant and starter don't fit."""
    two_lines = options["mode"] == "two-line"
    if len(set(seats)) != len(seats) or len(seats) not in (2, 4):
        raise Invalid(say("Tellstones is played by two or by four seats, not by {count}.", count=len(seats)))
    if two_lines and len(seats) != 2:
        raise Invalid(say("The two-line variant is for two players (T64)."))
    chosen, starter = options["first_stone"] == "chosen", str(options["starter"])
    begun: Phase = OpeningPhase() if chosen else Ordering()
    mats = tuple(_mat(_first_stone(str(options["first_stone"]), seed, mat)) for mat in range(2 if two_lines else 1))
    return State(
        rules=Rulings(
            peek_three=str(options["peek_three"]),
            boast_minimum=int(options["boast_minimum"]),
            fixed_spots=options["fixed_spots"] is True,
            declared=options["orders"] == "declared",
            own_line=two_lines and options["lines"] == "own",
        ),
        seats=seats,
        mats=mats,
        score=(0, 0),
        turn=1,
        active=_starter(starter, seats, seed),
        scored=(0, 0),
        phase=Starting(starter) if starter in ASKED else begun,
    )


def _starter(option: str, seats: tuple[Seat, ...], seed: int) -> Seat:
    """Toss a coin or take the option's seat (T8); any seat while players are asked."""
    if option in ASKED:
        return seats[0]
    if option == "coin":
        return seats[draw(f"{seed}/starter", len(seats))]
    if option not in seats:
        raise Invalid(say("Nobody sits at seat {seat}, so it cannot start.", seat=option))
    return option


def _first_stone(option: str, seed: int, mat: int) -> str | None:
    """Draw a Line's first stone (T7); None if a player chooses."""
    if option == "chosen":
        return None
    if option == "scales":  # T53
        return "scales"
    return KINDS[draw(f"{seed}/first stone {mat}", len(KINDS))]


def _mat(first: str | None) -> StoneSet:
    pool = tuple(sorted(kind for kind in KINDS if kind != first))
    return StoneSet(line=(Stone(first),) if first else (), pool=pool)


ASKED: dict[str, Text] = {
    "elder": say("The elder decides: who takes the first turn?"),
    "last": say("Who lost the last match? They take the first turn."),
}
"""Questions of options that ask for the starter (T8, T53)."""


class Starting(Phase, frozen=True, tag="starting"):
    """Any seat says who starts, as only players know their ages (T8, T53). by: the option."""

    by: str

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset(state.seats)

    def out_of_turn(self, state: State, who: Text) -> Violation:
        return Violation("T8", say("{seat}: who takes the first turn?", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("T8", say("First say who takes the first turn."))

    def question(self, state: State) -> Text:
        return ASKED[self.by]

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat}: who takes the first turn?", seat=who)


class Starter(Word[State, Seat]):
    """Any seat (T8)."""

    missing = say("Which seat takes the first turn?")

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[Seat]:
        return state.seats

    def text(self, state: State, value: Seat, before: Values, number: int) -> Text:
        return seat_of(value)

    def read(self, state: State, word: str, before: Values) -> Seat:
        if word not in state.seats:
            raise Invalid(say("Nobody sits at seat {seat}, so it cannot start.", seat=word))
        return word


_STARTER = Starter()


class Starts(Order, frozen=True, tag="starts"):
    """Say who starts (T8)."""

    seat: Annotated[Seat, _STARTER]

    name = say("First turn")
    clauses = ("T8",)
    when = (Starting,)
    declared = True

    def out_of_turn_violation(self) -> Violation:
        return Violation("T8", say("The first turn is already decided."))

    def after(self, state: State, seat: Seat) -> State:
        phase = Ordering() if all(mat.line for mat in state.mats) else OpeningPhase()
        return replace(state, active=self.seat, phase=phase)

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} takes the first turn.", seat=who(self.seat))

    def trace(self, state: State, seat: Seat) -> Trace:
        return Trace(layout(state.mats), declared=self.declared)


class OpeningPhase(Phase, frozen=True, tag="opening"):
    """The player who does not start chooses a first stone (T7)."""

    def actors(self, state: State) -> frozenset[Seat]:
        return answerer(state)

    def out_of_turn(self, state: State, who: Text) -> Violation:
        return Violation("T7", say("{seat} chooses the first stone.", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("T7", say("The first stone must be chosen before the first turn."))

    def question(self, state: State) -> Text:
        if len(state.mats) == 1:
            return say("Choose the first stone of the Line.")
        return say("Choose the first stone of Line {letter}.", letter=LETTERS[_empty(state)])

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} chooses the first stone.", seat=who)


class FirstStone(StoneWord):
    """Any of seven (T7)."""

    missing = say("Which stone lies first?")


_STONE = FirstStone()


class First(Order, frozen=True, tag="first"):
    """Choose the first stone of the first empty Line (T7, T64)."""

    kind: Annotated[str, _STONE]

    name = say("First stone")
    clauses = ("T7", "T64")
    when = (OpeningPhase,)

    def out_of_turn_violation(self) -> Violation:
        return Violation("T7", say("The first stone is already placed."))

    def after(self, state: State, seat: Seat) -> State:
        number = _empty(state)
        mat = state.mats[number]
        mats = put(state.mats, number, replace(mat, line=(Stone(self.kind),), pool=mat.without(self.kind)))
        return replace(state, mats=mats, phase=Ordering() if all(each.line for each in mats) else OpeningPhase())

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("The {stone} is the first stone.", stone=NAMES[self.kind])

    def trace(self, state: State, seat: Seat) -> Trace:
        number = _empty(state)
        laid = Move(pool_spot(state.mats, number, self.kind), line_spot(state.mats, At(number, 0)))
        return Trace(layout(self.after(state, seat).mats), moves=(laid,))

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        return glance.is_touched(pool_spot(state.mats, _empty(state), self.kind))


def _empty(state: State) -> int:
    return next(number for number, mat in enumerate(state.mats) if not mat.line)


def first_face_down(state: State) -> Iterator[Attempt]:
    if isinstance(state.phase, OpeningPhase):
        breach = Violation("T7", say("A stone is placed face up."))
        for place in places(state, state.active):
            seen = place.lay_trace(state, Face.DOWN, frozenset())
            yield Attempt("placed face down", culprit(state), seen, (breach,), what=PLACED_FACE_DOWN)
