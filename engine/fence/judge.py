"""Every clause that an action breaks: whether it is asked for now, and whether it is right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from engine.errors import Breach
from engine.fence.actions import (
    UNKNOWN,
    Accept,
    Action,
    Agree,
    Change,
    Clear,
    Decline,
    Distance,
    End,
    Exchange,
    Keep,
    Move,
    Mulligan,
    Parry,
    Passivity,
    Play,
    Retreat,
    Stall,
    Toss,
    cards_of,
)
from engine.fence.cards import KINDS
from engine.fence.knowledge import elsewhere, may_hold
from engine.fence.names import card_text, kind_of, side_name
from engine.fence.phrase.answers import against_answer
from engine.fence.phrase.state import Phrase
from engine.fence.stamina import threshold
from engine.fence.state import Clearing, Dealing, Offering, Over, Phase, Proposed, State, Tossing, Turn, asked, side_of
from engine.fence.timer import TOSSES
from engine.fence.turn_rules import against_drop, against_turn, third_action
from engine.table import Seat
from engine.text import Text, say

_EXPECTED: dict[type[Phase], tuple[type[Action], ...]] = {
    Dealing: (Keep, Mulligan),
    Turn: (Move, Change, Exchange, Stall, Retreat, Play, End, Passivity),
    Offering: (Exchange, Keep),
    Proposed: (Agree, Decline),
    Phrase: (Play, Parry, Distance, Accept),
    Clearing: (Clear,),
    Tossing: (Toss,),
    Over: (),
}


def expected(state: State) -> tuple[type[Action], ...]:
    """The kinds of actions that the phase asks for."""
    if isinstance(state.phase, Clearing) and state.phase.reason == "retreat":
        return (Exchange, Clear)
    return _EXPECTED[type(state.phase)]


def judge(state: State, seat: Seat, action: Action) -> tuple[Breach, ...]:
    """Every breach, each clause once; () if the action is legal."""
    found: dict[str, Breach] = {}
    for breach in against(state, side_of(state, seat), action):
        found.setdefault(breach.clause, breach)
    return tuple(found.values())


def is_legal(state: State, side: int, action: Action) -> bool:
    """Whether nothing speaks against an action; quicker than `judge`."""
    return next(against(state, side, action), None) is None


def against(state: State, side: int, action: Action) -> Iterator[Breach]:
    """What speaks against an action of a side, one breach after another."""
    return chain(_timing(state, side, action), _content(state, side, action))


def _timing(state: State, side: int, action: Action) -> Iterator[Breach]:
    phase = state.phase
    if isinstance(phase, Over):
        yield Breach("F57", say("The match is over."))
        return
    if side not in asked(state):
        yield _not_your_turn(state, 1 - side, action)
    if not isinstance(action, expected(state)):
        yield _not_now(state, action)
    one_more = isinstance(action, Move | Change | Stall | Retreat | Play)
    if isinstance(phase, Offering) and phase.full and side == state.active and one_more:
        yield third_action(state)


def _not_your_turn(state: State, turn: int, action: Action) -> Breach:  # noqa: PLR0911 -- one line a phase
    who = side_name(turn)
    match state.phase:
        case Dealing():
            return Breach("F14", say("The hand is taken; {seat} has still to decide.", seat=who))
        case Phrase():
            return Breach("F60", say("{seat} must answer.", seat=who))
        case Clearing() if isinstance(action, Clear):
            return Breach("F39", say("{seat} says when the table is in order.", seat=who))
        case Clearing():
            return Breach("F39", say("First the table is put in order."))
        case Proposed():
            return Breach("F105", say("{seat} answers the proposal.", seat=who))
        case Tossing() as tossing:
            return Breach(TOSSES[tossing.reason], say("{seat} says for whom the coin fell.", seat=who))
        case _:
            return Breach("F9", say("It is the turn of {seat}.", seat=who))


def _not_now(state: State, action: Action) -> Breach:  # noqa: PLR0911 -- one line a phase
    """What is asked now, or for which occasion the action is meant."""
    match state.phase:
        case Dealing():
            return Breach("F14", say("First both take their hands, or demand new ones."))
        case Phrase():
            return Breach("F60", say("The phrase must be answered first."))
        case Clearing():
            return Breach("F39", say("First the table is put in order."))
        case Proposed():
            return Breach("F105", say("First the proposal is answered."))
        case Tossing() as tossing:
            return Breach(TOSSES[tossing.reason], say("First a coin is tossed."))
        case Offering():
            return Breach("F26", say("The turn is over: give up a card, or keep all."))
        case _:
            return _uncalled(action)


def _uncalled(action: Action) -> Breach:
    match action:
        case Keep() | Mulligan():
            return Breach("F14", say("The hands are taken already."))
        case Clear():
            return Breach("F39", say("There is nothing to put in order."))
        case Toss():
            return Breach(TOSSES["priority"], say("No coin is to be tossed."))
        case Agree() | Decline():
            return Breach("F105", say("Nobody proposed the passivity rule."))
        case _:
            return Breach("F27", say("There is nothing to answer."))


def _content(state: State, side: int, action: Action) -> Iterator[Breach]:
    strange = [name for name in _from_hand(action) if name not in state.pool]
    if strange:
        yield from _not_used(state, strange[0])
        return
    yield from _hand(state, side, action)
    phase = state.phase
    if isinstance(phase, Phrase):
        yield from against_answer(state, phase, side, action)
        if isinstance(action, Accept):
            yield from _acceptance(state, side)
    elif isinstance(phase, Turn | Offering):
        yield from against_turn(state, phase, side, action)
    elif isinstance(phase, Clearing) and phase.reason == "retreat" and isinstance(action, Exchange):
        yield from against_drop(state, side, action.card)
    yield from _stamina(state, side, action)


def _from_hand(action: Action) -> tuple[str, ...]:
    """The cards that are said to come from the hand, or from the timer deck."""
    match action:
        case Exchange(card) | Distance(card) | Stall(card):
            return (card,) if card != UNKNOWN else ()
        case _:
            return cards_of(action)


def _not_used(state: State, name: str) -> Iterator[Breach]:
    """F1: a card of another mode."""
    kind = kind_of(state.pool, name)
    yield Breach("F1", say("Not used in this mode: {card}.", card=KINDS[kind].name))
    if kind == "feint":
        yield Breach("F137", say("Feint is used in the advanced mode only."))


def _hand(state: State, side: int, action: Action) -> Iterator[Breach]:
    """A card that cannot be where it is said to come from: discarded, on the table, or seen in the other hand."""
    cards = () if isinstance(action, Stall) else _from_hand(action)
    if not cards or may_hold(state, side, cards):
        return
    gone = elsewhere(state, side, cards)
    names = _names(state, gone or cards)
    if gone:
        text = say("{cards} cannot be in this hand: all copies were seen elsewhere.", cards=names)
    else:
        text = say("{cards} cannot be in this hand: it is known to hold other cards.", cards=names)
    yield Breach("F31" if state.rules.tutorial else "F80", text)


def _names(state: State, cards: tuple[str, ...]) -> Text:
    if len(cards) == 1:
        return card_text(state.pool, cards[0])
    return say("{card} + {more}", card=card_text(state.pool, cards[0]), more=_names(state, cards[1:]))


def _stamina(state: State, side: int, action: Action) -> Iterator[Breach]:
    """F45, F78, F91."""
    needed, have = threshold(state, side, action), state.fencers[side].stamina
    if needed <= have:
        return
    card_less = isinstance(action, Parry | Distance)
    clause = ("F45" if state.rules.tutorial else "F91") if card_less else "F78"
    yield Breach(clause, say("Stamina needed: {needed}. Left: {have}.", needed=needed, have=have))


def _acceptance(state: State, side: int) -> Iterator[Breach]:
    """F60: under the option a card-less defence that can be paid must be taken."""
    if not state.rules.must_answer:
        return
    if any(is_legal(state, side, defence) for defence in (Parry(), Distance(UNKNOWN))):
        yield Breach("F60", say("The attack must be answered: a card-less defence is possible."))
