"""What a referee who sees no hand knows of the cards: where each face can still be (F3, F80)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from engine.fence.actions import UNKNOWN
from engine.fence.deck import Face
from engine.fence.state import Fencer, State


def face(state: State, name: str) -> Face:
    """The figures of a face. Raises KeyError if the mode's deck has none of that name."""
    return state.pool[name]


def unseen(state: State, name: str) -> int:
    """Copies of a face that may be anywhere unseen: in a hand, in the timer deck or set aside."""
    seen = state.piles.discards.count(name)
    for fencer in state.fencers:
        seen += fencer.known.count(name) + fencer.lane.count(name)
    return state.pool[name].count - seen


def may_hold(state: State, side: int, cards: Iterable[str]) -> bool:
    """Whether all these cards together can be in a hand, given all that was seen."""
    fencer, wanted, strange = state.fencers[side], tuple(cards), 0
    for name in dict.fromkeys(wanted):
        beyond = wanted.count(name) - fencer.known.count(name)
        if beyond > 0:
            if name not in state.pool or beyond > unseen(state, name):
                return False
            strange += beyond
    return strange <= fencer.hand - len(fencer.known)


def elsewhere(state: State, side: int, cards: Iterable[str]) -> tuple[str, ...]:
    """Those of these cards of which too many copies were seen elsewhere for all to be in a hand."""
    known, wanted = state.fencers[side].known, tuple(cards)
    return tuple(
        name for name in dict.fromkeys(wanted) if wanted.count(name) - known.count(name) > max(0, unseen(state, name))
    )


def without(fencer: Fencer, name: str) -> Fencer:
    """The fencer after a card left the hand, seen or unseen.

    Which card an unseen one was is not known: all that was known may be gone with it, but the mandatory card is kept
    apart by the rules (F66, F90), and its name is put back by `forget`.
    """
    if name == UNKNOWN:
        return replace(fencer, hand=fencer.hand - 1, known=())
    known = list(fencer.known)
    if name in known:
        known.remove(name)
    return replace(fencer, hand=fencer.hand - 1, known=tuple(known))


def mandatory(state: State) -> str | None:
    """The face of the yellow Straight Thrusts, in basic mode (F66); None if an owner's two differ: who has which?"""
    if not state.rules.basic:
        return None
    return next((name for name, face in state.pool.items() if face.mandatory and face.count > 1), None)


def spare_yellow(state: State, side: int, name: str) -> bool:
    """Whether the hand can hold this yellow Straight Thrust and one more, which stays (F74, F90)."""
    return any(may_hold(state, side, (name, other)) for other, face in state.pool.items() if face.mandatory)


def dropped(state: State, side: int, name: str) -> Fencer:
    """The fencer after a card was given up; an unseen one is never the mandatory card (F66, F74)."""
    fencer = state.fencers[side]
    after = without(fencer, name)
    yellow = mandatory(state)
    if name == UNKNOWN and yellow is not None and yellow in fencer.known:
        return replace(after, known=(yellow,))
    return after


def drawn_blind(state: State, side: int, name: str) -> Fencer:
    """The fencer after the opponent drew a card with a yellow one laid aside: a second one proves the first (F90)."""
    after, yellow = dropped(state, side, name), mandatory(state)
    if name != yellow or yellow is None or yellow in after.known:
        return after
    return replace(after, known=tuple(sorted((*after.known, yellow))))


def learnt(fencer: Fencer, names: Iterable[str]) -> Fencer:
    """The fencer after cards that everybody saw went into the hand (F80)."""
    added = tuple(names)
    return replace(fencer, hand=fencer.hand + len(added), known=tuple(sorted((*fencer.known, *added))))
