"""Reads buttons and rotary encoders on gpiozero pins and reports keys; `post` moves edges to the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import gpiozero
import msgspec

from device.buttons import debounce, gestures
from device.buttons.debounce import Change, Contact, ContactTurn, DebounceTiming
from device.buttons.gestures import Hold, Pace
from device.clock import Clock, wait
from device.key_gestures import Button, Gesture, Key
from device.pins import PinLost, open_input, watch
from engine.table import Seat

Post = Callable[..., object]
"""Calls a function soon on the event loop."""


class Stuck(msgspec.Struct, frozen=True):
    """A contact pressed or bouncing too long; ignored until released."""

    seat: Seat | None
    contact: str
    at: float


Listener = Callable[["Key | Stuck"], None]


class ButtonPanel:
    """A seat's buttons; `seat` None for a shared panel. Raises PinLost.

    listener: receives keys and stuck contacts. Call `tick` when due, or use `run`.
    """

    def __init__(
        self,
        seat: Seat | None,
        pins: Mapping[Button, int | str],
        listener: Listener,
        *,
        now: Callable[[], float],
        post: Post,
        factory: Any = None,
        timing: DebounceTiming | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._seat, self._listener, self._now, self._post = seat, listener, now, post
        self._timing, self._pace = timing or DebounceTiming(), pace or Pace()
        self._wake = asyncio.Event()
        self._devices: dict[Button, gpiozero.InputDevice] = {}
        self._callbacks: list[Callable[[float, int], None]] = []
        self._contacts: dict[Button, Contact] = {}
        self._holds = {button: Hold(button) for button in pins}
        try:
            for button, pin in pins.items():
                self._listen(button, open_input(pin, factory))
        except PinLost:
            self.close()
            raise

    def _listen(self, button: Button, device: gpiozero.InputDevice) -> None:
        self._devices[button] = device
        self._contacts[button] = debounce.begin(device.is_active, self._now())

        def on_edge(_ticks: float, _state: int) -> None:
            self._post(self._edge, button, device.is_active, self._now())

        self._callbacks.append(on_edge)  # a pin's own reference is weak
        watch(device, on_edge)

    def due(self) -> float | None:
        """Return when `tick` is next needed; None for never."""
        times = [debounce.due(contact, self._timing) for contact in self._contacts.values()]
        times += [gestures.due(hold, self._pace) for hold in self._holds.values()]
        return min((time for time in times if time is not None), default=None)

    def tick(self) -> None:
        """Report due gestures and stuck contacts to the listener."""
        at = self._now()
        for button in tuple(self._contacts):
            contact, changes = debounce.tick(self._contacts[button], self._timing, at)
            if changes and self._devices[button].is_active != contact.raw:
                # An edge was lost: the pin's level is newer.
                contact, more = debounce.edge(contact, self._timing, not contact.raw, at)
                changes += more
            self._contacts[button] = contact
            self._tell(button, changes, at)

    async def run(self, clock: Clock) -> None:
        """Tick when due, until cancelled."""
        while True:
            await wait(clock, self._wake, self.due())
            self.tick()

    def close(self) -> None:
        """Release the pins."""
        for device in self._devices.values():
            device.close()
        self._devices.clear()
        self._contacts.clear()

    def _edge(self, button: Button, pressed: bool, at: float) -> None:
        if button not in self._contacts:
            return  # closed since
        contact, changes = debounce.edge(self._contacts[button], self._timing, pressed, at)
        self._contacts[button] = contact
        self._tell(button, changes, at)
        self._wake.set()

    def _tell(self, button: Button, changes: tuple[Change, ...], at: float) -> None:
        for change in changes:
            if change.turn is ContactTurn.DOWN and button is not Button.BACK and Button.BACK in self._holds:
                self._holds[Button.BACK] = gestures.spend_hold(self._holds[Button.BACK])
            self._holds[button], timed = gestures.feed(self._holds[button], self._pace, change)
            self._deliver(button, timed)
            if change.turn is ContactTurn.STUCK:
                self._listener(Stuck(self._seat, button.value, change.at))
        self._holds[button], timed = gestures.tick(self._holds[button], self._pace, at)
        self._deliver(button, timed)

    def _deliver(self, button: Button, timed: gestures.TimedGestures) -> None:
        for gesture, at in timed:
            self._listener(Key(self._seat, button, gesture, at))


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
        """Open the pins: a (leads clockwise), b. panel: with CHOOSE and BACK; closed with this. Raises PinLost, closing
        both."""
        self._seat, self._listener, self._now, self._post, self.panel = seat, listener, now, post, panel
        self._shaft = Shaft()
        self._devices: list[Any] = []
        self._callback = self._on_change  # a pin's own reference is weak
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
        await self.panel.run(clock)

    def due(self) -> float | None:
        return self.panel.due()

    def tick(self) -> None:
        self.panel.tick()

    def close(self) -> None:
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
