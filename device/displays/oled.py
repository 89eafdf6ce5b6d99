"""Builds displays from the table file, unifies their errors, and notes how to switch them off."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import luma.core.device
import luma.core.error
import luma.oled.device
from luma.core.interface import serial
from PIL import Image

from device.displays.controllers import CONTROLLERS
from device.displays.partial_updates import Paged
from device.pins import chip, open_output, using
from device.settings.table import Display, I2c
from engine.errors import RefereeError
from vision.device_nodes import DEV
from vision.files import BadFile, read_bytes, write_whole

_DARK = (0xAE, 0xA4)
"""Set-up commands that would make a lit display flicker."""
_ARGUMENTS = 8
"""Longest data that are command arguments (SSD1322), in bytes."""
BUSES = Path("/sys/bus/i2c/devices")
"""Kernel's folder of multiplexer channels."""
_RESET_S = 0.001
"""Seconds of reset and recovery; an SSD1322 needs 100 us each."""
_SPEEDS_HZ = tuple(int(mhz * 1_000_000) for mhz in (0.5, 1, 2, 4, 8, 16, 20, 24, 28, 32))
"""SPI speeds that luma accepts."""


class DisplayLost(RefereeError, OSError):
    """A display doesn't answer or can't be opened."""


class _Recorder:
    """A serial interface that counts bytes and records the set-up."""

    def __init__(self, wire: Any) -> None:
        self.wire, self.sent = wire, 0
        self.recording = True
        self._script: list[tuple[bool, tuple[int, ...]]] = []

    def command(self, *cmd: int) -> None:
        self.sent += len(cmd)
        if self.recording and (kept := cmd[1:] if cmd[0] in _DARK else cmd):
            self._script.append((True, kept))
        self.wire.command(*cmd)

    def data(self, data: Any) -> None:
        self.sent += len(data)
        if self.recording and len(data) <= _ARGUMENTS:
            self._script.append((False, tuple(data)))
        self.wire.data(list(data))

    def replay(self) -> None:
        """Repeat the set-up without flicker."""
        for is_command, sent in self._script:
            if is_command:
                self.command(*sent)
            else:
                self.data(sent)

    def cleanup(self) -> None:
        self.wire.cleanup()


class _NoHooks:
    """Replaces luma's atexit, whose hooks would keep every rebuilt display."""

    @staticmethod
    def register(hook: Callable[[], None]) -> Callable[[], None]:
        return hook


luma.core.device.atexit = _NoHooks

_open: set[Oled] = set()


@atexit.register
def _blank_all() -> None:
    for oled in tuple(_open):
        with suppress(DisplayLost):
            oled.close()


DIMMED = 8
"""Divisor of the contrast when dimmed."""


class Oled:
    """A display, blank at first. All methods but `drop` and `give_up` raise DisplayLost."""

    def __init__(self, display: Display, wire: Any) -> None:
        """wire: a luma serial interface."""
        self.size = display.pixels
        self._recorder = _Recorder(wire)
        memory = CONTROLLERS[display.controller].memory
        if display.column_offset is not None:
            memory = memory.showing(display.column_offset)
        make = getattr(luma.oled.device, display.controller)
        width, height = self.size
        rotate = {0: 0, 180: 2}[display.rotation]
        with _translate_errors(display):
            device = make(self._recorder, width=width, height=height, rotate=rotate, mode="1")
            device.contrast(display.contrast)
            self._paged = Paged(device, memory)
            self._recorder.recording = False
            if display.column_offset is not None:  # luma made the usual columns dark
                self._paged.wipe()
        self._display, self._contrast = display, display.contrast
        _open.add(self)

    @property
    def sent(self) -> int:
        """Bytes sent."""
        return self._recorder.sent

    def show(self, image: Image.Image) -> None:
        """Show a mode "1" picture, sending only changes."""
        with _translate_errors(self._display):
            self._paged.show(image)

    def dim(self, dimmed: bool) -> None:
        """Dim the display, or restore its contrast."""
        self._contrast = self._display.contrast // DIMMED if dimmed else self._display.contrast
        with _translate_errors(self._display):
            self._paged.device.contrast(self._contrast)

    def refresh(self) -> None:
        """Check and repair the display: resend the set-up and an eighth of the picture."""
        with _translate_errors(self._display):
            self._recorder.replay()
            if self._contrast != self._display.contrast:
                self._paged.device.contrast(self._contrast)
            self._paged.refresh()

    def close(self) -> None:
        """Blank, switch off and release the display."""
        _open.discard(self)
        with _translate_errors(self._display):
            try:
                self._paged.wipe()  # luma's clear() sends an SSD1322 nothing if it was blank once
                self._paged.device.hide()
            finally:
                self._recorder.cleanup()

    def drop(self) -> None:
        """Release a lost display's bus without using it."""
        _open.discard(self)
        with suppress(OSError):
            self._recorder.cleanup()

    def give_up(self) -> None:
        """Abandon a display whose bus hangs."""
        _open.discard(self)


