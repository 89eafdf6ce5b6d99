"""The order of resolution: by activation rune, then by rank; equal ranks share a place (R25-R27)."""

from __future__ import annotations

from msgspec.structs import replace

from engine.runes.cards import ACTIVATION, height
from engine.runes.effects import active
from engine.runes.state import Slot, State, Wizard, living, wizard_at


def slots(state: State) -> tuple[Slot, ...]:
    """Every place in the order of this phase."""
    return tuple(slot for rune in ACTIVATION for slot in _row(state, rune))


def _row(state: State, rune: str) -> tuple[Slot, ...]:
    """R26: high to low; R27: equal ranks together."""
    ranks = {
        wizard.seat: rank_of(state, wizard)
        for wizard in living(state)
        if wizard.active is not None and rune in state.deck[wizard.active].activation
    }
    return tuple(
        Slot(rune, rank, tuple(seat for seat, own in ranks.items() if own == rank))
        for rank in sorted(set(ranks.values()), reverse=True)
    )


def rank_of(state: State, wizard: Wizard) -> int:
    """The rank of the card that gives a wizard's activation runes."""
    return height(state.deck[wizard.active], state.rules.ace) if wizard.active is not None else 0


def with_old_cards(state: State) -> State:
    """R23: who had no card to play activates nothing, or, as an option, the newest card of the sequence again."""
    if state.rules.empty_hand != "newest":
        return state
    return replace(state, wizards=tuple(_again(state, wizard) for wizard in state.wizards))


def _again(state: State, wizard: Wizard) -> Wizard:
    if wizard.gone or wizard.active or wizard.hand or not wizard.sequence or wizard.sequence[-1].down:
        return wizard
    if wizard.seat == state.rules.opponent or (state.extra and not active(state, wizard, "haste")):
        return wizard  # R42: in the extra phase only the hasted cast
    return replace(wizard, active=wizard.sequence[-1].card)


def still_shown(state: State, seat: str, slot: Slot) -> bool:
    """R46: a spell whose activation rune was turned down, or whose caster is gone, cannot be cast."""
    wizard = wizard_at(state, seat)
    if wizard.gone or wizard.active is None or slot.rune not in state.deck[wizard.active].activation:
        return False
    return not any(queued.down for queued in wizard.sequence if queued.card == wizard.active)
