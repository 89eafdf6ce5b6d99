"""Confusion: a card is picked at random, by its place in the hidden hand (R47)."""

from __future__ import annotations

from engine.draws import draw
from engine.runes.effects import active
from engine.runes.state import Laying, State, Wizard, clockwise, people
from engine.text import Text, say


def muddled(state: State, wizard: Wizard) -> bool:
    """Whether a wizard's next card must be picked at random."""
    if state.extra and state.rules.confusion_haste == "normal":
        return False
    laying = isinstance(state.phase, Laying) and bool(wizard.held) and wizard.active is None and not wizard.laid
    return laying and active(state, wizard, "confused") and (not state.extra or active(state, wizard, "haste"))


def place(state: State, wizard: Wizard) -> int:
    """The drawn place in the hand, from 1: by the seed, the turn and the phase."""
    return 1 + draw(f"runes/{state.seed}/lot/{state.turn}/{state.extra}/{wizard.seat}", wizard.held)


def lot_text(state: State, wizard: Wizard) -> Text | None:
    """Which card a confused wizard lays down; None if the choice is free."""
    if not muddled(state, wizard):
        return None
    seat = wizard.seat.upper()
    if state.rules.confusion_pick == "neighbour" and len(people(state)) > 1:  # the automatic opponent has no hand
        return say("{seat} is confused: {other} draws the card.", seat=seat, other=neighbour(state, wizard))
    return say("{seat} is confused: card {place} from the left.", seat=seat, place=place(state, wizard))


def neighbour(state: State, wizard: Wizard) -> str:
    """The next living player clockwise, who draws it."""
    return clockwise(state, wizard.seat)[1].seat.upper()
