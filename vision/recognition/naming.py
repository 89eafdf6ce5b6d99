"""The interface of a recogniser, and what a piece set is. The recogniser itself is in `recogniser.py`."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Literal, Protocol, runtime_checkable

import msgspec

from vision.camera import Image


class Naming(msgspec.Struct, frozen=True):
    """What one crop shows. `kind` is None if the recogniser abstains.

    confidence: calibrated probability that `kind` is right. angle_deg: turn against the reference, clockwise.
    guess: the likeliest kind, also where the recogniser abstains; confidence is then that of the guess. fit: how well a
    print agrees with that kind's (correlation, up to 1); 0 where prints are not compared. aside: how far that print
    lies right of the crop's middle and below it, in parts of its longer side, and how it is turned there, in degrees.
    """

    kind: str | None
    confidence: float
    angle_deg: float
    guess: str | None = None
    fit: float = 0.0
    aside: tuple[float, float, float] = (0.0, 0.0, 0.0)


class Recogniser(Protocol):
    """Names pieces from enrolled references."""

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        """One answer a crop, in order. A crop is a square BGR patch of one piece with about 10% margin, any turn."""
        ...


@runtime_checkable
class PatientRecogniser(Protocol):
    """Names pieces in parts, so that no single picture has to wait for all that leave doubt."""

    def name_in_parts(self, crops: Sequence[Image]) -> Generator[None, None, list[Naming]]:
        """Like `name`; yields before whatever takes long."""
        ...


@runtime_checkable
class PartRecogniser(Protocol):
    """Names pieces of which only a part is in sight."""

    def name_part(self, crop: Image, seen: Image, kinds: Sequence[str] = ()) -> Naming:
        """Like `name` for one crop; where `seen` (0/1) is set the piece is in sight. kinds: if only these may be."""
        ...


class PieceSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Pieces of one make, from config/sets/NAME.toml.

    size_mm: width and height of a piece, its diameter twice for a disc. thickness_mm: height of its top face over
    the mat. symmetry: which turns may occur. backs: True if a face-down piece shows a blank back.
    unique: True if there is one piece of each kind: two that look like the same kind are then both doubted.
    printed: True if the faces are flat prints, without relief, that are always seen alike.
    sizes_mm: diameters of kinds of discs that are of another size than most, as they were measured at enrolment.
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

    def across_mm(self, kind: str) -> float:
        """Width of a piece of that kind."""
        return self.sizes_mm.get(kind, self.size_mm[0])
