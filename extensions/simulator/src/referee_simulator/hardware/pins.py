"""Simulated pins on gpiozero's mock factory, with contacts that bounce or stick."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from gpiozero.pins.mock import MockFactory

from device.key_gestures import Button
from device.session.table import SHARED
from device.settings.table import TableSettings
from engine.table import Seat


class Edge(msgspec.Struct, frozen=True, order=True):
    at: float
    pin: int
    closed: bool


class Bounce(msgspec.Struct, frozen=True):
    """Longest chatter (seconds), and most pairs of edges."""

    lasts_s: float = 0.006
    pairs: int = 4


def train(rng: random.Random, pin: int, closed: bool, at: float, bounce: Bounce) -> tuple[Edge, ...]:
    """Return the edges of one closing or opening, ending in the final state."""
    pairs = rng.randint(0, bounce.pairs)
    times = sorted(at + rng.uniform(0, bounce.lasts_s) for _ in range(2 * pairs))
    levels = [closed if number % 2 == 0 else not closed for number in range(2 * pairs + 1)]
    return tuple(Edge(when, pin, level) for when, level in zip([at, *times], levels, strict=True))


Wiring = Mapping[tuple[Seat | None, Button], int]
"""BCM pin of each button; seat None is the shared panel."""


def wiring_of(settings: TableSettings) -> Wiring:
    return {(seat, Button(name)): pin for seat, panel in settings.panels().items() for name, pin in panel.input.pins()}


def seat_of(panel: str) -> Seat | None:
    return None if panel == SHARED else panel


def at_once(call: Callable[..., object], *given: object) -> None:
    """Call directly: simulated edges come on the loop's thread."""
    call(*given)


class Pins:
    """Fingers on buttons. Call `advance` at each `due` time."""

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
        return tuple(self._wiring)

    def press(self, seat: Seat | None, button: Button, at: float) -> None:
        self.presses += 1
        self._schedule(self._wiring[seat, button], closed=True, at=at)

    def release(self, seat: Seat | None, button: Button, at: float) -> None:
        self._schedule(self._wiring[seat, button], closed=False, at=at)

    def tap(self, seat: Seat | None, button: Button, at: float, held_s: float = 0.08) -> float:
        """Schedule press and release; return the time when the contact rests."""
        self.press(seat, button, at)
        self.release(seat, button, at + held_s)
        return at + held_s + self._bounce.lasts_s

    def stick(self, seat: Seat | None, button: Button, stuck: bool) -> None:
        """Jam a button closed, or free it."""
        pin = self._wiring[seat, button]
        if stuck:
            self._stuck.add(pin)
            self._drive(pin, closed=True)
        else:
            self._stuck.discard(pin)
            self._drive(pin, closed=False)

    def wear(self, bounce: Bounce) -> None:
        self._bounce = bounce

    def due(self) -> float | None:
        return self._edges[0].at if self._edges else None

    def advance(self, now: float) -> None:
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
        line.clear_states()  # it would keep every edge
