"""Kinds and times of faults in a run, drawn from its seed."""

from __future__ import annotations

import random
from enum import StrEnum

import msgspec


class Kind(StrEnum):
    KILL = "kill"  # of the daemon
    POWER = "power cut"  # unsynced data is lost as well
    FULL = "full disk"
    FAILING = "failing disk"  # writes and syncs fail with EIO
    SECTOR = "bad sector"  # a part of a file is garbage after a power cut
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
"""Only in pictures, and only without: ideal eyes have no pose, and a worker without frames waits in real time."""

ENDS = (Kind.KILL, Kind.POWER, Kind.SECTOR)

LEAST, MOST = 5, 8
GAP = (2, 24)
"""Wishes between faults."""

LASTS_S = (2.0, 25.0)


class Fault(msgspec.Struct, frozen=True):
    """A fault. after: wishes since the last. lasts_s: simulated seconds. dice: seed of its details."""

    kind: Kind
    after: int
    lasts_s: float
    dice: int


def schedule(rng: random.Random, *, seen: bool, in_pictures: bool) -> tuple[Fault, ...]:
    """Draw a run's faults, at least one with a restart. seen: with any eyes. in_pictures: with the shipped vision."""
    kinds = (*ANYWHERE, *AT_CAMERAS * seen, *(PICTURED if in_pictures else UNPICTURED) * seen)
    drawn = [rng.choice(kinds) for _ in range(rng.randint(LEAST, MOST) - 1)]
    drawn.insert(rng.randint(0, len(drawn)), rng.choice(ENDS))
    lasts = LASTS_S[1] - LASTS_S[0]
    return tuple(
        Fault(kind, rng.randint(*GAP), round(LASTS_S[0] + lasts * rng.random(), 1), rng.getrandbits(32))
        for kind in drawn
    )
