"""Describes a screen as data, before language and pixels."""

from __future__ import annotations

import msgspec

from engine.table import Seat
from engine.text import Text
from engine.view import Panel


class Menu(msgspec.Struct, frozen=True):
    """A list to choose from. path: earlier choices, shown in the status line."""

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
    running: the clock to keep in the status line.
    page: "n/m" for a manually turned page.
    code: a QR code's address; only status and prompt appear beside it.
    leaf: number of pages turned.
    players: names by seat (`device.screens.players`).
    hints, turns: shown where there is room; `turns` only with several pages.
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
