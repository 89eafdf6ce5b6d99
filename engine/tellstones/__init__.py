"""Tellstones, an `engine.game.Game` for duels, teams of four and two Lines. Rules: docs/rules/tellstones.md."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Refusal
from engine.game import Game, Words
from engine.rules import Rules, verb
from engine.table import Layout, Seat
from engine.tellstones import corrections, illegal_handling, opening, views
from engine.tellstones.boast import Believe, Boast, NameProof, Prove, Takeover
from engine.tellstones.challenge import Challenge, NameAnswer
from engine.tellstones.corrections import REPAIRS
from engine.tellstones.hide import Hide
from engine.tellstones.line import layout
from engine.tellstones.match import Done, EndReason, Order, Over, Phase, State, side_of, team, winner_text
from engine.tellstones.opening import First, Starts
from engine.tellstones.peek import Peek, Stop
from engine.tellstones.place import Place
from engine.tellstones.swap import Swap
from engine.text import say
from engine.view import Event, Outcome


class Tellstones(Rules[State, Order]):
    """The game of six actions (T10)."""

    name = "tellstones"
    actions = (
        Place,
        Hide,
        Swap,
        Peek,
        Stop,
        Challenge,
        Boast,
        NameAnswer,
        NameProof,
        Believe,
        Prove,
        Takeover,
        First,
        Starts,
    )
    repairs = REPAIRS

    def actors(self, state: State) -> frozenset[Seat]:
        return state.phase.actors(state)

    def asked_actions(self, state: State, seat: Seat) -> tuple[type[Order], ...]:
        return _asked_actions(type(state.phase))

    def unknown(self, words: Words) -> Refusal:
        verbs = ", ".join(dict.fromkeys(map(verb, self.actions)))
        if not words:
            return Ambiguous(say("Which action? {verbs}", verbs=verbs))
        return Invalid(say("There is no action {verb}. Actions: {verbs}", verb=words[0], verbs=verbs))

    def apply(self, state: State, seat: Seat, action: Order) -> tuple[State, tuple[Event, ...]]:
        after, events = super().apply(state, seat, action)
        return replace(after, last=Done(seat, action)), events

    def resign(self, state: State, seat: Seat) -> tuple[State, tuple[Event, ...]]:
        phase = Over(1 - side_of(state, seat), EndReason.RESIGNED)
        after = replace(state, phase=phase, last=None)
        return after, (Event(winner_text(after, phase), audience=None),)

    def layout(self, state: State) -> Layout:
        return layout(state.mats)

    def outcome(self, state: State) -> Outcome | None:
        phase = state.phase
        return (
            Outcome(frozenset(team(state, phase.winner)), winner_text(state, phase))
            if isinstance(phase, Over)
            else None
        )

    setup = staticmethod(opening.setup)
    attempts = staticmethod(illegal_handling.illegal_handling)
    identify = staticmethod(corrections.identify)
    view = staticmethod(views.view)
    reference = staticmethod(views.reference)


@cache
def _asked_actions(phase: type[Phase]) -> tuple[type[Order], ...]:
    return tuple(kind for kind in Tellstones.actions if phase in kind.when)


def create(data: Mapping[str, Any]) -> Game[State, Order]:
    del data
    return Tellstones()
