"""The table of a planned match, as the daemon begins it."""

from __future__ import annotations

import random

import msgspec

from device.session.table import KnownGame
from engine.catalogue import complete
from referee_simulator.dealers import dealer
from referee_simulator.harness.plan import Eyes, PlannedMatch
from referee_simulator.render.camera import SIZE
from referee_simulator.table.holding import Holding
from referee_simulator.table.places import care_in
from referee_simulator.table.scenes import draw, load_scenes
from referee_simulator.table.setting import set_out
from referee_simulator.table.virtual import VirtualTable
from vision.mat import Mat

UNSEEN = (160, 90)


def table_of(
    known: KnownGame, mat: Mat, seats: tuple[str, ...], planned: PlannedMatch
) -> tuple[VirtualTable, Holding | None]:
    """Return the laid table, and the real cards; None without a dealer."""
    scene = draw(load_scenes()[planned.plan.scene], planned.seed)
    if planned.plan.tremble is not None:
        rest, busy, turn = planned.plan.tremble
        scene = msgspec.structs.replace(scene, tremble_px=rest, tremble_hand_px=busy, tremble_deg=turn)
    state = known.game.setup(complete(known.spec.options, planned.options), seats, planned.seed)
    maintenance = care_in(scene)
    holder = dealer(known.spec, known.game)
    holding = None if holder is None else Holding(holder, state, seats, planned.seed)
    truth = set_out(known.game.layout(state), mat, random.Random(f"{planned.seed}/laid"), maintenance, holding)
    size = UNSEEN if planned.plan.eyes is Eyes.IDEAL else SIZE
    return VirtualTable(mat, truth, scene, mat.sides[str(len(seats))], size), holding
