"""Random play: one legal action of a seat, found without asking for all of them.

Whoever plays at random draws here: simulated players, the conformance suite, tools/tampering and benches.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from engine.game import Game, Words
from engine.grammar import wander
from engine.rules import Pick, Rules
from engine.table import Seat

S = TypeVar("S", bound=msgspec.Struct)
A = TypeVar("A", bound=msgspec.Struct)


def draw(game: Game[S, A], state: S, seat: Seat, pick: Pick) -> A | None:
    """A legal action of `seat` at random; None if there is none. `pick(n)` chooses one of n, each as likely.

    As likely as by `engine.grammar.wander`: at each menu, from the verbs on, all its items are. But a game on `Rules`
    proves no menu for it: an item that nobody draws is not asked for a legal action, and one that is drawn and leads to
    none leaves the others as likely as they were to each other.
    """
    if isinstance(game, Rules):
        drawn: A | None = game.draw(state, seat, pick)
        return drawn
    words = wander(game, state, seat, pick)
    return game.read(state, seat, words) if words else None


def sentence(game: Game[S, A], state: S, seat: Seat, pick: Pick) -> Words:
    """The same in notation; () if there is none."""
    action = draw(game, state, seat, pick)
    return () if action is None else game.words(state, action)
