"""Peek: look at a face-down stone, or at three after a rival's point (T29-T32, T58, T59)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Annotated

from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Violation
from engine.game import Attempt, Prefilter, Words
from engine.grammar import reading
from engine.rules import Values, Word
from engine.table import Seat, Trace
from engine.tellstones.line import At, hidden_spots, layout, line_spot
from engine.tellstones.match import (
    Order,
    Ordering,
    Phase,
    State,
    hidden_for,
    is_team,
    next_turn,
    no_passing,
    other_hand,
    other_stones,
    partner_of,
    side_of,
    turn_of,
)
from engine.tellstones.words import FACE_DOWN, Target, not_face_down, on_line, place_name
from engine.text import Text, say, who

TOO_MANY = ("peeking too many", say("Too many stones were looked at."))


class Peeking(Phase, frozen=True, tag="peek"):
    """The active player may look at `left` more stones or stop (T32)."""

    seen: tuple[At, ...]
    left: int

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset({state.active})

    def out_of_turn(self, state: State, who: Text) -> Violation:
        return turn_of(state, who)

    def not_asked_violation(self, state: State, action: Order) -> Violation:
        return action.out_of_turn_violation()

    def question(self, state: State) -> Text:
        return say("Peek at up to {count} more, or stop peeking.", count=self.left)

    def waiting(self, state: State, who: Text) -> Text:
        return say("{seat} may peek at more stones.", seat=who)

    def marked_spots(self) -> tuple[At, ...]:
        return self.seen


class Looker(Word[State, Seat | None]):
    """The player who looks: the active one (implied) or the partner (T58)."""

    optional = True

    def candidates(self, state: State, seat: Seat, before: Values) -> Iterable[Seat | None]:
        return (None, partner_of(state, seat)) if is_team(state) else (None,)

    def write(self, state: State, value: Seat | None, before: Values) -> Words:
        return () if value is None else (value,)

    def text(self, state: State, value: Seat | None, before: Values, number: int) -> Text:
        return say("{seat} looks", seat=who(value or ""))


LOOKER = Looker()


class Peek(Order, frozen=True, tag="peek"):
    """Look at a face-down stone (T29). looker: the appointed partner, if any (T58)."""

    stone: Annotated[Target, FACE_DOWN]
    looker: Annotated[Seat | None, LOOKER] = None

    name = reading(say("Peek"), say("Peek at {a}"))  # Translators: a stone, by its place
    clauses = ("T29", "T32", "T58")
    order = ("looker", "stone")
    when = (Ordering, Peeking)
    reveals = True

    def violations(self, state: State, seat: Seat) -> Iterator[Violation]:
        if self.looker is not None and not (is_team(state) and self.looker == partner_of(state, seat)):
            yield Violation(_looks(state), say("{seat} may not look at stones for you.", seat=who(self.looker)))
        yield from not_face_down(state, seat, self.stone, "T29")
        if self.stone in looked_at(state):
            yield Violation("T32", say("You looked at this stone already: choose another one, or stop."))

    def after(self, state: State, seat: Seat) -> State:
        """Allow further peeks in the turn (T30, T32), or pass it on."""
        left = peeks_left(state) - 1
        if left == 0:
            return next_turn(state)
        return replace(state, phase=Peeking((*looked_at(state), on_line(self.stone)), left))

    def sentence(self, state: State, seat: Seat) -> Text:
        looks, place = who(self.looker or seat), place_name(state, self.stone)
        return say("{seat} looks at stone {place}.", seat=looks, place=place)

    def trace(self, state: State, seat: Seat) -> Trace:
        return Trace(
            layout(state.mats),
            lifted=frozenset({line_spot(state.mats, on_line(self.stone))}),
            hands=frozenset({self.looker or seat}),
            declared=state.rules.declared,
        )

    def may_be_seen(self, state: State, seat: Seat, glance: Prefilter) -> bool:
        return glance.is_touched(line_spot(state.mats, on_line(self.stone)))

    def execution_errors(self, state: State, seat: Seat) -> Iterator[Attempt]:
        said, others = say("Another stone was looked at."), (Peek(at, self.looker) for at in hidden_spots(state.mats))
        yield from other_stones(state, seat, self, others, "other stone peeked", "T29", said)
        yield from other_hand(state, seat, self, _looks(state))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Peek:
        """Read `peek 2`, or `peek c 2`: seat C, the partner, looks."""
        if len(rest) > 2:
            raise cls.too_many(rest)
        lookers = tuple(word for word in rest if word in state.seats)
        places = tuple(word for word in rest if word not in lookers)
        if len(lookers) > 1 or len(places) > 1:
            raise Invalid(say("One player looks at one stone at a time: {words}", words=" ".join(rest)))
        if not places:
            raise Ambiguous(FACE_DOWN.missing)
        return Peek(FACE_DOWN.read(state, places[0], ()), next((each for each in lookers if each != seat), None))


class Stop(Order, frozen=True, tag="stop"):
    """Stop peeking early (T32)."""

    name = say("Stop peeking")
    clauses = ("T32",)
    when = (Peeking,)

    def out_of_turn_violation(self) -> Violation:
        return no_passing()

    def after(self, state: State, seat: Seat) -> State:
        return next_turn(state)

    def sentence(self, state: State, seat: Seat) -> Text:
        return say("{seat} peeks no more.", seat=who(seat))

    def trace(self, state: State, seat: Seat) -> Trace:
        return Trace(layout(state.mats))


def _looks(state: State) -> str:
    return "T58" if is_team(state) else "T29"


def looked_at(state: State) -> tuple[At, ...]:
    """Return this turn's peeked stones (T32)."""
    return state.phase.seen if isinstance(state.phase, Peeking) else ()


def may_peek_three(state: State) -> bool:
    """Return True if the other side scored in the last two turns (T30, T59), or as T31's option says."""
    last = state.scored[1 - side_of(state, state.active)]
    window = {"two-turns": 2, "previous-turn": 1}.get(state.rules.peek_three, 0)
    return last > 0 and state.turn - last <= window


def peeks_left(state: State) -> int:
    """Return the peeks left in this turn (T29, T30); 0 if not asked."""
    match state.phase:
        case Peeking(_, left):
            return left
        case Ordering():
            return min(3 if may_peek_three(state) else 1, len(hidden_for(state, state.active)))
        case _:
            return 0


def peeks(state: State, seat: Seat) -> Iterator[Peek]:
    """Yield every peek by every possible looker (T58)."""
    for at in hidden_spots(state.mats):
        yield from (Peek(at, looker) for looker in LOOKER.candidates(state, seat, ()))


def peeking_too_many(state: State) -> Iterator[Attempt]:
    if not isinstance(state.phase, Ordering | Peeking):
        return
    seen, allowed, seat = looked_at(state), peeks_left(state), state.active
    most = allowed + len(seen)
    clause = "T29" if most == 1 else "T59" if is_team(state) else "T30"
    breach = Violation(clause, say("Stones that may be looked at in this turn: {count}, no more.", count=most))
    hands = frozenset({seat, partner_of(state, seat)})
    fresh = (at for at in hidden_spots(state.mats) if at not in seen)
    for group in combinations(fresh, allowed + 1):
        lifted = frozenset(line_spot(state.mats, at) for at in group)
        shown = Trace(layout(state.mats), lifted=lifted, hands=hands)
        kind, said = TOO_MANY
        yield Attempt(kind, seat, shown, (breach,), what=said)
