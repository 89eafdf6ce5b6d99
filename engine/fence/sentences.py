"""What is told of an action and of what came of it: to everybody, for nothing that the referee knows is hidden."""

from __future__ import annotations

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
)
from engine.fence.cards import WEAPONS
from engine.fence.names import card_text, side_name
from engine.fence.state import Clearing, Finish, Over, Stage, State, side_of
from engine.table import Seat
from engine.text import Text, say

WARNINGS = (3, 1)
"""Timer cards at which everybody is warned."""


def told(before: State, after: State, seat: Seat, action: Action) -> tuple[Text, ...]:
    """The sentences of an action: what was done, what it scored, how the time stands."""
    texts = [_done(before, side_name(side_of(before, seat)), action)]
    texts += _points(before, after)
    texts += _times(before, after)
    if isinstance(after.phase, Over):
        texts.append(won(after, after.phase))
    return tuple(texts)


def _done(state: State, who: Text, action: Action) -> Text:  # noqa: PLR0911, PLR0912, C901 -- one line an action
    pool = state.pool
    match action:
        case Move(steps):
            if steps > 0:
                return say("{side} steps forward.", side=who)
            return say("{side} steps back.", side=who)
        case Change(position):
            return say("{side}: {position}.", side=who, position=WEAPONS[position])
        case Exchange(card):
            return say("{side} gives up {card} and draws.", side=who, card=card_text(pool, card))
        case Stall(card):
            text = say("{side} rests; time takes {card}.", side=who, card=card_text(pool, card))
            return text if card != UNKNOWN else say("{side} rests; time takes a card.", side=who)
        case Retreat():
            return say("{side} retreats two squares.", side=who)
        case Play():
            return say("{side} plays {cards}.", side=who, cards=play_text(state, action))
        case Parry(None):
            return say("{side} parries without a card.", side=who)
        case Parry():
            return say("{side} parries without a card, and glides.", side=who)
        case Distance(card):
            return say("{side} keeps distance and loses {card}.", side=who, card=card_text(pool, card))
        case Accept():
            return say("{side} does not answer.", side=who)
        case End():
            return say("{side} ends the turn.", side=who)
        case Keep():
            return say("{side} keeps the hand.", side=who)
        case Mulligan():
            return say("{side} takes a new hand.", side=who)
        case Clear():
            return say("The table is in order.")
        case Toss(side):
            return say("The coin fell for {side}.", side=side_name(side))
        case Passivity():
            return say("{side} proposes the passivity rule.", side=who)
        case Agree():
            return say("{side} agrees: still turns cost time.", side=who)
        case Decline():
            return say("{side} declines.", side=who)


def play_text(state: State, play: Play) -> Text:
    """A card with what goes with it."""
    text = card_text(state.pool, play.card)
    for card in (play.attack, play.glide, play.boost):
        if card is not None:
            text = say("{card} + {more}", card=text, more=card_text(state.pool, card))
    return text


def _points(before: State, after: State) -> list[Text]:
    texts = []
    for side in (0, 1):
        points = after.fencers[side].score
        if points != before.fencers[side].score:
            texts.append(say("Touch for {side}. Points: {points}.", side=side_name(side), points=points))
    clearing = after.phase
    ended = isinstance(clearing, Clearing) and clearing.reason == "phrase" and not isinstance(before.phase, Clearing)
    if texts or not ended:
        return texts
    void = isinstance(clearing, Clearing) and clearing.void
    return [say("The double touch does not count.") if void else say("No touch.")]


def _times(before: State, after: State) -> list[Text]:
    texts = []
    if after.priority is not None and before.priority is None:
        texts.append(say("Overtime: {side} has priority.", side=side_name(after.priority)))
    elif after.period != before.period:
        texts.append(say("Period {period} begins.", period=after.period))
    if after.stage is Stage.LAST_HANDS and before.stage is Stage.BOUT:
        texts.append(say("Time is over and the score level: fence on with the cards in hand."))
    if after.piles.timer < before.piles.timer and after.piles.timer in WARNINGS:
        texts.append(time_text(after.piles.timer))
    return texts


def time_text(timer: int) -> Text:
    """A warning that the time runs out."""
    return say("Last timer card!") if timer == 1 else say("{count} timer cards left.", count=timer)


def won(state: State, phase: Over) -> Text:  # noqa: PLR0911 -- one line a finish
    """Who won, and why."""
    side, other = side_name(phase.winner), side_name(1 - phase.winner)
    points, fewer = state.fencers[phase.winner].score, state.fencers[1 - phase.winner].score
    match phase.finish:
        case Finish.POINTS:
            return say("{side} wins with {points} points.", side=side, points=points)
        case Finish.TIME:
            return say("{side} wins on time, {points} to {fewer}.", side=side, points=points, fewer=fewer)
        case Finish.TOUCH:
            return say("{side} wins by the deciding touch.", side=side)
        case Finish.PRIORITY:
            return say("{side} wins by priority.", side=side)
        case Finish.NO_CARDS:
            return say("{side} wins: {other} ran out of cards first.", side=side, other=other)
        case Finish.PASSIVE:
            return say("{side} wins: the bout stood still.", side=side)
        case Finish.RESIGNED:
            return say("{side} wins: {other} gave up.", side=side, other=other)
