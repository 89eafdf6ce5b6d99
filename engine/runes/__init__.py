"""Dueling Runes for two to four wizards, or one against the automatic opponent (R1), as an `engine.game.Game`. Rules:
docs/rules/runes.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any

import msgspec

from engine.errors import Invalid, Refusal
from engine.game import ANYTHING, Attempt, Game, Options, Words, ZonePrefilter
from engine.rules import Rules, verb
from engine.runes import corrections, mat, match, turn, views
from engine.runes.cards import Deck, DecktetCard
from engine.runes.casting import Cast, Forget, PassSpell, turned_up_again
from engine.runes.corrections import REPAIRS, out_of_season
from engine.runes.hands import DeclineDraw, DrawCard, Shuffle, taken_from_pile
from engine.runes.laying import Lay, Laying, RevealCard, laid_wrongly, revealed_wrongly, taken_back
from engine.runes.mat import counters_misplaced, counters_moved, sequence_zone
from engine.runes.match import Automaton, Over, Phase, Rulings, State, Wizard, asked_seats, people
from engine.runes.order import Order
from engine.runes.solo import Again, KeepCard, TurnUp, opponent_of
from engine.runes.specials import Counter, Enough, Mirror, Pay, Paying, Withdraw, discarded_wrongly, volunteers
from engine.runes.turn import drawn_anew, first_stage, proceed
from engine.table import SEATS, Seat, Trace
from engine.text import say
from engine.view import Event


class Runes(Rules[State, Order]):
    name = "runes"
    actions = (
        Lay,
        RevealCard,
        TurnUp,
        KeepCard,
        Again,
        Cast,
        PassSpell,
        Counter,
        Mirror,
        Pay,
        Withdraw,
        Enough,
        Forget,
        DrawCard,
        DeclineDraw,
        Shuffle,
    )
    repairs = REPAIRS

    def __init__(self, deck: Deck) -> None:
        """deck: the 45 cards of the extended Decktet, by id."""
        self.deck = dict(deck)

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
        """Return the initial state; options give life (R6). Raises Invalid if options and seats don't fit."""
        if len(set(seats)) != len(seats) or not 1 <= len(seats) <= len(SEATS) or not set(seats) <= set(SEATS):
            told = say("Dueling Runes is played by one to four seats, not by {count}.", count=len(seats))
            raise Invalid(told, ("R1",))
        opponent = opponent_of(options, seats, SEATS)
        named = {field.name: options[field.name] for field in msgspec.structs.fields(Rulings)}
        lives = {seat: int(options[f"life_{seat}"]) for seat in (*seats, *([opponent] if opponent else []))}
        wizards = tuple((Automaton if seat == opponent else Wizard)(seat, life, life) for seat, life in lives.items())
        state = State(msgspec.convert(named, Rulings), self.deck, seed, wizards, Laying())
        return proceed(first_stage(state))[0]

    def actors(self, state: State) -> frozenset[Seat]:
        return asked_seats(state) | volunteers(state)

    def asked_actions(self, state: State, seat: Seat) -> tuple[type[Order], ...]:
        return _asked_actions(type(state.phase)) if seat in asked_seats(state) else (Counter,)

    def spell(self, words: Words) -> Words:
        return tuple(word for word in super().spell(words) if word != "with")

    def unknown(self, words: Words) -> Refusal:
        word, known = next(iter(self.spell(words)), ""), ", ".join(map(verb, self.actions))
        return Invalid(say("{word} is not an action. Actions: {known}.", word=word, known=known))

    def apply(self, state: State, seat: Seat, action: Order) -> tuple[State, tuple[Event, ...]]:
        """Apply the action and what follows, until a player is asked."""
        after, events = super().apply(state, seat, action)
        after, more = proceed(after)
        return after, (*events, *more)

    def trace(self, state: State, seat: Seat, action: Order) -> Trace:
        after, _ = proceed(action.after(state, seat))
        return action.trace_of(state, after, seat)

    def attempts(self, state: State, look: ZonePrefilter = ANYTHING) -> Iterator[Attempt]:
        if isinstance(state.phase, Over):
            return
        for wizard in people(state):
            yield from laid_wrongly(state, wizard, look)
            yield from taken_from_pile(state, wizard, look)
            yield from counters_moved(state, wizard.seat, look)
            yield from revealed_wrongly(state, wizard, look)
            for number in range(len(wizard.sequence) if look.only(sequence_zone(wizard.seat)) else 0):
                yield from turned_up_again(state, wizard, number)
                yield from taken_back(state, wizard, number)
            yield from discarded_wrongly(state, wizard, look)

    def misexecutions(self, state: State, seat: Seat, action: Order) -> Iterable[Attempt]:
        return chain(counters_misplaced(self.trace(state, seat, action), seat), action.execution_errors(state, seat))

    def correct(self, state: State, words: Words) -> tuple[State, tuple[Event, ...]]:
        wrong = out_of_season(state, words)
        if wrong is not None:
            raise wrong
        repaired, told = super().correct(state, words)
        after, more = proceed(repaired)
        return after, (*told, *drawn_anew(state, repaired), *more)

    resign = staticmethod(turn.resign)
    layout = staticmethod(mat.layout)
    identify = staticmethod(corrections.identify)
    view = staticmethod(views.view)
    outcome = staticmethod(match.outcome)
    reference = staticmethod(views.reference)


@cache
def _asked_actions(phase: type[Phase]) -> tuple[type[Order], ...]:
    found = tuple(kind for kind in Runes.actions if issubclass(phase, kind.when))
    return (Enough, Pay, Withdraw) if phase is Paying else found


def create(data: Mapping[str, Any]) -> Game[State, Order]:
    """Make the game from `data["deck"]` (config/decks/decktet.toml). Raises KeyError or msgspec.ValidationError."""
    cards = msgspec.convert(data["deck"]["cards"], tuple[DecktetCard, ...])
    return Runes({card.id: card for card in cards})
