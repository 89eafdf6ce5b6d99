"""Chance that can be replayed: draws by SHA-256 from a name, the same on every machine and for ever (X83)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


def draw(name: str, count: int) -> int:
    """A number below `count`. The name is all that it depends on: game, seed and what is drawn for."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big") % count


def shuffle(name: str, items: Sequence[T]) -> tuple[T, ...]:
    """The items in an order that depends on the name alone (Fisher-Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = draw(f"{name}/{last}", last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


class Stream:
    """Numbers drawn one after another from a name. The name is all that they depend on."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._counter = 0

    def below(self, limit: int) -> int:
        """A number from 0 to limit-1, each equally likely: draws beyond the last whole multiple are thrown away."""
        while True:
            block = sha256(f"{self._name}/{self._counter}".encode()).digest()
            self._counter += 1
            number = int.from_bytes(block[:8], "big")
            if number < 2**64 - 2**64 % limit:
                return number % limit

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        """The items in a drawn order (Fisher-Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)
