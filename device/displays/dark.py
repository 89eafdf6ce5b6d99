"""Switches off what a killed daemon left lit, which may be somebody's secret: `referee dark`, run by the service.

It has to be quick on a Raspberry Pi Zero, where every import counts: it is told what is lit by a note of one line for
each display, which the daemon writes before it lights any, and imports next to nothing. So it talks to an I2C bus by
the kernel's own two calls, where luma and smbus2 would take ten times as long to be read in.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from device.settings.table import Display

NOTE = "lit"
"""The note's name in the runtime directory."""

_OFF = b"\xae" * 8
"""Display off (SSD1306, SH1106) or sleep (SSD1322): so often that none is taken for the last argument of a command that
was cut short."""

_COMMANDS = b"\x00"
"""The control byte of an I2C display: what follows are commands."""

_I2C_SLAVE = 0x0703
"""linux/i2c-dev.h: the address to talk to."""

_PATIENCE_S = 3.0
"""A bus that hangs holds up the others no longer."""


def note(folder: Path, displays: Mapping[str, Display]) -> None:
    """Writes down how each display is to be reached, for whoever finds them lit and no daemon. Raises OSError."""
    from device.displays.oled import node
    from device.pins import chip
    from device.settings.table import I2c
    from vision.files import write_whole

    lines = []
    for display in displays.values():
        bus = display.bus
        if isinstance(bus, I2c):
            lines.append(f"i2c {node(display)} {bus.address}")
        else:
            lines.append(f"spi {bus.port} {bus.device} {bus.speed_hz} {chip()} {bus.dc}")
    write_whole(folder / NOTE, "".join(f"{line}\n" for line in lines).encode())


def switch_off(path: str) -> int:
    """Switches off every display of a note, each bus by itself. How many did not answer; no note: nothing was lit."""
    from _thread import allocate_lock, start_new_thread

    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  pathlib costs more than all the rest
            lines = file.read().splitlines()
    except FileNotFoundError:
        return 0
    failed = [line for line in lines if line]
    waiting = []
    os.environ["LG_WD"] = os.path.dirname(path)  # noqa: PTH120  where lgpio makes a pipe when it is imported
    for line in tuple(failed):
        done = allocate_lock()
        done.acquire()
        start_new_thread(_try, (line, failed, done))
        waiting.append(done)
    for done in waiting:
        done.acquire(timeout=_PATIENCE_S)
    return len(failed)


def _try(line: str, failed: list[str], done: object) -> None:
    try:
        _switch_off(line.split(" "))
        failed.remove(line)
    except Exception as error:  # noqa: BLE001  lgpio's error is no OSError, and the other displays wait
        sys.stderr.write(f"a display may still be lit ({line}): {error}\n")
    finally:
        done.release()  # type: ignore[attr-defined]


def _switch_off(words: list[str]) -> None:
    kind, *how = words
    if kind == "i2c":
        _by_i2c(how[0], int(how[1]))
    else:
        _by_spi(*map(int, how))


def _by_i2c(path: str, address: int) -> None:
    from fcntl import ioctl

    handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        ioctl(handle, _I2C_SLAVE, address)
        os.write(handle, _COMMANDS + _OFF)
    finally:
        os.close(handle)


def _by_spi(port: int, device: int, speed_hz: int, chip: int, dc: int) -> None:
    import lgpio
    import spidev

    pins, bus = lgpio.gpiochip_open(chip), spidev.SpiDev()
    lgpio.gpio_claim_output(pins, dc, 0)  # low: commands
    bus.open(port, device)
    bus.max_speed_hz = speed_hz
    bus.writebytes(list(_OFF))
    bus.close()
    lgpio.gpiochip_close(pins)
