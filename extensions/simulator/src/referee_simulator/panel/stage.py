"""What the bench asks of a running simulation: pins to press, pieces to handle, pictures to show. Nothing more.

The bench knows neither engine state nor journal. Lengths are millimetres on the mat.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeAlias

import msgspec

from device.keys import Button
from device.web.private_site import Seat
from engine.text import Text
from referee_simulator.hardware.buzzer import Tones
from referee_simulator.table.ground_truth import Body, Truth
from vision.mat import Mat

Auto: TypeAlias = Literal["off", "honest", "cheating"]


class Pixels(msgspec.Struct, frozen=True):
    """What is lit on a display: rows of bits, the leftmost pixel in the highest bit (as Pillow packs mode "1")."""

    width: int
    height: int
    bits: bytes


class Shot(msgspec.Struct, frozen=True):
    """The newest camera frame."""

    serial: int
    jpeg: bytes


class Knob(msgspec.Struct, frozen=True):
    """Something about the scene that can be turned: its range, its step, and where it stands."""

    name: str
    label: Text
    low: float
    high: float
    step: float
    value: float
    unit: Text | str = ""


class Switch(msgspec.Struct, frozen=True):
    """A fault that can be switched on and off."""

    name: str
    label: Text
    on: bool


class Stage(Protocol):
    """A running simulation, in real time. All methods return at once and are called on its event loop."""

    @property
    def seats(self) -> tuple[Seat, ...]: ...

    @property
    def mat(self) -> Mat: ...

    @property
    def note(self) -> Text | None:
        """Return what people at the page should know of this table; None if nothing."""
        ...

    @property
    def trouble(self) -> Text | None:
        """Return what went wrong with the table a while ago; None if nothing."""
        ...

    @property
    def conceals(self) -> bool:
        """True if cards are laid face down at first."""
        ...

    def mending(self) -> AbstractContextManager[None]:
        """An error inside goes no further: it is logged, the table is set out anew, and `trouble` says so."""
        ...

    def truth(self) -> Truth:
        """Every piece where it is now."""
        ...

    def hands(self) -> Mapping[Seat, tuple[Body, ...]]:
        """The cards that each seat holds; empty if the game deals none."""
        ...

    def shot(self) -> Shot | None:
        """The newest camera frame, if there is one yet."""
        ...

    def screens(self) -> Mapping[str, Pixels]:
        """Return what every display shows, by "a" to "d" for the seats' own and "table"; a shared one is "shared"."""
        ...

    def tones(self) -> Tones | None:
        """Return what the buzzer has sounded; None if the table has none."""
        ...

    def press(self, panel: str, button: Button) -> None:
        """Pushes a button down; `panel` is named as its display. KeyError if there is none."""
        ...

    def release(self, panel: str, button: Button) -> None: ...

    def take(self, seat: Seat, ident: int, pile: bool = False) -> None:
        """The seat's hand takes hold of a piece, or of the whole pile on which it lies. KeyError if there is none.

        This, `bring`, `flip` and `peek` raise Refused while another hand, also that of a script, is at work on it.
        """
        ...

    def bring(self, seat: Seat, ident: int, up: bool, x: float, y: float) -> None:
        """The seat's hand comes over the table with a card that it holds, face up or not. KeyError if it has none."""
        ...

    def pick(self, seat: Seat, ident: int) -> None:
        """A seat says which card the hand lays for it when it lays one face down. KeyError if it has none such."""
        ...

    def picked(self, seat: Seat) -> int | None:
        """The card that it picked, while it holds it."""
        ...

    def told_to(self, seat: Seat) -> tuple[Text, ...]:
        """Return the lines beside a seat's cards: why no hand does what it ordered, which card chance laid."""
        ...

    def shown_to(self, seat: Seat) -> tuple[Body, ...]:
        """The pieces whose hidden faces this seat's page alone shows: those that it just had a hand look at."""
        ...

    def keep(self, seat: Seat) -> None:
        """Put what is over the table back into the seat's hand of cards."""
        ...

    def carry(self, seat: Seat, x: float, y: float) -> None:
        """Moves what the hand holds."""
        ...

    def drop(self, seat: Seat, x: float, y: float) -> None:
        """Lays down what the hand holds; the hand leaves."""
        ...

    def flip(self, seat: Seat, ident: int) -> None:
        """Turns a piece over where it lies."""
        ...

    def peek(self, seat: Seat, ident: int) -> str:
        """Lifts a piece towards the seat, and tells what its hidden side shows."""
        ...

    def lower(self, seat: Seat) -> None:
        """Lays a lifted piece back as it was."""
        ...

    def lay(self) -> None:
        """Sets every piece out anew: as for the start of a match or, while one goes on, as it believes them to lie."""
        ...

    def knobs(self) -> tuple[Knob, ...]: ...

    def turn(self, knob: str, value: float) -> None:
        """Turns a knob. KeyError if there is none; the value is clipped to its range."""
        ...

    def switches(self) -> tuple[Switch, ...]: ...

    def throw(self, switch: str, on: bool) -> None:
        """Throws a switch. KeyError if there is none."""
        ...

    def auto(self) -> Auto:
        """Return who plays: the people at the page, or scripted players."""
        ...

    def play(self, auto: Auto) -> None: ...
