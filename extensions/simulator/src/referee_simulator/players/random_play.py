"""Random play: draws one legal action without listing them all."""

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
    """Draw a legal action of `seat`, with the odds of `engine.grammar.wander`; None if there is none.

    `pick(n)` returns a number below n, uniformly. Games on `Rules` drop items that lead nowhere instead of proving
    whole menus."""
    if isinstance(game, Rules):
        drawn: A | None = game.draw(state, seat, pick)
        return drawn
    words = wander(game, state, seat, pick)
    return game.read(state, seat, words) if words else None


def sentence(game: Game[S, A], state: S, seat: Seat, pick: Pick) -> Words:
    action = draw(game, state, seat, pick)
    return () if action is None else game.words(state, action)
