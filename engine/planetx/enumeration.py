"""Enumerates the legal boards of a mode (X8) without trying each.

Every kind has an automaton that reads a board from sector 1 and accepts it if that kind's rules are kept. Their
intersection accepts the legal boards. Equal parts of automata are one node, so it has 18,000 nodes for a million
expert boards, in a fraction of a second."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, reduce
from itertools import product

from engine.planetx.sky import KINDS, SkyMode, beside, bit, mask_of, placements, sectors_of

PLACED = "DXAGC"
"""Kinds with an automaton, in the order that keeps intersections small; the rest of a board is truly empty."""

TOGETHER = 3
"""Sectors that share a byte: there are 216 triples of letters."""

_ANY = (1 << len(KINDS)) - 1


class Node:
    """A state of an automaton. after: by letter, the next state or None; count: the number of ends of boards that it
    accepts."""

    __slots__ = ("after", "count")

    def __init__(self, after: tuple[Node | None, ...]) -> None:
        self.after = after
        self.count: int = sum([node.count for node in after if node]) if after else 1


def automaton(mode: SkyMode) -> Node:
    """Return the start of the automaton that accepts the legal boards."""
    nodes: dict[tuple[Node | None, ...], Node] = {}

    def node(after: tuple[Node | None, ...]) -> Node | None:
        found = nodes.get(after)
        if found is None and (not after or any(after)):
            found = nodes[after] = Node(after)
        return found

    @cache
    def reader(patterns: frozenset[int]) -> Node | None:
        if patterns == {0}:
            return node(())
        ends = (frozenset([each >> len(KINDS) for each in patterns if each >> k & 1]) for k in range(len(KINDS)))
        return node(tuple([reader(end) if end else None for end in ends]))

    @cache
    def common(p: Node, q: Node) -> Node | None:
        return node(tuple([common(a, b) if a and b else None for a, b in zip(p.after, q.after, strict=True)]))

    start = reduce(common, (reader(frozenset(_patterns(mode, kind))) for kind in PLACED))
    if start is None:
        raise ValueError(f"no board is legal in mode {mode.name}")
    return start


def _patterns(mode: SkyMode, kind: str) -> Iterator[int]:
    """Yield the ways to place a kind. A way has six bits a sector, the letters that may be there."""
    for mask in placements(mode, kind):
        way = _spread(mask, _letter(kind)) | _spread(mode.full ^ mask, _ANY ^ _letter(kind))
        if kind == "X":
            yield way & ~_spread(beside(mask, mode.sectors), _letter("D"))  # X6
        elif kind == "G":
            for near in product(*(sectors_of(beside(bit(sector), mode.sectors)) for sector in sectors_of(mask))):
                if not mask_of(near) & mask:
                    yield way & ~_spread(mask_of(near), _ANY ^ _letter("E"))  # X5
        else:
            yield way


def _letter(kind: str) -> int:
    return 1 << KINDS.index(kind)


def _spread(mask: int, letters: int) -> int:
    return sum(letters << len(KINDS) * (sector - 1) for sector in sectors_of(mask))


def columns(start: Node, sectors: int) -> tuple[bytes, ...]:
    """Return the accepted boards, sorted: a column for three sectors, with a byte for each board."""
    layers = [[start]]
    for _ in range(sectors):
        layers.append(list(dict.fromkeys(node for before in layers[-1] for node in before.after if node)))
    return tuple(_column(layers, first) for first in range(0, sectors, TOGETHER))


def _column(layers: list[list[Node]], first: int) -> bytes:
    blocks = {node: bytes(node.count) for node in layers[first + TOGETHER]}
    for place in reversed(range(TOGETHER)):
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
