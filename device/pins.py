"""Opens pins through gpiozero and lgpio, with one error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import gpiozero

from device.temporary_folders import scratch
from engine.errors import RefereeError


class PinLost(RefereeError, OSError):
    """A pin can't be used."""


def open_input(pin: int | str, factory: Any = None) -> gpiozero.InputDevice:
    """Open an input that closes to ground. Raises PinLost."""
    with using(pin):
        ready(factory)
        return gpiozero.InputDevice(pin, pull_up=True, pin_factory=factory)


def open_output(pin: int | str) -> gpiozero.OutputDevice:
    """Open an output. Raises PinLost."""
    with using(pin):
        ready()
        return gpiozero.OutputDevice(pin)


def watch(device: gpiozero.InputDevice, changed: Callable[[float, int], None]) -> None:
    """Call `changed` at every edge, on the factory's thread; it is held weakly. Raises PinLost."""
    with using(device.pin.info.name):
        device.pin.when_changed = changed


@contextmanager
def using(pin: object) -> Iterator[None]:
    """Turn pin errors into PinLost."""
    try:
        yield
    except _troubles() as error:
        raise PinLost(f"pin {pin} cannot be used ({error}): check the wiring in the table file") from error


def ready(factory: Any = None) -> None:
    """Create the pin factory if needed. Raises PinLost."""
    if factory is not None or gpiozero.Device.pin_factory is not None:
        return
    os.environ.setdefault("GPIOZERO_PIN_FACTORY", "lgpio")  # others, tried in turn, would hide why
    try:
        with _workplace():
            gpiozero.Device.ensure_pin_factory()
    except _troubles() as error:
        raise PinLost(f"this machine has no pins that can be used ({error})") from error


def chip() -> int:
    """Return the gpiochip's number; an early Pi 5's isn't always 0. Raises PinLost."""
    ready()
    return int(getattr(gpiozero.Device.pin_factory, "chip", 0))


@contextmanager
def _workplace() -> Iterator[None]:
    """Import lgpio in a temporary folder, where it makes its pipe (gpiozero#1106)."""
    before = os.getcwd()  # noqa: PTH109  also where the folder may not be looked into
    with ExitStack() as left:
        left.callback(_return, before)
        if "LG_WD" not in os.environ:
            folder = str(left.enter_context(scratch()))
            left.callback(os.environ.pop, "LG_WD")
            os.environ["LG_WD"] = folder
        yield


def _return(folder: str) -> None:
    try:
        os.chdir(folder)
    except OSError:
        os.chdir("/")


def _troubles() -> tuple[type[Exception], ...]:
    own = getattr(sys.modules.get("lgpio"), "error", None)
    return (gpiozero.GPIOZeroError, OSError, ImportError, *((own,) if own else ()))
