"""Ready... Fence!: tutorial, basic and advanced mode. Rules: docs/rules/fence.md.

The game as the core sees it: its actions, its corrections, and the rest of `engine.game.Game`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from engine.errors import Ambiguous, Invalid, Refusal
from engine.fence import bout, fouls, table, views
from engine.fence.bout import Finish, Order, Over, Phase, State, side_of
from engine.fence.cards import Deck, face_ids, read_deck, spelled
from engine.fence.clearing import Clear
from engine.fence.corrections import REPAIRS
from engine.fence.hands import Keep, Mulligan, each_with_one, setup
from engine.fence.play import Accept, Distance, Parry, Play, settled
from engine.fence.stamina import Stall
from engine.fence.timer import Agree, Decline, Passivity, Toss
from engine.fence.turn import Change, End, Exchange, Move, Retreat
from engine.game import Game, Options, Words
from engine.rules import Rules, verb
from engine.table import Seat, Spot
from engine.text import say
from engine.view import Event


class Fence(Rules[State, Order]):
    """The game of the strip; see `engine.game.Game` for what each method does."""

    name = "fence"
    actions = (
        Move,
        Change,
        Exchange,
        Stall,
        Retreat,
        End,
        Play,
        Parry,
        Distance,
        Accept,
        Clear,
        Keep,
        Mulligan,
        Passivity,
        Agree,
        Decline,
        Toss,
    )
    repairs = REPAIRS
    menu = (
        Play,
        Parry,
        Distance,
        Move,
        Change,
        Exchange,
        Retreat,
        Stall,
        Accept,
        Keep,
        Mulligan,
        Clear,
        Toss,
        Agree,
        Decline,
        End,
        Passivity,
    )
    """The actions in the order of the menus."""

    def __init__(self, deck: Deck) -> None:
        """deck: all 54 cards, as their owner reads them."""
        self.deck = deck
        self.copies = face_ids(deck)
        self.faces = frozenset(self.copies.values())

    def setup(self, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
        return each_with_one(setup(self.deck, options, seats, seed))

    def actors(self, state: State) -> frozenset[Seat]:
        return frozenset(state.seats[side] for side in state.phase.sides(state))

    def asked(self, state: State, seat: Seat) -> Collection[type[Order]]:
        return tuple(kind for kind in _asked(type(state.phase)) if kind.is_asked(state))

    def spelled(self, words: Words) -> Words:
        return (words[0].lower(), *spelled(self.copies, self.faces, words[1:])) if words else ()

    def unknown(self, words: Words) -> Refusal:
        verbs = ", ".join(map(verb, self.actions))
        if not words:
            return Ambiguous(say("Which action? {verbs}", verbs=verbs))
        return Invalid(say("There is no action {verb}. Actions: {verbs}", verb=words[0], verbs=verbs))

    def apply(self, state: State, seat: Seat, action: Order) -> tuple[State, tuple[Event, ...]]:
        """What can only be accepted then is accepted by itself."""
        after = settled(action.after(state, seat))
        return after, tuple(action.events(state, after, seat))

    def resign(self, state: State, seat: Seat) -> tuple[State, tuple[Event, ...]]:
        """The other one wins."""
        phase = Over(1 - side_of(state, seat), Finish.RESIGNED)
        after = replace(state, phase=phase)
        return after, (Event(phase.won(after), audience=None),)

    def identify(self, _state: State, _spot: Spot, _kind: str) -> Words | None:
        """Nothing that the referee follows lies face down: no belief to correct."""
        return None

    layout = staticmethod(table.layout)
    attempts = staticmethod(fouls.fouls)
    view = staticmethod(views.view)
    outcome = staticmethod(bout.outcome)
    reference = staticmethod(views.reference)


@cache
def _asked(phase: type[Phase]) -> tuple[type[Order], ...]:
    return tuple(kind for kind in Fence.menu if phase in kind.when)


def create(data: Mapping[str, Any]) -> Game[State, Order]:
    """The game with `data["deck"]` (config/decks/fence.toml). Raises KeyError or msgspec.ValidationError."""
    return Fence(read_deck(data["deck"]))
