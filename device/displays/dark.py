"""Switches off what a killed daemon left lit, which may be somebody's secret.

`attend` does so at once; should that process be gone, too, `referee dark`, run by the service whenever the daemon has
ended. It has to be quick on a Raspberry Pi Zero, where every import counts: it is told what is lit by a note of one
line for each display, which the daemon writes before it lights any (lit.py), and imports next to nothing. So it talks
to buses and pins by the kernel's own calls, where luma, smbus2 and lgpio would take ten times as long to be read in.
"""

from __future__ import annotations

import os
import sys

_OFF = b"\xae" * 8
"""Display off (SSD1306, SH1106) or sleep (SSD1322): so often that none is taken for the last argument of a command that
was cut short."""

_COMMANDS = b"\x00"
"""The control byte of an I2C display: what follows are commands."""

_I2C_SLAVE = 0x0703
"""linux/i2c-dev.h: the address to talk to."""

_GET_LINE, _REQUEST = 0xC250B407, 592
"""linux/gpio.h: GPIO_V2_GET_LINE_IOCTL, and the size of its struct gpio_v2_line_request: the pin's number is its first
field, "output" a flag of its `config`; low unless it says otherwise."""
_FLAGS, _OUTPUT, _LINES, _LINE = 288, 8, 560, 588
"""Places in it, in bytes, of the flags, of how many pins, and of the answer, a file descriptor; and the flag."""

_SPI_SPEED = 0x40046B04
"""linux/spi/spidev.h: SPI_IOC_WR_MAX_SPEED_HZ."""

_ROUND_S, _ROUNDS = 0.002, 500
"""How long the end of the daemon is waited for once it lets go of things."""

_PATIENCE_S = 3.0
"""A bus that hangs holds up the others no longer."""


def attend() -> int | None:
    """Has a process of its own wait for the end of this one, however it ends, and then switch off the displays of a
    note. Where the note's path is to be written: a file descriptor, to be left open; None if no process can be had.

    Whatever starts a program once this one is dead needs a second on a Raspberry Pi Zero, this a few milliseconds. It
    costs little memory where it is called before much is imported. It may be killed: then `referee dark` does its work.
    """
    daemon = os.getpid()
    told, tell = os.pipe()
    try:
        waits = os.fork() == 0
    except OSError:
        os.close(told)
        os.close(tell)
        return None
    if not waits:
        os.close(told)
        return tell
    try:
        os.close(tell)
        path = b""
        while more := os.read(told, 4096):
            path += more
        _await_end(daemon)
        if path:
            switch_off(path.decode())
    finally:
        os._exit(0)


def _await_end(daemon: int) -> None:
    """Until all that it held is let go, such as pins: the pipe is among the first."""
    from time import sleep

    for _ in range(_ROUNDS):
        if os.getppid() != daemon:
            return
        sleep(_ROUND_S)


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
    except Exception as error:  # noqa: BLE001  whatever it is, the other displays wait
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
    from fcntl import ioctl

    pins = os.open(f"/dev/gpiochip{chip}", os.O_RDWR | os.O_CLOEXEC)
    try:
        pin = bytearray(_REQUEST)
        pin[:4] = dc.to_bytes(4, sys.byteorder)
        pin[_FLAGS : _FLAGS + 8] = _OUTPUT.to_bytes(8, sys.byteorder)
        pin[_LINES : _LINES + 4] = (1).to_bytes(4, sys.byteorder)
        ioctl(pins, _GET_LINE, pin)  # low: commands
        bus = os.open(f"/dev/spidev{port}.{device}", os.O_RDWR | os.O_CLOEXEC)
        try:
            ioctl(bus, _SPI_SPEED, speed_hz.to_bytes(4, sys.byteorder))
            os.write(bus, _OFF)
        finally:
            os.close(bus)
            os.close(int.from_bytes(pin[_LINE:], sys.byteorder))
    finally:
        os.close(pins)
