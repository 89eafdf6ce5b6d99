"""Sees the true table in place of vision; tests derive faulty eyes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from engine.table import Arrangement, Face, Health, Observation, Seat, Sight, Sighting, Touch, ZoneSight
from referee_simulator.hands.scripts import Script
from referee_simulator.table.ground_truth import Body, Truth, members, strays
from referee_simulator.table.virtual import Faults, VirtualTable
from vision.mat import Mat, MatZone
from vision.messages import Rebase, Report, ToWorker, VisionSetup


def _health_of(faults: Faults) -> Health:
    if faults.gone or faults.frozen:
        return Health.NO_FRAMES
    if faults.black:
        return Health.DARK
    return Health.GLARE if faults.glare else Health.OK


class Shown(Protocol):
    def settle(self, at: float) -> Truth: ...

    def scripts_since(self, since: float) -> tuple[Script, ...]: ...


class Ideal:
    def __init__(self, mats: Mapping[str, Mat]) -> None:
        self._mats = mats
        self._setup: VisionSetup | None = None
        self._frame = self._serial = 0
        self._moving, self._due, self._since = False, False, 0.0
        self._seen: Truth | None = None

    def tell(self, message: ToWorker) -> None:
        if isinstance(message, VisionSetup):
            self._setup = message
        if isinstance(message, VisionSetup | Rebase):
            self._due = True

    def watch(self, table: VirtualTable, at: float) -> Report:
        """Report as `look` does, with camera faults; changes without hands are observed too."""
        if (health := _health_of(table.faults)) is not Health.OK:
            self._seen = None
            return Report(0, at, False, health)
        if table.resting(at) and (truth := table.settle(at)) != self._seen:
            self._seen = truth
            self._due = True
        return self.look(table, at)

    def look(self, table: VirtualTable, at: float) -> Report:
        self._frame += 1
        moving = not table.resting(at)
        settled = self._moving and not moving
        self._moving = moving
        observation = None
        if self._setup is not None and not moving and (settled or self._due):
            observation = self._observe(table, self._setup, at)
            self._due, self._since = False, at
        return Report(self._frame, at, moving, observation.health if observation else _OK, observation)

    def _observe(self, table: Shown, setup: VisionSetup, at: float) -> Observation:
        self._serial += 1
        truth, mat = table.settle(at), self._mats[setup.mat]
        sets = {zone.set for zone in mat.zones}
        foreign = tuple(body for body in truth.bodies if body.set not in sets)
        zones = tuple(
            _zone_sight(zone, members(truth, zone), foreign) for zone in mat.zones if zone.name in setup.zones
        )
        worked = [script for script in table.scripts_since(self._since) if script.side in setup.sides.values()]
        seats = {side: seat for seat, side in setup.sides.items()}
        touched: dict[int, Touch] = {}
        for script in worked:
            hands = frozenset({seats[script.side]})
            for stroke in script.strokes:
                for ident in stroke.holds:
                    if ident in {body.id for body in foreign}:
                        continue
                    before = touched.get(ident)
                    lifted = max(stroke.lifts) > 1.0 or (before is not None and before.lifted)
                    touched[ident] = Touch(ident, lifted, 1.0, hands | (before.hands or hands if before else hands))
        lost = tuple(_sighting(body) for body in strays(truth, mat, setup.zones))
        hands_seen = frozenset[Seat](seats[script.side] for script in worked)
        return Observation(self._serial, at, zones, tuple(touched.values()), frozenset(), hands_seen, lost)


_OK = Observation(0, 0.0, ()).health


def _zone_sight(zone: MatZone, lying: tuple[Body | None, ...], foreign: tuple[Body, ...]) -> ZoneSight:
    pieces = tuple(None if body is None else _sighting(body, foreign) for body in lying)
    if zone.order is Arrangement.AREA:
        pieces = tuple(sorted(pieces, key=lambda piece: piece.kind or "" if piece else ""))
    return ZoneSight(zone.name, zone.order, pieces)


def _sighting(body: Body, foreign: tuple[Body, ...] = ()) -> Sighting:
    kind = body.kind if body.face is Face.UP else None
    under = any(abs(body.x - b.x) < b.width / 2 and abs(body.y - b.y) < b.height / 2 for b in foreign if b != body)
    return Sighting(body.id, kind, body.face, Sight.COVERED if under else Sight.SEEN, 1.0, body.x, body.y, body.angle)
