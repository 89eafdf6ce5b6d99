"""The mandatory yellow Straight Thrusts of basic mode: who has one, and when one may leave a hand.

Two predicates say when, each over a hand that is known: `may_go` for an exchange, `may_be_drawn` for Distance. The
rules ask whether one holds for some hand that is possible (`can`), knowledge whether for none (`_stays`), the dealer
asks them of the real hand. In the advanced mode no card is mandatory: a yellow one is given up like any other (F123),
and Distance draws from the whole hand (F129).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from engine.errors import Breach
from engine.fence.bout import State
from engine.fence.cards import UNKNOWN
from engine.fence.hands import learnt, may_hold, without
from engine.fence.table import Fencer
from engine.text import say

Leaving: TypeAlias = Callable[[State, Sequence[str], str], bool]
"""Whether a card may leave a hand in which it is: state, all cards of the hand, the card."""


def is_yellow(state: State, name: str) -> bool:
    """Whether a face is yellow and its cards are mandatory in this mode (F66)."""
    return state.rules.variant.yellow and name in state.pool and state.pool[name].mandatory


def yellow_cards(state: State) -> tuple[str, ...]:
    """Every mandatory card of the deck by its face; () in the other modes."""
    return tuple(name for name, face in state.pool.items() if is_yellow(state, name) for _ in range(face.count))


def one_yellow(state: State, hand: Sequence[str]) -> tuple[str, ...]:
    """The yellow card that stays when a new hand is dealt (F68) or is laid aside for Distance (F90); () without one."""
    return next(((name,) for name in hand if is_yellow(state, name)), ())


def each_with_one(state: State) -> State:
    """A new match: each side has a yellow card (F66). Which is known only if all show the same."""
    cards = yellow_cards(state)
    if len(cards) < 2 or len(set(cards)) > 1:
        return state
    green, red = (learnt(replace(fencer, hand=fencer.hand - 1), cards[:1]) for fencer in state.fencers)
    return replace(state, fencers=(green, red))


# --- when one may leave


def may_go(state: State, hand: Sequence[str], card: str) -> bool:
    """F74: a yellow card is given up only if a faster Straight Thrust, or a second yellow one, stays."""
    if not is_yellow(state, card):
        return True
    return any(is_yellow(state, name) or _is_faster(state, name, card) for name in _rest(hand, card))


def may_be_drawn(state: State, hand: Sequence[str], card: str) -> bool:
    """F90: one yellow card is laid aside before the opponent draws, so that only a second one can be drawn."""
    return not is_yellow(state, card) or bool(one_yellow(state, _rest(hand, card)))


def _rest(hand: Sequence[str], card: str) -> tuple[str, ...]:
    at = hand.index(card)
    return (*hand[:at], *hand[at + 1 :])


def _is_faster(state: State, name: str, yellow: str) -> bool:
    face = state.pool[name]
    return face.kind == "straight-thrust" and (face.speed or 0) > (state.pool[yellow].speed or 0)


# --- what the rules refuse, who see no hand


def can(state: State, side: int, card: str, leaving: Leaving) -> bool:
    """Whether the card may leave some hand that this side can have; one other card is enough to let it go (F74)."""
    return leaving(state, (card,), card) or any(_lets_go(state, side, card, leaving))


def _lets_go(state: State, side: int, card: str, leaving: Leaving) -> Iterator[str]:
    """The cards that can be in the hand and let this one go."""
    for name in state.pool:
        if leaving(state, (card, name), card) and may_hold(state, side, (card, name)):
            yield name


def kept(state: State, side: int, card: str) -> Iterator[Breach]:
    """F74 against giving up a card; an unseen one is the yellow card if the hand is certainly nothing else."""
    fencer = state.fencers[side]
    if card == UNKNOWN and fencer.hand == len(fencer.known) == 1:
        card = fencer.known[0]
    if not can(state, side, card, may_go):
        yield Breach("F74", say("The yellow Straight Thrust is kept unless a faster one is in the hand."))


def laid_aside(state: State, side: int, card: str) -> Iterator[Breach]:
    """F90 against a card that cannot have been drawn for Distance."""
    if not can(state, side, card, may_be_drawn):
        yield Breach("F90", say("The yellow Straight Thrust is laid aside before a card is drawn."))


def left_to_draw(state: State, side: int) -> int:
    """From how many cards at most the opponent draws for Distance (F90): not a yellow one that is certainly there."""
    fencer = state.fencers[side]
    return fencer.hand - len(one_yellow(state, fencer.known))


# --- what is known after a card left


def given(state: State, side: int, card: str) -> Fencer:
    """The fencer after a card of the own choice was given up."""
    return _after(state, side, card, may_go)


def drawn_blind(state: State, side: int, card: str) -> Fencer:
    """The fencer after the opponent drew a card: a yellow one proves another, which was laid aside."""
    after = _after(state, side, card, may_be_drawn)
    aside = tuple(_lets_go(state, side, card, may_be_drawn)) if is_yellow(state, card) else ()
    if len(aside) != 1 or aside[0] in after.known:
        return after
    return replace(after, known=tuple(sorted((*after.known, *aside))))


def _after(state: State, side: int, card: str, leaving: Leaving) -> Fencer:
    """Of an unseen card all that is known is what it cannot have been."""
    after = without(state.fencers[side], card)
    return replace(after, known=_stays(state, side, leaving)) if card == UNKNOWN else after


def _stays(state: State, side: int, leaving: Leaving) -> tuple[str, ...]:
    """The yellow cards that are in the hand also after one unseen card left it, sorted.

    One copy at most is gone; the only one that is known stays unless a card of another face can let it go, for a second
    copy, if that lets it go, stays in its place.
    """
    known, names = state.fencers[side].known, []
    for name in sorted({name for name in known if is_yellow(state, name)}):
        goes = any(other != name for other in _lets_go(state, side, name, leaving))
        names += [name] * max(known.count(name) - 1, 0 if goes else 1)
    return tuple(names)
