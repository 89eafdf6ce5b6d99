"""Writes the script of a hand: reach, grasp, carry, turn, put down, leave."""

from __future__ import annotations

import math
import random

import msgspec

from referee_simulator.hands.scripts import Lay, Point, Script, Stroke
from referee_simulator.render.hand import FROM
from referee_simulator.table.ground_truth import Body
from referee_simulator.table.places import Pose

ABOVE_MM = 6.0

CARRY_MM = 28.0
GRIP_MM = 13.0
"""Grip's distance from a piece's middle, towards the owner."""

SPEED_MM_S = (330.0, 500.0)
RELEASE_S = (0.12, 0.25)
"""Ranges of an unhurried hand's speed, and of its pause to release."""


class Writer:
    """Writes a script stroke by stroke. pace: 1 is unhurried, 2 twice as fast."""

    def __init__(
        self,
        side: str,
        begins: float,
        mat_mm: tuple[float, float],
        rng: random.Random,
        *,
        look: int = 0,
        pace: float = 1.0,
    ) -> None:
        self._side, self._begins, self._mat = side, begins, mat_mm
        self._rng, self._look, self._pace = rng, look, pace
        self._lean = rng.uniform(-18, 18)
        self._strokes: list[Stroke] = []
        self._tip: Point | None = None

    def script(self) -> Script:
        return Script(self._side, self._begins, tuple(self._strokes), self._lean, self._look)

    def go(self, x: float, y: float, height: float) -> None:
        """Move the empty hand."""
        start = self._tip or self._outside(x, y)
        self._stroke((x, y, height), start=start)

    def pause(self, seconds: float) -> None:
        if self._tip is not None:
            self._strokes.append(Stroke(seconds, self._tip, self._tip))

    def leave(self) -> None:
        if self._tip is not None:
            self._stroke(self._outside(self._tip[0], self._tip[1]))
            self._tip = None

    def carry(self, body: Body, pose: Pose, turn: bool = False, off: bool = False, under: Body | None = None) -> None:
        """Carry a piece to a pose, or off the mat. under: piece that it goes below."""
        self._grasp(body)
        level = CARRY_MM + self._rng.uniform(-6, 10)
        top = body.thickness + ABOVE_MM
        self._hold(body, body.x, body.y, (0.5, level))
        half = (body.x + pose[0]) / 2, (body.y + pose[1]) / 2
        if off:
            away = self._outside(body.x, body.y)
            self._stroke(away, holds=(body.id,), lifts=(level, level), lays=(Lay(body.id, off=True),))
            self._tip = None
            return
        if turn:
            self._hold(body, *half, (level, level + 10), tilts=(0.0, 90.0))
            self._hold(body, pose[0], pose[1], (level + 10, level), tilts=(90.0, 180.0))
        else:
            self._hold(body, pose[0], pose[1], (level, level))
        lay = Lay(body.id, pose, turns=turn, under=under.id if under is not None else None)
        tilts = (180.0, 180.0) if turn else (0.0, 0.0)
        x, y = self._grip(body, pose[0], pose[1])
        self._stroke((x, y, top), holds=(body.id,), lifts=(level, 0.5), tilts=tilts, lays=(lay,), least=0.2)
        self.pause(self._rng.uniform(*RELEASE_S))

    def bring(self, body: Body, pose: Pose, turn: bool = False, under: Body | None = None) -> None:
        x, y = self._grip(body, pose[0], pose[1])
        self.go(x, y, body.thickness + ABOVE_MM)
        lay = Lay(body.id, pose, turn, brought=body, under=under.id if under is not None else None)
        self._strokes[-1] = msgspec.structs.replace(self._strokes[-1], lays=(lay,))

    def turn(self, body: Body, pose: Pose, under: Body | None = None) -> None:
        self.carry(body, pose, turn=True, under=under)

    def peek(self, body: Body, pose: Pose, seconds: float = 0.8) -> None:
        """Lift a piece, tip it towards the owner, and put it back."""
        self._grasp(body)
        fx, fy = FROM[self._side]
        near = self._rng.uniform(40, 90)
        tip = self._rng.uniform(50, 70) * self._towards_owner()
        level = self._rng.uniform(14, 30)
        top = body.thickness + ABOVE_MM
        self._hold(body, body.x + fx * near, body.y + fy * near, (0.5, level), tilts=(0.0, tip))
        self._strokes.append(Stroke(seconds, self._there(), self._there(), (body.id,), (level, level), (tip, tip)))
        x, y = self._grip(body, pose[0], pose[1])
        lay = Lay(body.id, pose)
        self._stroke((x, y, top), holds=(body.id,), lifts=(level, 0.5), tilts=(tip, 0.0), lays=(lay,), least=0.25)
        self.pause(self._rng.uniform(*RELEASE_S))

    def slide(self, bodies: tuple[Body, ...], dx: float, dy: float) -> None:
        lead = bodies[-1] if dx < 0 or dy < 0 else bodies[0]
        x, y = self._grip(lead, lead.x, lead.y)
        top = lead.thickness + ABOVE_MM
        self.go(x, y, top)
        lays = tuple(Lay(b.id, (b.x + dx, b.y + dy, b.angle)) for b in bodies)
        self._stroke((x + dx, y + dy, top), holds=tuple(b.id for b in bodies), lays=lays, least=0.4)

    def _grasp(self, body: Body) -> None:
        x, y = self._grip(body, body.x, body.y)
        self.go(x, y, body.thickness + ABOVE_MM + 22)
        self._stroke((x, y, body.thickness + ABOVE_MM), least=0.2)

    def _hold(
        self, body: Body, x: float, y: float, lifts: tuple[float, float], tilts: tuple[float, float] = (0.0, 0.0)
    ) -> None:
        gx, gy = self._grip(body, x, y)
        height = lifts[1] + body.thickness + ABOVE_MM
        self._stroke((gx, gy, height), holds=(body.id,), lifts=lifts, tilts=tilts, least=0.2)

    def _stroke(
        self,
        stop: Point,
        *,
        start: Point | None = None,
        holds: tuple[int, ...] = (),
        lifts: tuple[float, float] = (0.0, 0.0),
        tilts: tuple[float, float] = (0.0, 0.0),
        lays: tuple[Lay, ...] = (),
        least: float = 0.12,
    ) -> None:
        begin = start or self._there()
        speed = self._pace * self._rng.uniform(*SPEED_MM_S)
        lasts = max(least / self._pace, math.dist(begin, stop) / speed)
        self._strokes.append(Stroke(lasts, begin, stop, holds, lifts, tilts, lays))
        self._tip = stop

    def _there(self) -> Point:
        if self._tip is None:
            raise ValueError("the hand is not over the mat")
        return self._tip

    def _grip(self, body: Body, x: float, y: float) -> tuple[float, float]:
        fx, fy = FROM[self._side]
        hold = min(GRIP_MM, body.height * 0.4)
        return x + fx * hold, y + fy * hold

    def _outside(self, x: float, y: float) -> Point:
        width, height = self._mat
        match self._side:
            case "bottom":
                return (x + self._rng.uniform(-40, 40), height + 190.0, 60.0)
            case "top":
                return (x + self._rng.uniform(-40, 40), -190.0, 60.0)
            case "left":
                return (-190.0, y + self._rng.uniform(-40, 40), 60.0)
            case _:
                return (width + 190.0, y + self._rng.uniform(-40, 40), 60.0)

    def _towards_owner(self) -> float:
        return 1.0 if self._side in ("bottom", "left") else -1.0
