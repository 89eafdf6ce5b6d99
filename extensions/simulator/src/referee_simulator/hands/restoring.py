"""Restores a table by hand: zones, row order, cells and faces, not exact places."""

from __future__ import annotations

import random

from engine.table import Arrangement
from referee_simulator.hands.acts import Doer, Work
from referee_simulator.hands.scripts import Script
from referee_simulator.table.ground_truth import Body, Shape, Truth, members, turn_over
from referee_simulator.table.places import free_place
from vision.mat import Mat, MatZone


class Restoring(Work):
    """Work that restores zones."""

    def restore(self, wanted: Truth, zone: MatZone) -> None:
        was = [b for b in members(wanted, zone) if b is not None]
        now = {b.id: b for b in members(self.truth, zone) if b is not None}
        kept = [b for b in was if b.id in now and not self._is_misplaced(b, was, zone)]
        for body in was:
            present = self._somewhere(body.id)
            wrong_face = present.face is not body.face
            if body not in kept:
                self._bring_back(body, present, was, zone, turn=wrong_face)
                kept.append(body)
            elif wrong_face:
                self.turn(present)

    def anew(self, body: Body) -> None:
        """Lay a piece down again in place."""
        pose = self._neatly(body, (body.x, body.y, body.angle))
        self._hand.carry(body, pose, under=self._lying_on(body))
        self._settle()

    def _is_misplaced(self, body: Body, was: list[Body], zone: MatZone) -> bool:
        lying = self._somewhere(body.id)
        if zone.order is Arrangement.AREA:
            return False
        if zone.order is not Arrangement.ROW:
            return abs(lying.x - body.x) + abs(lying.y - body.y) > max(body.width, body.height) / 2
        wanted_ids = [b.id for b in was]
        now = [b.id for b in members(self.truth, zone) if b is not None and b.id in wanted_ids]
        return body.id not in in_order([wanted_ids.index(ident) for ident in now], wanted_ids)

    def _bring_back(self, body: Body, present: Body, was: list[Body], zone: MatZone, *, turn: bool) -> None:
        angle = turn_over(present).angle if turn else present.angle
        angle = body.angle if body.shape is Shape.CARD else angle  # nobody leaves a card lying across
        if zone.order is Arrangement.ROW:
            before = {b.id for b in was[: was.index(body)]}
            row = [b for b in members(self.truth, zone) if b is not None and b.id != body.id]
            index = max((i + 1 for i, b in enumerate(row) if b.id in before), default=0)
            x, y, _ = self._into_row(zone, index, body)
        elif zone.order is Arrangement.AREA:
            x, y, _ = free_place(self._rng, zone, [b for b in self.truth.bodies if b.id != body.id], body)
        else:
            x, y = body.x, body.y
        present = self._somewhere(body.id)
        if present in self.truth.away:
            self._hand.bring(present, (x, y, angle), turn=turn, under=self._lying_on(body))
        else:
            self._hand.carry(present, self._neatly(present, (x, y, angle)), turn=turn, under=self._lying_on(body))
        self._settle()

    def _somewhere(self, ident: int) -> Body:
        return next(b for b in (*self.truth.bodies, *self.truth.away) if b.id == ident)


def put_back(
    wanted: Truth,
    truth: Truth,
    anew: frozenset[int] = frozenset(),
    *,
    mat: Mat,
    doer: Doer,
    rng: random.Random,
    begins: float,
) -> tuple[Script, ...]:
    """Return scripts that restore `wanted`. anew: pieces to lay down again although in place."""
    work = Restoring(truth, mat, doer, rng, begins)
    lay = {body.id for body in wanted.bodies}
    for body in truth.bodies:
        if body.id not in lay:
            work.take(body)
    for zone in mat.zones:
        work.restore(wanted, zone)
    for body in truth.bodies:
        if body.id in anew & lay:
            work.anew(work.truth.body(body.id))
    return work.scripts()


def in_order(places: list[int], idents: list[int]) -> frozenset[int]:
    """Return the ids that may stay in a row: a longest increasing subsequence of `places`, indices of `idents`."""
    best: list[list[int]] = []
    for place in places:
        runs = [run for run in best if run[-1] < place]
        best.append([*max(runs, key=len, default=[]), place])
    return frozenset(idents[place] for place in max(best, key=len, default=[]))
