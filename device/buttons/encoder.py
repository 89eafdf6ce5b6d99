"""Decodes a rotary encoder as a pure fold, and makes a panel of it. Its push is CHOOSE; turning is NEXT and
PREVIOUS."""

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
"""Levels of (a, b) through a clockwise detent; open at rest."""


class Shaft(msgspec.Struct, frozen=True):
    """The shaft's contacts (True if closed) and quarter detents since rest."""

    a: bool = False
    b: bool = False
    quarters: int = 0


def rotate(shaft: Shaft, a: bool, b: bool) -> tuple[Shaft, int]:
    """Return the shaft and 1 for a clockwise detent, -1 for one back, else 0. Skipped states are ignored."""
    step = (_CYCLE.index((a, b)) - _CYCLE.index((shaft.a, shaft.b))) % 4
    quarters = shaft.quarters + {0: 0, 1: 1, 2: 0, 3: -1}[step]
    if (a, b) != _CYCLE[0]:
        return Shaft(a, b, quarters), 0
    return Shaft(), (quarters > 2) - (quarters < -2)


class EncoderPanel:
    """A seat's panel with an encoder; used like `ButtonPanel`."""

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
        """Set it up. pins: a (leads clockwise), b. panel: with CHOOSE and BACK; closed with this."""
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
        """Tick when due, until cancelled."""
        await self.panel.run(clock)

    def due(self) -> float | None:
        """Return when `tick` is next needed; None for never."""
        return self.panel.due()

    def tick(self) -> None:
        """Report changes of the buttons."""
        self.panel.tick()

    def close(self) -> None:
        """Release the pins."""
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
