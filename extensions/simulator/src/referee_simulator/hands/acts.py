"""Turns any game's action traces into hand movements; also idle gestures."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import msgspec

from engine.table import Arrangement, Layout, Move, Seat, Spot, Trace
from referee_simulator.hands.room import aside, beside, in_the_way, pushes
from referee_simulator.hands.scripts import Script, finish
from referee_simulator.hands.writer import Writer
from referee_simulator.players.world import World
from referee_simulator.table.ground_truth import Body, Truth, along, inside, members, turn_over
from referee_simulator.table.places import (
    Maintenance,
    Pose,
    bodies_at,
    cell_place,
    free_place,
    jitter_pose,
    row_places,
    splay_place,
    within,
    zones,
)
from vision.mat import Mat, MatZone


class Doer(msgspec.Struct, frozen=True):
    """The person who acts. look: seed of hand and sleeve."""

    seat: Seat
    side: str
    maintenance: Maintenance = Maintenance()
    look: int = 0
    pace: float = 1.0


def carry_out(
    trace: Trace,
    before: Layout,
    truth: Truth,
    *,
    mat: Mat,
    doer: Doer,
    rng: random.Random,
    begins: float,
    brought: tuple[str, ...] = (),
) -> tuple[Script, ...]:
    """Return scripts that carry out a trace on a table that agrees with `before`. brought: cards laid face down, in the
    moves' order. Raises KeyError for an absent piece."""
    at = bodies_at(before, truth, mat)
    work = Work(truth, mat, doer, rng, begins)
    work.hidden = list(brought)
    if _is_exchange(trace.moves):
        first, second = (at[move.source] for move in trace.moves if move.source is not None)
        turns = {at[spot].id for spot in trace.turned}
        work.exchange(first, second, turns)
    else:
        rows = {zone.zone for zone in trace.layout.zones if zone.order is Arrangement.ROW}
        for move in sorted(trace.moves, key=lambda move: _rank(move, rows)):
            work.move(move, at, trace)
    carried = {move.source for move in trace.moves}
    for spot in sorted(trace.turned - carried):
        work.turn(at[spot])
    for spot in sorted(trace.lifted):
        work.peek(at[spot])
    return work.scripts()


def _rank(move: Move, rows: set[str]) -> int:
    """Return a key that sorts moves into rows by target, which counts final neighbours; 0 for others."""
    return move.target.index if move.target is not None and move.target.zone in rows else 0


def _is_exchange(moves: tuple[Move, ...]) -> bool:
    if len(moves) != 2 or None in (moves[0].source, moves[1].source):
        return False
    return (moves[0].source, moves[0].target) == (moves[1].target, moves[1].source)


