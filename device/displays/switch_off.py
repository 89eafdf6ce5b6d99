"""Switches off what a killed daemon left lit, which may be somebody's secret.

`attend` does so at once; should that process be gone, too, `referee dark`, run by the service whenever the daemon has
ended. It has to be quick on a Raspberry Pi Zero, where every import counts: it is told what is lit by a note of one
line for each display, which the daemon writes before it lights any (lit_displays.py), and imports next to nothing. So
it talks to buses and pins by the kernel's own calls, where luma, smbus2 and lgpio would take ten times as long to be
read in."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing's own would cost more than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
"""How long a pin is waited for that the daemon has not let go yet: it is dying."""

_PATIENCE_S = 3.0
"""A bus that hangs holds up the others no longer."""


def attend() -> int | None:
    """Has a process of its own wait for the end of this one, however it ends, and then switch off the displays of a
    note. Where the note's path is to be written, and an end of line: a file descriptor, to be left open; None if no
    process can be had.

    Whatever starts a program once this one is dead needs a second on a Raspberry Pi Zero. This process has everything
    open by then and has but to write. It heeds no signal of systemd's, which tells all of a service to end as soon as
    its main process is dead, and waits for them (KillMode=control-group). It costs little memory where it is called
    before much is imported.
    """
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
        # The module signal would cost more than all the rest.
        from _signal import SIG_IGN, SIGABRT, SIGTERM, signal  # type: ignore[import-not-found]

        signal(SIGTERM, SIG_IGN)
        signal(SIGABRT, SIG_IGN)  # the watchdog's
        os.close(tell)
        path = b""
        while not path.endswith(b"\n") and (more := os.read(told, 4096)):
            path += more
        _off(_lines(path.decode().rstrip("\n")), lambda: _await_end(told))
    finally:
        os._exit(0)


def _await_end(told: int) -> None:
    """Wait until nobody has the other end of a pipe any more."""
    while os.read(told, 4096):
        pass


def switch_off(path: str) -> int:
    """Switches off every display of a note, each bus by itself. How many did not answer; no note: nothing was lit."""
    return _off(_lines(path))


def _lines(path: str) -> list[str]:
    """Return the lines of a note, one for each display."""
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  pathlib costs more than all the rest
            return [line for line in file.read().splitlines() if line]
    except FileNotFoundError:
        return []


def _ready(line: str) -> Callable[[], None] | None:
    """Return a function that switches a display off; None if the display has to be opened again for that."""
    try:
        return _open_display(line)
    except OSError:
        return None


def _off(lines: Sequence[str], when: Callable[[], None] = lambda: None) -> int:
    """Switches displays off, each by itself, by their lines in the note. How many did not answer. when: returns when it
    is time; what leads to a display is open by then."""
    from _thread import allocate_lock, start_new_thread

    failed, waiting = list(lines), []
    for line in lines:
        done = allocate_lock()
        done.acquire()
        start_new_thread(_try, (line, when, failed, done))
        waiting.append(done)
    when()
    for done in waiting:
        done.acquire(timeout=_PATIENCE_S)
    return len(failed)


def _try(line: str, when: Callable[[], None], failed: list[str], done: object) -> None:
    try:
        off = _ready(line)
        when()
        _switch(line, off)
        failed.remove(line)
    except Exception as error:  # noqa: BLE001  whatever it is, the other displays wait
        sys.stderr.write(f"a display may still be lit ({line}): {error}\n")
    finally:
        done.release()  # type: ignore[attr-defined]


def _switch(line: str, off: Callable[[], None] | None) -> None:
    """Switches a display off; by a way that is looked for anew where there is none or it is no more."""
    if off is not None:
        try:
            off()
        except OSError:
            pass
        else:
            return
    _open_display(line)()


def _open_display(line: str) -> Callable[[], None]:
    """Opens what leads to a display; what is left to do. Raises OSError."""
    kind, *how = line.split(" ")
    return _by_i2c(how[0], int(how[1])) if kind == "i2c" else _by_spi(*map(int, how))


def _by_i2c(path: str, address: int) -> Callable[[], None]:
    from fcntl import ioctl

    handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        ioctl(handle, _I2C_SLAVE, address)
    except OSError:
        os.close(handle)
        raise

    def off() -> None:
        try:
            os.write(handle, _COMMANDS + _OFF)
        finally:
            os.close(handle)

    return off


def _by_spi(port: int, device: int, speed_hz: int, chip: int, dc: int) -> Callable[[], None]:
    from fcntl import ioctl

    pins = os.open(f"/dev/gpiochip{chip}", os.O_RDWR | os.O_CLOEXEC)
    try:
        bus = os.open(f"/dev/spidev{port}.{device}", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        os.close(pins)
        raise

    def off() -> None:
        try:
            line = _low(pins, dc)  # commands
            try:
                ioctl(bus, _SPI_SPEED, speed_hz.to_bytes(4, sys.byteorder))
                os.write(bus, _OFF)
            finally:
                os.close(line)
        finally:
            os.close(bus)
            os.close(pins)

    return off


def _low(pins: int, number: int) -> int:
    """Takes a pin of a chip as an output that is low, once the daemon lets it go; a file descriptor. Raises OSError."""
    from errno import EBUSY
    from fcntl import ioctl
    from time import sleep

    for left in range(_ROUNDS, -1, -1):
        pin = bytearray(_REQUEST)
        pin[:4] = number.to_bytes(4, sys.byteorder)
        pin[_FLAGS : _FLAGS + 8] = _OUTPUT.to_bytes(8, sys.byteorder)
        pin[_LINES : _LINES + 4] = (1).to_bytes(4, sys.byteorder)
        try:
            ioctl(pins, _GET_LINE, pin)
            break
        except OSError as error:
            if error.errno != EBUSY or not left:
                raise
        sleep(_ROUND_S)
    return int.from_bytes(pin[_LINE:], sys.byteorder)
