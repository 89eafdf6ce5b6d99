"""The sky: kinds, modes, sector masks and legal boards.

A set of sectors is an integer with bit s-1 for sector s. `beside`, `opposite` and `within` also take one for every
board (`engine.planetx.boards.Masks`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from engine.errors import Violation
from engine.text import say

if TYPE_CHECKING:
    from engine.planetx.boards import Masks

M = TypeVar("M", int, "Masks")

KINDS = "ACDEGX"
"""Asteroid, comet, dwarf planet, truly empty, gas cloud, Planet X (X1)."""

WORDS = {"A": "asteroid", "C": "comet", "D": "dwarf", "E": "empty", "G": "gas"}
KIND_OF_WORD = {word: kind for kind, word in WORDS.items()}

NAMES = {
    "A": say("asteroid"),
    "C": say("comet"),
    "D": say("dwarf planet"),
    "E": say("empty"),
    "G": say("gas cloud"),
    "X": say("Planet X"),
}
PLURALS = {
    "A": say("asteroids"),
    "C": say("comets"),
    "D": say("dwarf planets"),
    "E": say("empty sectors"),
    "G": say("gas clouds"),
    "X": say("Planet X"),
}


class SkyMode(msgspec.Struct, frozen=True):
    """A size of the game (X2, X3). dwarf_band: sectors that dwarf planets must span, or None."""

    name: str
    sectors: int
    counts: tuple[tuple[str, int], ...]
    comet_sectors: tuple[int, ...]
    dwarf_band: int | None

    def count(self, kind: str) -> int:
        return dict(self.counts)[kind]

    @property
    def full(self) -> int:
        return (1 << self.sectors) - 1

    @property
    def half(self) -> int:
        return self.sectors // 2


STANDARD = SkyMode(
    name="standard",
    sectors=12,
    counts=(("A", 4), ("C", 2), ("D", 1), ("E", 2), ("G", 2), ("X", 1)),
    comet_sectors=(2, 3, 5, 7, 11),
    dwarf_band=None,
)
EXPERT = SkyMode(
    name="expert",
    sectors=18,
    counts=(("A", 4), ("C", 2), ("D", 4), ("E", 5), ("G", 2), ("X", 1)),
    comet_sectors=(2, 3, 5, 7, 11, 13, 17),
    dwarf_band=6,
)
MODES = {mode.name: mode for mode in (STANDARD, EXPERT)}


def bit(sector: int) -> int:
    return 1 << (sector - 1)


def mask_of(sectors: tuple[int, ...]) -> int:
    return sum(bit(sector) for sector in set(sectors))


def sectors_of(mask: int) -> tuple[int, ...]:
    return tuple(s + 1 for s in range(mask.bit_length()) if mask >> s & 1)


def wrap(sector: int, n: int) -> int:
    return (sector - 1) % n + 1


def run(first: int, last: int, n: int) -> tuple[int, ...]:
    if first <= last:
        return tuple(range(first, last + 1))
    return (*range(first, n + 1), *range(1, last + 1))


def half_from(mode: SkyMode, first: int) -> tuple[int, ...]:
    return run(first, wrap(first + mode.half - 1, mode.sectors), mode.sectors)


def turn_mask(mask: M, steps: int, n: int) -> M:
    steps %= n
    moved: M = cast(Any, (mask << steps) | (mask >> (n - steps))) & ((1 << n) - 1)
    return moved


def beside(mask: M, n: int) -> M:
    return turn_mask(mask, 1, n) | turn_mask(mask, -1, n)


def opposite(mask: M, n: int) -> M:
    return turn_mask(mask, n // 2, n)


def within(mask: M, reach: int, n: int) -> M:
    near = beside(mask, n)
    for distance in range(2, reach + 1):
        near = near | turn_mask(mask, distance, n) | turn_mask(mask, -distance, n)
    return near


def bands(length: int, n: int) -> tuple[int, ...]:
    """Return masks of all bands of this length, which may wrap (X7)."""
    return tuple(turn_mask((1 << length) - 1, start, n) for start in range(n if length < n else 1))


def placements(mode: SkyMode, kind: str) -> tuple[int, ...]:
    """Return masks allowed by a kind's own clauses (X3, X4, X7), ascending."""
    allowed = mode.comet_sectors if kind == "C" else tuple(range(1, mode.sectors + 1))
    masks = (mask_of(chosen) for chosen in combinations(allowed, mode.count(kind)))
    return tuple(sorted(mask for mask in masks if _stands_alone(mode, kind, mask)))


