"""All legal boards of a mode (X8) as arrays, in the engine's only NumPy module.

A board is five small numbers: the indices of its placements of A, C, D, G and X in short lists of masks; the rest is
truly empty. This keeps 1,138,272 expert boards in 5.7 MB and makes facts fast. Results are truth values per board, or
sets: integers with one bit per board, the first highest."""

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
    """A sample of boards. number: its size; at: by kind and sector, the set of boards with it there."""

    number: int
    at: Mapping[str, tuple[int, ...]]


class Boards:
    """An immutable set of legal boards, sorted by letters."""

    def __init__(self, mode: SkyMode, columns: NDArray[np.uint8]) -> None:
        """columns: shape (5, boards), placement indices of A, C, D, G, X."""
        self.mode = mode
        self.columns = columns

    def __len__(self) -> int:
        return int(self.columns.shape[1])

    def column(self, kind: str) -> NDArray[np.uint8]:
        row: NDArray[np.uint8] = self.columns[PLACED.index(kind)]
        return row

    def masks(self, kind: str) -> Masks:
        if kind != "E":
            return placement_masks(self.mode, kind)[self.column(kind)]
        taken = np.zeros(len(self), np.uint32)
        for placed in PLACED:
            taken |= self.masks(placed)
        return taken ^ np.uint32(self.mode.full)

    def where(self, keep: Truths) -> Boards:
        return Boards(self.mode, np.take(self.columns, np.flatnonzero(keep), axis=1))

    def sample(self, most: int) -> Sample:
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
        """Count per board the sectors that show a kind; Planet X shows as empty."""

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
        return np.asarray(self.counts(kind, sectors) == number)

    def of_one(self, kind: str, judge: Callable[[Masks], NDArray[Each]]) -> NDArray[Each]:
        if kind == "E":
            return judge(self.masks(kind))
        return np.take(judge(placement_masks(self.mode, kind)), self.column(kind))

    def of_two(self, p: str, q: str, judge: Callable[[Masks, Masks], Truths]) -> Truths:
        if "E" in (p, q):
            return judge(self.masks(p), self.masks(q))
        first, second = placement_masks(self.mode, p), placement_masks(self.mode, q)
        table = judge(np.repeat(first, len(second)), np.tile(second, len(first)))
        number = self.column(p).astype(np.uint16) * np.uint16(len(second)) + self.column(q)
        return np.take(table, number)

    def letters(self, number: int) -> str:
        board = ["E"] * self.mode.sectors
        for kind in PLACED:
            for sector in sectors_of(int(placement_masks(self.mode, kind)[self.column(kind)[number]])):
                board[sector - 1] = kind
        return "".join(board)

    def spelt(self) -> NDArray[np.uint8]:
        """Return all boards as ASCII, shape (boards, sectors)."""
        letters = np.full((len(self), self.mode.sectors), ord("E"), np.uint8)
        for kind in PLACED:
            masks = self.masks(kind)
            for s in range(self.mode.sectors):
                letters[(masks >> np.uint32(s) & np.uint32(1)).astype(np.bool_), s] = ord(kind)
        return letters

    def per_sector(self) -> tuple[int, ...]:
        masks = self.masks("X")
        return tuple(int(np.count_nonzero(masks & np.uint32(1 << s))) for s in range(self.mode.sectors))

    def digest(self) -> str:
        lines = np.full((len(self), self.mode.sectors + 1), ord("\n"), np.uint8)
        lines[:, :-1] = self.spelt()
        return sha256(lines.tobytes()).hexdigest()


def as_set(truths: NDArray[np.generic]) -> int:
    return int.from_bytes(np.packbits(truths.astype(np.bool_, copy=False)).tobytes(), "big") >> -len(truths) % 8


@cache
def placement_masks(mode: SkyMode, kind: str) -> Masks:
    return np.array(placements(mode, kind), np.uint32)


@cache
def legal_boards(mode: SkyMode) -> Boards:
    """Return the mode's legal boards (X8), cached."""
    return enumerate_boards(mode)


def enumerate_boards(mode: SkyMode) -> Boards:
    """Compute the legal boards (X8), sorted by letters."""
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
    rows, numbers = [], []
    for number, gas in enumerate(placement_masks(mode, "G")):
        free = np.flatnonzero((taken & gas) == 0)
        empty = (taken[free] | gas) ^ np.uint32(mode.full)
        fits = free[dry(gas, empty, mode.sectors) == 0]
        rows.append(fits)
        numbers.append(np.full(len(fits), number, np.uint8))
    return np.concatenate(rows), np.concatenate(numbers)


def _order(mode: SkyMode, columns: NDArray[np.uint8]) -> NDArray[np.uint64]:
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
    """Serialize: header with mode, number and checksum, then columns."""
    body = np.ascontiguousarray(boards.columns).tobytes()
    return _HEADER.pack(_MAGIC, boards.mode.name.encode(), len(boards), zlib.crc32(body)) + body


def unpack(data: bytes) -> Boards:
    """Deserialize without a copy. Raises ValueError for damaged data."""
    if len(data) < _HEADER.size:
        raise ValueError("a store of boards must begin with its header: build it again")
    magic, name, count, checksum = _HEADER.unpack_from(data)
    mode = MODES.get(name.rstrip(b"\0").decode("ascii", "replace"))
    body = memoryview(data)[_HEADER.size :]
    if magic != _MAGIC or mode is None or len(body) != count * len(PLACED) or zlib.crc32(body) != checksum:
        raise ValueError("the store of boards is damaged or of another version: build it again")
    return Boards(mode, np.frombuffer(body, np.uint8).reshape(len(PLACED), count))
