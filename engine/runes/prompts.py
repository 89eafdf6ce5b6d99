"""What each audience is asked or told now, in one line."""

from __future__ import annotations

from engine.runes.asking import asked, asked_to_forget
from engine.runes.lots import lot_text
from engine.runes.names import SPELLS as NAMES
from engine.runes.names import SUITS
from engine.runes.phases import result
from engine.runes.planning import place
from engine.runes.state import (
    Casting,
    Drawing,
    Forgetting,
    Keeping,
    Last,
    Laying,
    Over,
    Paying,
    Planning,
    Responding,
    Revealing,
    State,
    Turning,
    wizard_at,
)
from engine.table import Seat
from engine.text import Text, say


def prompt(state: State, seat: Seat | None) -> Text:
    """A question to those who may act, and to the others whose answer is waited for."""
    if isinstance(state.phase, Over):
        return result(state.phase)
    seats = asked(state)
    if seat is not None and seat in seats:
        return _question(state, seat)
    return _waiting(state, " / ".join(sorted(other.upper() for other in seats)))


def _question(state: State, seat: Seat) -> Text:  # noqa: PLR0911 -- one line a phase
    match state.phase:
        case Laying():
            lot = lot_text(state, wizard_at(state, seat))
            return lot if lot is not None else say("Lay a card face down.")
        case Revealing():
            return say("Turn your card up and lay it at the right end of your row.")
        case Planning() | Casting():
            found = place(state, seat)
            assert found is not None
            return say("{rune}: cast a spell, or pass.", rune=SUITS[found[1].rune])
        case Responding():
            return say("Answer it, or pass.")
        case Paying(special=special):
            return say("{spell}: discard a card that shows what is needed.", spell=NAMES[special])
        case Forgetting() as phase:
            spell = asked_to_forget(state, phase, seat)
            count = len(spell.cards) if spell is not None else 0
            return say("Cards to turn down: up to {count}.", count=count)
        case Last():
            return say("A last Counter Spell, or pass.")
        case Drawing():
            return say("Draw a card.")
        case _:
            return wanted(state)


def _waiting(state: State, who: str) -> Text:  # noqa: PLR0911 -- one line a phase
    match state.phase:
        case Laying():
            return say("{seat}: lay a card.", seat=who)
        case Revealing():
            return say("{seat}: reveal.", seat=who)
        case Planning():
            return say("{seat}: choose all spells in secret.", seat=who)
        case Casting(slots):
            return say("{rune}: {seat} may cast.", rune=SUITS[slots[0].rune], seat=who)
        case Responding() | Last():
            return say("{seat} may answer.", seat=who)
        case Paying(special=special):
            return say("{seat} pays: {spell}.", seat=who, spell=NAMES[special])
        case Forgetting():
            return say("{seat} chooses what is turned down.", seat=who)
        case Drawing():
            return say("{seat} draws.", seat=who)
        case _:
            return wanted(state)


def wanted(state: State) -> Text:  # noqa: PLR0911, C901 -- one line a phase
    """What has its place now, for everybody."""
    match state.phase:
        case Laying():
            return say("Cards are laid face down now.")
        case Turning():
            return say("Turn the top card of the pile up for {seat}.", seat=str(state.rules.opponent).upper())
        case Keeping():
            return say("{seat} is confused: keep the card, or turn another.", seat=str(state.rules.opponent).upper())
        case Revealing():
            return say("The cards laid down are turned up now.")
        case Planning():
            return say("All spells are chosen in secret now.")
        case Casting():
            return say("Spells are announced now.")
        case Responding():
            return say("A spell waits to take effect.")
        case Paying():
            return say("A special spell is being paid.")
        case Forgetting():
            return say("Cards to be turned down are chosen now.")
        case Last():
            return say("The turn is about to end.")
        case Drawing():
            return say("Cards are drawn now.")
        case Over():
            return say("The match is over.")
