"""What hands must do before the table is in order, line by line (F31, F39, F40, F80-F82, F96, F100, F154, F167)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.fence.clearing import cleared, refill_order
from engine.fence.names import side_name
from engine.fence.prompts import clearing as prompt
from engine.fence.rules import OVERTIME
from engine.fence.state import Clearing, Stage, State
from engine.text import Text, say


def to_do(state: State) -> tuple[Text, ...]:
    """() while nothing has to be put in order. Back on guard, and the cards back, are said by the prompt."""
    if not isinstance(state.phase, Clearing):
        return ()
    after = cleared(state, state.phase)
    cards, anew = _cards(state, after, state.phase), _anew(state, after, state.phase)
    return (*cards, *anew, *_figures(state, after), *_stamina(state, after))


def _cards(state: State, after: State, clearing: Clearing) -> Iterator[Text]:
    """F31, F40 in the tutorial; else only a Joker leaves the hand for good (F167, F168)."""
    jokers = [[state.pool[card].kind for card in fencer.lane].count("joker") for fencer in state.fencers]
    if state.rules.tutorial and clearing.phrase is not None:
        yield say("What was played is discarded.")
    for side in refill_order(state, clearing):
        fencer = state.fencers[side]
        if jokers[side] and not state.rules.tutorial:
            yield say("{side} discards the Joker.", side=side_name(side))
        kept = 0 if state.rules.tutorial else len(fencer.lane) - jokers[side]
        if (drawn := after.fencers[side].hand - fencer.hand - kept) > 0:
            yield say("{side} draws. Cards: {count}.", side=side_name(side), count=drawn)


def _anew(state: State, after: State, clearing: Clearing) -> Iterator[Text]:
    """A timer deck for the next period (F96), or for overtime (F100), also if time ends with a phrase."""
    overtime = after.stage is Stage.OVERTIME and state.stage is not Stage.OVERTIME
    if not overtime and after.period == state.period:
        return
    ends = Clearing("overtime" if overtime else "period")
    if clearing.reason != ends.reason:
        yield prompt(replace(state, phase=ends))
    if overtime and len(state.piles.discards) + _jokers_laid(state) < OVERTIME:
        yield say("The cards set aside are shuffled in.")
    yield say("Cards of the timer deck: {count}.", count=after.piles.timer)


def _jokers_laid(state: State) -> int:
    return sum(state.pool[card].kind == "joker" for fencer in state.fencers for card in fencer.lane)


def _figures(state: State, after: State) -> Iterator[Text]:
    """F154, F155: where a Fleche leaves the fencers."""
    if any(fencer.beside for fencer in state.fencers):
        green, red = (fencer.square for fencer in after.fencers)
        yield say("Green on square {green}, Red on square {red}.", green=green, red=red)


def _stamina(state: State, after: State) -> Iterator[Text]:
    """Markers that must be moved (F81, F96, F122)."""
    green, red = (fencer.stamina for fencer in after.fencers)
    if (green, red) != tuple(fencer.stamina for fencer in state.fencers):
        yield say("Stamina: Green {green}, Red {red}", green=green, red=red)
