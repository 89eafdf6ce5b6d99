"""Defines looks of pieces and their tracks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec
import numpy as np

from engine.table import Face, Sight, Touch
from vision.finding.pieces import FoundPiece
from vision.recognition.naming import Candidate
from vision.tracking.accounts import Carry
from vision.tracking.turns import PolarCrop

CLEAR_OUTLINE = 0.75
"""Support of a certain place."""

BLUR_MM = 1.6
"""Position error with hardly any outline."""


class Look(msgspec.Struct, frozen=True):
    """A piece as seen at rest; `kind` is None if face down or unrecognised."""

    x_mm: float
    y_mm: float
    angle_deg: float
    kind: str | None
    face: Face | None
    sight: Sight
    confidence: float
    rings: PolarCrop | None = None
    """Crop, for measuring turns."""
    guess: str | None = None
    """Likeliest kind if unrecognised."""
    candidates: tuple[Candidate, ...] = ()
    """Kinds that it may be, if unrecognised."""


class Track(msgspec.Struct, frozen=True):
    """A tracked piece. known: last recognised kind, never reported while face down."""

    number: int
    look: Look
    known: str | None


REACH_MM = 10.0
"""Lever for mapping angles."""


def refit_look(look: Look, carry: Carry) -> Look:
    """Return an untouched piece's look under a better fit."""
    turn = np.radians(look.angle_deg)
    x, y = carry(look.x_mm, look.y_mm)
    beside = carry(look.x_mm + REACH_MM * float(np.cos(turn)), look.y_mm + REACH_MM * float(np.sin(turn)))
    turned = float(np.degrees(np.arctan2(beside[1] - y, beside[0] - x)))
    angle = look.angle_deg + (turned - look.angle_deg + 180.0) % 360.0 - 180.0
    return msgspec.structs.replace(look, x_mm=x, y_mm=y, angle_deg=angle)


class TrackUpdate(msgspec.Struct, frozen=True):
    """The tracker's result. lost: track numbers with unknown past; unclear: something unidentified came."""

    tracks: tuple[Track, ...]
    touched: tuple[Touch, ...]
    lost: frozenset[int]
    unclear: bool = False

    def join_update(self, other: TrackUpdate) -> TrackUpdate:
        tracks, touched = (*self.tracks, *other.tracks), (*self.touched, *other.touched)
        return TrackUpdate(tracks, touched, self.lost | other.lost, self.unclear or other.unclear)


Place = TypeVar("Place", Look, FoundPiece)


def nearest(places: Sequence[Place], x: float, y: float, within_mm: float) -> Place | None:
    """Return the nearest place within reach, or None."""
    best = min(places, key=lambda place: (place.x_mm - x) ** 2 + (place.y_mm - y) ** 2, default=None)
    return best if best is not None and np.hypot(best.x_mm - x, best.y_mm - y) <= within_mm else None


def take(places: list[Place], x: float, y: float, within_mm: float) -> Place | None:
    """Remove and return the nearest place within reach, or None."""
    found = nearest(places, x, y, within_mm)
    if found is not None:
        places.remove(found)
    return found


def blur_mm(found: FoundPiece) -> float:
    """Return a detection's position error."""
    return BLUR_MM * (1.0 - found.support)


def is_clear(found: FoundPiece) -> bool:
    """Return True if a detection's position is certain."""
    return found.support >= CLEAR_OUTLINE


def as_covered(track: Track) -> Track:
    return msgspec.structs.replace(track, look=msgspec.structs.replace(track.look, sight=Sight.COVERED))
