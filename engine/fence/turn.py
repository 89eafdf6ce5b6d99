"""The game turn: moves, weapon positions, exchanges, Stall and Retreat (F17-F26, F69-F76, F125-F128)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.fence.actions import Change, Exchange, Move, Stall
from engine.fence.knowledge import drawn_blind, dropped
from engine.fence.scoring import stepped_out
from engine.fence.stamina import rested
from engine.fence.state import LAST, Clearing, Offering, State, Turn, ahead, off, with_fencer
from engine.fence.timer import discarded, drawn, emptied, finish, thrown

ACTIONS = 2
"""Game actions of a turn (F10)."""

RETREAT = 2
"""Squares of a Retreat (F126)."""

REST = 2
"""Stamina points that a Stall gives back (F75)."""


def moved(state: State, turn: Turn, action: Move) -> State:
    """F19; off the strip the turn ends with the opponent's point (F54)."""
    return _stepped(state, turn, action.steps, "move")


def retreated(state: State, turn: Turn) -> State:
    """F126; off the strip the opponent has the point, and the exchange can still be made (F54, F127)."""
    after = _stepped(state, turn, -RETREAT, "retreat")
    if isinstance(after.phase, Clearing) and _may_drop(after, turn):
        return replace(after, phase=replace(after.phase, reason="retreat"))
    return after


def _stepped(state: State, turn: Turn, steps: int, verb: str) -> State:
    side = state.active
    fencer = state.fencers[side]
    square = max(0, min(LAST + 1, fencer.square + steps * ahead(side)))
    state = with_fencer(state, side, replace(fencer, square=square))
    return stepped_out(state, side) if off(square) else _acted(state, turn, verb)


def exchanged_outside(state: State, clearing: Clearing, card: str) -> State:
    """The exchange of a Retreat that went off the strip (F127); then the table is put in order."""
    return replace(given_up(state, state.active, card), phase=replace(clearing, reason="out"))


def changed(state: State, turn: Turn, action: Change) -> State:
    """F21."""
    fencer = replace(state.fencers[state.active], weapon=action.position)
    return _acted(with_fencer(state, state.active, fencer), turn, "weapon")


def exchanged(state: State, turn: Turn, action: Exchange) -> State:
    """F73; right after a Retreat it is a part of it (F127)."""
    state = given_up(state, state.active, action.card)
    done = turn.done if turn.fresh else (*turn.done, "exchange")
    return _going_on(state, Turn(done, exchanged=True))


def given_up(state: State, side: int, card: str, blind: bool = False) -> State:
    """A hand card face up on the discards, and one drawn (F26, F43, F73, F90); blind: the opponent drew it."""
    left = drawn_blind(state, side, card) if blind else dropped(state, side, card)
    return drawn(discarded(emptied(with_fencer(state, side, left)), card), side)


def stalled(state: State, action: Stall) -> State:
    """F75: the whole turn."""
    side = state.active
    state = with_fencer(state, side, rested(state.fencers[side], REST))
    return finish(thrown(state, action.card), stalled=True)


def over(state: State, turn: Turn) -> State:
    """No more actions: in the tutorial a card may still be given up (F26), then the turn ends."""
    if state.rules.tutorial and state.piles.timer > 0 and state.fencers[state.active].hand > 0:
        return replace(state, phase=Offering(full=len(turn.done) >= ACTIONS))
    return finish(state)


def _acted(state: State, turn: Turn, verb: str) -> State:
    fresh = verb == "retreat" and _may_drop(state, turn)
    return _going_on(state, Turn((*turn.done, verb), turn.exchanged, fresh))


def _may_drop(state: State, turn: Turn) -> bool:
    """Whether an exchange can be a part of the Retreat (F127)."""
    return state.piles.timer > 0 and state.fencers[state.active].hand > 0 and not turn.exchanged


def _going_on(state: State, turn: Turn) -> State:
    if len(turn.done) >= ACTIONS and not turn.fresh:
        return over(state, turn)
    return replace(state, phase=turn)
