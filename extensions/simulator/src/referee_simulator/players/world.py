"""Simulated players' view of the world, and their wishes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol, TypeAlias

import msgspec

from device.key_gestures import Button
from device.screens.screen import Screen
from engine.entry import Entry
from engine.table import Seat
from referee_simulator.hands.scripts import Script
from referee_simulator.table.virtual import VirtualTable


class Tap(msgspec.Struct, frozen=True):
    panel: str
    button: Button


class Hold(msgspec.Struct, frozen=True):
    """Press a button and keep it down, or release it."""

    panel: str
    button: Button
    down: bool


class Arrive(msgspec.Struct, frozen=True):
    seat: Seat


class Touch(msgspec.Struct, frozen=True):
    """Tap a line on a seat's page. line: -1 goes back."""

    seat: Seat
    serial: int
    line: int
    menu: bool = False


class Handle(msgspec.Struct, frozen=True):
    """Hands perform scripts; done once the table has rested for a while."""

    scripts: tuple[Script, ...]


class Pause(msgspec.Struct, frozen=True):
    seconds: float


Wish: TypeAlias = "Tap | Hold | Arrive | Touch | Handle | Pause"
Course: TypeAlias = "Generator[Wish, None, None]"
"""Wishes; each is made once the last is done and the program has reacted."""


class Panels(Protocol):
    """Clock, displays and recorded entries, as players at buttons see them."""

    @property
    def now(self) -> float: ...

    def screen(self, panel: str) -> Screen: ...

    def entries(self) -> Sequence[Entry]:
        """Return the current match's journal; () before it begins."""
        ...


class World(Panels, Protocol):
    """Panels and a table with pieces."""

    @property
    def table(self) -> VirtualTable: ...
