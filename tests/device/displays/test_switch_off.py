"""What a killed daemon left lit is switched off by a command that reads in next to nothing, whatever hangs."""

from __future__ import annotations

import errno
import fcntl
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import gpiozero
import pytest
from PIL import Image

from device.displays import switch_off
from device.displays.oled import Oled, note
from device.settings.table import Display, I2c, Spi
from referee_simulator.hardware.oled import SimulatedOled
from tests.device.systemd.units import ROOT

SEATS = {"a": Display(I2c(1, 0x3C)), "b": Display(I2c(1, 0x3D)), "table": Display(I2c(2, 0x3C))}


class Wires:
    """The kernel's side of I2C: each node leads to displays by their address, and a bus may hang."""

    def __init__(self, displays: dict[str, Display]) -> None:
        self.oleds: dict[tuple[str, int], SimulatedOled] = {}
        for display in displays.values():
            assert isinstance(display.bus, I2c)
            wire = SimulatedOled(display.controller, display.pixels)
            Oled(display, wire).show(Image.new("1", display.pixels, 1))
            self.oleds[f"/dev/i2c-{display.bus.port}", display.bus.address] = wire
        self.hanging, self.let_go = "", threading.Event()
        self._handles, self._nodes, self._address = count(1_000_000), dict[int, str](), dict[int, int]()
        self.O_RDWR = self.O_CLOEXEC = 0

    def open(self, path: str, _flags: int) -> int:
        if not any(node == path for node, _ in self.oleds):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        self._nodes[handle := next(self._handles)] = path
        return handle

    def ioctl(self, handle: int, request: int, address: int) -> None:
        assert request == 0x0703
        if self._nodes[handle] == self.hanging:
            self.let_go.wait(100)
        self._address[handle] = address

    def write(self, handle: int, data: bytes) -> None:
        control, *commands = data
        assert control == 0
        self.oleds[self._nodes[handle], self._address[handle]].command(*commands)

    def close(self, handle: int) -> None:
        del self._nodes[handle]

    def lit(self) -> list[tuple[str, int]]:
        return [where for where, oled in self.oleds.items() if oled.on]


@pytest.fixture
def wires(monkeypatch: pytest.MonkeyPatch) -> Wires:
    made = Wires(SEATS)
    monkeypatch.setattr(switch_off, "os", made)
    monkeypatch.setattr(fcntl, "ioctl", made.ioctl)
    return made


def noted(folder: Path, displays: dict[str, Display]) -> str:
    return str(note(folder, displays))


def test_every_display_of_the_table_goes_dark(tmp_path: Path, wires: Wires) -> None:
    assert len(wires.lit()) == 3
    assert switch_off.switch_off(noted(tmp_path, SEATS)) == 0
    assert wires.lit() == []


def test_one_that_is_cut_short_in_a_command_goes_dark_too(tmp_path: Path, wires: Wires) -> None:
    wires.oleds["/dev/i2c-1", 0x3C].command(0x21)
    switch_off.switch_off(noted(tmp_path, SEATS))
    assert wires.lit() == []


def test_a_bus_that_hangs_or_is_gone_holds_up_no_other(
    tmp_path: Path, wires: Wires, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(switch_off, "_PATIENCE_S", 1.0)
    wires.hanging = "/dev/i2c-1"
    note = noted(tmp_path, {**SEATS, "gone": Display(I2c(7, 0x3C))})
    begun = time.monotonic()
    assert switch_off.switch_off(note) == 3
    assert time.monotonic() - begun < 60
    assert wires.lit() == [("/dev/i2c-1", 0x3C), ("/dev/i2c-1", 0x3D)]
    assert "a display may still be lit (i2c /dev/i2c-7 60): [Errno 2]" in capsys.readouterr().err
    wires.let_go.set()


def test_where_no_daemon_lit_anything_nothing_is_done(tmp_path: Path) -> None:
    assert switch_off.switch_off(str(tmp_path / "lit")) == 0


def test_a_display_whose_way_is_no_more_is_looked_for_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wires: Wires
) -> None:
    """A driver that was loaded again in the evening: what was opened before leads nowhere."""
    reached, tries = switch_off._open_display, list[str]()

    def once_gone(line: str) -> Callable[[], None]:
        tries.append(line)
        off = reached(line)

        def gone() -> None:
            raise OSError(errno.ENODEV, "No such device")

        return gone if tries.count(line) == 1 else off

    monkeypatch.setattr(switch_off, "_open_display", once_gone)
    assert switch_off.switch_off(noted(tmp_path, SEATS)) == 0
    assert wires.lit() == []
    assert len(tries) == 2 * len(SEATS)


