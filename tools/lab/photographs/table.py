"""The table of sets, `sets.toml`: where each comes from, who allows what, and how its kinds are named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from engine.errors import RefereeError

TABLE = Path(__file__).with_name("sets.toml")

Box = tuple[str, float, float, float, float]
"""A kind, and centre x, y, width and height of where it is seen, in parts of the picture."""


class SetError(RefereeError, ValueError):
    """A set that cannot be had or made: says which, and what to do."""


class PhotoSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the photographs of a set are, and what they show.

    address: what git can clone, with the commit that was looked at. by: who took them, to be named as the licence asks.
    pictures: a regular expression for whole paths, with / between folders. Its group `kind` names what is seen, its
    group `photo` the photograph that a crop or a version is of; without it each file is a photograph of its own.
    names: kinds by the numbers of labels (a text of boxes beside each picture: `labels/X.txt` for `images/X.jpg`; a
    line is a number and centre x, y, width and height, or the corners of a polygon, in parts of the picture); an empty
    name is left out. boxes: the same by path, drawn by us where the owner drew none; each is a piece of its own.
    Without names and boxes a file is a crop. margin: what is added on each side of a box, in parts of it.
    shots, tests: crops a kind that are enrolled and shown, each from another photograph; of boxes that we drew more may
    be shown from one that none was enrolled from. kinds: at most so many.
    """

    address: str
    commit: str
    licence: str
    by: str
    what: str
    pictures: str
    names: tuple[str, ...] = ()
    boxes: Mapping[str, tuple[Box, ...]] = msgspec.field(default_factory=dict)
    margin: float = 0.0
    shots: Annotated[int, msgspec.Meta(ge=1)] = 3
    tests: Annotated[int, msgspec.Meta(ge=1)] = 8
    kinds: Annotated[int, msgspec.Meta(ge=2)] = 40


def read_table(path: Path = TABLE) -> dict[str, PhotoSet]:
    """The sets by their names. Raises SetError."""
    try:
        sets = msgspec.toml.decode(path.read_bytes(), type=dict[str, PhotoSet])
    except (OSError, msgspec.DecodeError) as error:
        raise SetError(f"{path}: {error}") from error
    for name, each in sets.items():
        try:
            groups = re.compile(each.pictures).groupindex
        except re.error as error:
            raise SetError(f"{path}: {name}: pictures is no regular expression ({error})") from error
        if ("kind" in groups) + bool(each.names) + bool(each.boxes) != 1:
            raise SetError(f"{path}: {name}: give either a group `kind` in pictures, or names, or boxes")
    return sets
