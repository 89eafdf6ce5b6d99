"""All legal boards of a mode (X8), and sets of them: integers with bit k for board k of the sorted list."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache, reduce
from hashlib import sha256
from itertools import compress, product, zip_longest
from operator import and_, or_

import msgspec

from engine.planetx.sky import KINDS, SkyMode, beside, bit, mask_of, placements, sectors_of

_PLACED = "DXAGC"
"""Kinds with an automaton, in the order that keeps intersections small; the rest of a board is truly empty."""

_TOGETHER = 3
"""Sectors that share a byte: there are 216 triples of letters."""

_ANY = (1 << len(KINDS)) - 1

_SWAPS = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))
"""Shifts and masks that transpose 8 x 8 bits: Henry S. Warren, Hacker's Delight, chapter 7."""


class Masks:  # noqa: PLW1641  # nothing hashes them
    """A kind's sectors on all boards, for the arithmetic of `engine.planetx.sky`. Comparisons return sets of boards.

    at: by sector, the boards with the kind there; every: all boards"""

    def __init__(self, at: tuple[int, ...], every: int) -> None:
        self.at = at
        self.every = every

    def __and__(self, other: Masks | int) -> Masks:
        if isinstance(other, int):
            return Masks(tuple([p if other >> s & 1 else 0 for s, p in enumerate(self.at)]), self.every)
        return Masks(tuple(map(and_, self.at, other.at)), self.every)

    def __or__(self, other: Masks) -> Masks:
        return Masks(tuple([p | q for p, q in zip_longest(self.at, other.at, fillvalue=0)]), self.every)

    def __rxor__(self, other: int) -> Masks:
        return Masks(tuple([self.every ^ p if other >> s & 1 else p for s, p in enumerate(self.at)]), self.every)

    def __lshift__(self, steps: int) -> Masks:
        return Masks((0,) * steps + self.at, self.every)

    def __rshift__(self, steps: int) -> Masks:
        return Masks(self.at[steps:], self.every)

    # As NumPy's arrays do: so forms of facts read alike for one board and for all.
    def __eq__(self, other: int) -> int:  # type: ignore[override]
        return self.every ^ (self != other)

    def __ne__(self, other: int) -> int:  # type: ignore[override]
        return reduce(or_, filter(None, (other ^ self).at), 0)


class Sample(msgspec.Struct, frozen=True):
    """A sample of boards. number: its size; at: by kind and sector, the boards with it there, the first as highest
    bit."""

    number: int
    at: Mapping[str, tuple[int, ...]]


