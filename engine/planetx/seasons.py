"""Starting facts: twelve a season in three tiers of four, the seasons balanced (X13, X14, X48)."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.draws import Stream
from engine.planetx.boards import Boards, legal_boards
from engine.planetx.facts import Fact, truth
from engine.planetx.names import SEASONS
from engine.planetx.sky import Mode

FACTOR = 1.25
"""The numbers of boards that the seasons leave at one level differ by no more than this factor (X48)."""
TIER = 4
_POOL = 16

Bits = NDArray[np.uint16]
_ONES = np.unpackbits(np.arange(1 << 16, dtype=np.uint16).view(np.uint8).reshape(-1, 2), axis=1).sum(1, dtype=np.uint8)
"""How many bits are set in each number of 16 bits."""


class SeasonFacts(msgspec.Struct, frozen=True):
    """The starting facts of one season, tier after tier."""

    season: str
    facts: tuple[Fact, ...]


def draw_seasons(boards: Boards, board: str, stream: Stream) -> tuple[SeasonFacts, ...]:
    """The starting facts of all seasons for a board, drawn anew until they are balanced (X48)."""
    while True:
        lists = _draw_lists(boards.mode, board, stream)
        if max(imbalance(boards.mode, lists)) <= FACTOR:
            drawn = stream.shuffled(lists)
            return tuple(SeasonFacts(season, facts) for season, facts in zip(SEASONS, drawn, strict=True))


def imbalance(mode: Mode, lists: tuple[tuple[Fact, ...], ...]) -> tuple[float, ...]:
    """At each level, the most boards that a season leaves over the fewest."""
    ratios = []
    for level in (TIER, 2 * TIER, 3 * TIER):
        left = [boards_left(mode, facts[:level]) for facts in lists]
        ratios.append(max(left) / min(left))
    return tuple(ratios)


def boards_left(mode: Mode, facts: tuple[Fact, ...]) -> int:
    """How many legal boards satisfy some starting facts."""
    keep = _bits_of(facts[0], mode) if facts else None
    for fact in facts[1:]:
        keep = np.bitwise_and(keep, _bits_of(fact, mode)) if keep is not None else None
    return len(legal_boards(mode)) if keep is None else int(_ONES[keep].sum(dtype=np.int64))


def _draw_lists(mode: Mode, board: str, stream: Stream) -> tuple[tuple[Fact, ...], ...]:
    """Four lists of twelve: at each tier, of a pool for each season, the ones that leave nearly the same number."""
    lists: list[tuple[Fact, ...]] = [()] * len(SEASONS)
    for tier in range(3):
        pools = [[facts + _draw_tier(mode, board, facts, tier, stream) for _ in range(_POOL)] for facts in lists]
        left = [[boards_left(mode, facts) for facts in pool] for pool in pools]
        aim = sorted(number for numbers in left for number in numbers)[len(SEASONS) * _POOL // 2]
        lists = [
            min(zip(numbers, pool, strict=True), key=lambda pair: abs(pair[0] - aim))[1]
            for numbers, pool in zip(left, pools, strict=True)
        ]
    return tuple(lists)


def _draw_tier(mode: Mode, board: str, before: tuple[Fact, ...], tier: int, stream: Stream) -> tuple[Fact, ...]:
    """Four facts about sectors that this season has none about yet (X14): comet sectors, others, mixed."""
    used = {fact.sector for fact in before}
    free = stream.shuffled([s for s in range(1, mode.sectors + 1) if s not in used])
    on_comets = [s for s in free if s in mode.comet_sectors]
    others = [s for s in free if s not in mode.comet_sectors]
    if tier == 0:  # one sector without a comet is kept back for the third tier's comet fact
        kept = next(s for s in on_comets if board[s - 1] != "C")
        chosen = [s for s in on_comets if s != kept][:TIER]
    elif tier == 1:
        chosen = others[:TIER]
    else:
        comet = next(s for s in on_comets if board[s - 1] != "C")
        rest = others[:1] + [s for s in free if s != comet and s not in others[:1]]
        return stream.shuffled((_not("C", comet), *(_not_here(board, s, stream) for s in rest[: TIER - 1])))
    return tuple(_not_here(board, sector, stream) for sector in chosen)


def _not_here(board: str, sector: int, stream: Stream) -> Fact:
    return _not(stream.pick([kind for kind in "ADG" if board[sector - 1] != kind]), sector)


def _not(kind: str, sector: int) -> Fact:
    return Fact("not_in_sector", kind, sector=sector)


@cache
def _bits_of(fact: Fact, mode: Mode) -> Bits:
    """The fact's truth on all boards, sixteen boards a number."""
    packed = np.packbits(truth(fact, legal_boards(mode)))
    return np.frombuffer(packed.tobytes() + b"\0" * (len(packed) % 2), np.uint16)
