"""Recognises pushes: a common shift of several pieces, and a single piece pushed straight without passing another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.tracking.looks import Look

FARTHEST_MM = 130.0
"""Largest push between pictures."""

TOGETHER_MM = 2.5
"""Tolerance of a common shift."""

SLID_MM, ASIDE_MM = 6.0, 6.0
"""Least push along an edge, and most aside."""

Point = tuple[float, float]


def shift(vanished: Sequence[Point], seen: Sequence[Point]) -> Point | None:
    """Return the common shift of two or more vanished pieces; None if none or ambiguous."""
    ways = [(sx - vx, sy - vy) for vx, vy in vanished for sx, sy in seen]
    ways = [way for way in ways if np.hypot(*way) <= FARTHEST_MM]
    ranked = sorted(((*_explain(vanished, seen, way), way) for way in ways), key=lambda one: (-one[0], one[1]))
    if not ranked or ranked[0][0] < 2:
        return None
    count, _, best = ranked[0]
    others = [n for n, _, way in ranked if np.hypot(way[0] - best[0], way[1] - best[1]) > 2 * TOGETHER_MM]
    return best if not others or others[0] < count else None


def _explain(vanished: Sequence[Point], seen: Sequence[Point], way: Point) -> tuple[int, float]:
    off = [min(float(np.hypot(sx - vx - way[0], sy - vy - way[1])) for sx, sy in seen) for vx, vy in vanished]
    near = [distance for distance in off if distance <= TOGETHER_MM]
    return len(near), sum(near)


def slid(before: Look, after: Look, others: Sequence[tuple[Look, Look]], lane_mm: float) -> bool:
    """Return True if a piece may have been pushed straight, past no other. others: before and after."""
    dx, dy = after.x_mm - before.x_mm, after.y_mm - before.y_mm
    if min(abs(dx), abs(dy)) > ASIDE_MM or max(abs(dx), abs(dy)) < SLID_MM or before.face is not after.face:
        return False
    carried_mm = 2 * np.hypot(dx, dy)  # a piece that went farther was carried past: no evidence
    near = [(was, now) for was, now in others if np.hypot(now.x_mm - was.x_mm, now.y_mm - was.y_mm) < carried_mm]
    return not any(_count_passes(before, after, was, now, lane_mm, across=abs(dx) > abs(dy)) for was, now in near)


def _count_passes(before: Look, after: Look, was: Look, now: Look, lane_mm: float, *, across: bool) -> bool:
    old, new = _along(before, was, across=across), _along(after, now, across=across)
    aside = max(abs(_along(before, was, across=not across)), abs(_along(after, now, across=not across)))
    return aside < lane_mm and (old > 0) != (new > 0)


def _along(one: Look, other: Look, *, across: bool) -> float:
    return other.x_mm - one.x_mm if across else other.y_mm - one.y_mm
