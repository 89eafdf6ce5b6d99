"""Holds the real hidden cards of games for simulated players; the referee never sees them.

The catalogue names each game's dealer (`GameSpec.dealer`). Shuffles and blind draws depend on the deal's seed alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, cast

import msgspec

from engine.catalogue import AnyGame, GameSpec, load_named
from engine.game import Words
from engine.table import Arrangement, Layout, Seat

T = TypeVar("T")


class HiddenNumber(msgspec.Struct, frozen=True):
    """A number that the referee keeps, such as "stamina", with its true value."""

    name: str
    true: int
    believed: int


class Dealer(Protocol[T]):
    """Pure functions over `T`, the real position of every card."""

    def deal(self, state: Any, seats: tuple[Seat, ...], seed: int) -> T: ...

    def real(self, table: T, state: Any, seat: Seat, words: Words) -> Words | None:
        """Return the legal action with each "?" replaced by a real card; None if the hand cannot do it."""
        ...

    def holds(self, table: T, state: Any, seat: Seat, words: Words) -> bool:
        """Return True if the cards that the seat knows allow a legal action. Hidden piles forbid nothing."""
        ...

    def face_down_cards(self, table: T, state: Any, seat: Seat, words: Words, chance: float) -> tuple[str, ...]:
        """Return the cards that the action lays face down from the hand; `chance` (0 to 1) chooses."""
        ...

    def follow(self, table: T, states: tuple[Any, Any], seat: Seat, words: Words, brought: tuple[str, ...]) -> T:
        """Return the cards after an accepted action and its consequences. states: before and after."""
        ...

    def hand(self, table: T, seat: Seat) -> tuple[str, ...]: ...

    def stacks(self, table: T) -> Mapping[str, tuple[str, ...]]:
        """Return the piles by zone, lowest card first."""
        ...

    def away(self, table: T) -> tuple[str, ...]:
        """Return every card outside all zones: in hands or set aside."""
        ...

    def agrees(self, table: T, state: Any) -> bool:
        """Return True if the real cards are possible by the referee's knowledge."""
        ...

    def figures(self, table: T, state: Any, shown: Layout) -> tuple[HiddenNumber, ...]:
        """Return the numbers that the referee keeps, with their true values. shown: the real layout."""
        ...


def marked_cell(shown: Layout, zone: str) -> int:
    """Return the cell number of a track's marker; -1 unless exactly one cell holds a piece."""
    found = [place for place, piece in enumerate(shown.zone(zone).pieces) if piece is not None]
    return found[0] if len(found) == 1 and shown.zone(zone).order is Arrangement.CELLS else -1


AnyDealer = Dealer[Any]


def dealer(spec: GameSpec, game: AnyGame) -> AnyDealer | None:
    """Make a game's dealer; None if it has none. Raises ImportError or AttributeError if it is missing."""
    return None if spec.dealer is None else cast(AnyDealer, load_named(spec.dealer)(game))
