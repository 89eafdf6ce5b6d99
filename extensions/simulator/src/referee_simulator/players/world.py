"""What simulated players see of the world, and what they can ask to be done in it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol, TypeAlias

import msgspec

from device.keys import Button
from device.screens.screen import Screen
from engine.entry import Entry
from engine.table import Seat
from referee_simulator.hands.scripts import Script
from referee_simulator.table.virtual import VirtualTable


class Tap(msgspec.Struct, frozen=True):
    """Press a button of a panel (named as its display) and let go."""

    panel: str
    button: Button


class Hold(msgspec.Struct, frozen=True):
    """Press a button and keep it down, or (`down` False) let go of it."""

    panel: str
    button: Button
    down: bool


class Arrive(msgspec.Struct, frozen=True):
    """A phone takes a seat."""

    seat: Seat


class Touch(msgspec.Struct, frozen=True):
    """Tap a line of a list on a seat's page, which has that serial; -1: the step back. menu: of the menu."""

    seat: Seat
    serial: int
    line: int
    menu: bool = False


class Handle(msgspec.Struct, frozen=True):
    """Hands do what their scripts say; over once they have left and the table has rested for a while."""

    scripts: tuple[Script, ...]


class Pause(msgspec.Struct, frozen=True):
    """Nothing, for some seconds."""

    seconds: float


Wish: TypeAlias = "Tap | Hold | Arrive | Touch | Handle | Pause"
Course: TypeAlias = "Generator[Wish, None, None]"
"""A course of wishes: the next one is asked for when the one before has come true and the program has reacted."""


class Panels(Protocol):
    """What somebody who only presses can see: the clock, the displays, and what has been recorded so far."""

    @property
    def now(self) -> float: ...

    def screen(self, panel: str) -> Screen:
        """Return what a display shows."""
        ...

    def entries(self) -> Sequence[Entry]:
        """The journal of the match under way, the first entry first; () before it began."""
        ...


class World(Panels, Protocol):
    """What a player at the table can see: the pieces as well."""

    @property
    def table(self) -> VirtualTable: ...
