"""The sky: kinds of object, modes, sectors as bits, when a board is legal, and every legal board as arrays.

A set of sectors is an integer with bit s-1 for sector s. Functions on masks take Python integers and NumPy arrays
of unsigned integers alike.

Of all boards at once (X8) each is five small numbers: for A, C, D, G and X the number of its placement in a short list
of masks; truly empty is what is left. So all 1,138,272 expert boards take 5.7 MB, and a fact is judged on the
placements, not on the boards.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from hashlib import sha256
from itertools import combinations
from typing import Any, TypeAlias, TypeVar, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.errors import Breach
from engine.text import say

Masks = NDArray[np.uint32]
M = TypeVar("M", int, Masks)

KINDS = "ACDEGX"
"""Asteroid, comet, dwarf planet, truly empty, gas cloud, Planet X (X1)."""

WORDS = {"A": "asteroid", "C": "comet", "D": "dwarf", "E": "empty", "G": "gas"}
"""The word of each kind that can be surveyed, named or submitted; Planet X has none."""
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


class Mode(msgspec.Struct, frozen=True):
    """A size of the game (X2, X3): sectors, how many of each kind, where comets may stand.

    dwarf_band: the dwarf planets span exactly so many sectors; None if there is no such rule.
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
        """How many sectors are visible at once, and how far away "opposite" is."""
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
    if first <= last:
        return tuple(range(first, last + 1))
    return (*range(first, n + 1), *range(1, last + 1))


def half_from(mode: Mode, first: int) -> tuple[int, ...]:
    """Half the circle, clockwise from a sector."""
    return run(first, wrap(first + mode.half - 1, mode.sectors), mode.sectors)


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
    """The masks of all bands of so many sectors; they may wrap (X7)."""
    return tuple(turned((1 << length) - 1, start, n) for start in range(n if length < n else 1))


def placements(mode: Mode, kind: str) -> tuple[int, ...]:
    """Every mask that `kind` may take by the clauses that speak of it alone (X3, X4, X7), ascending."""
    allowed = mode.comet_sectors if kind == "C" else tuple(range(1, mode.sectors + 1))
    masks = (mask_of(chosen) for chosen in combinations(allowed, mode.count(kind)))
    return tuple(sorted(mask for mask in masks if _stands_alone(mode, kind, mask)))


def _stands_alone(mode: Mode, kind: str, mask: int) -> bool:
    if kind == "A":
        return single(mask, mode.sectors) == 0
    if kind == "D" and mode.dwarf_band is not None:
        return spans(mask, mode.dwarf_band, mode.sectors)
    return True


def single(asteroids: int, n: int) -> int:
    """The asteroids that touch no other (X4)."""
    return asteroids & ~beside(asteroids, n)


def dry(clouds: M, empty: M, n: int) -> M:
    """The gas clouds that touch no truly empty sector (X5)."""
    return clouds & ~beside(empty, n)


def crowded(planet: M, dwarfs: M, n: int) -> M:
    """Planet X, where it touches a dwarf planet (X6)."""
    return planet & beside(dwarfs, n)


def spans(mask: int, length: int, n: int) -> bool:
    """Whether the mask lies in a band of exactly so many sectors, with one at each end (X7)."""
    ends = 1 | 1 << (length - 1)
    return any(mask & ~band == 0 and turned(ends, k, n) & ~mask == 0 for k, band in enumerate(bands(length, n)))


@lru_cache(maxsize=64)
def board_masks(board: str) -> Mapping[str, int]:
    """The mask of every kind on one board, given as letters in sector order."""
    return {kind: mask_of(tuple(s for s, letter in enumerate(board, 1) if letter == kind)) for kind in KINDS}


def faults(mode: Mode, board: str) -> tuple[Breach, ...]:
    """Every clause that a board of letters breaks; () if it is legal."""
    if len(board) != mode.sectors or not set(board) <= set(KINDS):
        text = say("A board has {n} letters among {letters}.", n=mode.sectors, letters=KINDS)
        return (Breach("X1", text),)
    masks = board_masks(board)
    return (*_numbers(mode, masks), *_places(mode, masks))


