"""Sounds tones for a new turn, short time and a fallen flag, all public (law 5)."""

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
"""Lengths of the tones in seconds."""

_log = logging.getLogger(__name__)


class Heard(msgspec.Struct, frozen=True):
    """Audible facts by seat: to act, running short, fallen flag. low: short, running or not."""

    turns: frozenset[Seat] = frozenset()
    short: frozenset[Seat] = frozenset()
    fallen: frozenset[Seat] = frozenset()
    low: frozenset[Seat] = frozenset()


def audible(session: Session) -> Heard:
    """Return a session's audible facts."""
    stage = session.stage
    if not isinstance(stage, Play):
        return Heard()
    low = short(stage.clocks, stage.time(session.now))
    return Heard(acting(stage), low & stage.clocks.running, stage.clocks.fallen, low)


def tone(before: Heard, now: Heard) -> float | None:
    """Return the tone's length in seconds for a change; None for silence."""
    if now.fallen - before.fallen:
        return FLAG_S
    if now.short - before.short - now.fallen:
        return SHORT_S
    return TURN_S if now.turns - before.turns else None


class Buzzer:
    """An active buzzer, sounding while its pin is high. Raises PinLost."""

    def __init__(self, pin: int, factory: Any = None) -> None:
        with using(pin):
            ready(factory)
            self._device = gpiozero.Buzzer(pin, pin_factory=factory)
        self._pin, self._last = pin, Heard()
        self._next: float | None = None
        self._woken = asyncio.Event()

    def on_step(self, session: Session) -> None:
        """Queue the tone for a session change; of several waiting, only the longest sounds."""
        before, now = self._last, audible(session)
        warned = before.short & now.low  # once, until time is enough
        self._last = msgspec.structs.replace(now, short=now.short | warned)
        if (found := tone(before, now)) is not None:
            self._next = max(self._next or 0.0, found)
            self._woken.set()

    async def run(self, clock: Clock) -> None:
        """Sound tones until cancelled; log a lost pin and stay silent."""
        try:
            while True:
                await wait(clock, self._woken, None)
                seconds, self._next = self._next, None
                if seconds is not None:
                    await self._sound(clock, seconds)
        except PinLost as error:
            _log.warning("the buzzer is not used any more: %s", error)
            with suppress(PinLost):
                self.close()  # its pin is an input then, and so silent
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
        """Release the pin. Raises PinLost."""
        with using(self._pin):
            self._device.close()