def _stands_alone(mode: SkyMode, kind: str, mask: int) -> bool:
    if kind == "A":
        return single(mask, mode.sectors) == 0
    if kind == "D" and mode.dwarf_band is not None:
        return spans(mask, mode.dwarf_band, mode.sectors)
    return True


def single(asteroids: int, n: int) -> int:
    """Return asteroids without an adjacent one (X4)."""
    return asteroids & ~beside(asteroids, n)


def dry(clouds: int, empty: int, n: int) -> int:
    """Return gas clouds without an adjacent truly empty sector (X5)."""
    return clouds & ~beside(empty, n)


def around_planet_x(planet: int, dwarfs: int, n: int) -> int:
    """Return Planet X if adjacent to a dwarf planet (X6)."""
    return planet & beside(dwarfs, n)


def spans(mask: int, length: int, n: int) -> bool:
    """Return True if the mask spans exactly `length` sectors (X7)."""
    ends = 1 | 1 << (length - 1)
    return any(mask & ~band == 0 and turn_mask(ends, k, n) & ~mask == 0 for k, band in enumerate(bands(length, n)))


@lru_cache(maxsize=64)
def board_masks(board: str) -> Mapping[str, int]:
    return {kind: mask_of(tuple(s for s, letter in enumerate(board, 1) if letter == kind)) for kind in KINDS}


def faults(mode: SkyMode, board: str) -> tuple[Violation, ...]:
    if len(board) != mode.sectors or not set(board) <= set(KINDS):
        text = say("A board has {n} letters from {letters}.", n=mode.sectors, letters=KINDS)
        return (Violation("X1", text),)
    masks = board_masks(board)
    return (*_numbers(mode, masks), *_places(mode, masks))


def _numbers(mode: SkyMode, masks: Mapping[str, int]) -> tuple[Violation, ...]:
    wrong = [kind for kind in KINDS if masks[kind].bit_count() != mode.count(kind)]
    return tuple(
        Violation(
            "X2",
            say(
                "Number of {objects}: {found}; there must be {count}.",
                found=masks[kind].bit_count(),
                objects=PLURALS[kind],
                count=mode.count(kind),
            ),
        )
        for kind in wrong
    )


def _places(mode: SkyMode, masks: Mapping[str, int]) -> tuple[Violation, ...]:
    n = mode.sectors
    comets = _list_text(masks["C"] & ~mask_of(mode.comet_sectors))
    asteroids = _list_text(single(masks["A"], n))
    clouds = _list_text(dry(masks["G"], masks["E"], n))
    planet = _list_text(around_planet_x(masks["X"], masks["D"], n))
    broken = []
    if comets:
        broken.append(Violation("X3", say("The comets in sectors {sectors} are not allowed there.", sectors=comets)))
    if asteroids:
        text = say("The asteroids in sectors {sectors} touch no other asteroid.", sectors=asteroids)
        broken.append(Violation("X4", text))
    if clouds:
        text = say("The gas clouds in sectors {sectors} touch no truly empty sector.", sectors=clouds)
        broken.append(Violation("X5", text))
    if planet:
        broken.append(Violation("X6", say("Planet X in sector {sectors} touches a dwarf planet.", sectors=planet)))
    if mode.dwarf_band is not None and not spans(masks["D"], mode.dwarf_band, n):
        text = say("The dwarf planets do not span a band of exactly {n} sectors.", n=mode.dwarf_band)
        broken.append(Violation("X7", text))
    return tuple(broken)


def _list_text(mask: int) -> str:
    return ", ".join(map(str, sectors_of(mask)))
