"""Defines recognisers and piece sets."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Literal, Protocol, runtime_checkable

import msgspec

from vision.camera import Image

FLAT_MM = 1.0
"""Largest thickness of paper and cards."""


class Candidate(msgspec.Struct, frozen=True):
    """A kind that a crop may show. odds: against none of the set; angle_deg: as in `Naming`."""

    kind: str
    odds: float
    angle_deg: float


class Naming(msgspec.Struct, frozen=True):
    """A crop's name. `kind` is None if unsure.

    confidence: calibrated probability of `kind` or `guess`.
    angle_deg: clockwise against the reference.
    guess: likeliest kind.
    fit: a print's correlation, else 0.
    aside: a print's offset right and down in longer sides, and turn in degrees.
    candidates: none if only `confidence` is known.
    """

    kind: str | None
    confidence: float
    angle_deg: float
    guess: str | None = None
    fit: float = 0.0
    aside: tuple[float, float, float] = (0.0, 0.0, 0.0)
    candidates: tuple[Candidate, ...] = ()


class Recogniser(Protocol):
    """Names pieces by enrolled references."""

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        """Name BGR crops with about 10 % margin on each side, in any turn. Raises ValueError for an empty one."""
        ...


@runtime_checkable
class PatientRecogniser(Protocol):
    """Names pieces in steps."""

    def name_in_parts(self, crops: Sequence[Image]) -> Generator[None, None, list[Naming]]:
        """Name like `name`, yielding before slow steps."""
        ...


@runtime_checkable
class PartRecogniser(Protocol):
    """Names partly visible pieces."""

    def name_part(self, crop: Image, seen: Image, kinds: Sequence[str] = ()) -> Naming:
        """Name a crop visible where `seen` (0/1) is set. kinds: candidates, all if empty."""
        ...


class PieceSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pieces of one make, from config/sets/NAME.toml.

    size_mm: width and height; a disc's diameter twice.
    thickness_mm: height above the mat.
    symmetry: number of turns in which a piece may lie.
    backs: pieces have backs, enrolled as a kind.
    unique: one piece per kind.
    printed: faces are read as prints alone, thick or not.
    sizes_mm: other measured diameters by kind.
    """

    name: str
    kinds: tuple[str, ...]
    shape: Literal["disc", "square", "card"]
    size_mm: tuple[float, float]
    thickness_mm: float
    symmetry: Literal["any", 4, 2, 1] = "any"
    backs: bool = True
    unique: bool = False
    printed: bool = False
    sizes_mm: dict[str, float] = {}

    @property
    def reads_prints(self) -> bool:
        """Return True if faces are read as flat prints."""
        return self.printed or self.thickness_mm <= FLAT_MM

    def across_mm(self, kind: str) -> float:
        """Return a kind's width."""
        return self.sizes_mm.get(kind, self.size_mm[0])
