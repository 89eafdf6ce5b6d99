"""Hands as scripts: reaching, grasping, carrying, turning over, putting down, leaving; pure functions of time."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

import msgspec

from device.sim.places import Pose
from device.sim.render.hand import FROM, Hand
from device.sim.truth import Body, Truth, put, remove, turned

ABOVE_MM = 6.0
"""Finger tips over the upper face of what they hold."""

CARRY_MM = 28.0
GRIP_MM = 13.0
"""How far from a piece's middle, on their owner's side, finger tips hold it."""

SPEED_MM_S = (330.0, 500.0)
RELEASE_S = (0.12, 0.25)
"""How fast an unhurried hand moves, and how long it stays to let go of what it put down."""

Point = tuple[float, float, float]
"""x, y and height in mm."""


class Lay(msgspec.Struct, frozen=True):
    """How a piece lies at the end of a stroke. `off`: away from the table. `turns`: it is turned over on the way."""

    id: int
    pose: Pose = (0.0, 0.0, 0.0)
    turns: bool = False
    off: bool = False


class Stroke(msgspec.Struct, frozen=True):
    """A hand's tips go from one point to another in `lasts` seconds, carrying pieces.

    holds: pieces that go with it. lifts: their height over the mat at both ends. tilts: how far they are tipped.
    lays: how pieces lie at its end.
    """

    lasts: float
    start: Point
    stop: Point
    holds: tuple[int, ...] = ()
    lifts: tuple[float, float] = (0.0, 0.0)
    tilts: tuple[float, float] = (0.0, 0.0)
    lays: tuple[Lay, ...] = ()


class Script(msgspec.Struct, frozen=True):
    """What one hand does from `begins` on."""

    side: str
    begins: float
    strokes: tuple[Stroke, ...]
    lean: float = 0.0
    look: int = 0

    @property
    def axis(self) -> float:
        """About which axis (degrees on the mat) its owner tips a piece."""
        return 0.0 if self.side in ("bottom", "top") else 90.0

    @property
    def ends(self) -> float:
        return self.begins + sum(stroke.lasts for stroke in self.strokes)


def perform(truth: Truth, scripts: Iterable[Script], at: float) -> tuple[Truth, tuple[Hand, ...]]:
    """The table at a time, with hands over it. `truth`: as it lay before the first script began."""
    hands = []
    held = []
    for script in scripts:
        truth, stroke, done = _until(truth, script, at)
        if stroke is not None:
            hands.append(_hand(script, stroke, done))
            held.append((script, stroke, done))
    for script, stroke, done in held:
        for ident in stroke.holds:
            truth = put(truth, _carried(truth.body(ident), script.axis, stroke, done))
    return truth, tuple(hands)


def finish(truth: Truth, scripts: Iterable[Script]) -> Truth:
    """The table once every script is over."""
    return perform(truth, scripts, math.inf)[0]


def _until(truth: Truth, script: Script, at: float) -> tuple[Truth, Stroke | None, float]:
    """The table with all strokes over by then, the stroke under way and how much of it is done (0 to 1)."""
    clock = script.begins
    if at < clock:
        return truth, None, 0.0
    for stroke in script.strokes:
        if at < clock + stroke.lasts:
            return truth, stroke, _smooth((at - clock) / stroke.lasts)
        clock += stroke.lasts
        for ident in stroke.holds:
            truth = put(truth, _carried(truth.body(ident), script.axis, stroke, 1.0))
        for lay in stroke.lays:
            truth = _laid(truth, lay, script.axis)
    return truth, None, 1.0


def _laid(truth: Truth, lay: Lay, axis: float) -> Truth:
    if lay.off:
        return remove(truth, lay.id)
    body = next((b for b in (*truth.bodies, *truth.away) if b.id == lay.id), None)
    if body is None:
        raise KeyError(lay.id)
    flat = turned(msgspec.structs.replace(body, axis_deg=axis)) if lay.turns else body
    x, y, angle = lay.pose
    return put(truth, msgspec.structs.replace(flat, x=x, y=y, angle=angle % 360.0, lift_mm=0.0, tilt_deg=0.0))


def _smooth(share: float) -> float:
    """Hands speed up and slow down."""
    return share * share * (3.0 - 2.0 * share)


def _between(pair: tuple[float, float], done: float) -> float:
    return pair[0] + (pair[1] - pair[0]) * done


def _hand(script: Script, stroke: Stroke, done: float) -> Hand:
    x, y, height = (a + (b - a) * done for a, b in zip(stroke.start, stroke.stop, strict=True))
    speed = math.dist(stroke.start, stroke.stop) / stroke.lasts
    # An exposure of 1/60 s: what moves 300 mm a second smears by 5 mm, about 10 pixels.
    smear = speed / 60 * 2.0 * (4 * done * (1 - done)) if speed > 0 else 0.0
    way = math.atan2(stroke.stop[1] - stroke.start[1], stroke.stop[0] - stroke.start[0])
    return Hand(
        script.side,
        x,
        y,
        height,
        script.lean,
        grip=1.0 if stroke.holds else 0.4,
        look=script.look,
        smear=(smear * math.cos(way), smear * math.sin(way)),
    )


def _carried(body: Body, axis: float, stroke: Stroke, done: float) -> Body:
    dx = (stroke.stop[0] - stroke.start[0]) * done
    dy = (stroke.stop[1] - stroke.start[1]) * done
    return msgspec.structs.replace(
        body,
        x=body.x + dx,
        y=body.y + dy,
        lift_mm=_between(stroke.lifts, done),
        tilt_deg=_between(stroke.tilts, done),
        axis_deg=axis,
    )


class Writer:
    """Writes one hand's script stroke by stroke. `pace`: 1 is unhurried, 2 twice as fast."""

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
        """The empty hand moves; from outside the mat if it is not over it yet."""
        start = self._tip or self._outside(x, y)
        self._stroke((x, y, height), start=start)

    def pause(self, seconds: float) -> None:
        """The empty hand stays where it is."""
        if self._tip is not None:
            self._strokes.append(Stroke(seconds, self._tip, self._tip))

    def leave(self) -> None:
        """The empty hand goes home."""
        if self._tip is not None:
            self._stroke(self._outside(self._tip[0], self._tip[1]))
            self._tip = None

    def carry(self, body: Body, pose: Pose, turn: bool = False, off: bool = False) -> None:
        """Takes a piece, carries it to a pose (off the mat if `off`), turning it over on the way if `turn`."""
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
        lay = Lay(body.id, pose, turns=turn)
        tilts = (180.0, 180.0) if turn else (0.0, 0.0)
        x, y = self._grip(body, pose[0], pose[1])
        self._stroke((x, y, top), holds=(body.id,), lifts=(level, 0.5), tilts=tilts, lays=(lay,), least=0.2)
        self.pause(self._rng.uniform(*RELEASE_S))

    def bring(self, body: Body, pose: Pose, turn: bool = False) -> None:
        """Brings a piece from away, turned over if `turn`, and puts it down."""
        x, y = self._grip(body, pose[0], pose[1])
        self.go(x, y, body.thickness + ABOVE_MM)
        self._strokes[-1] = msgspec.structs.replace(self._strokes[-1], lays=(Lay(body.id, pose, turns=turn),))

    def turn(self, body: Body, pose: Pose) -> None:
        """Turns a piece over on the spot."""
        self.carry(body, pose, turn=True)

    def peek(self, body: Body, pose: Pose, seconds: float = 0.8) -> None:
        """Lifts a piece, draws it near, tips it so that its owner sees the underside, and puts it back."""
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
        """Pushes pieces along the mat together, without lifting them."""
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
        """A point well outside the mat on the hand's own side."""
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
        """Sign of the tip, about the script's axis, by which the owner sees a piece's underside."""
        return 1.0 if self._side in ("bottom", "left") else -1.0
