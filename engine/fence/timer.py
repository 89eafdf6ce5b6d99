"""The timer deck and what it deals: draws, discards, the end of time, periods and overtime (F4, F95-F105)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.draws import draw
from engine.fence.actions import UNKNOWN
from engine.fence.rules import OVERTIME, TIMER, TRACK
from engine.fence.scoring import stirred
from engine.fence.state import Clearing, Finish, Over, Piles, Stage, State, Tossing, Turn, home, with_fencer

TOSSES = {"priority": "F101", "passivity": "F105"}
"""What coins are tossed for, each with its clause."""


def drawn(state: State, side: int) -> State:
    """A forced draw; from an empty deck it is not made (F98)."""
    if state.piles.timer == 0:
        return state
    fencer = state.fencers[side]
    return with_fencer(_ticked(state), side, replace(fencer, hand=fencer.hand + 1))


def thrown(state: State, card: str) -> State:
    """The top of the timer deck goes to the discards unused (F75, F105)."""
    return discarded(_ticked(state), card)


def _ticked(state: State) -> State:
    return stirred(replace(state, piles=replace(state.piles, timer=state.piles.timer - 1)))


def discarded(state: State, card: str) -> State:
    """A card face up on the discards (F4)."""
    return replace(state, piles=replace(state.piles, discards=(*state.piles.discards, card)))


def on_guard(state: State) -> State:
    """Both figures on their on-guard squares (F39)."""
    for side in (0, 1):
        fencer = replace(state.fencers[side], square=home(state.rules, side), beside=0)
        state = with_fencer(state, side, fencer)
    return state


def finish(state: State, stalled: bool = False) -> State:
    """The end of a game turn: passivity, hands, time (F58, F98, F105), then the other side's turn (F9)."""
    fencer = replace(state.fencers[state.active], stalled=stalled)
    state = replace(with_fencer(state, state.active, fencer), still=state.still + 1)
    state = _passive(state)
    if state.stage is not Stage.LAST_HANDS and state.piles.timer == 0 and not isinstance(state.phase, Over):
        state = _time(state)
    if state.stage is Stage.LAST_HANDS and not isinstance(state.phase, Over | Tossing):
        state = _hands(state)
    if isinstance(state.phase, Over | Tossing):
        return state
    after = replace(state, active=1 - state.active, turn=state.turn + 1)
    return after if isinstance(after.phase, Clearing) else replace(after, phase=Turn())


def _passive(state: State) -> State:
    """F105: after so many still turns a timer card is discarded; in F58 the fuller hand wins."""
    if not state.passivity or state.still < state.passivity:
        return state
    if state.stage is not Stage.LAST_HANDS:
        return replace(thrown(state, UNKNOWN), still=0)
    green, red = (fencer.hand for fencer in state.fencers)
    if green == red:
        return _toss(state, "passivity")
    return replace(state, phase=Over(0 if green > red else 1, Finish.PASSIVE))


def _toss(state: State, reason: str) -> State:
    """A coin, tossed by the referee, or by the players, who are asked for whom it fell."""
    tossing = Tossing(reason)
    if state.rules.tosses == "players":
        return replace(state, phase=tossing)
    return tossed(state, tossing, draw(f"fence/{state.seed}/{reason}", 2))


def tossed(state: State, tossing: Tossing, side: int) -> State:
    """The coin fell for a side: priority (F101), or the match (F105)."""
    if tossing.reason == "priority":
        return replace(state, priority=side, phase=Turn())
    return replace(state, phase=Over(side, Finish.PASSIVE))


def _hands(state: State) -> State:
    """F58: who has no cards left loses; if both have none, the one whose last card left first."""
    empty = [side for side in state.emptied if state.fencers[side].hand == 0]
    return replace(state, phase=Over(1 - empty[0], Finish.NO_CARDS)) if empty else state


def _time(state: State) -> State:
    """The timer deck is empty: F57, F58, F95-F99, F103."""
    green, red = (fencer.score for fencer in state.fencers)
    if state.stage is Stage.OVERTIME and state.priority is not None:
        return replace(state, phase=Over(state.priority, Finish.PRIORITY))
    if state.period < state.rules.periods:
        return replace(state, phase=Clearing("period"))
    if green != red:
        return replace(state, phase=Over(0 if green > red else 1, Finish.TIME))
    if state.rules.tutorial:
        bare = tuple(side for side in (0, 1) if state.fencers[side].hand == 0)
        return replace(state, stage=Stage.LAST_HANDS, emptied=bare)
    return replace(state, phase=Clearing("overtime"))


def begun(state: State, reason: str) -> State:
    """The next period (F96, F122), or overtime (F99-F101), with the fencers on guard."""
    state = on_guard(state)
    if reason == "overtime":
        free = len(state.piles.discards) + state.piles.aside
        piles = Piles(min(OVERTIME, free), free - min(OVERTIME, free))
        return _toss(replace(state, piles=piles, stage=Stage.OVERTIME), "priority")
    period = state.period + 1
    stamina = TRACK - (period - 1 if state.rules.advanced else 0)
    for side in (0, 1):
        state = with_fencer(state, side, replace(state.fencers[side], stamina=stamina))
    return replace(state, period=period, piles=_dealt_anew(state), phase=Turn())


def _dealt_anew(state: State) -> Piles:
    """F96: every card outside the hands, or twelve of them."""
    free = sum(figures.count for figures in state.pool.values()) - sum(fencer.hand for fencer in state.fencers)
    timer = free if state.rules.period_timer == "all" else min(TIMER, free)
    return Piles(timer, free - timer)


def emptied(state: State) -> State:
    """F58: in the last hands a card that leaves a hand is noted, and a hand that ran out with it."""
    if state.stage is not Stage.LAST_HANDS:
        return state
    bare = tuple(side for side in (0, 1) if state.fencers[side].hand == 0 and side not in state.emptied)
    return stirred(replace(state, emptied=state.emptied + bare))
