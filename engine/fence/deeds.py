"""Describes in words what a hand did, right or wrong: a refusal says this before it names the clauses."""

from __future__ import annotations

from engine.fence.actions import Action, Change, Exchange, Move, Play, Retreat
from engine.fence.cards import WEAPONS
from engine.fence.names import card_text, side_name
from engine.fence.sentences import play_text
from engine.fence.state import State
from engine.fence.turn import RETREAT
from engine.text import Text, say


def deed(state: State, side: int, action: Action) -> Text | None:
    """An action as it looks on the table; None for one that nothing on the table shows."""
    who = side_name(side)
    match action:
        case Move(steps):
            return _stepped(who, steps)
        case Retreat():
            return _stepped(who, -RETREAT)
        case Change(position):
            return say("The weapon of {side} went to {position}.", side=who, position=WEAPONS[position])
        case Play():
            return say("{side} laid {cards}.", side=who, cards=play_text(state, action))
        case Exchange(card):
            return say("{side} discarded {card}.", side=who, card=card_text(state.pool, card))
        case _:
            return None


def _stepped(who: Text, steps: int) -> Text:
    if abs(steps) == 1:
        return say("{side} stepped forward.", side=who) if steps > 0 else say("{side} stepped back.", side=who)
    if steps > 0:
        return say("{side} went {count} squares forward.", side=who, count=steps)
    return say("{side} went {count} squares back.", side=who, count=-steps)


def stamina_put(side: int, points: int) -> Text:
    """The marker on the stamina track was moved."""
    return say("The stamina marker of {side} went to {points}.", side=side_name(side), points=points)


def stamina_left(side: int) -> Text:
    """The marker on the stamina track should have been moved."""
    return say("The stamina marker of {side} was left alone.", side=side_name(side))


def joker_kept() -> Text:
    """F167."""
    return say("A Joker went back into the hand.")
