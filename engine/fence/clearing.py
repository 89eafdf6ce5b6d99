"""The table put in order after a phrase or a step off the strip (F31, F39, F40, F80-F82, F154, F167, F168)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.fence.knowledge import learnt
from engine.fence.phrase.state import Phrase
from engine.fence.rules import HAND
from engine.fence.stamina import recovered
from engine.fence.state import LAST, Clearing, Pair, State, Turn, ahead, with_fencer
from engine.fence.timer import begun, discarded, drawn, finish, on_guard

LONG = 2
"""The distance at which a Fleche that hit nobody leaves the fencers (F154)."""


def cleared(state: State, clearing: Clearing) -> State:
    """The state after the table was put in order, and the turn that ends with it."""
    if clearing.reason in ("period", "overtime"):
        return begun(state, clearing.reason)
    phrase = clearing.phrase
    jokers = _jokers(state)
    state = _taken_back(state)
    if any(clearing.touches):
        state = on_guard(recovered(state, phrase.spent if phrase is not None else (0, 0)))
    elif phrase is not None and phrase.first.kind == "fleche":
        state = _ran_past(state, phrase)
    if phrase is not None:
        state = _refilled(state, clearing, jokers)
    after = finish(replace(state, phase=Turn()))
    return begun(after, after.phase.reason) if isinstance(after.phase, Clearing) else after


def _jokers(state: State) -> Pair:
    count = [sum(state.pool[name].kind == "joker" for name in fencer.lane) for fencer in state.fencers]
    return (count[0], count[1])


def _taken_back(state: State) -> State:
    """Cards return to the hand (F80), but a Joker is discarded (F167), and in the tutorial every card (F31)."""
    for side in (0, 1):
        fencer = state.fencers[side]
        gone = [name for name in fencer.lane if state.rules.tutorial or state.pool[name].kind == "joker"]
        kept = [name for name in fencer.lane if name not in gone]
        state = with_fencer(state, side, learnt(replace(fencer, lane=()), kept))
        for name in gone:
            state = discarded(state, name)
    return state


def _ran_past(state: State, phrase: Phrase) -> State:
    """F154: the defender steps forward, the attacker stands at long distance on the own side, within the strip."""
    runner, other = phrase.opener, 1 - phrase.opener
    square = _within(state.fencers[other].square + ahead(other))
    state = with_fencer(state, other, replace(state.fencers[other], square=square))
    back = _within(square - (LONG + 1) * ahead(runner))
    return with_fencer(state, runner, replace(state.fencers[runner], square=back, beside=0))


def _within(square: int) -> int:
    return max(1, min(LAST, square))


def refill_order(state: State, clearing: Clearing) -> tuple[int, ...]:
    """The sides in the order in which they draw: the scorer first, else the attacker (F40). () after no phrase."""
    phrase = clearing.phrase
    if phrase is None:
        return ()
    attacker = phrase.opener if state.rules.refill_first == "attacker" else 1 - phrase.opener
    first = clearing.touches.index(1) if sum(clearing.touches) == 1 else attacker
    return (first, 1 - first)


def _refilled(state: State, clearing: Clearing, jokers: Pair) -> State:
    """F40: up to six in the tutorial, the scorer first. F168: one card for each Joker."""
    for side in refill_order(state, clearing):
        if state.rules.tutorial:
            wanted = HAND - state.fencers[side].hand
        else:
            wanted = jokers[side] if state.rules.joker_replaced else 0
        for _ in range(wanted):
            state = drawn(state, side)
    return state