def build(display: Display) -> Oled:
    """Open a table file's display; return it blank. Raises DisplayLost with its place."""
    with _translate_errors(display):
        wire = _wire(display)
    try:
        return Oled(display, wire)
    except DisplayLost:
        with suppress(OSError):
            wire.cleanup()
        raise


def _wire(display: Display) -> Any:
    bus = display.bus
    if isinstance(bus, I2c):
        return serial.i2c(port=_number(display), address=bus.address)
    speed = max(hz for hz in _SPEEDS_HZ if hz <= bus.speed_hz)
    pins = _Pins()
    try:
        return _Spi(
            pins,
            port=bus.port,
            device=bus.device,
            gpio_DC=bus.dc,
            gpio_RST=bus.reset,
            bus_speed_hz=speed,
            reset_hold_time=_RESET_S,
            reset_release_time=_RESET_S,
        )
    except (luma.core.error.Error, OSError):
        pins.cleanup()
        raise
    except ImportError as error:
        pins.cleanup()
        raise DisplayLost("an SPI display needs the package spidev: apt install python3-spidev") from error


class _Pins:
    """gpiozero's pins for luma, as RPi.GPIO lacks the Pi 5."""

    LOW, HIGH, OUT = 0, 1, 0

    def __init__(self) -> None:
        self._pins: dict[int, Any] = {}

    def setup(self, pin: int, _direction: int) -> None:
        self._pins[pin] = open_output(pin)

    def output(self, pin: int, level: int) -> None:
        with using(pin):
            self._pins[pin].value = level

    def cleanup(self, _pins: object = None) -> None:
        for device in self._pins.values():
            device.close()
        self._pins.clear()


class _Spi(serial.spi):  # type: ignore[misc]  # luma has no types
    """luma's SPI, closing its pins."""

    def __init__(self, pins: _Pins, **wiring: float) -> None:
        self._handed = pins
        super().__init__(gpio=pins, **wiring)

    def cleanup(self) -> None:
        super().cleanup()
        self._handed.cleanup()


@contextmanager
def _translate_errors(display: Display) -> Iterator[None]:
    try:
        yield
    except (luma.core.error.Error, OSError) as error:
        raise DisplayLost(f"{display.controller} on {_place(display)} does not answer: {error}") from error


def node(display: Display, dev: Path = DEV, buses: Path = BUSES) -> Path:
    """Return the bus's device node, or a missing multiplexer channel's place in `buses`."""
    bus = display.bus
    if not isinstance(bus, I2c):
        return dev / f"spidev{bus.port}.{bus.device}"
    if isinstance(bus.port, int):
        return dev / f"i2c-{bus.port}"
    channel = buses / bus.port
    return dev / channel.resolve().name if channel.exists() else channel


def bus_of(display: Display, buses: Path = BUSES) -> str:
    """Return the board's own bus, before any multiplexer: "i2c-1", "spi-0"."""
    bus = display.bus
    if not isinstance(bus, I2c):
        return f"spi-{bus.port}"
    number = bus.port if isinstance(bus.port, int) else bus.port.partition("-")[0]  # 1-0070/channel-0
    below = (buses / f"i2c-{number}").resolve().parts
    return next(part for part in below if part.startswith("i2c-"))


def speed_khz(bus: Path, buses: Path = BUSES) -> int | None:
    """Return an I2C bus's speed in the device tree; None if unknown."""
    try:
        return int.from_bytes(read_bytes(buses / bus.name / "of_node" / "clock-frequency", limit=8), "big") // 1000
    except BadFile:
        return None


def _number(display: Display) -> int:
    path = node(display)
    if BUSES in path.parents:
        raise DisplayLost(
            f"there is no {path}: has /boot/firmware/config.txt a line dtoverlay=i2c-mux,pca9548,addr=0x70, and is the "
            "multiplexer wired?"
        )
    return int(path.name.removeprefix("i2c-"))


def _place(display: Display) -> str:
    bus = display.bus
    return f"{node(display)} at 0x{bus.address:02x}" if isinstance(bus, I2c) else str(node(display))


NOTE = "lit"
"""File name in the runtime folder."""


def note(folder: Path, displays: Mapping[str, Display]) -> Path:
    """Write the note that `switch_off` reads; return its path. Raises OSError."""
    lines = []
    for display in displays.values():
        bus = display.bus
        if isinstance(bus, I2c):
            lines.append(f"i2c {node(display)} {bus.address}")
        else:
            lines.append(f"spi {bus.port} {bus.device} {bus.speed_hz} {chip()} {bus.dc}")
    path = folder / NOTE
    write_whole(path, "".join(f"{line}\n" for line in lines).encode())
    return path
