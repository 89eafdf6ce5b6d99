"""A screen as data: everything a display shows, before language and pixels."""

from __future__ import annotations

import msgspec

from engine.table import Seat
from engine.text import Text
from engine.view import Panel


class Menu(msgspec.Struct, frozen=True):
    """A list to choose from. `path` is what was chosen on the way here, shown in the status line."""

    items: tuple[Text, ...]
    cursor: int
    path: tuple[Text, ...] = ()


class Called(msgspec.Struct, frozen=True):
    """What a player is called. name: their own, or what the game calls them by their pieces. initial: one letter for
    where a name has no room; None: the seat's letter. pieces: what the game calls a player who has a name, for a
    display without the letters of the name."""

    name: str | Text
    initial: str | Text | None = None
    pieces: Text | None = None


class Screen(msgspec.Struct, frozen=True):
    """What one display shows.

    status: the top line: whose turn, score, clock. panels: the body, the most important first. menu: if there is one,
    it takes the body's place, and the way to it the status's. prompt: the bottom lines: what is wanted now.
    alert: a refusal or a fault, drawn inverted over the prompt until it is put right; the body gets the room it leaves.
    running: which of the clocks stays in the status line where there is no room for all; the others then are told last.
    page: "n/m" in the status line, for a screen that is one of several that its owner leafs through.
    code: an address as a QR code; status and prompt stand beside it, and nothing else but an alert.
    What does not fit goes on to further pictures, which the display shows in turn (`device.screens.render.pages`),
    beginning `leaf` pictures on: so far its owner has leafed.
    players: what everybody at the table calls them. Texts name seats (`engine.text.who`); the last step before a
    display puts the players in (`device.screens.players`).
    hints: said where a picture has a line to spare; turns: the same, but only if there is more than one picture.
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