def _numbers(mode: Mode, masks: Mapping[str, int]) -> tuple[Breach, ...]:
    """How many of each kind there are."""
    wrong = [kind for kind in KINDS if masks[kind].bit_count() != mode.count(kind)]
    return tuple(
        Breach(
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


def _places(mode: Mode, masks: Mapping[str, int]) -> tuple[Breach, ...]:
    """Where they stand."""
    n = mode.sectors
    comets = _listed(masks["C"] & ~mask_of(mode.comet_sectors))
    asteroids = _listed(single(masks["A"], n))
    clouds = _listed(dry(masks["G"], masks["E"], n))
    planet = _listed(crowded(masks["X"], masks["D"], n))
    broken = []
    if comets:
        broken.append(Breach("X3", say("The comets in sectors {sectors} are not allowed there.", sectors=comets)))
    if asteroids:
        text = say("The asteroids in sectors {sectors} touch no other asteroid.", sectors=asteroids)
        broken.append(Breach("X4", text))
    if clouds:
        text = say("The gas clouds in sectors {sectors} touch no truly empty sector.", sectors=clouds)
        broken.append(Breach("X5", text))
    if planet:
        broken.append(Breach("X6", say("Planet X in sector {sectors} touches a dwarf planet.", sectors=planet)))
    if mode.dwarf_band is not None and not spans(masks["D"], mode.dwarf_band, n):
        text = say("The dwarf planets do not span a band of exactly {n} sectors.", n=mode.dwarf_band)
        broken.append(Breach("X7", text))
    return tuple(broken)


def _listed(mask: int) -> str:
    return ", ".join(map(str, sectors_of(mask)))


# --- every legal board


Truths: TypeAlias = "NDArray[np.bool_]"
Counts: TypeAlias = "NDArray[np.uint8]"

PLACED = "ACDGX"
_HEADER = struct.Struct("<8s16sII")
_MAGIC = b"PXBOARD1"


class Boards:
    """A set of legal boards of one mode, sorted by their letters. Never changed after it was made."""

    def __init__(self, mode: Mode, columns: NDArray[np.uint8]) -> None:
        """columns: shape (5, boards), the numbers of the placements of A, C, D, G, X."""
        self.mode = mode
        self.columns = columns

    def __len__(self) -> int:
        return int(self.columns.shape[1])

    def column(self, kind: str) -> NDArray[np.uint8]:
        """The numbers of the placements of one kind, one a board."""
        row: NDArray[np.uint8] = self.columns[PLACED.index(kind)]
        return row

    def masks(self, kind: str) -> Masks:
        """The sectors that hold `kind`, one mask a board. E is what the others leave."""
        if kind != "E":
            return placement_masks(self.mode, kind)[self.column(kind)]
        taken = np.zeros(len(self), np.uint32)
        for placed in PLACED:
            taken |= self.masks(placed)
        return taken ^ np.uint32(self.mode.full)

    def where(self, keep: Truths | NDArray[np.intp]) -> Boards:
        """The boards that a truth value or a number picks."""
        picked = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep
        return Boards(self.mode, np.take(self.columns, picked, axis=1))

    def of_one(self, kind: str, judge: Callable[[Masks], NDArray[np.generic]]) -> NDArray[np.generic]:
        """What `judge` says of the masks of one kind, one value a board."""
        if kind == "E":
            return judge(self.masks(kind))
        return np.take(judge(placement_masks(self.mode, kind)), self.column(kind))

    def of_two(self, p: str, q: str, judge: Callable[[Masks, Masks], Truths]) -> Truths:
        """What `judge` says of the masks of two kinds, one truth value a board."""
        if "E" in (p, q):
            return judge(self.masks(p), self.masks(q))
        first, second = placement_masks(self.mode, p), placement_masks(self.mode, q)
        table = judge(np.repeat(first, len(second)), np.tile(second, len(first)))
        number = self.column(p).astype(np.uint16) * np.uint16(len(second)) + self.column(q)
        return np.take(table, number)

    def letters(self, number: int) -> str:
        """One board as letters in sector order."""
        board = ["E"] * self.mode.sectors
        for kind in PLACED:
            for sector in sectors_of(int(placement_masks(self.mode, kind)[self.column(kind)[number]])):
                board[sector - 1] = kind
        return "".join(board)

    def spelt(self) -> NDArray[np.uint8]:
        """All boards as ASCII letters, shape (boards, sectors)."""
        letters = np.full((len(self), self.mode.sectors), ord("E"), np.uint8)
        for kind in PLACED:
            masks = self.masks(kind)
            for s in range(self.mode.sectors):
                letters[(masks >> np.uint32(s) & np.uint32(1)).astype(np.bool_), s] = ord(kind)
        return letters

    def per_sector(self) -> tuple[int, ...]:
        """In how many boards each sector holds Planet X."""
        masks = self.masks("X")
        return tuple(int(np.count_nonzero(masks & np.uint32(1 << s))) for s in range(self.mode.sectors))

    def digest(self) -> str:
        """SHA-256 of the boards, one a line."""
        lines = np.full((len(self), self.mode.sectors + 1), ord("\n"), np.uint8)
        lines[:, :-1] = self.spelt()
        return sha256(lines.tobytes()).hexdigest()


@cache
def placement_masks(mode: Mode, kind: str) -> Masks:
    """The placements of one kind as an array."""
    return np.array(placements(mode, kind), np.uint32)


@cache
def legal_boards(mode: Mode) -> Boards:
    """Every legal board of the mode, made once (X8)."""
    return enumerate_boards(mode)


def enumerate_boards(mode: Mode) -> Boards:
    """Every board that the clauses of the sky admit (X8), from nothing, sorted by letters."""
    place = {kind: placement_masks(mode, kind) for kind in PLACED}
    chosen: dict[str, NDArray[np.uint8]] = {}
    taken = np.zeros(1, np.uint32)
    for kind in "DACX":
        rows, numbers = np.nonzero((taken[:, None] & place[kind][None, :]) == 0)
        chosen = {k: v[rows] for k, v in chosen.items()} | {kind: numbers.astype(np.uint8)}
        taken = taken[rows] | place[kind][numbers]
    beside_dwarfs = crowded(place["X"][:, None], place["D"][None, :], mode.sectors)
    apart = beside_dwarfs[chosen["X"], chosen["D"]] == 0
    chosen, taken = {k: v[apart] for k, v in chosen.items()}, taken[apart]
    rows, gas = _with_gas(mode, taken)
    columns = np.stack([gas if kind == "G" else chosen[kind][rows] for kind in PLACED])
    return Boards(mode, np.take(columns, np.argsort(_order(mode, columns)), axis=1))


def _with_gas(mode: Mode, taken: Masks) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """Each row joined with each placement of gas clouds that leaves every cloud a truly empty neighbour."""
    rows, numbers = [], []
    for number, gas in enumerate(placement_masks(mode, "G")):
        free = np.flatnonzero((taken & gas) == 0)
        empty = (taken[free] | gas) ^ np.uint32(mode.full)
        fits = free[dry(gas, empty, mode.sectors) == 0]
        rows.append(fits)
        numbers.append(np.full(len(fits), number, np.uint8))
    return np.concatenate(rows), np.concatenate(numbers)


def _order(mode: Mode, columns: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """A number a board that sorts as its letters do: three bits a sector, sector 1 first."""

    def key(kind: str) -> NDArray[np.uint64]:
        weight = KINDS.index(kind) - KINDS.index("E")
        values = [
            sum(weight * 8 ** (mode.sectors - s) for s in sectors_of(int(mask))) % 2**64
            for mask in placement_masks(mode, kind)
        ]
        return np.array(values, np.uint64)

    total = np.full(columns.shape[1], sum(KINDS.index("E") * 8**s for s in range(mode.sectors)), np.uint64)
    for kind, column in zip(PLACED, columns, strict=True):
        total += key(kind)[column]
    return total


def pack(boards: Boards) -> bytes:
    """The boards as bytes: a header with mode, number and checksum, then the columns."""
    body = np.ascontiguousarray(boards.columns).tobytes()
    return _HEADER.pack(_MAGIC, boards.mode.name.encode(), len(boards), zlib.crc32(body)) + body


def unpack(data: bytes) -> Boards:
    """The boards in `data`, without a copy. Raises ValueError if the bytes are not whole."""
    if len(data) < _HEADER.size:
        raise ValueError("a store of boards must begin with its header: build it again")
    magic, name, count, checksum = _HEADER.unpack_from(data)
    mode = MODES.get(name.rstrip(b"\0").decode("ascii", "replace"))
    body = memoryview(data)[_HEADER.size :]
    if magic != _MAGIC or mode is None or len(body) != count * len(PLACED) or zlib.crc32(body) != checksum:
        raise ValueError("the store of boards is damaged or of another version: build it again")
    return Boards(mode, np.frombuffer(body, np.uint8).reshape(len(PLACED), count))
