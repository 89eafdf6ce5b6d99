"""The interface of a dealer, who holds the real cards that the referee does not see. For simulated players.

A game whose players hold cards may have a dealer; the catalogue names its factory (`GameSpec.dealer`). Nothing of it
reaches the referee. Pure: every shuffle and blind draw comes from the seed of the deal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from engine.game import Words
from engine.table import Arrangement, Layout, Seat

T = TypeVar("T")


class HiddenNumber(msgspec.Struct, frozen=True):
    """A number that the referee keeps, beside what it truly is. name: what is counted, whoever has it ("stamina")."""

    name: str
    true: int
    believed: int


class Dealer(Protocol[T]):
    """Every method is a pure function of its arguments. T: where every card really is."""

    def deal(self, state: Any, seats: tuple[Seat, ...], seed: int) -> T:
        """The cards of a match that was just set up."""
        ...

    def real(self, table: T, state: Any, seat: Seat, words: Words) -> Words | None:
        """The legal action as the real cards have it ("?" named); None if the hand cannot do it."""
        ...

    def holds(self, table: T, state: Any, seat: Seat, words: Words) -> bool:
        """Return True if the cards that the seat itself knows can do a legal action. What a pile hides forbids
        nothing."""
        ...

    def face_down_cards(self, table: T, state: Any, seat: Seat, words: Words, chance: float) -> tuple[str, ...]:
        """The cards that the action lays down out of the hand with their faces hidden; chance (0 to 1) chooses."""
        ...

    def follow(self, table: T, states: tuple[Any, Any], seat: Seat, words: Words, brought: tuple[str, ...]) -> T:
        """The cards after an action that was accepted, and all that followed from it. states: before it and after."""
        ...

    def hand(self, table: T, seat: Seat) -> tuple[str, ...]:
        """The cards that a seat holds."""
        ...

    def stacks(self, table: T) -> Mapping[str, tuple[str, ...]]:
        """The piles by their zone, the lowest card first."""
        ...

    def away(self, table: T) -> tuple[str, ...]:
        """Every card that lies on no zone: in hands, or set aside."""
        ...

    def agrees(self, table: T, state: Any) -> bool:
        """Return True if the truth is one that the referee's knowledge allows."""
        ...

    def figures(self, table: T, state: Any, shown: Layout) -> tuple[HiddenNumber, ...]:
        """Every number that the referee keeps and the table knows. shown: what truly lies on the table."""
        ...


def marked_cell(shown: Layout, zone: str) -> int:
    """The number of the cell in which the marker of a track lies; -1 if it lies in none."""
    found = [place for place, piece in enumerate(shown.zone(zone).pieces) if piece is not None]
    return found[0] if len(found) == 1 and shown.zone(zone).order is Arrangement.CELLS else -1


AnyDealer = Dealer[Any]
