"""What a killed daemon left lit is switched off by a command that reads in next to nothing, whatever hangs."""

from __future__ import annotations

import errno
import fcntl
import subprocess
import sys
import threading
import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import gpiozero
import pytest
from PIL import Image

from device.displays import dark
from device.displays.oled import Oled
from device.settings.table import Display, I2c, Spi
from device.sim.hardware.oled import SimulatedOled
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
        self.path = SimpleNamespace(dirname=lambda path: str(Path(path).parent))
        self.environ: dict[str, str] = {}
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
    monkeypatch.setattr(dark, "os", made)
    monkeypatch.setattr(fcntl, "ioctl", made.ioctl)
    return made


def noted(folder: Path, displays: dict[str, Display]) -> str:
    dark.note(folder, displays)
    return str(folder / dark.NOTE)


def test_every_display_of_the_table_goes_dark(tmp_path: Path, wires: Wires) -> None:
    assert len(wires.lit()) == 3
    assert dark.switch_off(noted(tmp_path, SEATS)) == 0
    assert wires.lit() == []


def test_one_that_is_cut_short_in_a_command_goes_dark_too(tmp_path: Path, wires: Wires) -> None:
    wires.oleds["/dev/i2c-1", 0x3C].command(0x21)
    dark.switch_off(noted(tmp_path, SEATS))
    assert wires.lit() == []


def test_a_bus_that_hangs_or_is_gone_holds_up_no_other(
    tmp_path: Path, wires: Wires, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dark, "_PATIENCE_S", 1.0)
    wires.hanging = "/dev/i2c-1"
    note = noted(tmp_path, {**SEATS, "gone": Display(I2c(7, 0x3C))})
    begun = time.monotonic()
    assert dark.switch_off(note) == 3
    assert time.monotonic() - begun < 60
    assert wires.lit() == [("/dev/i2c-1", 0x3C), ("/dev/i2c-1", 0x3D)]
    assert "a display may still be lit (i2c /dev/i2c-7 60): [Errno 2]" in capsys.readouterr().err
    wires.let_go.set()


def test_where_no_daemon_lit_anything_nothing_is_done(tmp_path: Path) -> None:
    assert dark.switch_off(str(tmp_path / "lit")) == 0


def test_by_spi_what_is_sent_are_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []

    class Device:
        max_speed_hz = 0

        def open(self, port: int, device: int) -> None:
            told.append(("open", port, device))

        def writebytes(self, data: list[int]) -> None:
            told.append((self.max_speed_hz, set(data)))

        def close(self) -> None: ...

    chip = SimpleNamespace(
        gpiochip_open=lambda number: 40 + number,
        gpio_claim_output=lambda handle, pin, level: told.append((handle, pin, level)),
        gpiochip_close=lambda handle: None,
    )
    monkeypatch.setitem(sys.modules, "lgpio", chip)
    monkeypatch.setitem(sys.modules, "spidev", SimpleNamespace(SpiDev=Device))
    monkeypatch.setattr(gpiozero.Device, "pin_factory", SimpleNamespace(chip=4))
    wired = Display(Spi(0, 1, dc=23, speed_hz=4_000_000), "ssd1322")
    assert dark.switch_off(noted(tmp_path, {"table": wired})) == 0
    assert told == [(44, 23, 0), ("open", 0, 1), (4_000_000, {0xAE})]


HEAVY = {"asyncio", "cv2", "gpiozero", "json", "luma", "msgspec", "numpy", "pathlib", "typer", "zmq"}


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
