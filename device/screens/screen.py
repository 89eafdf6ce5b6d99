"""Describes a screen as data, before language and pixels, and puts players' names into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from engine.table import Seat
from engine.text import Names, Text, with_names
from engine.view import Panel, Ring


class Menu(msgspec.Struct, frozen=True):
    """A list to choose from. path: earlier choices, for the status line."""

    items: tuple[Text, ...]
    cursor: int
    path: tuple[Text, ...] = ()


class Called(msgspec.Struct, frozen=True):
    """A player's name. initial: one letter; None for the seat's. pieces: the game's name for the player."""

    name: str | Text
    initial: str | Text | None = None
    pieces: Text | None = None


class Screen(msgspec.Struct, frozen=True):
    """One display's content.

    status: the top line.
    panels: the body, most important first.
    menu: replaces the body; its path replaces the status.
    prompt: the bottom lines.
    alert: inverted over the prompt.
    running: place of the clock to keep in the status line.
    page: number and count, of pages turned by the cursor.
    code: a QR code's address; only status and prompt appear beside it.
    leaf: number of pages turned.
    players: names by seat (`put_in`).
    hints, turns: shown if there is room; `turns` only with several pages.
    """

    status: Text | None = None
    clocks: tuple[str | Text, ...] = ()
    panels: tuple[Panel, ...] = ()
    menu: Menu | None = None
    prompt: Text | None = None
    alert: Text | None = None
    page: tuple[int, int] | None = None
    leaf: int = 0
    code: str | None = None
    players: dict[Seat, Called] = {}
    running: int = 0
    hints: tuple[Text, ...] = ()
    turns: Text | None = None


BLANK = Screen()


S = TypeVar("S", bound=msgspec.Struct)


def put_in(value: S, players: Mapping[Seat, Called], initials: Names | None = None) -> S:
    """Return the value with names for seats in all texts. initials: for rings; None uses names there, too."""
    names = {seat: player.name for seat, player in players.items()}
    found: S = put_names(value, names, names if initials is None else initials)
    return found


def put_names(value: Any, names: Names, initials: Names) -> Any:
    """Return a part of a screen or page with names for seats; initials in rings."""
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
