"""The actions of Tellstones: the six of a turn (T10), and the answers that they call for."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from engine.table import Seat


class At(msgspec.Struct, frozen=True, order=True, tag="at"):
    """A place on a Line: the number of its mat and a 0-based place from seat a's left."""

    mat: int
    index: int


class Absent(msgspec.Struct, frozen=True, order=True, tag="absent"):
    """A stone named by its kind that does not lie face up on the Line: in the Pool, or somewhere face down."""

    kind: str
    pooled: bool


Target: TypeAlias = "At | Absent"


class First(msgspec.Struct, frozen=True, tag="first"):
    """Choose the first stone of the first Line that is still empty (T7)."""

    kind: str


class Place(msgspec.Struct, frozen=True, tag="place"):
    """Put a stone of the Pool on the Line, face up, so that it gets place `index` (T14, T15, T16)."""

    mat: int
    kind: str
    index: int


class Hide(msgspec.Struct, frozen=True, tag="hide"):
    """Turn a stone face down (T20)."""

    stone: Target


class Swap(msgspec.Struct, frozen=True, tag="swap"):
    """Exchange two stones on the Line (T24)."""

    one: Target
    two: Target


class Peek(msgspec.Struct, frozen=True, tag="peek"):
    """Look at a face-down stone (T29); `looker` is the partner whom the active player appoints (T58), if any."""

    stone: Target
    looker: Seat | None = None


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """Look at no more stones (T32)."""


class Challenge(msgspec.Struct, frozen=True, tag="challenge"):
    """Demand that a face-down stone is named (T34)."""

    stone: Target


class Names(msgspec.Struct, frozen=True, tag="names"):
    """Name the challenged stone (`stone` None; T35), or one of those to be proved (T44)."""

    kind: str
    stone: Target | None = None


class Boast(msgspec.Struct, frozen=True, tag="boast"):
    """Declare to know every face-down stone (T41)."""


class Believe(msgspec.Struct, frozen=True, tag="believe"):
    """Answer I: take the point (T43)."""


class Prove(msgspec.Struct, frozen=True, tag="prove"):
    """Answer II: prove it (T44)."""


class Takeover(msgspec.Struct, frozen=True, tag="takeover"):
    """Answer III: I know them too (T45)."""


Action: TypeAlias = "First | Place | Hide | Swap | Peek | Stop | Challenge | Names | Boast | Believe | Prove | Takeover"

ORDERS = (Place, Hide, Swap, Peek, Challenge, Boast)
"""The six actions of a turn (T10)."""
