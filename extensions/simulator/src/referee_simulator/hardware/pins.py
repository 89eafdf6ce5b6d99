"""Simulated pins behind gpiozero's own mock factory: contacts that bounce when they close and open, or stick."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from gpiozero.pins.mock import MockFactory

from device.keys import Button
from device.session.table import SHARED
from device.settings.table import TableSettings
from engine.table import Seat


class Edge(msgspec.Struct, frozen=True, order=True):
    """At a time the contact on a pin is closed (to ground) or open."""

    at: float
    pin: int
    closed: bool


class Bounce(msgspec.Struct, frozen=True):
    """How a contact chatters: for how long at most (seconds), and in how many pairs of edges at most."""

    lasts_s: float = 0.006
    pairs: int = 4


def train(rng: random.Random, pin: int, closed: bool, at: float, bounce: Bounce) -> tuple[Edge, ...]:
    """The edges of one closing or opening: an odd number of them, the last in the state that stays."""
    pairs = rng.randint(0, bounce.pairs)
    times = sorted(at + rng.uniform(0, bounce.lasts_s) for _ in range(2 * pairs))
    levels = [closed if number % 2 == 0 else not closed for number in range(2 * pairs + 1)]
    return tuple(Edge(when, pin, level) for when, level in zip([at, *times], levels, strict=True))


Wiring = Mapping[tuple[Seat | None, Button], int]
"""The pin (BCM number) of each button; seat None is the shared panel."""


def wired(settings: TableSettings) -> Wiring:
    """The pins that a table file names."""
    return {(seat, Button(name)): pin for seat, panel in settings.panels().items() for name, pin in panel.input.pins()}


def seat_of(panel: str) -> Seat | None:
    """Return the seat of a panel's buttons; None: everybody's."""
    return None if panel == SHARED else panel


def at_once(call: Callable[..., object], *given: object) -> None:
    """Simulated edges come on the loop's own thread."""
    call(*given)


class Pins:
    """Fingers on buttons. Edges fall due in time: call `advance` whenever `due` comes."""

    def __init__(self, wiring: Wiring, seed: int) -> None:
        self.factory: Any = MockFactory()
        self.presses = 0
        self._wiring = wiring
        self._rng = random.Random(f"{seed}/pins")
        self._bounce = Bounce()
        self._edges: list[Edge] = []
        self._stuck: set[int] = set()

    @property
    def buttons(self) -> tuple[tuple[Seat | None, Button], ...]:
        """Every button, by its panel."""
        return tuple(self._wiring)

    def press(self, seat: Seat | None, button: Button, at: float) -> None:
        """A finger closes the contact. Raises KeyError if there is no such button."""
        self.presses += 1
        self._schedule(self._wiring[seat, button], closed=True, at=at)

    def release(self, seat: Seat | None, button: Button, at: float) -> None:
        """The finger lets go."""
        self._schedule(self._wiring[seat, button], closed=False, at=at)

    def tap(self, seat: Seat | None, button: Button, at: float, held_s: float = 0.08) -> float:
        """Presses and lets go; returns when the contact is still again."""
        self.press(seat, button, at)
        self.release(seat, button, at + held_s)
        return at + held_s + self._bounce.lasts_s

    def stick(self, seat: Seat | None, button: Button, stuck: bool) -> None:
        """A button that jams closed whatever the finger does, or comes free again."""
        pin = self._wiring[seat, button]
        if stuck:
            self._stuck.add(pin)
            self._drive(pin, closed=True)
        else:
            self._stuck.discard(pin)
            self._drive(pin, closed=False)

    def wear(self, bounce: Bounce) -> None:
        """Make every contact bounce like this from now on."""
        self._bounce = bounce

    def due(self) -> float | None:
        """Return when the next edge comes; None if every contact is still."""
        return self._edges[0].at if self._edges else None

    def advance(self, now: float) -> None:
        """Drives every edge that is due by now."""
        while self._edges and self._edges[0].at <= now:
            edge = heapq.heappop(self._edges)
            if edge.pin not in self._stuck:
                self._drive(edge.pin, closed=edge.closed)

    def _schedule(self, pin: int, *, closed: bool, at: float) -> None:
        for edge in train(self._rng, pin, closed, at, self._bounce):
            heapq.heappush(self._edges, edge)

    def _drive(self, pin: int, *, closed: bool) -> None:
        line = self.factory.pin(pin)
        if closed:
            line.drive_low()
        else:
            line.drive_high()
        line.clear_states()  # it keeps every edge otherwise, and an evening has many
