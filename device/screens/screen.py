"""A screen as data: everything a display shows, before language and pixels."""

from __future__ import annotations

import msgspec

from engine.text import Text
from engine.view import Panel


class Menu(msgspec.Struct, frozen=True):
    """A list to choose from. `path` is what was chosen on the way here, shown above it."""

    items: tuple[Text, ...]
    cursor: int
    path: tuple[Text, ...] = ()


class Screen(msgspec.Struct, frozen=True):
    """What one display shows.

    status: the top line: whose turn, score, clock. panels: the body, cut from the end if there is no room.
    menu: if there is one, it takes the body's place. prompt: the bottom lines: what is wanted now.
    alert: a refusal or a fault, drawn inverted over the prompt until it is put right.
    """

    status: Text | None = None
    clocks: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    menu: Menu | None = None
    prompt: Text | None = None
    alert: Text | None = None
    page: tuple[int, int] | None = None


BLANK = Screen()
