"""Makes room for a piece: pushes in rows, obstacles, and places aside."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator

from referee_simulator.render.hand import FROM
from referee_simulator.table.ground_truth import Body, Shape
from referee_simulator.table.places import Pose

TOGETHER_MM = 1.0

CLEAR_MM = 3.0

TOUCH_MM, SQUEEZES = 0.3, 30
"""Gap between discs (mm), and steps to move one clear."""

ASIDE_MM = 52.0
RIM_MM = 24.0
"""Distance of a piece laid aside, and least distance from the mat's edge."""

Push = tuple[tuple[Body, ...], float, float]


def pushes(pushed: Iterable[tuple[Body, Pose]]) -> list[Push]:
    """Return pushes to these poses, ordered so that none collide."""
    groups: list[list[tuple[Body, Pose]]] = []
    for body, pose in pushed:
        if groups and _step(*groups[-1][-1], body, pose) < TOGETHER_MM:
            groups[-1].append((body, pose))
        else:
            groups.append([(body, pose)])
    ways = [_way(group) for group in groups]
    ahead = [way for way in ways if way[1] + way[2] > 0]
    return [way for way in ways if way not in ahead] + ahead[::-1]


def _way(group: list[tuple[Body, Pose]]) -> Push:
    body, pose = group[0]
    return tuple(each for each, _ in group), pose[0] - body.x, pose[1] - body.y


def _step(one: Body, there: Pose, other: Body, thither: Pose) -> float:
    return math.hypot(there[0] - one.x - thither[0] + other.x, there[1] - one.y - thither[1] + other.y)


def in_the_way(body: Body, pushed: Iterable[tuple[Body, Pose]]) -> bool:
    reach = max(body.width, body.height)
    return any(_nearest(other, pose, body) < reach for other, pose in pushed)


def _nearest(pushed: Body, pose: Pose, body: Body) -> float:
    dx, dy = pose[0] - pushed.x, pose[1] - pushed.y
    length = dx * dx + dy * dy
    along = ((body.x - pushed.x) * dx + (body.y - pushed.y) * dy) / length if length else 0.0
    share = min(1.0, max(0.0, along))
    return math.hypot(pushed.x + share * dx - body.x, pushed.y + share * dy - body.y)


def beside(body: Body, pose: Pose, others: Iterable[Body]) -> Pose:
    """Return the pose, moved in at most SQUEEZES steps until a disc overlaps no other."""
    x, y, angle = pose
    discs = [b for b in others if b.shape is Shape.DISC and b.id != body.id] if body.shape is Shape.DISC else []
    for _ in range(SQUEEZES):
        near = min(discs, key=lambda b: math.hypot(x - b.x, y - b.y) - (b.width + body.width) / 2, default=None)
        least = (near.width + body.width) / 2 + TOUCH_MM if near is not None else 0.0
        if near is None or math.hypot(x - near.x, y - near.y) >= least:
            break
        way = math.atan2(y - near.y, x - near.x)
        x, y = near.x + 1.001 * least * math.cos(way), near.y + 1.001 * least * math.sin(way)
    return x, y, angle


def aside(body: Body, others: Iterable[Body], mat_mm: tuple[float, float], side: str, rng: random.Random) -> Pose:
    """Return a free place beside the piece, on the mover's side if possible; the roomiest if none is free."""
    lying, reach = tuple(others), max(body.width, body.height) + CLEAR_MM
    best, most = (body.x, body.y), -1.0
    for x, y in _besides(body, mat_mm, side, rng):
        room = min((math.hypot(x - b.x, y - b.y) for b in lying), default=math.inf)
        if room > most:
            best, most = (x, y), room
        if room >= reach:
            break
    return (*best, body.angle)


def _besides(body: Body, mat_mm: tuple[float, float], side: str, rng: random.Random) -> Iterator[tuple[float, float]]:
    fx, fy = FROM[side]
    for away in (ASIDE_MM, ASIDE_MM + 12.0, -ASIDE_MM, -ASIDE_MM - 12.0):
        for step in (0.0, 22.0, -22.0, 44.0, -44.0, 88.0, -88.0):
            along = step + rng.uniform(-8.0, 8.0)
            x, y = body.x + fx * away + fy * along, body.y + fy * away + fx * along
            yield _within(x, mat_mm[0]), _within(y, mat_mm[1])


def _within(place: float, size: float) -> float:
    return min(max(place, RIM_MM), size - RIM_MM)
