"""Stores measurements of an owner's pieces in `measured.json`.

They replace the values of config/sets (`with_measurements`). Entries are keyed by picture file, named after its
contents, so each stays valid alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import Enum
from pathlib import Path
from statistics import median

import msgspec

from engine.text import Text, say
from vision.files import BadFile, Fault, read_bytes, write_whole
from vision.files.reading import json_of
from vision.recognition.index import MEASURES, Index, read_index
from vision.recognition.naming import PieceSet

VERSION = 1

AS_SAID = 0.03
"""Relative size difference to ignore."""

AS_THICK_MM = 2.5
"""Thickness difference to ignore."""

AGREED_MM = 2.0
"""Spread of valid thicknesses."""

SHOWN = 0.25
"""Share of pictures that must show thickness."""

OTHER_SIZE = 0.06
"""Relative difference that distinguishes kinds."""


OTHER_CAMERA = 1.2
"""Ratio of widths that means another camera."""


class Outline(Enum):
    """A piece's outline from above."""

    DISC = "disc"
    SQUARE = "square"
    CARD = "card"
    OTHER = "other"


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A piece's measurements in millimetres.

    width_mm: shorter side or diameter.
    thickness_mm: None if the lower rim was not seen.
    alike: number of turns that look the same, 0 for all.
    picture: camera's width and height.
    """

    outline: Outline
    width_mm: float
    height_mm: float
    thickness_mm: float | None = None
    alike: int = 1
    mat: str = ""
    picture: tuple[int, int] = (0, 0)


class Measures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of `measured.json`, by picture file."""

    pictures: dict[str, Measured] = {}
    version: int = VERSION


def read_measures(folder: Path) -> Measures:
    """Read a set's measurements; empty if none. Raises BadFile."""
    path, remedy = folder / MEASURES, f"enrol the set again on the owner's page, or with `referee enrol {folder.name}`"
    if not path.exists():
        return Measures()
    return measures_of(read_bytes(path, remedy=remedy), path, remedy)


def measures_of(data: bytes, path: Path | str, remedy: str) -> Measures:
    """Decode measurements. path, remedy: for the error. Raises BadFile."""
    measures = json_of(data, Measures, path, remedy)
    if measures.version != VERSION:
        raise BadFile(path, Fault("version", f"is {measures.version}, this program reads {VERSION}", remedy))
    return measures


def keep_measures(folder: Path, pictures: Mapping[str, Measured]) -> None:
    """Replace a set's measurements atomically. Raises OSError."""
    write_whole(folder / MEASURES, msgspec.json.format(msgspec.json.encode(Measures(dict(pictures))), indent=1))


def by_kind(index: Index, measures: Measures) -> dict[str, tuple[Measured, ...]]:
    """Return measurements of enrolled pictures by kind."""
    found: dict[str, tuple[Measured, ...]] = {}
    for reference in index.references:
        if (one := measures.pictures.get(reference.file)) is not None:
            found[reference.kind] = (*found.get(reference.kind, ()), one)
    return found


def across(measured: Iterable[Measured]) -> tuple[float, float]:
    """Return median width and height in millimetres."""
    every = tuple(measured)
    return median(one.width_mm for one in every), median(one.height_mm for one in every)


def with_size(pieces: PieceSet, measured: Iterable[Measured]) -> PieceSet:
    """Return the set with measured size, thickness and outline, where different."""
    every = [one for one in measured if one.outline is not Outline.OTHER]
    if not every:
        return pieces
    width, height = across(every)
    outlines = [one.outline.value for one in every]
    shape = pieces.shape
    if shape != "card" and outlines.count("square") * 2 > len(outlines):
        shape = "square"
    elif shape != "card" and outlines.count("disc") * 2 > len(outlines):
        shape = "disc"
    size = (width, height) if shape == "card" else (width, width)
    if shape == pieces.shape and _near(size, pieces.size_mm):
        size = pieces.size_mm
    return msgspec.structs.replace(pieces, shape=shape, size_mm=size, thickness_mm=_thickness(pieces, every))


def _near(size: tuple[float, float], said: tuple[float, float]) -> bool:
    return all(abs(one / other - 1) <= AS_SAID for one, other in zip(size, said, strict=True))


def _thickness(pieces: PieceSet, measured: Iterable[Measured]) -> float:
    every = tuple(measured)
    seen = sorted(one.thickness_mm for one in every if one.thickness_mm is not None)
    if pieces.shape == "card" or len(seen) < SHOWN * len(every):
        return pieces.thickness_mm
    middle = median(seen)
    agreed = [one for one in seen if abs(one - middle) <= AGREED_MM / 2]
    if len(agreed) * 2 <= len(seen) or abs(middle - pieces.thickness_mm) <= AS_THICK_MM:
        return pieces.thickness_mm
    return round(float(middle), 1)


def with_measurements(pieces: PieceSet, folder: Path) -> PieceSet:
    """Return the set with its owner's measurements, if most pictures have them. Raises BadFile."""
    if not (folder / MEASURES).exists():
        return pieces
    index = read_index(folder)
    measured = by_kind(index, read_measures(folder))
    if sum(map(len, measured.values())) * 2 <= len(index.references):
        return pieces
    whole = with_size(pieces, (one for each in measured.values() for one in each))
    if whole.shape != "disc":
        return whole
    sizes = {kind: across(measured[kind])[0] for kind in whole.kinds if kind in measured}
    others = {kind: size for kind, size in sizes.items() if abs(size / whole.size_mm[0] - 1) > OTHER_SIZE}
    return msgspec.structs.replace(whole, sizes_mm=others)


def elsewhere(measured: Iterable[Measured], width_px: int, mats: Collection[str]) -> Text | None:
    """Return a warning if enrolled with another camera or mat. width_px, mats: current."""
    every = list(measured)
    widths = {one.picture[0] for one in every if one.picture[0]}
    if widths and all(max(width, width_px) > OTHER_CAMERA * min(width, width_px) for width in widths):
        return say(
            "Enrolled with another camera: its pictures were {was} pixels wide, these are {now}. If pieces are not "
            "recognised, enrol them again.",
            was=max(widths),
            now=width_px,
        )
    laid = {one.mat for one in every if one.mat}
    if laid and not laid & set(mats):
        return say(
            "Enrolled on another mat: {mat}. If pieces are not recognised, enrol them again.",
            mat=", ".join(sorted(laid)),
        )
    return None
