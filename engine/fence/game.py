"""Implements the protocol of `engine.game` for Ready... Fence!, with the functions of this folder."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import Breach
from engine.fence.actions import Action
from engine.fence.apply import apply, resign
from engine.fence.attempts import attempts, misexecutions
from engine.fence.choices import choices
from engine.fence.corrections import correct, corrections
from engine.fence.deck import Deck, face_ids
from engine.fence.judge import judge
from engine.fence.reading import read, words_of
from engine.fence.reference import reference
from engine.fence.sentences import won
from engine.fence.setup import setup
from engine.fence.state import Over, State, actors
from engine.fence.traces import layout, trace
from engine.fence.views import view
from engine.game import Attempt, Choice, Options, Words
from engine.table import Layout, Seat, Spot, Trace
from engine.text import Text
from engine.view import Event, Outcome, View


class Fence:
    """The game of the strip; see `engine.game.Game` for what each method does."""

    name = "fence"

    def __init__(self, deck: Deck) -> None:
        """deck: all 54 cards, as their owner reads them."""
        self.deck = deck
        self.copies = face_ids(deck)

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
        return setup(self.deck, options, seats, seed)

    def actors(self, state: State) -> frozenset[Seat]:
        return actors(state)

    def choices(self, state: State, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        return choices(state, seat, prefix)

    def read(self, state: State, seat: Seat, words: Words) -> Action:
        del seat
        return read(self.copies, state, words)

    def words(self, state: State, action: Action) -> Words:
        return words_of(state, action)

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
        """What a hand could do wrongly when it carries out this order (see `attempts`)."""
        return misexecutions(state, seat, action)

    def corrections(self, state: State, prefix: Words = ()) -> tuple[Choice, ...]:
        return corrections(state, prefix)

    def correct(self, state: State, words: Words) -> tuple[State, tuple[Event, ...]]:
        return correct(state, words)

    def identify(self, _state: State, _spot: Spot, _kind: str) -> Words | None:
        """Nothing that the referee follows lies face down: no belief to correct."""
        return None

    def view(self, state: State, seat: Seat | None) -> View:
        return view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        phase = state.phase
        if not isinstance(phase, Over):
            return None
        return Outcome(frozenset({state.seats[phase.winner]}), won(state, phase))

    def reference(self, options: Options) -> tuple[tuple[Text, ...], ...]:
        return reference(options)
