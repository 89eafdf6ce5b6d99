"""Stamina points: what an action costs, whether it can be paid, and what comes back (F41, F43, F78-F82, F86, F90)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.fence.actions import Action, Distance, Parry, cards_of
from engine.fence.knowledge import face
from engine.fence.phrase.speeds import Arms, parry_cost
from engine.fence.phrase.state import Phrase
from engine.fence.rules import TRACK
from engine.fence.state import Fencer, Pair, State, with_fencer

DISTANCE_COST = 1
"""F43, F90."""


def printed(state: State, cards: tuple[str, ...]) -> int:
    """The printed points of cards laid together, as one sum (F78); 0 where they do not count (F41)."""
    return sum(face(state, name).sp for name in cards) if state.rules.priced else 0


def threshold(state: State, side: int, action: Action) -> int:
    """The points that a side must have for an action (F45, F78, F91)."""
    return printed(state, cards_of(action)) + _card_less(state, side, action)


def price(state: State, side: int, action: Action) -> int:
    """The points that an action takes off the track."""
    cards = printed(state, cards_of(action)) if state.rules.payment == "paid" else 0
    return cards + _card_less(state, side, action)


def _card_less(state: State, side: int, action: Action) -> int:
    match action:
        case Parry():
            return _parry(state, side)
        case Distance():
            return DISTANCE_COST
        case _:
            return 0


def _parry(state: State, side: int) -> int:
    phrase = state.phase
    if not isinstance(phrase, Phrase) or phrase.incoming is None or phrase.incoming.speed is None:
        return 0
    arms = Arms(state.fencers[side].weapon, state.fencers[1 - side].weapon)
    return parry_cost(state.rules, phrase.incoming.speed.total, arms)


def paid(state: State, side: int, points: int) -> State:
    """The state after a side has paid; within a phrase it is noted (F82)."""
    fencer = state.fencers[side]
    after = with_fencer(state, side, replace(fencer, stamina=max(0, fencer.stamina - points)))
    if not isinstance(after.phase, Phrase):
        return after
    spent = list(after.phase.spent)
    spent[side] += points
    return replace(after, phase=replace(after.phase, spent=(spent[0], spent[1])))


def rested(fencer: Fencer, points: int) -> Fencer:
    """F75, F81: the track ends at 6."""
    return replace(fencer, stamina=min(TRACK, fencer.stamina + points))


def recovered(state: State, spent: Pair) -> State:
    """After a score 1 point for each side that spent none in this phrase (F81, F82); not in the tutorial (F39)."""
    if state.rules.tutorial:
        return state
    for side in (0, 1):
        if spent[side] == 0:
            state = with_fencer(state, side, rested(state.fencers[side], 1))
    return state
