"""An optional buzzer: one short tone when it is somebody else's turn, a longer one when a clock becomes short, and a
long one when a flag falls.

It says nothing but what everybody may know (law 5): whose turn it is, and how much time is left, as all displays show
it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

import gpiozero
import msgspec

from device.clock import Clock, wait
from device.pins import PinLost, ready, using
from device.session.matches import acting
from device.session.state import Play, Session
from device.session.times import short
from engine.table import Seat

TURN_S, SHORT_S, FLAG_S = 0.06, 0.25, 0.6
"""So long a tone is that calls somebody to the table, one that says that time is short, and one that it is over."""

_log = logging.getLogger(__name__)


class Heard(msgspec.Struct, frozen=True):
    """What everybody may know that is worth a tone. turns: who may act; short: whose clock runs and is short; fallen:
    whose flag has fallen. low: whose clock is short, whether it runs or not."""

    turns: frozenset[Seat] = frozenset()
    short: frozenset[Seat] = frozenset()
    fallen: frozenset[Seat] = frozenset()
    low: frozenset[Seat] = frozenset()


def audible(session: Session) -> Heard:
    """Return what can be heard of a session as it is now."""
    stage = session.stage
    if not isinstance(stage, Play):
        return Heard()
    low = short(stage.clocks, stage.time(session.now))
    return Heard(acting(stage), low & stage.clocks.running, stage.clocks.fallen, low)


def tone(before: Heard, now: Heard) -> float | None:
    """Return the length of the tone for a change, in seconds; None if nobody needs to look up."""
    if now.fallen - before.fallen:
        return FLAG_S
    if now.short - before.short - now.fallen:
        return SHORT_S
    return TURN_S if now.turns - before.turns else None


class Buzzer:
    """An active buzzer on a pin: it sounds while the pin is high."""

    def __init__(self, pin: int, factory: Any = None) -> None:
        """Raises PinLost."""
        with using(pin):
            ready(factory)
            self._device = gpiozero.Buzzer(pin, pin_factory=factory)
        self._pin, self._last = pin, Heard()
        self._next: float | None = None
        self._woken = asyncio.Event()

    def on_step(self, session: Session) -> None:
        """A step was made. Of tones that come faster than they can be heard the longest one sounds."""
        before, now = self._last, audible(session)
        warned = before.short & now.low  # once, until there is time again
        self._last = msgspec.structs.replace(now, short=now.short | warned)
        if (found := tone(before, now)) is not None:
            self._next = max(self._next or 0.0, found)
            self._woken.set()

    async def run(self, clock: Clock) -> None:
        """Sounds what is to be heard, until cancelled. A pin that is lost is told of once; the table goes on."""
        try:
            while True:
                await wait(clock, self._woken, None)
                seconds, self._next = self._next, None
                if seconds is not None:
                    await self._sound(clock, seconds)
        except PinLost as error:
            _log.warning("the buzzer is not used any more: %s", error)
            with suppress(PinLost):
                self.close()  # its pin is an input then: what could not be switched off is silent
            await asyncio.Event().wait()

    async def _sound(self, clock: Clock, seconds: float) -> None:
        with using(self._pin):
            self._device.on()
        try:
            await clock.sleep_until(clock.now() + seconds)
        except asyncio.CancelledError:
            with suppress(PinLost):
                self._silence()
            raise
        self._silence()

    def _silence(self) -> None:
        with using(self._pin):
            self._device.off()

    def close(self) -> None:
        """Lets the pin go, silent. Raises PinLost."""
        with using(self._pin):
            self._device.close()
