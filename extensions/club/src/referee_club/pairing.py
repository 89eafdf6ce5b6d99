"""Who meets whom in a tournament: everybody everybody, by the Swiss system, or in pools. Players are numbered from 0.

Direct elimination is `engine.evening.bracket`, as at a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from engine.evening import MOST, bouts

Pair: TypeAlias = "tuple[int, int | None]"
"""Two who meet, the first of them at the first seat; None: a bye."""


class Line(msgspec.Struct, frozen=True):
    """How a player of a Swiss tournament stands. points: with those of byes. met: opponents so far. byes: so many.
    firsts: so much more often at the first seat than at the second."""

    points: float
    met: frozenset[int] = frozenset()
    byes: int = 0
    firsts: int = 0


def round_robin(players: int) -> tuple[tuple[Pair, ...], ...]:
    """Everybody meets everybody once, by the circle method: the first of the circle stays, the others go on by a place.
    In each round everybody plays or has a bye, of which each has one if they are odd. Raises ValueError for fewer than
    two."""
    if players < 2:
        raise ValueError(f"{players} players cannot meet")
    circle: list[int | None] = [*range(players), *([None] if players % 2 else [])]
    rounds = []
    for number in range(len(circle) - 1):
        half = len(circle) // 2
        across = zip(circle[:half], reversed(circle[half:]), strict=True)
        turns = ((place or number) % 2 == 1 for place in range(half))
        pairs = (_seated(one, other, turned) for (one, other), turned in zip(across, turns, strict=True))
        rounds.append(tuple(pairs))
        circle.insert(1, circle.pop())
    return tuple(rounds)


def longest_swiss(players: int) -> int:
    """Rounds of a Swiss tournament in which surely nobody has to meet anybody again: who has met less than half of the
    others, byes among them, leaves a perfect matching (Dirac 1952)."""
    return max(1, (players + players % 2) // 2)


def swiss(lines: Sequence[Line]) -> tuple[Pair, ...]:
    """The next round: all but one bye at most. Nobody meets anybody again as long as that can be, nor has a second bye;
    then as few points apart as can be, in the squares of their differences; a bye goes to whoever has the fewest; of
    equals the upper half of a score group meets the lower, as in the Dutch system; then seats are balanced. lines: of
    the players in order of their first ranking. Raises ValueError for fewer than two."""
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
    return tuple(_seated(one, other, _turned(lines, one, other)) for one, other in pairs)


_AGAIN = 10**13
"""Costs more than anything else that a round can cost."""


def _bye(lines: Sequence[Line], player: int) -> int:
    """Return the cost of a bye for a player."""
    lowest = min(line.points for line in lines)
    return _AGAIN * lines[player].byes + _square(lines[player].points - lowest)


def _apart(lines: Sequence[Line], order: Sequence[int], place: int, later: int) -> int:
    """Return the cost of pairing the players at these places of the order."""
    one, other = order[place], order[later]
    line, against = lines[one], lines[other]
    again = _AGAIN if other in line.met else 0
    if line.points != against.points:
        return again + _square(line.points - against.points)
    group = [at for at, player in enumerate(order) if lines[player].points == line.points]
    aim = (len(group) + 1) // 2
    return again + 10 * abs(later - place - aim) + min(abs(line.firsts + against.firsts), 9)


def _square(points: float) -> int:
    """Return the square of a difference, which outweighs how a score group is halved."""
    return round(1_000_000 * points * points)


def _turned(lines: Sequence[Line], one: int | None, other: int | None) -> bool:
    """Return True if the better one sits at the second seat."""
    if one is None or other is None:
        return False
    return lines[one].firsts > lines[other].firsts or (lines[one].firsts == lines[other].firsts and one % 2 == 1)


def _seated(one: int | None, other: int | None, turned: bool) -> Pair:
    """Return the pair of two places, one of which may be empty."""
    if one is None or other is None:
        player = one if other is None else other
        assert player is not None
        return player, None
    return (other, one) if turned else (one, other)


def pools(players: int, most: int = MOST) -> tuple[tuple[int, ...], ...]:
    """Return as few pools as possible, with at most so many players and equal sizes. The ranking snakes through them,
    so that they are equally strong. Raises ValueError for fewer than two."""
    if players < 2 or not 3 <= most <= MOST:
        raise ValueError(f"{players} players in pools of {most} cannot meet")
    count = -(-players // most)
    found: list[list[int]] = [[] for _ in range(count)]
    for player in range(players):
        lap, place = divmod(player, count)
        found[count - 1 - place if lap % 2 else place].append(player)
    return tuple(tuple(pool) for pool in found)


def pool_bouts(pool: Sequence[int]) -> tuple[Pair, ...]:
    """Everybody of a pool meets everybody, in the order of fencing's score sheets (`engine.evening.bouts`)."""
    return tuple((pool[one], pool[other]) for one, other in bouts(len(pool)))
