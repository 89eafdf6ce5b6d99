"""The index of an enrolled set: which pictures a folder holds, and what they show. It can be read without OpenCV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec

from vision.files import BadFile, Fault, read_bytes
from vision.files.reading import json_of

Symmetry: TypeAlias = Literal["any", 4, 2, 1]

VERSION = 1
INDEX, CHECKED, MEASURES = "enrolled.json", "checked.json", "measured.json"
"""The files of a set's folder beside its pictures: which those are, the check round, and what was measured."""

MOST = 1000
"""Pictures of a set: ten times what the largest needs."""


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One picture of one kind; `file` is its name in the set's folder."""

    kind: str
    file: str

    def __post_init__(self) -> None:
        if self.file in ("", "..") or Path(self.file).name != self.file:
            raise ValueError(f"{self.file!r} is no name of a file in this folder")


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `enrolled.json` holds."""

    name: str
    symmetry: Symmetry
    references: Annotated[tuple[Reference, ...], msgspec.Meta(max_length=MOST)]
    version: int = VERSION


def read_index(folder: Path) -> Index:
    """What pictures a folder written by `save` or `retake` holds. Raises BadFile."""
    path, remedy = folder / INDEX, f"enrol the set again: `referee enrol {folder.name}`"
    return index_of(read_bytes(path, remedy=remedy), path, remedy)


def index_of(data: bytes, path: Path | str, remedy: str) -> Index:
    """The same, of bytes that were read already. `path` stands in the errors."""
    index = json_of(data, Index, path, remedy)
    if index.version != VERSION:
        raise BadFile(path, Fault("version", f"is {index.version}, this program reads {VERSION}", remedy))
    return index
