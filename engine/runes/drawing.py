"""The end phase: who draws how much and in which order, and what the Excuse does (R57, R58)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.runes.cards import EXCUSE
from engine.runes.state import HAND, State, Wizard, clockwise, people, pile

MOST = 2
"""Cards drawn in an end phase (R57)."""


def due(wizard: Wizard) -> int:
    """Cards that a wizard draws: two, or as many as the hand has room for (R57)."""
    return max(0, min(MOST, HAND - wizard.held))


def order(state: State) -> tuple[str, ...]:
    """Seats in the order of single draws: all a first card, then all a second (R58)."""
    players = people(state)
    if not players:
        return ()
    first = players[0]
    if state.rules.draw_order == "highest":
        first = max(players, key=lambda wizard: wizard.highest)
    seats = [w for w in clockwise(state, first.seat) if w in players]
    return tuple(wizard.seat for number in range(MOST) for wizard in seats if due(wizard) > number)


def drawn(state: State, wizard: Wizard) -> Wizard:
    """The wizard with one more card, drawn now."""
    return replace(wizard, hand=(*wizard.hand, state.shuffles))


def only_excuse_left(state: State) -> bool:
    """The Excuse never leaves the pile for a hand: as the last card of it, it must come up (R58)."""
    return pile(state) <= 1


def shuffled(state: State) -> State:
    """R58: discards and pile become one; a card that lay in the discards can be drawn only from now on."""
    again = state.shuffles + 1
    returned = {**state.returned, **{name: again for name in state.discards if name != EXCUSE}}
    return replace(state, discards=(), buried=(), shuffles=again, returned=returned)
