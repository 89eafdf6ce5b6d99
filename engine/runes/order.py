"""The base of actions: timing, words, traces and execution errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from engine.errors import Invalid, Refusal, Violation
from engine.game import Attempt, Words
from engine.rules import Action, Values, Word, verb
from engine.runes.cards import CARDS, SUITS, height, rank_name
from engine.runes.mat import difference
from engine.runes.match import Over, Phase, State, asked_seats, is_over, not_there, wizard_at
from engine.table import Seat, Trace
from engine.text import Text, say, seat_of, who
from engine.view import Event, NamedCard

JOIN = "+"


class CardWord(Word[State, str]):
    def __init__(self, verb: str) -> None:
        self.missing = say("Which card? {verb} {card}", verb=verb, card="…")

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return CARDS[value]

    def means(self, state: State, value: str, number: int) -> tuple[NamedCard, ...]:
        card = state.deck[value]
        suits = (number for number, suit in enumerate(SUITS) if suit in card.suits)
        return (NamedCard(value, height(card, "low"), next(suits, 0)),)

    def under(self, state: State, value: str, number: int) -> Text | None:
        return rank_name(state.deck[value])

    def read(self, state: State, word: str, before: Values) -> str:
        return card_read(state, word)


class SeatWord(Word[State, Seat]):
    def text(self, state: State, value: Seat, before: Values, number: int) -> Text:
        return seat_text(value)

    def read(self, state: State, word: str, before: Values) -> Seat:
        return seat_read(state, word)


def card_read(state: State, word: str) -> str:
    name = word.removeprefix("the-")
    if name not in state.deck:
        raise Invalid(say("{word} is not a Decktet card. Write cards like this: mountain, light-keeper.", word=name))
    return name


def cards_read(state: State, words: Words) -> tuple[str, ...]:
    """Read cards, joined or apart, and sort them as on the table. Raises Invalid."""
    names = [card_read(state, name) for word in words for name in word.split(JOIN)]
    if len(set(names)) != len(names):
        raise Invalid(say("A card is written twice: {words}", words=" ".join(words)))
    place = {q.card: n for wizard in state.wizards for n, q in enumerate(wizard.sequence)}
    deck = {name: n for n, name in enumerate(state.deck)}
    return tuple(sorted(names, key=lambda name: (place.get(name, len(place)), deck[name])))


def seat_read(state: State, word: str) -> Seat:
    if word not in {wizard.seat for wizard in state.wizards}:
        raise Invalid(say("There is no seat {seat} in this match.", seat=word.upper()))
    return word


def seat_text(seat: Seat) -> Text:
    return seat_of(seat)


class Order(Action[State], frozen=True):
    when: ClassVar[tuple[type[Phase], ...]]

    clause: ClassVar[str]
    """Clause that other phases break."""

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
