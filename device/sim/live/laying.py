"""How the table is set out for a match on one of a game's mats."""

from __future__ import annotations

import random

from device.session.table import Known
from device.sim.places import Care
from device.sim.scenes import Scene
from device.sim.setting import set_out
from device.sim.truth import Truth
from engine.options import complete
from engine.table import Seat
from vision.mat import Mat


def laid(known: Known, mat: Mat, seats: tuple[Seat, ...], scene: Scene, number: int) -> Truth:
    """The pieces as the game's rules want them at the start; `number`: which time this evening, for the places.

    Raises ValueError if the start of the game hides a piece.
    """
    table = next(table for table in known.spec.tables if table.mat == mat.name and len(seats) in table.seats)
    options = complete(known.spec.options, table.when)
    start = known.game.setup(options, seats, scene.seed)
    rng = random.Random(f"{scene.seed}/laid/{number}")
    return set_out(known.game.layout(start), mat, rng, Care(scene.jitter_mm, scene.jitter_deg))
