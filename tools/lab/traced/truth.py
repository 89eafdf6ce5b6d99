"""What a traced picture shows: plain records, written beside each picture as JSON. Nothing is needed to read them.

Millimetres on the mat from its top left corner, y down; angles in degrees clockwise, 0 upright for whoever sits below.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Laid:
    """One piece. x, y: its middle; z: what it lies on, above the mat. shown: share of it that no other piece hides.

    pile: how many cards lie there, of which it is the uppermost; the others are told by its z alone.
    """

    kind: str
    set: str
    x: float
    y: float
    angle: float
    face: str
    z: float = 0.0
    shown: float = 1.0
    pile: int = 1


@dataclass(frozen=True)
class Still:
    """A picture at rest. make: how its pieces are made, printed or engraved. The lowest piece comes first."""

    file: str
    seed: int
    mat: str
    make: str
    laid: tuple[Laid, ...]


@dataclass(frozen=True)
class Film:
    """Pictures of one action, NUMBER.jpg in a folder of this name.

    before, after: the same pieces in the same order, None for one that is not on the mat. does: which of them a hand
    handled. hand: the first and last picture that show one over the mat; fps: pictures a second.
    """

    file: str
    seed: int
    mat: str
    make: str
    action: str
    does: tuple[int, ...]
    before: tuple[Laid | None, ...]
    after: tuple[Laid | None, ...]
    pictures: int
    hand: tuple[int, int]
    fps: float
