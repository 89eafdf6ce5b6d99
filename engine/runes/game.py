"""Implements the protocol of `engine.game` for Dueling Runes, with the functions of this folder."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import Breach
from engine.game import Attempt, Choice, Options, Words
from engine.runes.actions import Action
from engine.runes.apply import apply, resign
from engine.runes.asking import actors
from engine.runes.attempts import attempts, misexecutions
from engine.runes.cards import Deck
from engine.runes.choices import choices
from engine.runes.corrections import correct, corrections, identify
from engine.runes.judge import judge
from engine.runes.phases import first_stage, proceed
from engine.runes.reading import read, words_of
from engine.runes.reference import reference
from engine.runes.setup import setup
from engine.runes.state import State
from engine.runes.tabletop import layout, trace
from engine.runes.views import outcome, view
from engine.table import Layout, Seat, Spot, Trace
from engine.text import Text
from engine.view import Event, Outcome, View


class Runes:
    """The duel of wizards; see `engine.game.Game` for what each method does."""

    name = "runes"

    def __init__(self, deck: Deck) -> None:
        """deck: the 45 cards of the extended Decktet by id."""
        self.deck = dict(deck)

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
        return proceed(first_stage(setup(self.deck, options, seats, seed)))[0]

    def actors(self, state: State) -> frozenset[Seat]:
        return actors(state)

    def choices(self, state: State, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        return choices(state, seat, prefix)

    def read(self, state: State, seat: Seat, words: Words) -> Action:
        return read(state, seat, words)

    def words(self, state: State, action: Action) -> Words:
        del state
        return words_of(action)

    def judge(self, state: State, seat: Seat, action: Action) -> tuple[Breach, ...]:
        return judge(state, seat, action)

    def apply(self, state: State, seat: Seat, action: Action) -> tuple[State, tuple[Event, ...]]:
        return apply(state, seat, action)

    def resign(self, state: State, seat: Seat) -> tuple[State, tuple[Event, ...]]:
        return resign(state, seat)

    def layout(self, state: State) -> Layout:
        return layout(state)

    def trace(self, state: State, seat: Seat, action: Action) -> Trace:
        return trace(state, seat, action)

    def attempts(self, state: State) -> Iterable[Attempt]:
        return attempts(state)

    def misexecutions(self, state: State, seat: Seat, action: Action) -> Iterable[Attempt]:
        return misexecutions(state, seat, action)

    def corrections(self, state: State, prefix: Words = ()) -> tuple[Choice, ...]:
        return corrections(state, prefix)

    def correct(self, state: State, words: Words) -> tuple[State, tuple[Event, ...]]:
        return correct(state, words)

    def identify(self, state: State, spot: Spot, kind: str) -> Words | None:
        return identify(state, spot, kind)

    def view(self, state: State, seat: Seat | None) -> View:
        return view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        return outcome(state)

    def reference(self, options: Options) -> tuple[tuple[Text, ...], ...]:
        return reference(options)
