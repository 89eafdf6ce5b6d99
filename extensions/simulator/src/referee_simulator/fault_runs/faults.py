"""What goes wrong in a night, and when: drawn from its seed."""

from __future__ import annotations

import random
from enum import StrEnum

import msgspec


class Kind(StrEnum):
    """A fault."""

    KILL = "kill"  # the daemon is killed
    POWER = "power cut"  # what was not synced is lost as well
    FULL = "full disk"
    FAILING = "failing disk"  # writes and syncs are answered with EIO
    SECTOR = "bad sector"  # a part of a file cannot be read after the power was cut
    LOST = "lost writes"  # of all displays
    GONE = "display gone"
    STUCK = "stuck button"
    BOUNCE = "worn buttons"
    CLOCK = "clock set back"
    FROZEN = "frozen camera"
    GARBAGE = "garbage camera"
    BLIND = "camera gone"
    WORKER = "worker killed"
    BUMPED = "camera bumped"


ANYWHERE = (
    *(Kind.KILL, Kind.POWER, Kind.FULL, Kind.FAILING, Kind.SECTOR),
    *(Kind.LOST, Kind.GONE, Kind.STUCK, Kind.BOUNCE, Kind.CLOCK),
)
AT_CAMERAS = (Kind.FROZEN, Kind.GARBAGE, Kind.WORKER)
PICTURED, UNPICTURED = (Kind.BUMPED,), (Kind.BLIND,)
"""In pictures alone, and not in them: ideal eyes stand nowhere; a worker without frames looks for them in real time."""

ENDS = (Kind.KILL, Kind.POWER, Kind.SECTOR)
"""After these the daemon starts anew."""

LEAST, MOST = 5, 8
GAP = (2, 24)
"""Wishes between one fault and the next."""

LASTS_S = (2.0, 25.0)


class Fault(msgspec.Struct, frozen=True):
    """after: wishes of the players since the fault before. lasts_s: simulated seconds, if it does not pass by itself.
    dice: of all that is random about it.
    """

    kind: Kind
    after: int
    lasts_s: float
    dice: int


def schedule(rng: random.Random, *, seen: bool, in_pictures: bool) -> tuple[Fault, ...]:
    """The faults of one night, among them at least one after which the daemon starts anew.

    seen: the table is seen by a camera, or by eyes in its place; in_pictures: by the shipped vision.
    """
    kinds = (*ANYWHERE, *AT_CAMERAS * seen, *(PICTURED if in_pictures else UNPICTURED) * seen)
    drawn = [rng.choice(kinds) for _ in range(rng.randint(LEAST, MOST) - 1)]
    drawn.insert(rng.randint(0, len(drawn)), rng.choice(ENDS))
    lasts = LASTS_S[1] - LASTS_S[0]
    return tuple(
        Fault(kind, rng.randint(*GAP), round(LASTS_S[0] + lasts * rng.random(), 1), rng.getrandbits(32))
        for kind in drawn
    )
