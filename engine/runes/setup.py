"""The state before the first action (R1-R6)."""

from __future__ import annotations

from msgspec import convert
from msgspec.structs import fields

from engine.errors import Invalid
from engine.game import Options
from engine.runes.cards import Deck
from engine.runes.state import Laying, Rules, State, Wizard
from engine.table import Seat
from engine.text import say

SEATS = ("a", "b", "c", "d")


def setup(deck: Deck, options: Options, seats: tuple[Seat, ...], seed: int) -> State:
    """A new match. Raises Invalid if the options do not go with the seats."""
    rules = _rules(options, seats)
    wizards = tuple(_wizard(seat, int(options[f"life_{seat}"])) for seat in seats)
    if rules.opponent is not None:
        life = int(options[f"life_{rules.opponent}"])
        wizards = (*wizards, Wizard(rules.opponent, life, life, hand=()))
    return State(rules, deck, seed, wizards, Laying())


def _wizard(seat: Seat, life: int) -> Wizard:
    """R5, R6."""
    return Wizard(seat, life, life)


def _rules(options: Options, seats: tuple[Seat, ...]) -> Rules:
    if len(set(seats)) != len(seats) or not 1 <= len(seats) <= len(SEATS) or not set(seats) <= set(SEATS):
        raise Invalid(say("Dueling Runes is played by one to four seats, not by {count}.", count=len(seats)), ("R1",))
    solo = options["opponent"] == "automatic"
    if solo != (len(seats) == 1):
        raise Invalid(say("One player plays against the automatic opponent; several play each other."), ("R60",))
    opponent = next(seat for seat in SEATS if seat not in seats) if solo else None
    named = {field.name: options[field.name] for field in fields(Rules)} | {"opponent": opponent}
    return convert(named, Rules)
