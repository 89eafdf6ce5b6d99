"""The mat: size, markers, patches and zones, in millimetres (origin top left, y down); read from config/mats."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from engine.table import Arrangement
from vision.files import BadFile, read_toml


class Box(msgspec.Struct, frozen=True):
    """An upright rectangle on the mat, in millimetres."""

    x: float
    y: float
    width: float
    height: float


class Marker(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An ArUco marker: its id and the millimetres of its top-left corner and side."""

    id: int
    x: float
    y: float
    side: float


class MatZone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A zone on the mat. `cells` gives the boxes of the cells of an `Arrangement.CELLS` zone, in their order.

    set: the piece set that may lie here (config/sets). direction: degrees clockwise in which a ROW or SPLAY counts up
    (0: left to right). label: what is printed small in its corner.
    """

    name: str
    order: Arrangement
    box: Box
    set: str
    cells: tuple[Box, ...] = ()
    direction: float = 0.0
    label: str = ""


class Mat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A printable sheet. `sides` says at which edge ("bottom", "left", "top", "right") a seat sits, by seat count.

    title: what people call it. markers: no other mat has their ids, so that each is known by them: 0 to 7 and from 20
    on are given out, four to a mat; 8 to 19 only the calibration board has, whose ids are 0 to 19.
    copies: how many of each piece set lie on it; of two, no kind is told by being the only one of its kind.
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
    """Mats by the names of their files. wrong: is told of a file that is missing or no mat, and why."""
    found = {}
    for path in paths:
        try:
            found[path.stem] = read_toml(path, Mat)
        except BadFile as error:
            wrong(path, error)
    return found
