"""Implements the protocol of `engine.game` for The Search for Planet X, with the functions of this folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.errors import Breach
from engine.game import Attempt, Choice, Options, Words
from engine.planetx.actions import Action
from engine.planetx.apply import apply, proceed, resign
from engine.planetx.choices import choices
from engine.planetx.corrections import correct, corrections
from engine.planetx.ending import outcome
from engine.planetx.judge import judge
from engine.planetx.reading import read, words_of
from engine.planetx.reference import reference
from engine.planetx.setup import setup
from engine.planetx.state import Setting, State, actors
from engine.planetx.tabletop import attempts, layout, misexecutions, trace
from engine.planetx.views import view
from engine.table import Layout, Seat, Spot, Trace
from engine.text import Text
from engine.view import Event, Outcome, View


class PlanetX:
    """The game of the hidden sky; see `engine.game.Game` for what each method does. A camera is an extra."""

    name = "planetx"

    def __init__(self, settings: Mapping[str, Setting]) -> None:
        """settings: by mode, what is printed on the board and lies in the box."""
        self.settings = dict(settings)

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
        return proceed(setup(self.settings, options, seats, seed))[0]

    def actors(self, state: State) -> frozenset[Seat]:
        return actors(state)

    def choices(self, state: State, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        return choices(state, seat, prefix)

    def read(self, state: State, seat: Seat, words: Words) -> Action:
        del seat
        return read(state, words)

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

    def identify(self, _state: State, _spot: Spot, _kind: str) -> Words | None:
        return None

    def view(self, state: State, seat: Seat | None) -> View:
        return view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        return outcome(state)

    def reference(self, options: Options) -> tuple[tuple[Text, ...], ...]:
        return reference(options)
