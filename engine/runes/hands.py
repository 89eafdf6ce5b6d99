"""What can still be in a hand that nobody sees: every card is unique, and each draw has its time.

A card that went back into the pile at the third reshuffle can only be in a hand by a draw after it. Draws are numbered
by the reshuffles before them, cards by the reshuffle that returned them; the hands are possible if, for every number,
there are at least as many unseen cards up to it as there are draws up to it still in a hand (Hall's condition).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from msgspec.structs import replace

from engine.runes.cards import EXCUSE
from engine.runes.state import State, Wizard, with_wizard, wizard_at


def unseen(state: State) -> frozenset[str]:
    """Cards that lie neither in a sequence nor known in the discards: in a hand, in the pile, or buried."""
    played = chain.from_iterable((queued.card for queued in wizard.sequence) for wizard in state.wizards)
    return frozenset(state.deck) - frozenset(played) - frozenset(state.discards) - {EXCUSE}


def since(state: State, card: str) -> int:
    """The reshuffle that a card went back into the pile at; 0 if at none."""
    return state.returned.get(card, 0)


def possible(state: State, wizard: Wizard) -> tuple[str, ...]:
    """Cards that can be in a wizard's hand, in the order of the deck."""
    hidden = unseen(state)
    if not wizard.hand:
        return ()
    full = _full(state, hidden)
    fits = {time: _fits(time, wizard.hand, full) for time in {since(state, name) for name in hidden}}
    return tuple(name for name in state.deck if name in hidden and fits[since(state, name)])


def on_pile(state: State) -> tuple[str, ...]:
    """Cards that can lie on top of the draw pile, in the order of the deck; the Excuse apart."""
    hidden = unseen(state)
    full = _full(state, hidden)
    return tuple(n for n in state.deck if n in hidden and not any(time >= since(state, n) for time in full))


def _full(state: State, hidden: frozenset[str]) -> frozenset[int]:
    """Reshuffles up to which every card that can be in a hand must be in one."""
    draws = sorted(chain(state.buried, *(wizard.hand for wizard in state.wizards)))
    times = sorted(since(state, name) for name in hidden)
    return frozenset(t for t in range(state.shuffles) if sum(d <= t for d in draws) >= sum(e <= t for e in times))


def _fits(time: int, hand: tuple[int, ...], full: frozenset[int]) -> bool:
    """Whether a card of that time can have come by a draw of this hand, and all other hands still be filled."""
    draws = [drawn for drawn in hand if drawn >= time]
    return bool(draws) and not any(time <= t < min(draws) for t in full)


def without(state: State, wizard: Wizard, card: str) -> Wizard:
    """The wizard's hand without a card: it came by the earliest draw that it can have come by."""
    left = list(wizard.hand)
    left.remove(min(drawn for drawn in wizard.hand if drawn >= since(state, card)))
    return replace(wizard, hand=tuple(left))


def discarded(state: State, wizard: Wizard, card: str) -> State:
    """The state after a card of the hand was discarded (R55)."""
    return replace(with_wizard(state, without(state, wizard, card)), discards=(*state.discards, card))


def runes_of(state: State, cards: Iterable[str]) -> frozenset[str]:
    """The activation runes on some cards."""
    return frozenset(rune for name in cards for rune in state.deck[name].activation)


def payable(state: State, seat: str, need: int, paid: tuple[str, ...] = ()) -> bool:
    """Whether a hand can hold what is still needed for so many different activation runes (R50)."""
    have, wizard = runes_of(state, paid), wizard_at(state, seat)
    if len(have) >= need:
        return True
    if not wizard.held:
        return False
    helpful = (name for name in possible(state, wizard) if not have.issuperset(state.deck[name].activation))
    kinds = {(state.deck[name].activation, since(state, name)): name for name in helpful}
    richest = sorted(kinds, key=lambda kind: -len(kind[0]))
    return any(payable(discarded(state, wizard, kinds[kind]), seat, need, (*paid, kinds[kind])) for kind in richest)
