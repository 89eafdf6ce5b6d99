"""All legal boards of a mode at once (X8), as arrays: the one module of the engine that counts with NumPy.

A board is five small numbers: for A, C, D, G and X the number of its placement in a short list of masks; truly empty
is what is left. So all 1,138,272 expert boards take 5.7 MB, and a fact is judged on the placements, not on the boards.
Plain integers take 7 times as long to find the expert boards, and 190 MB. This module gives truth values, one a board,
and sets of boards: integers with one bit a board, the first board highest.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from typing import TypeAlias, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.planetx.sky import KINDS, MODES, SkyMode, around_planet_x, dry, placements, sectors_of

Masks: TypeAlias = NDArray[np.uint32]
Truths: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = NDArray[np.uint8]
Each = TypeVar("Each", bound=np.generic)

PLACED = "ACDGX"
_HEADER = struct.Struct("<8s16sII")
_MAGIC = b"PXBOARD1"


class Sample(msgspec.Struct, frozen=True):
    """Some boards. number: how many; at: for each kind and sector the set of boards that hold it there."""

    number: int
    at: Mapping[str, tuple[int, ...]]


class Boards:
    """A set of legal boards of one mode, sorted by their letters. Never changed after it was made."""

    def __init__(self, mode: SkyMode, columns: NDArray[np.uint8]) -> None:
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

    def where(self, keep: Truths) -> Boards:
        """Return the boards that a truth value picks."""
        return Boards(self.mode, np.take(self.columns, np.flatnonzero(keep), axis=1))

    def sample(self, most: int) -> Sample:
        """Pick at most so many boards, evenly."""
        picked = Boards(self.mode, self.columns[:, :: -(-len(self) // most)])
        sectors = range(self.mode.sectors)
        return Sample(
            len(picked),
            {
                kind: tuple(as_set(masks >> np.uint32(s) & np.uint32(1)) for s in sectors)
                for kind, masks in ((kind, picked.masks(kind)) for kind in KINDS)
            },
        )

    def counts(self, kind: str, sectors: tuple[int, ...]) -> Counts:
        """Count the sectors that show a kind, one number a board; Planet X shows as empty."""

        def number(masks: Masks) -> Counts:
            shown = [((masks >> np.uint32(sector - 1)) & np.uint32(1)).astype(np.uint8) for sector in sectors]
            return np.asarray(np.sum(shown, axis=0, dtype=np.uint8))

        if kind != "E":
            return self.of_one(kind, number)
        total = np.full(len(self), len(sectors), np.uint8)
        for other in "ACDG":
            total -= self.of_one(other, number)
        return total

    def showing(self, kind: str, sectors: tuple[int, ...], number: int) -> Truths:
        """Tell for each board if so many of the sectors show a kind."""
        return np.asarray(self.counts(kind, sectors) == number)

    def of_one(self, kind: str, judge: Callable[[Masks], NDArray[Each]]) -> NDArray[Each]:
        """Judge the masks of one kind: one value a board."""
        if kind == "E":
            return judge(self.masks(kind))
        return np.take(judge(placement_masks(self.mode, kind)), self.column(kind))

    def of_two(self, p: str, q: str, judge: Callable[[Masks, Masks], Truths]) -> Truths:
        """Judge the masks of two kinds: one truth value a board."""
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
        """Count the boards with Planet X in each sector."""
        masks = self.masks("X")
        return tuple(int(np.count_nonzero(masks & np.uint32(1 << s))) for s in range(self.mode.sectors))

    def digest(self) -> str:
        """SHA-256 of the boards, one a line."""
        lines = np.full((len(self), self.mode.sectors + 1), ord("\n"), np.uint8)
        lines[:, :-1] = self.spelt()
        return sha256(lines.tobytes()).hexdigest()


def as_set(truths: NDArray[np.generic]) -> int:
    """Return the set of the boards with a true value."""
    return int.from_bytes(np.packbits(truths.astype(np.bool_, copy=False)).tobytes(), "big") >> -len(truths) % 8


@cache
def placement_masks(mode: SkyMode, kind: str) -> Masks:
    """The placements of one kind as an array."""
    return np.array(placements(mode, kind), np.uint32)


@cache
def legal_boards(mode: SkyMode) -> Boards:
    """Every legal board of the mode, made once (X8)."""
    return enumerate_boards(mode)


def enumerate_boards(mode: SkyMode) -> Boards:
    """Every board that the clauses of the sky admit (X8), from nothing, sorted by letters."""
    place = {kind: placement_masks(mode, kind) for kind in PLACED}
    chosen: dict[str, NDArray[np.uint8]] = {}
    taken = np.zeros(1, np.uint32)
    for kind in "DACX":
        rows, numbers = np.nonzero((taken[:, None] & place[kind][None, :]) == 0)
        chosen = {k: v[rows] for k, v in chosen.items()} | {kind: numbers.astype(np.uint8)}
        taken = taken[rows] | place[kind][numbers]
    beside_dwarfs = around_planet_x(place["X"][:, None], place["D"][None, :], mode.sectors)
    apart = beside_dwarfs[chosen["X"], chosen["D"]] == 0
    chosen, taken = {k: v[apart] for k, v in chosen.items()}, taken[apart]
    rows, gas = _with_gas(mode, taken)
    columns = np.stack([gas if kind == "G" else chosen[kind][rows] for kind in PLACED])
    return Boards(mode, np.take(columns, np.argsort(_order(mode, columns)), axis=1))


def _with_gas(mode: SkyMode, taken: Masks) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """Each row joined with each placement of gas clouds that leaves every cloud a truly empty neighbour."""
    rows, numbers = [], []
    for number, gas in enumerate(placement_masks(mode, "G")):
        free = np.flatnonzero((taken & gas) == 0)
        empty = (taken[free] | gas) ^ np.uint32(mode.full)
        fits = free[dry(gas, empty, mode.sectors) == 0]
        rows.append(fits)
        numbers.append(np.full(len(fits), number, np.uint8))
    return np.concatenate(rows), np.concatenate(numbers)


def _order(mode: SkyMode, columns: NDArray[np.uint8]) -> NDArray[np.uint64]:
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
