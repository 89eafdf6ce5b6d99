"""What one picture shows of the pieces, and what is known of those that are followed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec
import numpy as np

from engine.table import Face, Sight, Touch
from vision.finding.pieces import FoundPiece
from vision.tracking.accounts import Carry
from vision.tracking.turns import PolarCrop

CLEAR_OUTLINE = 0.75
"""Support from which a piece's place is sure."""

BLUR_MM = 1.6
"""Error of the place of a piece with hardly any outline in sight."""


class Look(msgspec.Struct, frozen=True):
    """A piece as one picture at rest shows it; `kind` None if face down or not recognised."""

    x_mm: float
    y_mm: float
    angle_deg: float
    kind: str | None
    face: Face | None
    sight: Sight
    confidence: float
    rings: PolarCrop | None = None
    """Its crop, if its turn can be told from it."""
    guess: str | None = None
    """What it might be, where it is not recognised."""


class Track(msgspec.Struct, frozen=True):
    """A piece that is followed. known: its kind as last recognised, also while it lies face down (never reported)."""

    number: int
    look: Look
    known: str | None


REACH_MM = 10.0
"""So far from a piece's place another one tells how it is turned."""


def carried(look: Look, carry: Carry) -> Look:
    """Where and how a piece lies that nobody touched."""
    turn = np.radians(look.angle_deg)
    x, y = carry(look.x_mm, look.y_mm)
    beside = carry(look.x_mm + REACH_MM * float(np.cos(turn)), look.y_mm + REACH_MM * float(np.sin(turn)))
    turned = float(np.degrees(np.arctan2(beside[1] - y, beside[0] - x)))
    angle = look.angle_deg + (turned - look.angle_deg + 180.0) % 360.0 - 180.0
    return msgspec.structs.replace(look, x_mm=x, y_mm=y, angle_deg=angle)


class TrackUpdate(msgspec.Struct, frozen=True):
    """The tracker's answer at rest. unclear: something came that was not made out."""

    tracks: tuple[Track, ...]
    touched: tuple[Touch, ...]
    lost: frozenset[int]
    unclear: bool = False

    def joined(self, other: TrackUpdate) -> TrackUpdate:
        """What was seen of both."""
        tracks, touched = (*self.tracks, *other.tracks), (*self.touched, *other.touched)
        return TrackUpdate(tracks, touched, self.lost | other.lost, self.unclear or other.unclear)


Place = TypeVar("Place", Look, FoundPiece)


def nearest(places: Sequence[Place], x: float, y: float, within_mm: float) -> Place | None:
    """The nearest of the places, if it is near enough."""
    best = min(places, key=lambda place: (place.x_mm - x) ** 2 + (place.y_mm - y) ** 2, default=None)
    return best if best is not None and np.hypot(best.x_mm - x, best.y_mm - y) <= within_mm else None


def take(places: list[Place], x: float, y: float, within_mm: float) -> Place | None:
    """The nearest of the places, taken out of the list; None if none is near enough."""
    found = nearest(places, x, y, within_mm)
    if found is not None:
        places.remove(found)
    return found


def blur_mm(found: FoundPiece) -> float:
    """How far off the place of something in a picture may be."""
    return BLUR_MM * (1.0 - found.support)


def is_clear(found: FoundPiece) -> bool:
    """Whether the place of something in a picture is sure."""
    return found.support >= CLEAR_OUTLINE


def as_covered(track: Track) -> Track:
    """The same piece, hidden now."""
    return msgspec.structs.replace(track, look=msgspec.structs.replace(track.look, sight=Sight.COVERED))
