"""Hand movements as scripts, and the table at any time during them. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from referee_simulator.render.hand import Hand
from referee_simulator.table.ground_truth import Body, Truth, put, remove, slid, turn_over
from referee_simulator.table.places import Pose

Point = tuple[float, float, float]


class Lay(msgspec.Struct, frozen=True):
    """A piece's pose after a stroke.

    off: leaves the table
    turns: turned over on the way
    brought: the piece, if from elsewhere
    under: piece that it goes below"""

    id: int
    pose: Pose = (0.0, 0.0, 0.0)
    turns: bool = False
    off: bool = False
    brought: Body | None = None
    under: int | None = None


class Stroke(msgspec.Struct, frozen=True):
    """A straight movement of finger tips, with pieces.

    lasts: seconds
    holds: carried pieces
    lifts: mm over the mat at both ends
    tilts: degrees at both ends
    lays: poses at its end"""

    lasts: float
    start: Point
    stop: Point
    holds: tuple[int, ...] = ()
    lifts: tuple[float, float] = (0.0, 0.0)
    tilts: tuple[float, float] = (0.0, 0.0)
    lays: tuple[Lay, ...] = ()

    @property
    def slides(self) -> bool:
        return bool(self.holds) and not any(self.lifts)


class Script(msgspec.Struct, frozen=True):
    """One hand's strokes from time `begins`."""

    side: str
    begins: float
    strokes: tuple[Stroke, ...]
    lean: float = 0.0
    look: int = 0

    @property
    def axis(self) -> float:
        """Axis (degrees on the mat) of tilts by this hand."""
        return 0.0 if self.side in ("bottom", "top") else 90.0

    @property
    def ends(self) -> float:
        return self.begins + sum(stroke.lasts for stroke in self.strokes)

    @property
    def pieces(self) -> frozenset[int]:
        held = (ident for stroke in self.strokes for ident in stroke.holds)
        return frozenset((*held, *(lay.id for stroke in self.strokes for lay in stroke.lays)))


def perform(truth: Truth, scripts: Iterable[Script], at: float) -> tuple[Truth, tuple[Hand, ...]]:
    """Return table and hands at a time. truth: before the first script. Raises KeyError for an absent piece."""
    hands = []
    held = []
    for script in scripts:
        truth, stroke, done = _until(truth, script, at)
        if stroke is not None:
            hands.append(_hand(script, stroke, done))
            held.append((script, stroke, done))
    for script, stroke, done in held:
        for ident in stroke.holds:
            truth = _hold(truth, ident, script, stroke, done)
    return truth, tuple(hands)


def finish(truth: Truth, scripts: Iterable[Script]) -> Truth:
    return perform(truth, scripts, math.inf)[0]


def rehearse(truth: Truth, scripts: Sequence[Script]) -> None:
    """Raise KeyError if a script would handle an absent piece."""
    for script in scripts:
        clock = script.begins
        for stroke in script.strokes:
            perform(truth, scripts, clock)
            clock += stroke.lasts
    finish(truth, scripts)


def homeward(script: Script, at: float) -> Script | None:
    """Return the rest of a script once its pieces are all released; None before, after its end, or without pieces."""
    begins = script.begins
    for number, stroke in enumerate(script.strokes):
        if at < begins + stroke.lasts:
            rest = msgspec.structs.replace(script, begins=begins, strokes=script.strokes[number:])
            return rest if script.pieces and not rest.pieces else None
        begins += stroke.lasts
    return None


def delay(script: Script, seconds: float) -> Script:
    return msgspec.structs.replace(script, begins=script.begins + seconds)


def _until(truth: Truth, script: Script, at: float) -> tuple[Truth, Stroke | None, float]:
    """Return the table after completed strokes, the current stroke, and its eased share (0 to 1)."""
    clock = script.begins
    if at < clock:
        return truth, None, 0.0
    for stroke in script.strokes:
        if at < clock + stroke.lasts:
            return truth, stroke, _smooth((at - clock) / stroke.lasts)
        clock += stroke.lasts
        for ident in stroke.holds:
            truth = _hold(truth, ident, script, stroke, 1.0)
        for lay in stroke.lays:
            truth = _lay_down(truth, lay, script.axis, slides=stroke.slides)
    return truth, None, 1.0


def _hold(truth: Truth, ident: int, script: Script, stroke: Stroke, done: float) -> Truth:
    body = _carry(truth.body(ident), script.axis, stroke, done)
    return slid(truth, body) if stroke.slides else put(truth, body)


def _lay_down(truth: Truth, lay: Lay, axis: float, *, slides: bool) -> Truth:
    if lay.off:
        return remove(truth, lay.id)
    body = lay.brought or truth.body(lay.id)
    flat = turn_over(msgspec.structs.replace(body, axis_deg=axis)) if lay.turns else body
    x, y, angle = lay.pose
    lies = msgspec.structs.replace(flat, x=x, y=y, angle=angle % 360.0, lift_mm=0.0, tilt_deg=0.0)
    return slid(truth, lies) if slides else put(truth, lies, lay.under)


def _smooth(share: float) -> float:
    """Ease in and out."""
    return share * share * (3.0 - 2.0 * share)


def _between(pair: tuple[float, float], done: float) -> float:
    return pair[0] + (pair[1] - pair[0]) * done


def _hand(script: Script, stroke: Stroke, done: float) -> Hand:
    x, y, height = (a + (b - a) * done for a, b in zip(stroke.start, stroke.stop, strict=True))
    speed = math.dist(stroke.start, stroke.stop) / stroke.lasts
    # An exposure of 1/60 s: 300 mm a second smears 5 mm, about 10 pixels.
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


def _carry(body: Body, axis: float, stroke: Stroke, done: float) -> Body:
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
