"""Pairs tournament players (numbered from 0): round robin, Swiss, pools.

For elimination see `engine.evening.bracket`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from engine.evening import MOST, bouts

Pair: TypeAlias = "tuple[int, int | None]"
"""Opponents, first seat first; None for a bye."""


class Line(msgspec.Struct, frozen=True):
    """A Swiss player. points: with byes. met: opponents. firsts: first seats minus second seats."""

    points: float
    met: frozenset[int] = frozenset()
    byes: int = 0
    firsts: int = 0


def round_robin(players: int) -> tuple[tuple[Pair, ...], ...]:
    """Return rounds by the circle method; an odd number of players have one bye each. Raises ValueError below two."""
    if players < 2:
        raise ValueError(f"{players} players cannot meet")
    circle: list[int | None] = [*range(players), *([None] if players % 2 else [])]
    rounds = []
    for number in range(len(circle) - 1):
        half = len(circle) // 2
        across = zip(circle[:half], reversed(circle[half:]), strict=True)
        turns = ((place or number) % 2 == 1 for place in range(half))
        pairs = (_seat_pair(one, other, turned) for (one, other), turned in zip(across, turns, strict=True))
        rounds.append(tuple(pairs))
        circle.insert(1, circle.pop())
    return tuple(rounds)


def longest_swiss(players: int) -> int:
    """Return the most Swiss rounds that surely avoid rematches: fewer than half the others met leaves a perfect
    matching (Dirac 1952)."""
    return max(1, (players + players % 2) // 2)


def swiss(lines: Sequence[Line]) -> tuple[Pair, ...]:
    """Return the next round with at most one bye. lines: in initial ranking order. Raises ValueError below two.

    In order, it avoids rematches and second byes, minimises squared point differences (a bye's: to the lowest), pairs
    upper with lower half of equals (Dutch system), and balances seats.
    """
    if len(lines) < 2:
        raise ValueError(f"{len(lines)} players cannot meet")
    import networkx

    order = sorted(range(len(lines)), key=lambda player: (-lines[player].points, player))
    places: list[int | None] = [*order, *([None] if len(order) % 2 else [])]
    graph = networkx.Graph()
    for place, one in enumerate(places):
        for later, other in enumerate(places[place + 1 :], start=place + 1):
            assert one is not None
            cost = _bye(lines, one) if other is None else _apart(lines, order, place, later)
            graph.add_edge(place, later, weight=-cost)
    found = sorted(tuple(sorted(pair)) for pair in networkx.max_weight_matching(graph, maxcardinality=True))
    pairs = [(places[one], places[other]) for one, other in found]
    return tuple(_seat_pair(one, other, _should_turn(lines, one, other)) for one, other in pairs)


_AGAIN = 10**13
"""Cost above any others of a round."""


def _bye(lines: Sequence[Line], player: int) -> int:
    lowest = min(line.points for line in lines)
    return _AGAIN * lines[player].byes + _square(lines[player].points - lowest)


def _apart(lines: Sequence[Line], order: Sequence[int], place: int, later: int) -> int:
    one, other = order[place], order[later]
    line, against = lines[one], lines[other]
    again = _AGAIN if other in line.met else 0
    if line.points != against.points:
        return again + _square(line.points - against.points)
    group = [at for at, player in enumerate(order) if lines[player].points == line.points]
    aim = (len(group) + 1) // 2
    return again + 10 * abs(later - place - aim) + min(abs(line.firsts + against.firsts), 9)


def _square(points: float) -> int:
    return round(1_000_000 * points * points)


def _should_turn(lines: Sequence[Line], one: int | None, other: int | None) -> bool:
    if one is None or other is None:
        return False
    return lines[one].firsts > lines[other].firsts or (lines[one].firsts == lines[other].firsts and one % 2 == 1)


def _seat_pair(one: int | None, other: int | None, turned: bool) -> Pair:
    if one is None or other is None:
        player = one if other is None else other
        assert player is not None
        return player, None
    return (other, one) if turned else (one, other)


def pools(players: int, most: int = MOST) -> tuple[tuple[int, ...], ...]:
    """Return the fewest pools of at most `most`, equal within one, filled in snake order. Raises ValueError for fewer
    than two players or `most` outside 3 to MOST."""
    if players < 2 or not 3 <= most <= MOST:
        raise ValueError(f"{players} players in pools of {most} cannot meet")
    count = -(-players // most)
    found: list[list[int]] = [[] for _ in range(count)]
    for player in range(players):
        lap, place = divmod(player, count)
        found[count - 1 - place if lap % 2 else place].append(player)
    return tuple(tuple(pool) for pool in found)


def pool_bouts(pool: Sequence[int]) -> tuple[Pair, ...]:
    """Return a pool's bouts in fencing order (`engine.evening.bouts`)."""
    return tuple((pool[one], pool[other]) for one, other in bouts(len(pool)))
