"""Replayable chance: SHA-256 draws from a name, the same on every machine for ever (X83)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


def draw(name: str, count: int) -> int:
    """Return a number from 0 to count-1 that depends on the name alone: game, seed and purpose."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big") % count


def shuffle(name: str, items: Sequence[T]) -> tuple[T, ...]:
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = draw(f"{name}/{last}", last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


class Stream:
    """A sequence of draws that depends on a name alone."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._counter = 0

    def below(self, limit: int) -> int:
        """Return a number from 0 to limit-1, all equally likely (rejection sampling)."""
        while True:
            block = sha256(f"{self._name}/{self._counter}".encode()).digest()
            self._counter += 1
            number = int.from_bytes(block[:8], "big")
            if number < 2**64 - 2**64 % limit:
                return number % limit

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)
