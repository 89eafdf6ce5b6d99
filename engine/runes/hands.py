"""What can still be in a hand that nobody sees: every card is unique, and each draw has its time.

A card that went back into the pile at the third reshuffle can only be in a hand by a draw after it. Draws are numbered
by the reshuffles before them, cards by the reshuffle that returned them; the hands are possible if, for every number,
there are at least as many unseen cards up to it as there are draws up to it still in a hand (Hall's condition).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import chain

from msgspec.structs import replace

from engine.memo import per_state
from engine.runes.cards import EXCUSE
from engine.runes.state import State, Wizard, with_wizard, wizard_at


def unseen(state: State) -> frozenset[str]:
    """Cards that lie neither in a sequence nor known in the discards: in a hand, in the pile, or buried."""
    played = (queued.card for wizard in state.wizards for queued in wizard.sequence)
    return frozenset(state.deck).difference(played, state.discards, (EXCUSE,))


def since(state: State, card: str) -> int:
    """The reshuffle that a card went back into the pile at; 0 if at none."""
    return state.returned.get(card, 0)


def possible(state: State, wizard: Wizard) -> tuple[str, ...]:
    """Cards that can be in a wizard's hand, in the order of the deck."""
    return _possible(state, wizard.hand) if wizard.hand else ()


@per_state
def _possible(state: State, hand: tuple[int, ...]) -> tuple[str, ...]:
    times = _times(state)
    full = _full(state, times.values())
    fits = {time: _fits(time, hand, full) for time in set(times.values())}
    return tuple(name for name, time in times.items() if fits[time])


def of_the_dead(state: State) -> tuple[str, ...]:
    """Cards that a dead wizard's hand can have left on the discards and nobody has named, in the order of the deck."""
    return _possible(state, state.buried) if state.buried else ()


def on_pile(state: State) -> tuple[str, ...]:
    """Cards that can lie on top of the draw pile, in the order of the deck; the Excuse apart."""
    times = _times(state)
    last = max(_full(state, times.values()), default=-1)
    return tuple(name for name, time in times.items() if time > last)


def _times(state: State) -> dict[str, int]:
    """For every unseen card, in the order of the deck, the reshuffle that it went back into the pile at."""
    hidden, returned = unseen(state), state.returned
    return {name: returned.get(name, 0) for name in state.deck if name in hidden}


def _full(state: State, times: Collection[int]) -> tuple[int, ...]:
    """Reshuffles before the last one up to which every card that can be in a hand must be in one."""
    draws = Counter(chain(state.buried, *(wizard.hand for wizard in state.wizards)))
    cards = Counter(times)
    found, free = [], 0
    for time in sorted({*draws, *cards}):
        free += cards[time] - draws[time]
        if free <= 0 and time < state.shuffles:
            found.append(time)
    return tuple(found)


def _fits(time: int, hand: tuple[int, ...], full: tuple[int, ...]) -> bool:
    """Whether a card of that time can have come by a draw of this hand, and all other hands still be filled."""
    first = min((drawn for drawn in hand if drawn >= time), default=None)
    return first is not None and not any(time <= t < first for t in full)


def without(state: State, wizard: Wizard, card: str) -> Wizard:
    """The wizard's hand without a card."""
    return replace(wizard, hand=_taken(state, wizard.hand, card))


def _taken(state: State, hand: tuple[int, ...], card: str) -> tuple[int, ...]:
    """The draws of a hand without that of a card: it came by the earliest draw that it can have come by."""
    left = list(hand)
    left.remove(min(drawn for drawn in hand if drawn >= since(state, card)))
    return tuple(left)


def unburied(state: State, card: str) -> State:
    """The state after a card of `of_the_dead` was named: it lies under what the discards show."""
    return replace(state, discards=(card, *state.discards), buried=_taken(state, state.buried, card))


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
    kinds: dict[tuple[tuple[str, ...], int], str] = {}
    for name in possible(state, wizard):
        runes = state.deck[name].activation
        if len(have.union(runes)) >= need:
            return True
        if not have.issuperset(runes):
            kinds[runes, since(state, name)] = name
    if wizard.held == 1:
        return False
    richest = sorted(kinds, key=lambda kind: -len(kind[0]))
    return any(payable(discarded(state, wizard, kinds[kind]), seat, need, (*paid, kinds[kind])) for kind in richest)
