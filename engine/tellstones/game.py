"""Implements the protocol of `engine.game` for Tellstones, with the functions of this folder."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import Breach
from engine.game import Attempt, Choice, Options, Words
from engine.table import Layout, Seat, Spot, Trace
from engine.tellstones.actions import Action
from engine.tellstones.apply import apply, resign
from engine.tellstones.attempts import attempts
from engine.tellstones.choices import choices
from engine.tellstones.corrections import correct, corrections, identify
from engine.tellstones.judge import judge
from engine.tellstones.misexecutions import misexecutions
from engine.tellstones.offences import described
from engine.tellstones.reading import read, words
from engine.tellstones.reference import reference
from engine.tellstones.sentences import won
from engine.tellstones.setup import setup
from engine.tellstones.state import Over, State, actors, team
from engine.tellstones.traces import layout, trace
from engine.tellstones.views import view
from engine.text import Text
from engine.view import Event, Outcome, View


class Tellstones:
    """The game of the six actions; see `engine.game.Game` for what each method does."""

    name = "tellstones"

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
        return setup(options, seats, seed)

    def actors(self, state: State) -> frozenset[Seat]:
        return actors(state)

    def choices(self, state: State, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        return choices(state, seat, prefix)

    def read(self, state: State, seat: Seat, words: Words) -> Action:
        return read(state, seat, words)

    def words(self, state: State, action: Action) -> Words:
        return words(state, action)

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
        return described(attempts(state))

    def misexecutions(self, state: State, seat: Seat, action: Action) -> Iterable[Attempt]:
        """What a hand could do wrongly when it carries out this order (see `attempts`)."""
        return described(misexecutions(state, seat, action))

    def corrections(self, state: State, prefix: Words = ()) -> tuple[Choice, ...]:
        return corrections(state, prefix)

    def correct(self, state: State, words: Words) -> tuple[State, tuple[Event, ...]]:
        return correct(state, words)

    def identify(self, state: State, spot: Spot, kind: str) -> Words | None:
        return identify(state, spot, kind)

    def view(self, state: State, seat: Seat | None) -> View:
        return view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        phase = state.phase
        if not isinstance(phase, Over):
            return None
        return Outcome(frozenset(team(state, phase.winner)), won(state, phase))

    def reference(self, options: Options) -> tuple[tuple[Text, ...], ...]:
        return reference(options)
