"""Points: touches, double touches, out of bounds, and when they end the match (F37, F54-F58, F95, F102)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.fence.phrase.state import Phrase
from engine.fence.rules import OFFER
from engine.fence.state import Clearing, Finish, Over, Pair, Stage, State, with_fencer


def ended(state: State, phrase: Phrase, touches: Pair) -> State:
    """The phrase is over with these touches."""
    counted = touches if counts(state, touches) else (0, 0)
    return _scored(state, Clearing("phrase", counted, phrase, void=counted != touches), counted)


def stepped_out(state: State, side: int) -> State:
    """F54: the opponent's point."""
    touches = (1, 0) if side == 1 else (0, 1)
    return _scored(state, Clearing("out", touches), touches)


def counts(state: State, touches: Pair) -> bool:
    """F56, F58, F102: a double touch does not count when the next point would settle a period of five, or the match."""
    if touches != (1, 1):
        return True
    green, red = state.fencers
    if state.stage is not Stage.BOUT:
        return False
    if green.score != red.score:
        return True
    if state.rules.double_level == "target":
        return green.score != state.rules.goal - 1
    return green.score % 5 != 4


def stirred(state: State) -> State:
    """Something happened: the still turns are counted anew (F105); this turn ends as number 0."""
    return replace(state, still=-1, offered=OFFER)


def _scored(state: State, clearing: Clearing, touches: Pair) -> State:
    for side in (0, 1):
        fencer = state.fencers[side]
        state = with_fencer(state, side, replace(fencer, score=fencer.score + touches[side]))
    if any(touches):
        state = stirred(state)
    winner = _winner(state, touches)
    if winner is None:
        return replace(state, phase=clearing)
    finish = Finish.POINTS if state.stage is Stage.BOUT else Finish.TOUCH
    return replace(state, phase=Over(winner, finish))


def _winner(state: State, touches: Pair) -> int | None:
    if state.stage is not Stage.BOUT:
        return touches.index(1) if any(touches) else None
    green, red = state.fencers
    if max(green.score, red.score) < state.rules.goal:
        return None
    return 0 if green.score > red.score else 1
