"""The base of all actions of Dueling Runes: when one has its place, what a camera sees of it, how a hand errs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from engine.errors import Breach, Invalid, Refusal
from engine.game import Attempt, Words
from engine.rules import Action, Values, Word, verb
from engine.runes.cards import CARDS, ranked
from engine.runes.state import Over, Phase, State, asked, is_over, not_there, wizard_at
from engine.runes.tabletop import difference
from engine.table import Seat, Trace
from engine.text import Text, say, seat_of, who
from engine.view import Event

JOIN = "+"
"""Between the cards of one word."""


class Order(Action[State], frozen=True):
    """An action of Dueling Runes."""

    when: ClassVar[tuple[type[Phase], ...]]
    """The phases in which it has its place."""

    clause: ClassVar[str]
    """The clause that says so."""

    reveals: ClassVar[bool] = False
    """Whether somebody learns something by it."""

    time_first = True

    def untimely(self, state: State, seat: Seat) -> Iterator[Breach]:
        if isinstance(state.phase, Over):
            yield is_over(state)
        elif wizard_at(state, seat).gone:
            yield not_there(seat)
        elif not isinstance(state.phase, self.when):
            yield from self.uncalled(state, seat)
            yield Breach(self.clause, state.phase.wanted(state))
        elif seat not in self.askers(state):
            unasked = Breach(self.turn_clause(state), say("{seat} is not asked now.", seat=who(seat)))
            yield from tuple(self.uncalled(state, seat)) or (unasked,)

    def askers(self, state: State) -> frozenset[Seat]:
        """Who may do it now."""
        return asked(state)

    def turn_clause(self, state: State) -> str:
        """The clause that says who may do it now."""
        return state.phase.turn_clause(state)

    def uncalled(self, state: State, seat: Seat) -> Iterator[Breach]:
        """Why nothing of the kind is asked of a seat, where a clause of its own says so."""
        return iter(())

    def events(self, before: State, after: State, seat: Seat) -> Iterator[Event]:
        yield Event(self.sentence(before, seat), None, reveals=self.reveals)

    def seen(self, state: State, after: State, seat: Seat) -> Trace:
        """What a camera sees of it and of all that follows of itself. after: the state that everything leads to."""
        return difference(state, after)

    @classmethod
    def too_many(cls, rest: Words) -> Refusal:
        return Invalid(say("Too many words after {verb}: {words}", verb=verb(cls), words=" ".join(rest)))


# --- words


class CardWord(Word[State, str]):
    """A card by its name without the article."""

    def __init__(self, verb: str) -> None:
        self.missing = say("Which card? {verb} {card}", verb=verb, card="…")

    def text(self, state: State, value: str, before: Values, number: int) -> Text:
        return CARDS[value]

    def under(self, state: State, value: str, number: int) -> Text | None:
        return ranked(state.deck[value])

    def read(self, state: State, word: str, before: Values) -> str:
        return card_read(state, word)


class SeatWord(Word[State, Seat]):
    """A seat of the match."""

    def text(self, state: State, value: Seat, before: Values, number: int) -> Text:
        return seat_text(value)

    def read(self, state: State, word: str, before: Values) -> Seat:
        return seat_read(state, word)


def card_read(state: State, word: str) -> str:
    """The card of that name. Raises Invalid."""
    name = word.removeprefix("the-")
    if name not in state.deck:
        raise Invalid(say("{word} is no card of the Decktet. Cards are written so: mountain, light-keeper.", word=name))
    return name


def cards_read(state: State, words: Words) -> tuple[str, ...]:
    """Cards joined in one word or written apart, in the order in which they lie on the table. Raises Invalid."""
    names = [card_read(state, name) for word in words for name in word.split(JOIN)]
    if len(set(names)) != len(names):
        raise Invalid(say("A card is written twice: {words}", words=" ".join(words)))
    place = {q.card: n for wizard in state.wizards for n, q in enumerate(wizard.sequence)}
    deck = {name: n for n, name in enumerate(state.deck)}
    return tuple(sorted(names, key=lambda name: (place.get(name, len(place)), deck[name])))


def seat_read(state: State, word: str) -> Seat:
    """The seat of that name. Raises Invalid."""
    if word not in {wizard.seat for wizard in state.wizards}:
        raise Invalid(say("There is no seat {seat} in this match.", seat=word.upper()))
    return word


def seat_text(seat: Seat) -> Text:
    return seat_of(seat)


# --- how a hand errs


def foul(kind: str, seat: Seat, seen: Trace, breach: Breach, what: Text) -> Attempt:
    """Something that no action stands for. what: what was done; breach: the rule that it breaks."""
    return Attempt(kind, seat, seen, (breach,), what=what)


def at_wrong_time(
    state: State, kind: str, seat: Seat, seen: Callable[[], Trace], action: Order, what: Text
) -> Iterator[Attempt]:
    """An action that something speaks against, if anything does."""
    breaches = action.judge(state, seat)
    if breaches:
        yield Attempt(kind, seat, seen(), breaches, action.notation(state), what)


def discarded_text(seat: Seat, card: str) -> Text:
    return say("{seat} discarded {card}.", seat=who(seat), card=CARDS[card])


def turned_up_text(card: str) -> Text:
    return say("{card} was turned up.", card=CARDS[card])
