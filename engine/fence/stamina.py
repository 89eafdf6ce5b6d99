"""Stamina points: what an action costs, whether it can be paid, what comes back, and Stall."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.errors import Breach
from engine.fence.bout import (
    OfCard,
    Stage,
    State,
    Turn,
    no_stall,
    read_card,
    side_of,
    surplus,
    turn_for,
    with_fencer,
)
from engine.fence.cards import PRICE, UNKNOWN, card_text, side_name
from engine.fence.hands import unseen
from engine.fence.phrase import Phrase
from engine.fence.table import TRACK, Fencer, Pair
from engine.fence.timer import finish, thrown, undrawable
from engine.game import Words
from engine.table import Seat
from engine.text import Text, say

REST = 2
"""Stamina points that a Stall gives back."""

FOULS = {PRICE: "stamina too low"}


# --- what is paid


def printed(state: State, cards: tuple[str, ...]) -> int:
    """The printed points of cards laid together, as one sum; 0 where they do not count (F41)."""
    if state.rules.stamina != "enforced" or not state.rules.variant.stamina:
        return 0
    return sum(state.pool[name].sp for name in cards)


def price(state: State, cards: tuple[str, ...]) -> int:
    """The printed points that cards take off the track."""
    return printed(state, cards) if state.rules.payment == "paid" else 0


def short(state: State, side: int, needed: int, card_less: bool = False) -> Iterator[Breach]:
    """More points than the side has (F91 without a card)."""
    have = state.fencers[side].stamina
    if needed > have:
        clause = state.rules.clause("F45", "F91") if card_less else PRICE
        yield Breach(clause, say("Stamina needed: {needed}. Left: {have}.", needed=needed, have=have))


def unpaid() -> Breach:
    """A card that was laid for nothing."""
    return Breach(PRICE, say("The stamina points of the card must be paid."))


def paid(state: State, side: int, points: int) -> State:
    """The state after a side has paid; within a phrase it is noted."""
    fencer = state.fencers[side]
    after = with_fencer(state, side, replace(fencer, stamina=max(0, fencer.stamina - points)))
    if not isinstance(after.phase, Phrase):
        return after
    spent = list(after.phase.spent)
    spent[side] += points
    return replace(after, phase=replace(after.phase, spent=(spent[0], spent[1])))


# --- what comes back


def rested(fencer: Fencer, points: int) -> Fencer:
    """The track ends at 6 (F8)."""
    return replace(fencer, stamina=min(TRACK, fencer.stamina + points))


def recovered(state: State, spent: Pair) -> State:
    """After a score 1 point (F81) for each side that spent none in this phrase (F82)."""
    if not state.rules.variant.stamina:
        return state
    for side in (0, 1):
        if spent[side] == 0:
            state = with_fencer(state, side, rested(state.fencers[side], 1))
    return state


def regains_none(side: int) -> Breach:
    """Who spent some does not get that point."""
    return Breach("F82", say("{side} spent stamina points and regains none.", side=side_name(side)))


def unearned(side: int) -> Breach:
    """Points on the track that nothing gave."""
    return Breach("F8", say("Nothing gave {side} stamina points.", side=side_name(side)))


class Stall(OfCard, frozen=True, tag="stall"):
    """Rest for a whole turn (F75); `card` is the timer card that is thrown away."""

    name = say("Stall")
    clauses = ("F75", "F76", "F104")
    when = (Turn,)
    game_action = True

    @classmethod
    def closed(cls, state: State, seat: Seat) -> Iterator[Breach]:
        side = side_of(state, seat)
        turn = turn_for(state, side)
        if turn is None:
            return
        yield from surplus(state, side)
        if not state.rules.variant.stamina:
            yield no_stall()
        if turn.done:
            yield Breach("F75", say("A Stall takes the whole turn."))
        if state.fencers[side].stalled:
            yield Breach("F76", say("No Stall in two turns running."))
        if state.stage is Stage.OVERTIME:
            yield Breach("F104", say("No Stall once priority is assigned."))
        yield from undrawable(state)

    def faults(self, state: State, side: int) -> Iterator[Breach]:
        if turn_for(state, side) is None:
            return
        yield from self.closed(state, state.seats[side])
        if self.card != UNKNOWN and unseen(state, self.card) < 1:
            yield Breach("F75", say("This card cannot come from the timer deck: all copies were seen elsewhere."))

    def after(self, state: State, seat: Seat) -> State:
        side = side_of(state, seat)
        state = with_fencer(state, side, rested(state.fencers[side], REST))
        return finish(thrown(state, self.card), stalled=True)

    def told(self, state: State, who: Text) -> Text:
        if self.card == UNKNOWN:
            return say("{side} rests; time takes a card.", side=who)
        return say("{side} rests; time takes {card}.", side=who, card=card_text(state.pool, self.card))

    @classmethod
    def read(cls, state: State, seat: Seat, rest: Words) -> Stall:
        return Stall(read_card(state, rest))
