"""The interface between the simulator's pages and a running simulation. Lengths in mm on the mat."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeAlias

import msgspec

from device.key_gestures import Button
from device.lessons import LessonCard
from device.web.private_site import Seat
from engine.text import Text
from referee_simulator.hardware.buzzer import Tones
from referee_simulator.table.ground_truth import Body, Truth
from vision.mat import Mat

Auto: TypeAlias = Literal["off", "honest", "cheating"]


class Pixels(msgspec.Struct, frozen=True):
    """A display's pixels: rows of bits, leftmost highest (Pillow's mode "1")."""

    width: int
    height: int
    bits: bytes


class Shot(msgspec.Struct, frozen=True):
    serial: int
    jpeg: bytes


class Knob(msgspec.Struct, frozen=True):
    name: str
    label: Text
    low: float
    high: float
    step: float
    value: float
    unit: Text | str = ""


class Switch(msgspec.Struct, frozen=True):
    name: str
    label: Text
    on: bool


class Teacher(Protocol):
    """Runs the lesson of a seat."""

    def learn(self, seat: Seat, wish: str) -> None:
        """Begin the lesson ("begin"), go on to its next step ("next"), or put it away ("leave")."""
        ...

    def offers(self, seat: Seat) -> bool:
        """Return True if a seat may begin the lesson of the match that is set up."""
        ...

    def card(self, seat: Seat) -> LessonCard | None:
        """Return the present step, or None without a lesson."""
        ...


class Stage(Protocol):
    """A running simulation in real time. Methods return at once, on its event loop."""

    @property
    def seats(self) -> tuple[Seat, ...]: ...

    @property
    def mat(self) -> Mat: ...

    @property
    def note(self) -> Text | None: ...

    @property
    def trouble(self) -> Text | None:
        """A recent error, the reason why no hand acts, or None."""
        ...

    @property
    def conceals(self) -> bool:
        """True if a match may begin with a card laid face down."""
        ...

    def mending(self) -> AbstractContextManager[None]:
        """Catch errors inside: log them, reset the table, and set `trouble`."""
        ...

    def truth(self) -> Truth:
        """Return all pieces now."""
        ...

    def hands(self) -> Mapping[Seat, tuple[Body, ...]]: ...

    def shot(self) -> Shot | None: ...

    def screens(self) -> Mapping[str, Pixels]:
        """Return the displays' pixels by name: "a" to "d", "table" or "shared"."""
        ...

    def tones(self) -> Tones | None:
        """Return the buzzer's tones; None without one."""
        ...

    def press(self, panel: str, button: Button) -> None:
        """Press a button; `panel` is its display's name. Raises KeyError."""
        ...

    def release(self, panel: str, button: Button) -> None: ...

    def take(self, seat: Seat, ident: int, pile: bool = False) -> None:
        """Grasp a piece, or its whole pile. Raises KeyError. This, `bring`, `flip` and `peek` raise Refused while
        another hand works on it."""
        ...

    def bring(self, seat: Seat, ident: int, up: bool, x: float, y: float) -> None:
        """Bring a hand card over the table. Raises KeyError."""
        ...

    def pick(self, seat: Seat, ident: int) -> None:
        """Pick the card to lay face down. Raises KeyError."""
        ...

    def picked_piece(self, seat: Seat) -> int | None: ...

    def must_pick(self, seat: Seat) -> bool:
        """Return True if the seat's order waits until it picks a card."""
        ...

    def told_to(self, seat: Seat) -> tuple[Text, ...]:
        """Return notes beside a seat's cards."""
        ...

    def shown_to(self, seat: Seat) -> tuple[Body, ...]:
        """Return pieces whose hidden faces only this seat's page shows."""
        ...

    def keep(self, seat: Seat) -> None: ...

    def carry(self, seat: Seat, x: float, y: float) -> None: ...

    def drop(self, seat: Seat, x: float, y: float) -> None: ...

    def flip(self, seat: Seat, ident: int) -> None: ...

    def peek(self, seat: Seat, ident: int) -> str:
        """Lift a piece towards the seat, and return its hidden kind."""
        ...

    def lower(self, seat: Seat) -> None: ...

    def lay(self) -> None:
        """Reset the table: for a match's start, or as the running match believes it."""
        ...

    def knobs(self) -> tuple[Knob, ...]: ...

    def turn(self, knob: str, value: float) -> None:
        """Set a knob, clipped to its range. Raises KeyError."""
        ...

    def switches(self) -> tuple[Switch, ...]: ...

    def throw(self, switch: str, on: bool) -> None:
        """Set a switch. Raises KeyError."""
        ...

    def auto(self) -> Auto: ...

    def play(self, auto: Auto) -> None: ...

    def learn(self, seat: Seat, wish: str) -> None:
        """See `Teacher.learn`."""
        ...

    def lesson(self, seat: Seat) -> LessonCard | None: ...

    def teaches(self, seat: Seat) -> bool:
        """See `Teacher.offers`."""
        ...
