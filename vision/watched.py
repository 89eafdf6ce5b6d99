"""What the pipeline watches: a mat with the piece sets on it, and what these say about how pieces can lie."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from engine.table import Seat
from vision.finding.discs import MIN_APART
from vision.mat import Mat
from vision.recognition.naming import PieceSet, Recogniser
from vision.tracking.motion import NEAR_MM


class Watched(msgspec.Struct, frozen=True):
    """What one mat with its sets needs."""

    mat: Mat
    zones: tuple[str, ...]
    sets: Mapping[str, PieceSet]
    recognisers: Mapping[str, Recogniser]
    sides: Mapping[Seat, str]


def least_apart_mm(sets: Iterable[PieceSet]) -> float:
    """How near two pieces' centres may come: discs lie side by side. Cards are followed on their own."""
    pieces = [one for one in sets if one.shape != "card"]
    smallest = {one.name: min((one.size_mm[0], *one.sizes_mm.values())) for one in pieces}
    apart = (MIN_APART * smallest[one.name] if one.shape == "disc" else NEAR_MM for one in pieces)
    return min(apart, default=NEAR_MM)


def how_many(sets: Iterable[PieceSet], copies: int) -> int | None:
    """How many pieces there are besides cards, if each kind is there once in a set. copies: of each set."""
    pieces = [one for one in sets if one.shape != "card"]
    return copies * sum(len(one.kinds) for one in pieces) if all(one.unique for one in pieces) else None
