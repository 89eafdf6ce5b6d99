"""Deals and keeps the real cards of simulated matches, unseen by the referee.

`GameSpec.dealer` names each game's dealer. Seed and actions alone determine shuffles and blind draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, cast

import msgspec

from engine.catalogue import AnyGame, GameSpec, load_named
from engine.game import Words
from engine.table import Arrangement, Layout, Seat

T = TypeVar("T")


class HiddenNumber(msgspec.Struct, frozen=True):
    """A number that the referee keeps, such as "stamina"."""

    name: str
    true: int
    believed: int


class Dealer(Protocol[T]):
    """Pure functions over `T`, the real position of every card."""

    def deal(self, state: Any, seats: tuple[Seat, ...], seed: int) -> T: ...

    def real(self, table: T, state: Any, seat: Seat, words: Words) -> Words | None:
        """Return the action with each "?" replaced by a real card; None if rules or cards forbid it."""
        ...

    def holds(self, table: T, state: Any, seat: Seat, words: Words) -> bool:
        """Return True if the cards that the seat knows allow the action; hidden piles forbid nothing."""
        ...

    def face_down_cards(self, table: T, state: Any, seat: Seat, words: Words, chance: float) -> tuple[str, ...]:
        """Return the hand cards that the action lays face down. chance: 0 to 1, chooses them."""
        ...

    def follow(self, table: T, states: tuple[Any, Any], seat: Seat, words: Words, brought: tuple[str, ...]) -> T:
        """Return the cards after an accepted action. states: before and after. brought: cards laid face down. Raises
        KeyError, ValueError or IndexError if the cards cannot have done it."""
        ...

    def hand(self, table: T, seat: Seat) -> tuple[str, ...]: ...

    def stacks(self, table: T) -> Mapping[str, tuple[str, ...]]:
        """Return the piles by zone, lowest card first."""
        ...

    def away(self, table: T) -> tuple[str, ...]:
        """Return the cards in hands or set aside."""
        ...

    def agrees(self, table: T, state: Any) -> bool:
        """Return True if the real cards fit the referee's knowledge."""
        ...

    def figures(self, table: T, state: Any, shown: Layout) -> tuple[HiddenNumber, ...]:
        """Return the referee's numbers with their true values. shown: the real layout."""
        ...


def marked_cell(shown: Layout, zone: str) -> int:
    """Return the cell of a track's marker, from 0; -1 unless exactly one holds a piece."""
    found = [place for place, piece in enumerate(shown.zone(zone).pieces) if piece is not None]
    return found[0] if len(found) == 1 and shown.zone(zone).order is Arrangement.CELLS else -1


AnyDealer = Dealer[Any]


def dealer(spec: GameSpec, game: AnyGame) -> AnyDealer | None:
    """Return a game's dealer, or None. Raises ImportError or AttributeError if the named one is missing."""
    return None if spec.dealer is None else cast(AnyDealer, load_named(spec.dealer)(game))
