"""Switches off displays left lit by a killed daemon, as they may show a secret.

`fork_switch_off` acts at once; `referee dark`, run when the service ends, is the fallback. Both read a note
(`oled.note`) and call the kernel directly: importing luma, smbus2 or lgpio is slow on a Pi Zero.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing's costs more than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OFF = b"\xae" * 8
"""Display off (SSD1306, SH1106) or sleep (SSD1322), repeated in case it ends an interrupted command."""

_COMMANDS = b"\x00"
"""I2C control byte before commands."""

_I2C_SLAVE = 0x0703
"""Sets the address (linux/i2c-dev.h)."""

_GET_LINE, _REQUEST = 0xC250B407, 592
"""GPIO_V2_GET_LINE_IOCTL (linux/gpio.h) and the size of gpio_v2_line_request."""
_FLAGS, _OUTPUT, _LINES, _LINE = 288, 8, 560, 588
"""Byte offsets of flags, line count and descriptor; and the output flag."""

_SPI_SPEED = 0x40046B04
"""SPI_IOC_WR_MAX_SPEED_HZ (linux/spi/spidev.h)."""

_ROUND_S, _ROUNDS = 0.002, 500
"""Seconds per attempt, and attempts, for a pin the daemon still holds."""

_PATIENCE_S = 3.0
"""Seconds to wait for a hanging bus."""


def fork_switch_off() -> int | None:
    """Fork a process that switches a note's displays off when the returned descriptor closes, at the latest when this
    process ends. Write the note's path and a newline to it. Returns None if forking fails. Fork before large imports to
    save memory."""
    # Starting a program later would take a second on a Pi Zero. The fork ignores SIGTERM and SIGABRT, as systemd waits
    # for it (KillMode=control-group).
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
        # the module signal costs more than all the rest
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
    while os.read(told, 4096):
        pass


def switch_off(path: str) -> int:
    """Switch off a note's displays; return how many failed. A missing note counts as empty. Raises OSError."""
    return _off(_lines(path))


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  pathlib costs more than all the rest
            return [line for line in file.read().splitlines() if line]
    except FileNotFoundError:
        return []


def _ready(line: str) -> Callable[[], None] | None:
    try:
        return _open_display(line)
    except OSError:
        return None


def _off(lines: Sequence[str], when: Callable[[], None] = lambda: None) -> int:
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
    if off is not None:
        try:
            off()
        except OSError:
            pass
        else:
            return
    _open_display(line)()


def _open_display(line: str) -> Callable[[], None]:
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
