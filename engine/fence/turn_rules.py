"""What speaks against an action of the game turn (F17-F26, F69-F76, F98, F104, F125-F128)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import Breach
from engine.fence.actions import UNKNOWN, Action, Change, End, Exchange, Move, Passivity, Play, Retreat, Stall
from engine.fence.cards import WEAPONS
from engine.fence.knowledge import may_hold, spare_yellow, unseen
from engine.fence.phrase.answers import against_bonus, keeps_aside
from engine.fence.phrase.opening import against_opening
from engine.fence.rules import OFFER
from engine.fence.state import Offering, Stage, State, Turn, gap
from engine.fence.turn import ACTIONS
from engine.text import say


def against_turn(state: State, phase: Turn | Offering, side: int, action: Action) -> Iterator[Breach]:
    """Every breach of an action in a game turn, apart from its price and from what can be in a hand."""
    if isinstance(phase, Offering):
        if isinstance(action, Exchange):
            yield from _draw(state)
        return
    if side != state.active:
        phase = Turn()  # what the other has done in the turn is no bar
    full = len(phase.done) >= ACTIONS
    if full and not isinstance(action, Exchange | End | Passivity):
        yield third_action(state)
    match action:
        case Move(steps):
            yield from _move(state, phase, steps)
        case Change():
            yield from _weapon(state, phase, side, action)
        case Play():
            yield from _play(state, side, action)
        case End() if state.rules.both_actions and not full:
            yield Breach("F22", say("Both game actions must be used."))
        case Passivity():
            yield from _passivity(state)
        case _:
            yield from _rest(state, phase, side, action)


def _rest(state: State, phase: Turn, side: int, action: Action) -> Iterator[Breach]:
    """The actions that the tutorial does not have (F69, F125)."""
    match action:
        case Exchange():
            yield from _exchange(state, phase, side, action)
        case Stall():
            yield from _stall(state, phase, side, action)
        case Retreat() if not state.rules.advanced:
            yield Breach("F126", say("A Retreat is an action of the advanced mode."))
        case _:
            return


def third_action(state: State) -> Breach:
    """F17, F70: both game actions of the turn are used."""
    clause = "F17" if state.rules.tutorial else "F70"
    return Breach(clause, say("Two game actions a turn: this would be the third."))


def _move(state: State, turn: Turn, steps: int) -> Iterator[Breach]:
    if abs(steps) > 1:
        yield Breach("F19", say("A move is one square."))
    if turn.done == ("move",) and not state.rules.two_moves:
        yield Breach("F18", say("One move a turn."))
    if steps > gap(state):
        yield Breach("F23", say("Fencers neither pass nor share a square."))


def _weapon(state: State, turn: Turn, side: int, action: Change) -> Iterator[Breach]:
    if "weapon" in turn.done:
        yield Breach("F21", say("The weapon position is changed once a turn."))
    elif state.fencers[side].weapon is action.position:
        yield Breach("F21", say("The weapon is in {position} already.", position=WEAPONS[action.position]))


def _exchange(state: State, turn: Turn, side: int, action: Exchange) -> Iterator[Breach]:
    if state.rules.tutorial:
        yield Breach("F26", say("In the tutorial a card is given up after the turn."))
    if turn.exchanged:
        clause = "F127" if "retreat" in turn.done else "F74"
        yield Breach(clause, say("One card a turn is exchanged."))
    elif len(turn.done) >= ACTIONS and not turn.fresh:
        yield third_action(state)
    yield from against_drop(state, side, action.card)


def against_drop(state: State, side: int, card: str) -> Iterator[Breach]:
    """What speaks against giving up this card and drawing one."""
    yield from _draw(state)
    yield from _to_drop(state, side, card)
    yield from _yellow(state, side, card)


def _draw(state: State) -> Iterator[Breach]:
    if state.piles.timer == 0:
        clause = "F58" if state.stage is Stage.LAST_HANDS else "F98"
        yield Breach(clause, say("The timer deck is empty: nothing can be drawn."))


def _to_drop(state: State, side: int, card: str) -> Iterator[Breach]:
    """F73: a card must be there; an unseen one is never the yellow Straight Thrust."""
    spare = state.fencers[side].hand - (1 if card == UNKNOWN and keeps_aside(state, side) else 0)
    if spare < 1:
        yield Breach("F73", say("There is no card to give up."))


def _yellow(state: State, side: int, card: str) -> Iterator[Breach]:
    """F74: the yellow Straight Thrust is dropped only if a faster one, or a second yellow one, can be in the hand."""
    if not state.rules.basic or card not in state.pool or not state.pool[card].mandatory:
        return
    slow = state.pool[card].speed or 0
    faster = (name for name, face in state.pool.items() if face.kind == "straight-thrust" and (face.speed or 0) > slow)
    if not spare_yellow(state, side, card) and not any(may_hold(state, side, (card, name)) for name in faster):
        yield Breach("F74", say("The yellow Straight Thrust is kept unless a faster one is in the hand."))


def _stall(state: State, turn: Turn, side: int, action: Stall) -> Iterator[Breach]:
    if state.rules.tutorial:
        yield Breach("F17", say("There is no Stall in the tutorial."))
    if turn.done:
        yield Breach("F75", say("A Stall takes the whole turn."))
    if state.fencers[side].stalled:
        yield Breach("F76", say("No Stall in two turns running."))
    if state.stage is Stage.OVERTIME:
        yield Breach("F104", say("No Stall once priority is assigned."))
    yield from _draw(state)
    if action.card != UNKNOWN and unseen(state, action.card) < 1:
        yield Breach("F75", say("This card cannot come from the timer deck: all copies were seen elsewhere."))


def _play(state: State, side: int, action: Play) -> Iterator[Breach]:
    """The first card of a phrase (F25, F33, F71)."""
    kind = state.pool[action.card].kind
    yield from against_opening(state.rules, kind, gap(state), state.fencers[1 - side].weapon)
    if kind != "feint":  # its attack is a matter for later
        yield from against_bonus(state, None, action)


def _passivity(state: State) -> Iterator[Breach]:
    if state.passivity:
        yield Breach("F105", say("The passivity rule holds already."))
    elif state.offered > OFFER and state.still < state.offered:
        left = state.offered - state.still
        yield Breach("F105", say("Declined. Still turns until it can be proposed again: {count}.", count=left))
    elif state.still < state.offered:
        yield Breach("F105", say("The bout does not stand still."))
