"""Pairs changed cells into moves, without rules: a piece left one cell, and after it one came to another."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from tools.lab.boards.cells import FLAT, Change
from tools.lab.boards.grid import Cell

LEFT = 0.2
"""A cell may be where a piece came from if it lost this much of its structure, as a logarithm."""

CLEAR = 0.3
"""And this much more than where it went; or that is now so much more uneven where it changed."""

HALF = 0.5
"""Patterns that correlate no better may be of two pieces on one cell."""

STANDS = 0.6
"""What is so much more uneven than an empty cell, where it changed, is a piece."""

FAINTER = 0.8
"""A change weaker than this share of its neighbour's may be the neighbour's piece leaning over, or its shadow."""

TAKEN = 1.0
"""Where a piece stands before and after, less than this is lost or won."""

WHOLE = 0.8
"""A cell that loses as much was left by a piece of its own."""

SLACK_S = 0.2
EARLIER_S = 0.45
"""A hand hides the main change for so long at most after it was made, when what leans over can be seen."""

LONGEST_S = 15.0
"""Nobody holds a piece in the air for longer."""

AWAY_S = 0.5
"""A piece may be hidden for so long on its way: held beside the board, or the hand over it not seen."""

DEAREST = 1.3
"""A pair of changes that costs more is no move: a dark piece does not arrive as a pale one."""

SURE = 0.25
"""A pair that costs less is believed while the hand still hides what is around the cell that was left."""

PER_SECOND = 0.15
"""What a second between leaving and coming weighs against a difference of tone."""


Span = tuple[float, float]
"""Seconds of the film, from and to."""


class Pair(msgspec.Struct, frozen=True):
    """A move: the cell that a piece left, the one that it came to, and what speaks against it; 0 is nothing."""

    source: Change
    target: Change
    cost: float

    @property
    def since(self) -> float:
        """When the first of the two cells was last seen as it had been."""
        return min(self.source.since, self.target.since)

    @property
    def by(self) -> float:
        """When both were seen as they are."""
        return max(self.source.by, self.target.by)


def pairs(changes: Iterable[Change], bare: float, away: Sequence[Span] = ()) -> list[Pair]:
    """The likeliest moves among the changes, each change in one at most, in the order in which they were made.

    bare: structure of an empty cell. away: when the board lay at rest with no hand over it; a piece that was off the
    board then is not the one that comes later.
    """
    ordered = sorted(changes, key=lambda change: -change.change)
    strong = [one for one in ordered if not _leans(one, ordered, bare)]
    costs = [
        (cost, number, source, target)
        for number, (source, target) in enumerate(itertools.permutations(strong, 2))
        if _fit(source, target, away) and (cost := _cost(source, target, bare)) < DEAREST
    ]
    found: list[Pair] = []
    used: set[Cell] = set()
    for cost, _, source, target in sorted(costs):
        if used.isdisjoint((source.cell, target.cell)):
            used |= {source.cell, target.cell}
            found.append(Pair(source, target, cost))
    return sorted(found, key=lambda move: (move.target.by, move.target.since))


def beside(one: Cell, other: Cell) -> bool:
    """Whether two cells touch, at least at a corner."""
    return one != other and abs(one[0] - other[0]) <= 1 and abs(one[1] - other[1]) <= 1


def at_once(one: Change, main: Change) -> bool:
    """Whether a change may be a leaning piece or a shadow of the main one: not seen long before it."""
    return one.since <= main.by + SLACK_S and main.since <= one.by + SLACK_S and one.by > main.by - EARLIER_S


def _leans(one: Change, others: Sequence[Change], bare: float) -> bool:
    """Whether a stronger change next to it, at the same time and in the same sense, explains this one."""
    return any(
        beside(one.cell, other.cell)
        and one.change < FAINTER * other.change
        and _explained(one, other, bare)
        and at_once(one, other)
        for other in others
    )


def _explained(one: Change, other: Change, bare: float) -> bool:
    """Whether it is of what left or came to the other cell. If a piece stands there now, a whole one is another."""
    whole = one.lost > WHOLE
    if one.lost * other.lost > 0:
        return not (whole and _stands(other, bare) > STANDS)
    return abs(other.lost) < TAKEN and not whole


def _fit(source: Change, target: Change, away: Sequence[Span]) -> bool:
    """Whether a piece can have gone from one to the other: emptied before the other was filled, the hand there."""
    if source.lost < LEFT or max(source.lost - target.lost, _stands(target, source.remains)) < CLEAR:
        return False
    if any(min(end, target.since) - max(start, source.by) > AWAY_S for start, end in away):
        return False
    return source.since <= target.by + SLACK_S and target.since - source.by <= LONGEST_S


def _stands(change: Change, bare: float) -> float:
    """How much more uneven than an empty cell is what is there now where it changed, as a logarithm."""
    return float(np.log((change.remains + FLAT) / (bare + FLAT)))


def _cost(source: Change, target: Change, bare: float) -> float:
    """Less is likelier: the piece looks as it did, not long passed, nothing stands where it left and something where it
    went, and that is not what stood there before.
    """
    tone = float(np.abs(np.array(source.tone_before) - np.array(target.tone_now)).mean())
    gap = max(0.0, target.since - source.by, source.since - target.by)
    left_behind = max(0.0, _stands(source, 2 * bare))
    nothing_came = max(0.0, target.lost) * max(0.0, 1 - _stands(target, bare))
    stood = float(np.clip(np.log((target.before + FLAT) / (2 * bare + FLAT)), 0, 1))
    same_stands = stood * max(0.0, target.kept - HALF) / HALF
    return tone + PER_SECOND * gap + left_behind + nothing_came + same_stands
