"""What was measured of an owner's pieces when they were enrolled: it stands beside their pictures, in `measured.json`.

A set of config/sets gives starting values; what was measured takes their place (`fitted`). Each entry belongs to a
picture by the name of its file, which says what is in it: so it holds for that picture alone, whatever happens to the
others, and a set from before this file, or without it, is as large as config/sets says.
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
"""A piece that is larger or smaller by no more is as large as its set says: so much no picture is off by."""

AS_THICK_MM = 2.5
"""The same of its thickness, which is seen less well."""

AGREED_MM = 2.0
"""Thicknesses of one make that differ by more were not seen."""

SHOWN = 0.25
"""Share of the pictures that must show how thick a piece is: where fewer do, it is more likely what they mistook."""

OTHER_SIZE = 0.06
"""Two kinds whose sizes differ by more are told by them."""


OTHER_CAMERA = 1.2
"""Pictures that are so many times as wide are another camera's."""


class Outline(Enum):
    """The outline of a piece, seen from above."""

    DISC = "disc"
    SQUARE = "square"
    CARD = "card"
    OTHER = "other"


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one picture says of the piece on it, in millimetres. width_mm: the shorter side; of a disc its diameter.

    thickness_mm: height of the upper face over the mat; None where the lower rim was not seen. alike: in how many turns
    the face looks the same, 0 for all. mat: on which it lay. picture: width and height of the camera's picture.
    """

    outline: Outline
    width_mm: float
    height_mm: float
    thickness_mm: float | None = None
    alike: int = 1
    mat: str = ""
    picture: tuple[int, int] = (0, 0)


class Measures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `measured.json` holds: by the file of each picture."""

    pictures: dict[str, Measured] = {}
    version: int = VERSION


def read_measures(folder: Path) -> Measures:
    """What was measured of the set in a folder; nothing of one that was never measured. Raises BadFile."""
    path, remedy = folder / MEASURES, f"enrol the set again: `referee enrol {folder.name}`"
    if not path.exists():
        return Measures()
    return measures_of(read_bytes(path, remedy=remedy), path, remedy)


def measures_of(data: bytes, path: Path | str, remedy: str) -> Measures:
    """The same, of bytes that were read already. `path` stands in the errors."""
    measures = json_of(data, Measures, path, remedy)
    if measures.version != VERSION:
        raise BadFile(path, Fault("version", f"is {measures.version}, this program reads {VERSION}", remedy))
    return measures


def keep_measures(folder: Path, pictures: Mapping[str, Measured]) -> None:
    """Writes them, whole or not at all. Raises OSError."""
    write_whole(folder / MEASURES, msgspec.json.format(msgspec.json.encode(Measures(dict(pictures))), indent=1))


def by_kind(index: Index, measures: Measures) -> dict[str, tuple[Measured, ...]]:
    """What was measured of each kind, of those pictures that are enrolled."""
    found: dict[str, tuple[Measured, ...]] = {}
    for reference in index.references:
        if (one := measures.pictures.get(reference.file)) is not None:
            found[reference.kind] = (*found.get(reference.kind, ()), one)
    return found


def across(measured: Iterable[Measured]) -> tuple[float, float]:
    """Width and height on the whole, in millimetres."""
    every = tuple(measured)
    return median(one.width_mm for one in every), median(one.height_mm for one in every)


def sized(pieces: PieceSet, measured: Iterable[Measured]) -> PieceSet:
    """The set as large, as thick and of the outline that was measured; as it is where that is what its data say."""
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
    """What most pictures agree on that show it; what the set says if they do not, or if hardly one shows it."""
    every = tuple(measured)
    seen = sorted(one.thickness_mm for one in every if one.thickness_mm is not None)
    if pieces.shape == "card" or len(seen) < SHOWN * len(every):
        return pieces.thickness_mm
    middle = median(seen)
    agreed = [one for one in seen if abs(one - middle) <= AGREED_MM / 2]
    if len(agreed) * 2 <= len(seen) or abs(middle - pieces.thickness_mm) <= AS_THICK_MM:
        return pieces.thickness_mm
    return round(float(middle), 1)


def fitted(pieces: PieceSet, folder: Path) -> PieceSet:
    """A set as its owner's pieces were measured; as config/sets has it if most pictures show no measure. Raises
    BadFile."""
    if not (folder / MEASURES).exists():
        return pieces
    index = read_index(folder)
    measured = by_kind(index, read_measures(folder))
    if sum(map(len, measured.values())) * 2 <= len(index.references):
        return pieces
    whole = sized(pieces, (one for each in measured.values() for one in each))
    if whole.shape != "disc":
        return whole
    sizes = {kind: across(measured[kind])[0] for kind in whole.kinds if kind in measured}
    others = {kind: size for kind, size in sizes.items() if abs(size / whole.size_mm[0] - 1) > OTHER_SIZE}
    return msgspec.structs.replace(whole, sizes_mm=others)


def elsewhere(measured: Iterable[Measured], width_px: int, mats: Collection[str]) -> Text | None:
    """What speaks against pictures that were taken before another camera, or on a mat that is not there; else None.

    width_px: of the camera's pictures here. mats: names of those on which the set is played here.
    """
    every = list(measured)
    widths = {one.picture[0] for one in every if one.picture[0]}
    if widths and all(max(width, width_px) > OTHER_CAMERA * min(width, width_px) for width in widths):
        return say(
            "Enrolled before another camera: its pictures were {was} wide, here they are {now}. If pieces stay "
            "unnamed, enrol them here.",
            was=max(widths),
            now=width_px,
        )
    laid = {one.mat for one in every if one.mat}
    if laid and not laid & set(mats):
        return say(
            "Enrolled on another mat: {mat}. If pieces stay unnamed, enrol them here.", mat=", ".join(sorted(laid))
        )
    return None
