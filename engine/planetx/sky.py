"""The sky: modes, sectors as bits, and what each kind of object may do alone (X1-X7).

A set of sectors is an integer with bit s-1 for sector s. Functions on masks take Python integers and NumPy arrays
of unsigned integers alike.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, TypeVar, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

Masks = NDArray[np.uint32]
M = TypeVar("M", int, Masks)

KINDS = "ACDEGX"
"""Asteroid, comet, dwarf planet, truly empty, gas cloud, Planet X (X1)."""


class Mode(msgspec.Struct, frozen=True):
    """A size of the game: sectors, how many of each kind, where comets may stand (X2, X3).

    dwarf_band: the dwarf planets span exactly so many sectors (X7); None if there is no such rule.
    """

    name: str
    sectors: int
    counts: tuple[tuple[str, int], ...]
    comet_sectors: tuple[int, ...]
    dwarf_band: int | None

    def count(self, kind: str) -> int:
        """How many sectors hold `kind` (X2)."""
        return dict(self.counts)[kind]

    @property
    def full(self) -> int:
        """The mask of every sector."""
        return (1 << self.sectors) - 1

    @property
    def half(self) -> int:
        """How many sectors are visible at once, and how far away "opposite" is (X22)."""
        return self.sectors // 2


STANDARD = Mode(
    name="standard",
    sectors=12,
    counts=(("A", 4), ("C", 2), ("D", 1), ("E", 2), ("G", 2), ("X", 1)),
    comet_sectors=(2, 3, 5, 7, 11),
    dwarf_band=None,
)
EXPERT = Mode(
    name="expert",
    sectors=18,
    counts=(("A", 4), ("C", 2), ("D", 4), ("E", 5), ("G", 2), ("X", 1)),
    comet_sectors=(2, 3, 5, 7, 11, 13, 17),
    dwarf_band=6,
)
MODES = {mode.name: mode for mode in (STANDARD, EXPERT)}


def bit(sector: int) -> int:
    """The mask of one sector, 1-based."""
    return 1 << (sector - 1)


def mask_of(sectors: tuple[int, ...]) -> int:
    """The mask of several sectors."""
    return sum(bit(sector) for sector in set(sectors))


def sectors_of(mask: int) -> tuple[int, ...]:
    """The sectors of a mask, ascending."""
    return tuple(s + 1 for s in range(mask.bit_length()) if mask >> s & 1)


def wrap(sector: int, n: int) -> int:
    """A sector number brought back to 1..n."""
    return (sector - 1) % n + 1


def run(first: int, last: int, n: int) -> tuple[int, ...]:
    """The sectors from `first` clockwise to `last`, both included."""
    return tuple(wrap(first + k, n) for k in range((last - first) % n + 1))


def turned(mask: M, steps: int, n: int) -> M:
    """Every sector of the mask moved `steps` clockwise."""
    steps %= n
    moved: M = cast(Any, (mask << steps) | (mask >> (n - steps))) & ((1 << n) - 1)
    return moved


def beside(mask: M, n: int) -> M:
    """The sectors adjacent to one of the mask (distance 1)."""
    return turned(mask, 1, n) | turned(mask, -1, n)


def opposite(mask: M, n: int) -> M:
    """The sectors opposite one of the mask."""
    return turned(mask, n // 2, n)


def within(mask: M, reach: int, n: int) -> M:
    """The sectors at a distance of 1..reach from one of the mask. `reach` is at most n/2."""
    near = beside(mask, n)
    for distance in range(2, reach + 1):
        near = near | turned(mask, distance, n) | turned(mask, -distance, n)
    return near


def bands(length: int, n: int) -> tuple[int, ...]:
    """The masks of all bands of so many sectors; they may wrap."""
    return tuple(turned((1 << length) - 1, start, n) for start in range(n if length < n else 1))


def placements(mode: Mode, kind: str) -> tuple[int, ...]:
    """Every mask that `kind` may take by the clauses that speak of it alone, ascending."""
    allowed = mode.comet_sectors if kind == "C" else tuple(range(1, mode.sectors + 1))  # X3
    masks = (mask_of(chosen) for chosen in combinations(allowed, mode.count(kind)))
    return tuple(sorted(mask for mask in masks if stands_alone(mode, kind, mask)))


def stands_alone(mode: Mode, kind: str, mask: int) -> bool:
    """Whether a set of sectors satisfies X4 (asteroids) or X7 (expert dwarf planets)."""
    if kind == "A":
        return mask & ~beside(mask, mode.sectors) == 0
    if kind == "D" and mode.dwarf_band is not None:
        return spans(mask, mode.dwarf_band, mode.sectors)
    return True


def spans(mask: int, length: int, n: int) -> bool:
    """Whether the mask lies in a band of exactly so many sectors, with one at each end (X7)."""
    ends = 1 | 1 << (length - 1)
    return any(mask & ~band == 0 and turned(ends, k, n) & ~mask == 0 for k, band in enumerate(bands(length, n)))