class Work:
    """A hand's work: its script so far, and the resulting `truth`."""

    def __init__(self, truth: Truth, mat: Mat, doer: Doer, rng: random.Random, begins: float) -> None:
        self.truth, self._mat, self._doer, self._rng = truth, mat, doer, rng
        self._before = truth
        self.hidden: list[str] = []
        self._zones: Mapping[str, MatZone] = zones(mat)
        self._hand = Writer(doer.side, begins, mat.size_mm, rng, look=doer.look, pace=doer.pace)

    def scripts(self) -> tuple[Script, ...]:
        self._hand.leave()
        return (self._hand.script(),)

    def turn(self, body: Body) -> None:
        over = turn_over(body)
        self._hand.turn(body, self._neatly(body, (body.x, body.y, over.angle)), self._lying_on(body))
        self._settle()

    def peek(self, body: Body) -> None:
        self._hand.peek(body, self._neatly(body, (body.x, body.y, body.angle)))
        self._settle()

    def exchange(self, first: Body, second: Body, turns: set[int]) -> None:
        places = {first.id: (second.x, second.y), second.id: (first.x, first.y)}
        self._aside(first)
        self._put(second, places[second.id], second.id in turns)
        self._put(self.truth.body(first.id), places[first.id], first.id in turns)

    def slide(self, body: Body, to: Pose) -> None:
        self._hand.slide((body,), to[0] - body.x, to[1] - body.y)
        self._settle()

    def lay(self, body: Body, pose: Pose) -> None:
        self._hand.bring(body, pose)
        self._settle()

    def take(self, body: Body) -> None:
        self._hand.carry(body, (body.x, body.y, body.angle), off=True)
        self._settle()

    def move(self, move: Move, at: Mapping[Spot, Body], trace: Trace) -> None:
        turns = move.source in trace.turned
        if move.source is None:
            body = self._fetch(trace.layout, move.target)
            pose = self._target(move.target, body)
            self._hand.bring(body, pose)
            self._settle()
            return
        body = at[move.source]
        if move.target is None:
            self.take(body)
            return
        pose = self._target(move.target, body)
        self._hand.carry(self.truth.body(body.id), pose, turn=turns)
        self._settle()

    def _put(self, body: Body, place: tuple[float, float], turn: bool) -> None:
        angle = turn_over(body).angle if turn else body.angle
        self._hand.carry(body, self._neatly(body, (*place, angle)), turn=turn)
        self._settle()

    def _fetch(self, after: Layout, target: Spot | None) -> Body:
        piece = after.at(target) if target is not None else None
        kind = piece.kind if piece is not None else None
        if kind is None and self.hidden:
            kind = self.hidden.pop(0)
        for body in self.truth.away:
            if kind is None or body.kind == kind:
                return msgspec.structs.replace(body, face=piece.face if piece else body.face)
        raise KeyError(f"no piece away from the table is {piece}")

    def _target(self, target: Spot | None, body: Body) -> Pose:
        assert target is not None
        zone = self._zones[target.zone]
        others = [b for b in self.truth.bodies if b.id != body.id]
        maintenance = self._doer.maintenance.of(body)
        angle = self._rng.uniform(-maintenance.jitter_deg, maintenance.jitter_deg)
        match zone.order:
            case Arrangement.AREA:
                x, y, _ = free_place(self._rng, zone, others, body)
                return x, y, angle
            case Arrangement.CELLS:
                x, y, lies = cell_place(zone.cells[target.index], body)
                angle += lies
            case Arrangement.ROW:
                x, y, _ = self._into_row(zone, target.index, body)
            case Arrangement.SPLAY:
                x, y, lies = self._onto_splay(zone, target.index, body)
                angle += lies
            case Arrangement.PILE:
                x, y, lies = cell_place(zone.box, body)
                angle += lies
        there = jitter_pose(self._rng, (x, y, angle), msgspec.structs.replace(maintenance, jitter_deg=0.0))
        if zone.order is Arrangement.CELLS:
            return within(zone.cells[target.index], there)
        return beside(body, there, self.truth.bodies) if zone.order is Arrangement.ROW else there

    def _into_row(self, zone: MatZone, index: int, body: Body) -> Pose:
        staying = [b for b in members(self.truth, zone) if b is not None and b.id != body.id]
        index = min(index, len(staying))
        row: list[Body | None] = [*staying[:index], None, *staying[index:]]
        places = row_places(zone, tuple(row), max(body.width, body.height))
        pushed = [(b, p) for b, p in zip(row, places, strict=True) if b is not None and abs(b.x - p[0]) > 1.0]
        lying = next((b for b in self.truth.bodies if b.id == body.id), None)
        if lying is not None and in_the_way(lying, pushed):
            self._aside(lying)
        self._push(pushed)
        return places[index]

    def _onto_splay(self, zone: MatZone, index: int, body: Body) -> Pose:
        staying = [b for b in members(self.truth, zone) if b is not None and b.id != body.id]
        places = [(b, splay_place(zone, number)) for number, b in enumerate(staying)]
        self._push([(b, place) for b, place in places if math.hypot(place[0] - b.x, place[1] - b.y) > 6.0])
        return splay_place(zone, index)

    def _push(self, pushed: list[tuple[Body, Pose]]) -> None:
        for group, dx, dy in pushes(pushed):
            self._hand.slide(tuple(self.truth.body(body.id) for body in group), dx, dy)
            self._settle()

    def _aside(self, body: Body) -> None:
        others = [b for b in self.truth.bodies if b.id != body.id]
        self._hand.carry(body, aside(body, others, self._mat.size_mm, self._doer.side, self._rng))
        self._settle()

    def _lying_on(self, body: Body) -> Body | None:
        splays = (zone for zone in self._mat.zones if zone.order is Arrangement.SPLAY and zone.set == body.set)
        zone = next((zone for zone in splays if inside(zone.box, body.x, body.y)), None)
        row = [] if zone is None else [b for b in members(self.truth, zone) if b is not None and b.id != body.id]
        return next((b for b in row if zone and along(zone, b.x, b.y) > along(zone, body.x, body.y)), None)

    def _neatly(self, body: Body, pose: Pose) -> Pose:
        there = jitter_pose(self._rng, pose, self._doer.maintenance.back().of(body))
        cells = (cell for zone in self._mat.zones if zone.order is Arrangement.CELLS for cell in zone.cells)
        cell = next((cell for cell in cells if inside(cell, pose[0], pose[1])), None)
        return within(cell, there) if cell is not None else beside(body, there, self.truth.bodies)

    def _settle(self) -> None:
        self.truth = finish(self._before, (self._hand.script(),))


# --- idle movements, which touch nothing


def gesture(world: World, doer: Doer, rng: random.Random) -> Script:
    """Return the script of a hand that points and leaves."""
    table = world.table
    bodies = table.settle(world.now).bodies
    width, height = table.mat.size_mm
    x, y = rng.uniform(0.2, 0.8) * width, rng.uniform(0.25, 0.75) * height
    if bodies and rng.random() < 0.7:
        body = rng.choice(bodies)
        x, y = body.x, body.y
    hand = Writer(doer.side, world.now, table.mat.size_mm, rng, look=doer.look, pace=doer.pace)
    hand.go(x, y, rng.uniform(45, 70))
    hand.pause(rng.uniform(0.3, 1.0))
    hand.leave()
    return hand.script()
