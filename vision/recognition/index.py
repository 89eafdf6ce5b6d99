"""Reads an enrolled set's index, without OpenCV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec

from vision.files import BadFile, Fault, read_bytes
from vision.files.reading import json_of

Symmetry: TypeAlias = Literal["any", 4, 2, 1]

VERSION = 1
INDEX, CHECKED, MEASURES = "enrolled.json", "checked.json", "measured.json"
"""Files beside a set's pictures: index, check round, measurements."""

MOST = 1000
"""Most pictures; ten times the largest need."""


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind's picture. file: name in the folder."""

    kind: str
    file: str

    def __post_init__(self) -> None:
        if self.file in ("", "..") or Path(self.file).name != self.file:
            raise ValueError(f"{self.file!r} is no name of a file in this folder")


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of `enrolled.json`."""

    name: str
    symmetry: Symmetry
    references: Annotated[tuple[Reference, ...], msgspec.Meta(max_length=MOST)]
    version: int = VERSION


def read_index(folder: Path) -> Index:
    """Read a set's index. Raises BadFile."""
    path, remedy = folder / INDEX, f"enrol the set again on the owner's page, or with `referee enrol {folder.name}`"
    return index_of(read_bytes(path, remedy=remedy), path, remedy)


def index_of(data: bytes, path: Path | str, remedy: str) -> Index:
    """Decode an index. path: for errors. Raises BadFile."""
    index = json_of(data, Index, path, remedy)
    if index.version != VERSION:
        raise BadFile(path, Fault("version", f"is {index.version}, this program reads {VERSION}", remedy))
    return index