class Line:
    """The kernel's side of a pin and of SPI, as linux/gpio.h and linux/spi/spidev.h have it. busy: so often the pin is
    refused, as the daemon has it still."""

    def __init__(self) -> None:
        self.O_RDWR = self.O_CLOEXEC = 0
        self.told: list[object] = []
        self.busy = 3
        self._nodes: dict[int, str] = {}

    def open(self, path: str, _flags: int) -> int:
        self._nodes[handle := 100 + len(self._nodes)] = path
        return handle

    def ioctl(self, handle: int, request: int, data: bytearray) -> None:
        number, size = request & 0xFF, request >> 16 & 0x3FFF
        assert len(data) == size
        words = struct.unpack(f"={size // 4}I", data)
        if self._nodes[handle].startswith("/dev/gpiochip"):
            flags, attributes, pins = words[72], words[74], words[140]
            assert (number, flags, attributes, pins) == (7, 8, 0, 1)
            if self.busy:
                self.busy -= 1
                raise OSError(errno.EBUSY, "Device or resource busy")
            self._nodes[77] = "pin"
            data[588:592] = struct.pack("=I", 77)
            self.told.append((self._nodes[handle], words[0]))
        else:
            assert number == 4
            self.told.append((self._nodes[handle], words[0]))

    def write(self, handle: int, data: bytes) -> None:
        self.told.append((self._nodes[handle], set(data), self._nodes[77]))

    def close(self, handle: int) -> None:
        del self._nodes[handle]


def test_by_spi_what_is_sent_are_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line()
    monkeypatch.setattr(gpiozero.Device, "pin_factory", SimpleNamespace(chip=4))
    wired = Display(Spi(0, 1, dc=23, speed_hz=4_000_000), "ssd1322")
    path = noted(tmp_path, {"table": wired})
    monkeypatch.setattr(switch_off, "os", line)
    monkeypatch.setattr(fcntl, "ioctl", line.ioctl)
    assert switch_off.switch_off(path) == 0
    spi = "/dev/spidev0.1"
    assert line.told == [("/dev/gpiochip4", 23), (spi, 4_000_000), (spi, {0xAE}, "pin")]
    assert line._nodes == {}, "everything is let go"


ATTENDED = """
import os, signal, sys, time
from device.displays import switch_off
how, path, mark = sys.argv[1:]
def told(what):
    with open(mark, "a") as file:
        file.write(what + " ")
def reached(line):
    told(f"ready:{line}")
    return lambda: told(f"off:{line}")
switch_off._open_display = reached
tell = switch_off.fork_switch_off()
os.write(tell, path.encode() + (b"" if how == "told too late" else b"\\n"))
until = time.monotonic() + 60
while how != "told too late" and not os.path.exists(mark):
    if time.monotonic() > until:
        sys.exit("nothing is ready while the daemon lives")
    time.sleep(0.01)
if how == "told to end":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGABRT, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)
    os.killpg(0, signal.SIGABRT)
if how == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.quick(1)
@pytest.mark.parametrize("how", ["told to end", "killed", "ended", "told too late"])
def test_however_the_daemon_ends_what_it_lit_is_switched_off_by_a_process_that_is_ready_to(
    tmp_path: Path, how: str
) -> None:
    """systemd tells all of a service to end, if it is the watchdog by SIGABRT."""
    mark, lit = tmp_path / "mark", tmp_path / "lit"
    lit.write_text("display\n")
    command = [sys.executable, "-c", ATTENDED, how, str(lit), str(mark)]
    ended = subprocess.run(command, cwd=ROOT, check=False, start_new_session=True)
    assert ended.returncode == (-9 if how == "killed" else 0)
    until = time.monotonic() + 60
    while (not mark.exists() or "off" not in mark.read_text()) and time.monotonic() < until:
        time.sleep(0.01)
    assert mark.read_text().split() == ["ready:display", "off:display"]


HEAVY = {"asyncio", "contextlib", "cv2", "enum", "functools", "gpiozero", "json", "luma", "msgspec", "numpy", "pathlib"}
HEAVY |= {"re", "signal", "typer", "typing", "zmq"}


def test_it_reads_in_next_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "lit").write_text("i2c /dev/nowhere 60\n")
    code = """
import sys
bare = set(sys.modules)
sys.argv = ["referee", "dark", sys.argv[1]]
from device.cli import main
try:
    main()
except SystemExit as ended:
    print(ended.code, *sorted({name.partition('.')[0] for name in set(sys.modules) - bare}))
"""
    command = [sys.executable, "-c", code, str(tmp_path / "lit")]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert told[0] == "1"
    assert not HEAVY & set(told[1:])