class Boards:
    """A set of legal boards."""

    def __init__(self, mode: SkyMode, columns: tuple[bytes, ...], at: Mapping[str, tuple[int, ...]], members: int):
        """columns: three sectors of each legal board in a byte: letters' indices in base 6, the first sector lowest;
        at: by kind and sector, the legal boards with it there; members: this set."""
        self.mode = mode
        self.columns = columns
        self.at = at
        self.members = members

    def __len__(self) -> int:
        return self.members.bit_count()

    def masks(self, kind: str) -> Masks:
        return Masks(self.at[kind], self.members)

    def where(self, found: int) -> Boards:
        return Boards(self.mode, self.columns, self.at, self.members & found)

    def sample(self, most: int) -> Sample:
        numbers = self._numbers[:: -(-len(self) // most)]
        return Sample(len(numbers), _sets(self._pick(numbers[::-1])))

    def showing(self, kind: str, sectors: tuple[int, ...], number: int) -> int:
        """Return the boards on which exactly `number` of the sectors show a kind; Planet X shows as empty."""
        counted: tuple[int, ...] = (self.members,)
        for s in sectors:
            counted = tally(counted, self.at[kind][s - 1] | (self.at["X"][s - 1] if kind == "E" else 0))
        return counted[number]

    def letters(self, number: int) -> str:
        return self._spell(self._numbers[number : number + 1]).decode()[:-1]

    def spelt(self) -> bytes:
        """Return all boards as ASCII, a line each."""
        return self._spell(self._numbers)

    def per_sector(self) -> tuple[int, ...]:
        return tuple((self.members & planet).bit_count() for planet in self.at["X"])

    def digest(self) -> str:
        return sha256(self.spelt()).hexdigest()

    @cached_property
    def _numbers(self) -> Sequence[int]:
        """Indices in the list of legal boards."""
        every = range(len(self.columns[0]))
        chosen = f"{self.members:b}".encode()[::-1].translate(_BITS)
        return every if len(self) == len(every) else array("I", compress(every, chosen))

    def _pick(self, numbers: Sequence[int]) -> tuple[bytes, ...]:
        return tuple(bytes([column[k] for k in numbers]) for column in self.columns)

    def _spell(self, numbers: Sequence[int]) -> bytes:
        picked = self._pick(numbers)
        width = self.mode.sectors + 1
        lines = bytearray(b"\n" * (width * len(numbers)))
        for s in range(self.mode.sectors):
            lines[s::width] = picked[s // _TOGETHER].translate(_LETTERS[s % _TOGETHER])
        return bytes(lines)


def tally(boards: tuple[int, ...], shown: int) -> tuple[int, ...]:
    """Count one more sector. boards: by number, those where that many sectors show a kind; shown: those where the new
    one does."""
    more = [each & shown for each in boards]
    fewer = [each ^ found for each, found in zip(boards, more, strict=True)]
    return tuple([few | many for few, many in zip((*fewer, 0), (0, *more), strict=True)])


@cache
def legal_boards(mode: SkyMode) -> Boards:
    """Return the mode's legal boards (X8), cached."""
    return enumerate_boards(mode)


def enumerate_boards(mode: SkyMode) -> Boards:
    """Compute the legal boards (X8), sorted by letters."""
    found = _columns(_automaton(mode), mode.sectors)
    return Boards(mode, found, _sets(found), (1 << len(found[0])) - 1)


def _sets(found: tuple[bytes, ...]) -> dict[str, tuple[int, ...]]:
    flags = [_transpose(column.translate(table)) for column in found for table in _FLAGS]
    return dict(zip(KINDS, zip(*flags, strict=True), strict=False))


def _transpose(data: bytes) -> list[int]:
    """Return, for each bit from the lowest, the set of bytes that have it."""
    words = -(-len(data) // 8)
    bits = int.from_bytes(data, "little")
    for shift, mask in _SWAPS:
        differing = (bits ^ bits >> shift) & _repeat(mask, words)
        bits ^= differing ^ differing << shift
    turned = bits.to_bytes(8 * words, "little")
    return [int.from_bytes(turned[k::8], "little") for k in range(8)]


@lru_cache(maxsize=3)
def _repeat(mask: int, words: int) -> int:
    return int.from_bytes(mask.to_bytes(8, "little") * words, "little")


def _table(value: Callable[[int], int]) -> tuple[bytes, ...]:
    """Return a translation table for each place in a byte, to `value` of the letter's index there."""
    return tuple(bytes(value(code // 6**place % 6) for code in range(256)) for place in range(_TOGETHER))


_LETTERS = _table(lambda letter: ord(KINDS[letter]))
_FLAGS = _table(lambda letter: 1 << letter)
_BITS = bytes(code & 1 for code in range(256))
"""Turn "0" and "1" into their numbers."""


# --- enumeration

# A kind's automaton reads a board from sector 1 and accepts it if the kind's rules hold. The automata's intersection
# accepts the legal boards. Equal parts are one node: 18,000 nodes for a million expert boards.


class _Node:
    """A state of an automaton. after: next state by letter, or None; count: number of board ends that it accepts."""

    __slots__ = ("after", "count")

    def __init__(self, after: tuple[_Node | None, ...]) -> None:
        self.after = after
        self.count: int = sum([node.count for node in after if node]) if after else 1


def _automaton(mode: SkyMode) -> _Node:
    nodes: dict[tuple[_Node | None, ...], _Node] = {}

    def node(after: tuple[_Node | None, ...]) -> _Node | None:
        found = nodes.get(after)
        if found is None and (not after or any(after)):
            found = nodes[after] = _Node(after)
        return found

    @cache
    def reader(patterns: frozenset[int]) -> _Node | None:
        if patterns == {0}:
            return node(())
        ends = (frozenset([each >> len(KINDS) for each in patterns if each >> k & 1]) for k in range(len(KINDS)))
        return node(tuple([reader(end) if end else None for end in ends]))

    @cache
    def common(p: _Node, q: _Node) -> _Node | None:
        return node(tuple([common(a, b) if a and b else None for a, b in zip(p.after, q.after, strict=True)]))

    start = reduce(common, (reader(frozenset(_patterns(mode, kind))) for kind in _PLACED))
    if start is None:
        raise ValueError(f"no board is legal in mode {mode.name}")
    return start


def _patterns(mode: SkyMode, kind: str) -> Iterator[int]:
    """Yield the ways to place a kind, with six bits a sector: the letters that may be there."""
    for mask in placements(mode, kind):
        way = _spread(mask, _letter(kind)) | _spread(mode.full ^ mask, _ANY ^ _letter(kind))
        if kind == "X":
            yield way & ~_spread(beside(mask, mode.sectors), _letter("D"))
        elif kind == "G":
            for near in product(*(sectors_of(beside(bit(sector), mode.sectors)) for sector in sectors_of(mask))):
                if not mask_of(near) & mask:
                    yield way & ~_spread(mask_of(near), _ANY ^ _letter("E"))
        else:
            yield way


def _letter(kind: str) -> int:
    return 1 << KINDS.index(kind)


def _spread(mask: int, letters: int) -> int:
    return sum(letters << len(KINDS) * (sector - 1) for sector in sectors_of(mask))


def _columns(start: _Node, sectors: int) -> tuple[bytes, ...]:
    """Return the accepted boards, sorted: a column for three sectors, a byte for each board."""
    layers = [[start]]
    for _ in range(sectors):
        layers.append(list(dict.fromkeys(node for before in layers[-1] for node in before.after if node)))
    return tuple(_column(layers, first) for first in range(0, sectors, _TOGETHER))


def _column(layers: list[list[_Node]], first: int) -> bytes:
    blocks = {node: bytes(node.count) for node in layers[first + _TOGETHER]}
    for place in reversed(range(_TOGETHER)):
        adding = [_add(k * len(KINDS) ** place) for k in range(len(KINDS))]
        blocks = {
            node: b"".join([blocks[end].translate(add) for end, add in zip(node.after, adding, strict=True) if end])
            for node in layers[first + place]
        }
    for layer in reversed(layers[:first]):
        blocks = {node: b"".join([blocks[end] for end in node.after if end]) for node in layer}
    return blocks[layers[0][0]]


def _add(number: int) -> bytes:
    return bytes((value + number) % 256 for value in range(256))
