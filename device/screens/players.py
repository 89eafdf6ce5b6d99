"""Puts players' names into sentences, and initials on the sky."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from device.screens.screen import Called
from engine.table import Seat
from engine.text import Names, Text, with_names
from engine.view import Ring

S = TypeVar("S", bound=msgspec.Struct)


def put_in(value: S, players: Mapping[Seat, Called], initials: Names | None = None) -> S:
    """Return the value with seats replaced by names in all sentences. initials: for the sky; None uses full names there
    too."""
    names = {seat: player.name for seat, player in players.items()}
    found: S = put_names(value, names, names if initials is None else initials)
    return found


def put_names(value: Any, names: Names, initials: Names) -> Any:
    """Return a part of a screen or page with names for seats; initials in the sky."""
    if isinstance(value, Text):
        return with_names(value, names)
    if isinstance(value, Ring):
        marks, label = (put_names(part, initials, initials) for part in (value.marks, value.label))
        return msgspec.structs.replace(value, marks=marks, label=label)
    if isinstance(value, msgspec.Struct):
        return type(value)(*(put_names(part, names, initials) for part in msgspec.structs.astuple(value)))
    if isinstance(value, tuple):
        return tuple(put_names(part, names, initials) for part in value)
    return value
