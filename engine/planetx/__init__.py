"""The Search for Planet X as an `engine.game.Game`, with all duties of the app and the table. Rules:
docs/rules/planetx.md."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from engine.errors import Invalid, Refusal
from engine.game import ANYTHING, Attempt, Game, Options, Words, ZonePrefilter
from engine.planetx import ending, opponent, track, views
from engine.planetx.ending import (
    LastLocate,
    LastTheory,
    Locate,
    NoMore,
    Over,
    RevealAll,
    resign,
    years_out,
)
from engine.planetx.knowledge import Mark, Unmark
from engine.planetx.match import BoardSetting, Order, Phase, State, Step, check_seats
from engine.planetx.opening import Code, Level, setup
from engine.planetx.questions import Confer, Research, Survey, Target, Targets
from engine.planetx.sky import MODES
from engine.planetx.theories import PassTheories, Pledge, Review, Submit, begin_phase
from engine.rules import Rules, verb
from engine.table import Layout, Seat, Spot, Trace
from engine.text import say
from engine.view import Event


class PlanetX(Rules[State, Order]):
    name = "planetx"
    actions = (
        Survey,
        Target,
        Research,
        Locate,
        LastLocate,
        Pledge,
        Submit,
        LastTheory,
        PassTheories,
        NoMore,
        Level,
        Code,
        Confer,
        Review,
        RevealAll,
        Mark,
        Unmark,
    )
    repairs = (track.Pawn, Targets)

    def __init__(self, settings: Mapping[str, BoardSetting]) -> None:
        """settings: contents of board and box, by mode."""
        self.settings = dict(settings)

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
        check_seats(seats)
        state = setup(self.settings, options, seats, opponent.seat_of(options, seats), seed)
        return self._settle(state, ())[0]

    def actors(self, state: State) -> frozenset[Seat]:
        return state.phase.actors(state)

    def asked_actions(self, state: State, seat: Seat) -> Collection[type[Order]]:
        return _asked_actions(type(state.phase))

    def spell(self, words: Words) -> Words:
        words = (words[0].lower(), *words[1:]) if words else ()
        return (verb(PassTheories),) if words in ((verb(Pledge), "0"), (verb(Pledge), "00")) else words

    def unknown(self, words: Words) -> Refusal:
        known = ", ".join(dict.fromkeys(map(verb, self.actions)))
        word = words[0].lower() if words else ""
        return Invalid(say("{word} is not an action. Actions: {known}.", word=word, known=known))

    def apply(self, state: State, seat: Seat, action: Order) -> Step:
        """Apply the action and what follows, until a player is asked."""
        return self._settle(*super().apply(state, seat, action))

    def resign(self, state: State, seat: Seat) -> Step:
        return self._settle(*resign(state, seat))

    def _settle(self, state: State, events: tuple[Event, ...]) -> Step:
        """Run phases, Earth and opponent until a player is asked or the match ends."""
        while (step := self._next(state)) is not None:
            state, more = step
            events = (*events, *more)
        return state, events

    def _next(self, state: State) -> Step | None:
        return years_out(state) or begin_phase(state) or state.phase.follows(state) or self._opponent(state)

    def _opponent(self, state: State) -> Step | None:
        seat = state.rules.opponent
        if seat is None or seat not in self.actors(state):
            return None
        action = opponent.decide(opponent.situation(state, seat), state.rules.strength)
        state, events = super().apply(state, seat, action)
        return state, tuple(replace(event, reveals=True) for event in events if event.audience is None)

    layout = staticmethod(track.layout)

    def trace(self, state: State, seat: Seat, action: Order) -> Trace:
        if not state.rules.camera:
            return Trace(Layout(()), declared=True)
        return track.trace(state, self.apply(state, seat, action)[0])

    def attempts(self, state: State, look: ZonePrefilter = ANYTHING) -> Iterable[Attempt]:
        return () if not state.rules.camera or isinstance(state.phase, Over) else track.attempts(state)

    def misexecutions(self, state: State, seat: Seat, action: Order) -> Iterable[Attempt]:
        return track.misexecutions(state, self.apply(state, seat, action)[0]) if state.rules.camera else ()

    def correct(self, state: State, words: Words) -> Step:
        try:
            repair = cast(track.Repair, self.repair(state, words))
        except Invalid as error:
            text = say("A correction reads: pawn, seat, sector; or: targets, seat, number left.")
            raise Invalid(text) from error
        return repair.after(state), (Event(repair.public_text(state), None),)

    def identify(self, _state: State, _spot: Spot, _kind: str) -> Words | None:
        return None

    view = staticmethod(views.view)
    outcome = staticmethod(ending.outcome)
    reference = staticmethod(views.reference)


@cache
def _asked_actions(phase: type[Phase]) -> tuple[type[Order], ...]:
    asked = (kind for kind in PlanetX.actions if phase in kind.when)
    return tuple(sorted(asked, key=lambda kind: verb(kind) != phase.first))


def create(data: Mapping[str, Any]) -> Game[State, Order]:
    """Make the game from `data["settings"]` (config/decks/planetx.toml). Raises KeyError or msgspec.ValidationError."""
    settings = msgspec.convert(data["settings"], dict[str, BoardSetting])
    return PlanetX({mode: settings[mode] for mode in MODES})
