"""The base of actions: timing, traces and execution errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from engine.errors import Invalid, Refusal, Violation
from engine.game import Attempt, Words
from engine.rules import Action, verb
from engine.runes.cards import CARDS
from engine.runes.leaving import is_over, not_there
from engine.runes.mat import difference
from engine.runes.match import Over, Phase, State, asked_seats, wizard_at
from engine.table import Seat, Trace
from engine.text import Text, say, who
from engine.view import Event


class Order(Action[State], frozen=True):
    when: ClassVar[tuple[type[Phase], ...]]

    clause: ClassVar[str]
    """Clause on those phases."""

    reveals: ClassVar[bool] = False

    time_first = True
    declared = True

    def untimely(self, state: State, seat: Seat) -> Iterator[Violation]:
        if isinstance(state.phase, Over):
            yield is_over(state)
        elif wizard_at(state, seat).gone:
            yield not_there(seat)
        elif not isinstance(state.phase, self.when):
            yield from self.out_of_turn_violation(state, seat)
            yield Violation(self.clause, state.phase.wanted_text(state))
        elif seat not in self.askers(state):
            unasked = Violation(self.turn_clause(state), say("{seat} is not asked now.", seat=who(seat)))
            yield from tuple(self.out_of_turn_violation(state, seat)) or (unasked,)

    def askers(self, state: State) -> frozenset[Seat]:
        return asked_seats(state)

    def turn_clause(self, state: State) -> str:
        """Return the clause on who may do it."""
        return state.phase.turn_clause(state)

    def out_of_turn_violation(self, state: State, seat: Seat) -> Iterator[Violation]:
        """Yield violations of its own clauses on timing."""
        return iter(())

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(self.sentence(before, seat), None, reveals=self.reveals)

    def trace_of(self, state: State, after: State, seat: Seat) -> Trace:
        """Return the trace including all that follows. after: the final state."""
        return difference(state, after, declared=self.declared)

    @classmethod
    def too_many(cls, rest: Words) -> Refusal:
        return Invalid(say("Too many words after {verb}: {words}", verb=verb(cls), words=" ".join(rest)))


def illegal_attempt(kind: str, seat: Seat, seen: Trace, breach: Violation, what: Text) -> Attempt:
    return Attempt(kind, seat, seen, (breach,), what=what)


def at_wrong_time(
    state: State, kind: str, seat: Seat, seen: Callable[[], Trace], action: Order, what: Text
) -> Iterator[Attempt]:
    violations = action.judge(state, seat)
    if violations:
        yield Attempt(kind, seat, seen(), violations, action.notation(state), what)


def discarded_text(seat: Seat, card: str) -> Text:
    return say("{seat} discarded {card}.", seat=who(seat), card=CARDS[card])


def turned_up_text(card: str) -> Text:
    return say("{card} was turned up.", card=CARDS[card])
