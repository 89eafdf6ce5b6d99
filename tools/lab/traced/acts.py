"""What a hand does in a clip: where it is and what it holds, from moment to moment."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from truth import Laid

ACTIONS = ("place", "turn", "exchange", "peek", "remove")
MM_PER_S = 380.0
LIFT_MM, ASIDE_MM, CLOSER_MM, TIP_DEG = 34.0, 58.0, 55.0, 62.0


@dataclass(frozen=True)
class Moment:
    """tips: of the fingers, x, y, z. holds: which piece, if any. tip: by how much that is turned over."""

    t: float
    tips: tuple[float, float, float]
    holds: int | None = None
    tip: float = 0.0


@dataclass(frozen=True)
class Act:
    """side: from where the hand reaches, 0 from below, 180 from above. lies: every piece after each moment."""

    action: str
    does: tuple[int, ...]
    side: float
    moments: tuple[Moment, ...]
    lies: tuple[tuple[Laid | None, ...], ...]

    def at(self, t: float) -> tuple[tuple[float, float, float] | None, list[tuple[Laid, float, float]]]:
        """The finger tips, None before and after; and pieces with their height and tip."""
        moments = self.moments
        if t <= moments[0].t or t >= moments[-1].t:
            row = self.lies[0] if t <= moments[0].t else self.lies[-1]
            return None, [(one, 0.0, tip_of(one)) for one in row if one is not None]
        number = next(i for i in range(1, len(moments)) if t < moments[i].t)
        one, other = moments[number - 1], moments[number]
        share = (t - one.t) / max(other.t - one.t, 1e-6)
        share = share * share * (3 - 2 * share)
        tips = tuple(a + (b - a) * share for a, b in zip(one.tips, other.tips, strict=True))
        there = []
        for i, piece in enumerate(self.lies[number]):
            if piece is None:
                continue
            if i == one.holds == other.holds:
                tip = one.tip + (other.tip - one.tip) * share
                there.append((replace(piece, x=tips[0], y=tips[1]), tips[2], tip))
            else:
                there.append((piece, 0.0, tip_of(piece)))
        return tips, there


def tip_of(piece: Laid) -> float:
    return 180.0 if piece.face == "down" else 0.0


class Hand:
    """Writes an act: each step goes on where the last one ended."""

    def __init__(self, laid: list[Laid | None], tall: float, side: float, start_s: float) -> None:
        self._row, self._side, self._tall = laid, side, tall
        self._moments: list[Moment] = []
        self._lies: list[tuple[Laid | None, ...]] = []
        self._holds: int | None = None
        self._tip, self._t = 0.0, start_s

    def _add(self, tips: tuple[float, float, float], least_s: float = 0.0) -> None:
        if self._moments:
            far = float(np.linalg.norm(np.subtract(tips, self._moments[-1].tips)))
            self._t += max(least_s, far / MM_PER_S)
        self._moments.append(Moment(self._t, tips, self._holds, self._tip))
        self._lies.append(tuple(self._row))

    def away(self, x: float) -> None:
        """Beside the mat, on its side of the table."""
        outside = self._tall + 150 if self._side == 0 else -150.0
        self._add((x, outside, 60.0))

    def to(self, x: float, y: float, z: float = 0.0, tip: float | None = None, least_s: float = 0.16) -> None:
        """Over the place, then down to it; what is held may be turned over on the way."""
        low = self._moments[-1].tips[2]
        if self._moments[-1].tips[:2] != (x, y):
            self._add((*self._moments[-1].tips[:2], max(low, LIFT_MM)), 0.1)
            self._add((x, y, LIFT_MM))
        if tip is not None:
            self._tip = tip
        self._add((x, y, z), least_s)

    def take(self, number: int) -> None:
        self._holds, self._tip = number, tip_of(self._row[number])
        self._add(self._moments[-1].tips, 0.2)

    def bring(self, number: int, piece: Laid, x: float) -> None:
        """Comes with a piece in its fingers."""
        self._row[number], self._holds, self._tip = piece, number, tip_of(piece)
        self.away(x)

    def let_go(self, *, gone: bool = False) -> None:
        number, (x, y, _) = self._holds, self._moments[-1].tips
        face = "down" if round(self._tip) % 360 == 180 else "up"
        self._row[number] = None if gone else replace(self._row[number], x=x, y=y, face=face)
        self._holds = None
        self._add(self._moments[-1].tips, 0.0 if gone else 0.2)

    def act(self, action: str, does: tuple[int, ...]) -> Act:
        return Act(action, does, self._side, tuple(self._moments), tuple(self._lies))


def play_action(action: str, laid: list[Laid], tall: float, rng: np.random.Generator, start_s: float) -> Act:
    """One action on a row of stones."""
    side = float(rng.choice([0.0, 180.0]))
    towards = 1.0 if side == 0 else -1.0
    number, other = (int(each) for each in rng.choice(len(laid), 2, replace=False))
    piece, beside = laid[number], laid[other]
    x, off = piece.x + float(rng.uniform(-30, 30)), (float(rng.normal(0, 1.2)), float(rng.normal(0, 1.2)))
    row: list[Laid | None] = list(laid)
    if action == "exchange":
        row[number], row[other] = replace(piece, face="down"), replace(beside, face="down")
    if action == "peek":
        row[number] = replace(piece, face="down")
    if action == "place":
        row[number] = None
    hand = Hand(row, tall, side, start_s)
    if action == "place":
        first = tuple(row)
        hand.bring(number, piece, x)
        hand.to(piece.x, piece.y)
        hand.let_go()
        hand.away(x)
        act = hand.act(action, (number,))
        return replace(act, lies=(first, *act.lies[1:]))
    hand.away(x)
    hand.to(piece.x, piece.y)
    hand.take(number)
    if action == "turn":
        hand.to(piece.x, piece.y, 45)
        hand.to(piece.x, piece.y, 46, 180.0 - tip_of(piece), 0.5)
        hand.to(piece.x + off[0], piece.y + off[1])
        hand.let_go()
    elif action == "peek":
        hand.to(piece.x, piece.y + towards * CLOSER_MM, 18, least_s=0.3)
        hand.to(piece.x, piece.y + towards * CLOSER_MM, 26, 180.0 - towards * TIP_DEG, 0.35)
        hand.to(piece.x, piece.y + towards * CLOSER_MM, 25, 180.0 - towards * TIP_DEG, 0.8)
        hand.to(piece.x, piece.y + towards * CLOSER_MM, 15, 180.0, 0.3)
        hand.to(piece.x + off[0], piece.y + off[1])
        hand.let_go()
    elif action == "exchange":
        hand.to(piece.x, piece.y + towards * ASIDE_MM)
        hand.let_go()
        hand.to(beside.x, beside.y)
        hand.take(other)
        hand.to(piece.x + off[0], piece.y + off[1])
        hand.let_go()
        hand.to(piece.x, piece.y + towards * ASIDE_MM)
        hand.take(number)
        hand.to(beside.x, beside.y)
        hand.let_go()
    hand.away(x)
    if action == "remove":
        hand.let_go(gone=True)
    return hand.act(action, (number, other) if action == "exchange" else (number,))
