"""The drawn symbols of the piece sets (config/art): printed, shown in the browser, seen by the virtual camera."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from device.resources import resource

SYMBOL = 0.78
"""The symbol's square against the face's diameter."""


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A polygon, or a disc (centre x, y and radius), in a square of 100 x 100, painted in ink or in paper."""

    fill: Literal["ink", "paper"]
    points: tuple[tuple[float, float], ...] = ()
    circle: tuple[float, float, float] | None = None


class Drawing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One symbol: its figures, painted in order."""

    kind: str
    shapes: tuple[Figure, ...]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stone: tuple[Drawing, ...]


@lru_cache
def drawings(name: str = "stones") -> dict[str, Drawing]:
    """The symbols of a piece set by kind. Raises ResourceMissing, or msgspec.ValidationError if the file is broken."""
    path = resource("art", f"{name}.toml")
    return {drawing.kind: drawing for drawing in msgspec.toml.decode(path.read_bytes(), type=_File).stone}
