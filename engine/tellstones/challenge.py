"""Challenge: the rival names a face-down stone and turns it up; whoever is right scores (T34-T39)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Violation
from engine.game import Attempt, Words
from engine.grammar import reading
from engine.rules import Values, Word
from engine.table import Face, Seat, Trace
from engine.tellstones.line import (
    KINDS,
    NAMES,
    At,
    hidden_spots,
    layout,
    place_word,
    stone_at,
    turn_stone,
    turned_up,
)
from engine.tellstones.match import (
    Order,
    Ordering,
    Phase,
    State,
    answerer,
    answers,
    hidden_for,
    left_of,
    point,
    side_of,
)
from engine.tellstones.words import FACE_DOWN, KIND, Target, not_face_down, on_line, place_name, place_read
from engine.text import Text, say, who


class Challenged(Phase, frozen=True, tag="challenge"):
    """The stone must be named (T35)."""

    stone: At

    def actors(self, state: State) -> frozenset[Seat]:
        return answerer(state)

    def out_of_turn(self, state: State, who: Text) -> Violation:
        return Violation(answers(state, "T35"), say("{seat} must name the stone.", seat=who))

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return Violation("T35", say("The challenge must be answered first: name the stone."))

    def question(self, state: State) -> Text:
        return say("Name stone {place}, then turn it up.", place=place_word(state.mats, self.stone))

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} must name stone {place}.", seat=who, place=place_word(state.mats, self.stone))

    def marked_spots(self) -> tuple[At, ...]:
        return (self.stone,)

    def still_down(self, state: State, at: At) -> Violation:
        if at != self.stone:
            return super().still_down(state, at)
        return Violation("T36", say("Name stone {place} first, then turn it up.", place=place_word(state.mats, at)))


class Challenge(Order, frozen=True, tag="challenge"):
    """Demand a face-down stone's name (T34)."""

    stone: Annotated[Target, FACE_DOWN]

    name = reading(say("Challenge"), say("Challenge {a}"))  # Translators: a stone, by its place
    clauses = ("T34", "T39")
    when = (Ordering,)
    declared = True

    def costs(self, state: State, seat: Seat) -> bool:
        return True

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        yield from not_face_down(state, seat, self.stone, "T34")
        if not hidden_for(state, seat):
            yield Violation("T39", say("No stone is face down."))

    def after(self, state: State, seat: Seat) -> State:
        return replace(state, phase=Challenged(on_line(self.stone)))

    def sentence(self, state: State, seat: Seat) -> Text:
        rival, place = who(left_of(state, seat)), place_name(state, self.stone)
        return say("{seat} challenges {other}: name stone {place}.", seat=who(seat), other=rival, place=place)

    def trace(self, state: State, seat: Seat) -> Trace:
        return Trace(layout(state.mats), declared=self.declared)


class Asked(Word[State, At | None]):
    """The challenged stone, implied; another place is refused (T34)."""

    optional = True

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[None]:
        return (None,)

    def write(self, state: State, value: At | None, before: Values) -> Words:
        return () if value is None else (place_word(state.mats, value),)


ASKED = Asked()


class NameAnswer(Order, frozen=True, tag="names"):
    """Name the challenged stone by any of seven names (T35). stone: another place, if said."""

    kind: Annotated[str, KIND]
    stone: Annotated[At | None, ASKED] = None

    name = say("Name it")
    clauses = ("T34", "T35", "T52")
    order = ("stone", "kind")
    when = (Challenged,)
    declared = True
    reveals = True

    def costs(self, state: State, seat: Seat) -> bool:
        return True

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if self.stone is not None and isinstance(state.phase, Challenged):
            place = place_word(state.mats, state.phase.stone)
            yield Violation("T34", say("The challenge is for stone {place}.", place=place))

    def out_of_turn_violation(self) -> Violation:
        """Return the violation; a name merely said aloud is none."""
        return Violation("T52", say("Nobody asked you to name a stone."))

    def after(self, state: State, seat: Seat) -> State:
        """Leave the stone face up (T38); the side that is right scores (T37)."""
        at, challenger = _challenged_spot(state), side_of(state, state.active)
        right = stone_at(state.mats, at).kind == self.kind
        up = replace(state, mats=turn_stone(state.mats, at, Face.UP))
        return point(up, 1 - challenger if right else challenger)

    def sentence(self, state: State, seat: Seat) -> Text:
        if self.stone is None:
            return say("{seat} says {stone} and turns the stone up.", seat=who(seat), stone=NAMES[self.kind])
        return says_of(state, seat, self.kind, self.stone)

    def stone_texts(self, before: State) -> tuple[Text, ...]:
        return (it_is(before, _challenged_spot(before)),)

    def trace(self, state: State, seat: Seat) -> Trace:
        return replace(turned_up(state.mats, _challenged_spot(state), frozenset({seat})), declared=self.declared)

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        return other_turned(state, seat, _challenged_spot(state), "T36")

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> NameAnswer:
        """Read `names hammer`; the challenged place may be added."""
        kind, at = name_read(state, rest)
        asked = state.phase.stone if isinstance(state.phase, Challenged) else None
        return NameAnswer(kind, None if at == asked else at)


def _challenged_spot(state: State) -> At:
    if not isinstance(state.phase, Challenged):
        raise ValueError("nothing was challenged: judge the action before applying it")
    return state.phase.stone


# --- names in answers and proofs


def name_read(state: State, rest: Words) -> tuple[str, At | None]:
    if len(rest) > 2:
        raise Invalid(say("Too many words: {words}", words=" ".join(rest[2:])))
    kinds = [word for word in rest if word in KINDS]
    places = [word for word in rest if word not in KINDS]
    if len(places) > 1 or (places and len(kinds) > 1):
        raise Invalid(say("One stone is named at a time: {words}", words=" ".join(rest)))
    at = place_read(state.mats, places[0]) if places else None
    if len(kinds) != 1:
        raise Ambiguous(say("Which of the seven names?"))
    return kinds[0], at


def says_of(state: State, seat: Seat, kind: str, at: At) -> Text:
    place = place_word(state.mats, at)
    return say("{seat} says {stone} and turns stone {place} up.", seat=who(seat), stone=NAMES[kind], place=place)


def it_is(state: State, at: At) -> Text:
    return say("It is the {stone}.", stone=NAMES[stone_at(state.mats, at).kind])


def other_turned(state: State, seat: Seat, named: At, clause: str) -> Iterator[Attempt]:
    """Yield attempts to turn up another stone than the named one (T36)."""
    breach = Violation(clause, say("Turn up stone {place}, no other.", place=place_word(state.mats, named)))
    for at in hidden_spots(state.mats):
        if at != named:
            seen = turned_up(state.mats, at, frozenset({seat}))
            yield Attempt("other stone turned", seat, seen, (breach,), what=say("Another stone was turned up."))
