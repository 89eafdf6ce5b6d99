"""Idle hand movements: pointing at a piece, hovering, reaching over; they touch nothing."""

from __future__ import annotations

import random

from device.sim.hands.acts import Doer
from device.sim.hands.scripts import Script
from device.sim.hands.writer import Writer
from device.sim.players.world import World


def gesture(world: World, doer: Doer, rng: random.Random) -> Script:
    """A hand that comes, points at a piece or at nothing, and leaves."""
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
