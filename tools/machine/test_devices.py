"""The machine itself: what a Raspberry Pi has, where the referee looks for it."""

from __future__ import annotations

import pytest

from tools.machine.conftest import Figure
from tools.machine.guest.oled import Displays
from tools.machine.qemu import Machine
from tools.machine.recipe import Recipe

pytestmark = [pytest.mark.machine, pytest.mark.timeout(1800)]

WRITE = """python3 - <<'PYTHON'
import fcntl, os
bus = os.open("/dev/i2c-1", os.O_RDWR)
fcntl.ioctl(bus, 0x0703, 0x3C)  # I2C_SLAVE
os.write(bus, bytes.fromhex("00 2000 ae 8d14 a1 c8 af"))
os.write(bus, bytes([0x40] + [0xFF] * 128))
PYTHON"""
"""An SSD1306 is switched on, and the top eight rows of its pixels."""


def test_the_machine_has_what_a_raspberry_pi_has(bare: Machine, figure: Figure, recipe: Recipe) -> None:
    assert "Raspberry Pi 4 Model B Rev 1.5" in bare.must("cat /proc/device-tree/model").out
    assert bare.must("od -An -tx1 /proc/device-tree/system/linux,revision").text == "00 b0 31 15"
    owners = bare.must("stat -c '%G %n' /dev/gpiochip0 /dev/i2c-1 /dev/spidev0.0").text
    assert owners.split("\n") == ["gpio /dev/gpiochip0", "i2c /dev/i2c-1", "spi /dev/spidev0.0"]
    channel = bare.must("readlink -f /sys/bus/i2c/devices/1-0070/channel-0").text.rsplit("-", 1)[1]
    assert "3d" in bare.must(f"i2cdetect -y {channel}").out
    assert bare.sh("test -e /dev/video0").rc, "the camera's driver comes late"
    bare.ask({"camera": True})
    bare.wait('test "$(stat -c %G /dev/video0)" = video', 10)
    figure(boot_s=round(bare.boot_s, 1), disk=recipe.folder.name)


def test_what_is_sent_to_a_display_is_kept(bare: Machine) -> None:
    bare.must(WRITE)
    displays = Displays()
    displays.feed(bare.log())
    assert displays.lit_displays() == [(0, 0x3C)]
    assert [sum(row) for row in displays.found[0, 0x3C].rows()] == [128] * 8 + [0] * 56
    bare.tell("there 0 0x3c 0")
    assert bare.sh(WRITE).rc, "a display that went away does not answer"


def test_a_contact_closes_to_ground(bare: Machine) -> None:
    read = "cat /sys/devices/platform/gpio-sim.*/gpiochip*/sim_gpio17/value"
    bare.ask({"level": 17, "closed": True})
    closed = bare.must(read).text
    bare.ask({"level": 17, "closed": False})
    assert (closed, bare.must(read).text) == ("0", "1")
