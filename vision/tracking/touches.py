"""Decides which pieces were touched between two rests, and which were lifted, as far as that can be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.table import Touch
from vision.tracking.looks import Look, Track
from vision.tracking.pushes import slid
from vision.tracking.turns import gain, turn_between

MOVED_MM, SURELY_MOVED_MM = 2.5, 4.0
"""A piece that was not touched may seem to have moved by the first, if its rim is taken for its face's edge."""

TURNED_DEG, TURNED_GAIN = 3.0, 1.5
"""Least turn of a piece that was touched, and how many times less must be left of the difference of its looks: a print
that looks nearly alike all round seems to turn by itself."""


def touch(
    track: Track, before: Mapping[int, Track], after: Sequence[Track], *, lifted: float, lost: bool, apart_mm: float
) -> Touch | None:
    """How a piece was touched; None if it was not.

    before, after: all pieces at the rest before and now. lifted: probability that it was taken up. lost: its past is
    not known. apart_mm: how near two pieces' centres may come.
    """
    old = before.get(track.number)
    if old is None:
        return Touch(track.number, lifted=lost) if before or lost else None
    others = [(before[t.number].look, t.look) for t in after if t.number in before and t.number != track.number]
    if lifted > 0.5 and not slid(old.look, track.look, others, apart_mm):
        return Touch(track.number, lifted=True, certainty=round(lifted, 3))
    moved = float(np.hypot(track.look.x - old.look.x, track.look.y - old.look.y))
    faced = None not in (old.look.face, track.look.face) and old.look.face != track.look.face
    if faced or moved > SURELY_MOVED_MM:
        return Touch(track.number, lifted=faced)
    if turned(old.look, track.look):
        return Touch(track.number, lifted=False, certainty=0.9)
    return Touch(track.number, lifted=False, certainty=0.7) if moved > MOVED_MM else None


def turned(before: Look, after: Look) -> bool:
    """True if a piece that shows the same face was turned on its place."""
    if before.rings is None or after.rings is None or before.kind != after.kind:
        return False
    turn = turn_between(before.rings, after.rings)
    return abs(turn) > TURNED_DEG and gain(before.rings, after.rings) > TURNED_GAIN
