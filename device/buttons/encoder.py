"""A rotary encoder: quadrature decoded as a pure fold, and a panel made of it, its push and a back button.

Turning clockwise is NEXT, back is PREVIOUS (one PRESS a detent), the push is CHOOSE (long: menu), the button beside it
BACK: the same keys as three buttons give.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from device.buttons.panel import ButtonPanel, Listener, Post
from device.clock import Clock
from device.keys import Button, Gesture, Key
from device.pins import PinLost, open_input, watch
from engine.table import Seat

_CYCLE = ((False, False), (True, False), (True, True), (False, True))
"""Levels of (a, b) through one detent, clockwise; both contacts are open at rest."""


class Shaft(msgspec.Struct, frozen=True):
    """Where the shaft is: the levels of both contacts (True: closed), and quarter detents since the last rest."""

    a: bool = False
    b: bool = False
    quarters: int = 0


def rotate(shaft: Shaft, a: bool, b: bool) -> tuple[Shaft, int]:
    """New levels -> 1 for a detent clockwise, -1 for one back, 0 for none.

    Bounce needs no timer here: a contact that bounces steps to and fro between two neighbouring states. A jump over a
    state (an edge was lost) tells no direction, and is dropped; at rest the count starts again.
    """
    step = (_CYCLE.index((a, b)) - _CYCLE.index((shaft.a, shaft.b))) % 4
    quarters = shaft.quarters + {0: 0, 1: 1, 2: 0, 3: -1}[step]
    if (a, b) != _CYCLE[0]:
        return Shaft(a, b, quarters), 0
    return Shaft(), (quarters > 2) - (quarters < -2)


class EncoderPanel:
    """The panel of one seat that has an encoder. Same way of use as `ButtonPanel`."""

    def __init__(
        self,
        seat: Seat | None,
        pins: tuple[int | str, int | str],
        panel: ButtonPanel,
        listener: Listener,
        *,
        now: Callable[[], float],
        post: Post,
        factory: Any = None,
    ) -> None:
        """`pins` are a and b; a leads clockwise. `panel` has CHOOSE (the push) and BACK; it is closed with this one, or
        if a pin cannot be used."""
        self._seat, self._listener, self._now, self._post, self.panel = seat, listener, now, post, panel
        self._shaft = Shaft()
        self._devices: list[Any] = []
        self._callback = self._on_change  # a pin holds its callback by a weak reference only
        try:
            for pin in pins:
                self._devices.append(open_input(pin, factory))
            a, b = self._devices
            self._shaft = Shaft(a.is_active, b.is_active)
            for device in self._devices:
                watch(device, self._callback)
        except PinLost:
            self.close()
            raise

    async def run(self, clock: Clock) -> None:
        """Ticks its buttons whenever it is due, until cancelled."""
        await self.panel.run(clock)

    def due(self) -> float | None:
        """Return when `tick` is next needed; None: not at all."""
        return self.panel.due()

    def tick(self) -> None:
        """Tells what has become of the push and the back button by now."""
        self.panel.tick()

    def close(self) -> None:
        """Lets the pins go."""
        for device in self._devices:
            device.close()
        self._devices.clear()
        self.panel.close()

    def _on_change(self, _ticks: float, _state: int) -> None:
        if len(self._devices) == 2:
            a, b = self._devices
            self._post(self._levels, a.is_active, b.is_active, self._now())

    def _levels(self, a: bool, b: bool, at: float) -> None:
        self._shaft, detent = rotate(self._shaft, a, b)
        if detent:
            button = Button.NEXT if detent > 0 else Button.PREVIOUS
            self._listener(Key(self._seat, button, Gesture.PRESS, at))
