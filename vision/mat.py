"""Describes a mat in millimetres (origin top left, y down), read from config/mats."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from engine.table import Arrangement
from vision.files import BadFile, read_toml

QUIET = 1 / 6
"""Width of a marker's white rim relative to its side."""


class Box(msgspec.Struct, frozen=True):
    """A rectangle on the mat, in millimetres."""

    x: float
    y: float
    width: float
    height: float


class Marker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An ArUco marker: id, top-left corner and side in millimetres."""

    id: int
    x: float
    y: float
    side: float


class MatZone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A zone on the mat.

    set: its piece set.
    cells: boxes of an `Arrangement.CELLS` zone.
    direction: degrees clockwise in which a ROW or SPLAY counts up.
    label: small print in its corner.
    """

    name: str
    order: Arrangement
    box: Box
    set: str
    cells: tuple[Box, ...] = ()
    direction: float = 0.0
    label: str = ""


class Mat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A printable sheet.

    markers: four ids unique to this mat, from 0-7 and 20 up; the calibration board has 0-19.
    sides: edge ("bottom", "left", "top", "right") of each seat by seat count.
    copies: of each piece set.
    """

    name: str
    title: str
    size_mm: tuple[float, float]
    dictionary: str
    markers: tuple[Marker, ...]
    white: Box
    gray: Box
    zones: tuple[MatZone, ...]
    sides: dict[str, dict[str, str]]
    copies: int = 1


def read_mats(paths: Iterable[Path], wrong: Callable[[Path, BadFile], None]) -> dict[str, Mat]:
    """Return mats by file name without suffix. wrong: receives missing and invalid files, with errors."""
    found = {}
    for path in paths:
        try:
            found[path.stem] = read_toml(path, Mat)
        except BadFile as error:
            wrong(path, error)
    return found
