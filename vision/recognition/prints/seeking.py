"""Reads a card at an approximate place, corrected by each reading."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from vision.camera import Image
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.prints.reading import PrintReading

Place = tuple[float, float, float]
"""x and y in millimetres, angle in degrees."""

WORTH = 0.6
"""Correlation that shows the direction."""

NEAR_MM = 2.5
"""Largest offset of a valid reading."""

STEPS = 3
AROUND_MM = 8.0
"""Offset of a pile's uppermost card from its outline."""


def sought(
    recogniser: PrintedRecogniser, crop: Callable[[Place], Image], place: Place, long_mm: float
) -> tuple[PrintReading, Place]:
    """Return the best reading nearby, and its place. long_mm: a card's longer side."""
    best, where = _approach(recogniser, crop, place, long_mm)
    if not best.sure and (plain := recogniser.read(crop(place))).tinted and plain.sure:
        return plain, place  # a back's lines repeat, so one known by its colour is not moved
    for across in (0.0, -AROUND_MM, AROUND_MM):
        for along in (0.0, -AROUND_MM, AROUND_MM):
            if best.sure or (across, along) == (0.0, 0.0):
                continue
            other, there = _approach(recogniser, crop, shift_place(place, (across, along, 0.0)), long_mm)
            if (other.sure, other.fit) > (best.sure, best.fit):
                best, where = other, there
    return best, where


def _approach(
    recogniser: PrintedRecogniser, crop: Callable[[Place], Image], place: Place, long_mm: float
) -> tuple[PrintReading, Place]:
    """Correct the place by each reading's offset; return the best reading and its place."""
    best: PrintReading | None = None
    where = place
    for _ in range(STEPS):
        reading = recogniser.read(crop(place))
        x, y, turn = recogniser.astray(reading)
        place = shift_place(place, (x * long_mm, y * long_mm, turn))
        near = float(np.hypot(x, y)) * long_mm < NEAR_MM
        if not near:
            reading = msgspec.structs.replace(reading, clear=0.0, witness=0.0)
        if best is None or (reading.sure, reading.fit) > (best.sure, best.fit):
            best, where = reading, place
        if reading.sure or reading.fit < WORTH:
            break
    assert best is not None
    return best, where


def shift_place(place: Place, by: Place) -> Place:
    """Move a place right and down in the card's axes, and turn it."""
    turn = np.radians(place[2])
    cos, sin = float(np.cos(turn)), float(np.sin(turn))
    return place[0] + by[0] * cos - by[1] * sin, place[1] + by[0] * sin + by[1] * cos, place[2] + by[2]
