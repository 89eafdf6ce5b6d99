"""Displays against a simulated controller that obeys the protocol."""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import luma.core.device
import luma.oled.device
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from device.displays import oled as oled_module
from device.displays.controllers import CONTROLLERS
from device.displays.oled import DisplayLost, Oled, build, node
from device.displays.partial_updates import addressing
from device.settings.table import Display, I2c, Spi
from referee_simulator.hardware.oled import SimulatedOled

KINDS = [("ssd1306", (128, 64)), ("sh1106", (128, 64)), ("ssd1322", (256, 64))]
Maker = Callable[[str, tuple[int, int]], tuple[Oled, SimulatedOled]]


def make(controller: str, size: tuple[int, int], rotation: int = 0) -> tuple[Oled, SimulatedOled]:
    wire = SimulatedOled(controller, size, seed=7)
    return Oled(Display(I2c(), controller=controller, rotation=rotation), wire), wire  # type: ignore[arg-type]


def picture(size: tuple[int, int], seed: int) -> Image.Image:
    dice = np.random.default_rng(seed)
    return Image.fromarray(dice.random((size[1], size[0])) < 0.3)


def same(a: Image.Image, b: Image.Image) -> bool:
    return ImageChops.logical_xor(a, b).getbbox() is None


@pytest.mark.parametrize(("controller", "size"), KINDS)
def test_a_display_is_blank_and_on_when_it_is_made(controller: str, size: tuple[int, int]) -> None:
    _, wire = make(controller, size)
    assert wire.on
    assert wire.pixels().getbbox() is None


@pytest.mark.parametrize(("controller", "size"), KINDS)
def test_pictures_arrive_pixel_for_pixel(controller: str, size: tuple[int, int]) -> None:
    oled, wire = make(controller, size)
    for seed in range(3):
        oled.show(picture(size, seed))
        assert same(wire.pixels(), picture(size, seed))


@pytest.mark.parametrize("rotation", [0, 180])
@pytest.mark.parametrize(
    ("controller", "size", "first"),
    [("sh1106", (128, 64), 0), ("sh1106", (128, 64), 4), ("ssd1322", (256, 64), 0), ("ssd1322", (256, 64), 224)],
)
def test_a_panel_may_show_other_columns_than_the_usual(
    controller: str, size: tuple[int, int], first: int, rotation: Literal[0, 180]
) -> None:
    wire = SimulatedOled(controller, size, seed=7, first=first)
    oled = Oled(Display(I2c(), controller=controller, rotation=rotation, column_offset=first), wire)
    assert wire.pixels().getbbox() is None, "blank when it is made"
    oled.show(picture(size, 1))
    assert same(wire.pixels().rotate(rotation), picture(size, 1))
    wire.vanish()
    wire.come_back()
    for _ in range(8):
        oled.refresh()
    assert same(wire.pixels().rotate(rotation), picture(size, 1))
    oled.close()
    wire.on = True
    assert wire.pixels().getbbox() is None


@pytest.mark.parametrize(("controller", "size"), KINDS)
def test_an_equal_picture_is_not_sent_again(controller: str, size: tuple[int, int]) -> None:
    oled, wire = make(controller, size)
    oled.show(picture(size, 1))
    before = wire.received
    oled.show(picture(size, 1))
    assert wire.received == before
    assert oled.sent == wire.received


@pytest.mark.quick(1)
@pytest.mark.parametrize(("controller", "size"), KINDS)
@settings(max_examples=40)
@given(boxes=st.lists(st.tuples(st.integers(0, 255), st.integers(0, 63), st.integers(1, 40), st.integers(1, 30))))
def test_small_changes_arrive_and_cost_less_than_a_frame(
    controller: str, size: tuple[int, int], boxes: list[tuple[int, int, int, int]]
) -> None:
    oled, wire = make(controller, size)
    image = picture(size, 1)
    oled.show(image)
    frame = size[0] * size[1] // (2 if controller == "ssd1322" else 8)
    for x, y, width, height in boxes:
        image = image.copy()
        ImageDraw.Draw(image).rectangle((x, y, x + width, y + height), fill=x % 2)
        before = wire.received
        oled.show(image)
        assert same(wire.pixels(), image)
        assert wire.received - before <= frame + 80


def test_one_letter_costs_a_few_bytes() -> None:
    oled, wire = make("ssd1306", (128, 64))
    oled.show(picture((128, 64), 1))
    image = picture((128, 64), 1)
    ImageDraw.Draw(image).rectangle((40, 20, 46, 30), fill=1)
    before = wire.received
    oled.show(image)
    assert wire.received - before <= 40


def test_a_display_fixed_upside_down_is_turned() -> None:
    oled, wire = make("ssd1306", (128, 64), rotation=180)
    oled.show(picture((128, 64), 1))
    assert same(wire.pixels(), picture((128, 64), 1).transpose(Image.Transpose.ROTATE_180))


@pytest.mark.parametrize(("controller", "size"), KINDS)
def test_a_display_that_is_gone_is_lost_and_not_something_else(controller: str, size: tuple[int, int]) -> None:
    oled, wire = make(controller, size)
    wire.vanish()
    with pytest.raises(DisplayLost, match=f"{controller} on /dev/i2c-1 at 0x3c"):
        oled.show(picture(size, 1))
    with pytest.raises(DisplayLost):
        oled.refresh()
    with pytest.raises(DisplayLost):
        Oled(Display(I2c(), controller=controller), wire)


@pytest.mark.parametrize(("controller", "size"), KINDS)
def test_lost_writes_heal_within_eight_refreshes(controller: str, size: tuple[int, int]) -> None:
    oled, wire = make(controller, size)
    oled.show(picture(size, 1))
    wire.lose(6)
    oled.show(picture(size, 2))
    wire.lose(0)
    assert not same(wire.pixels(), picture(size, 2))
    for _ in range(8):
        oled.refresh()
    assert same(wire.pixels(), picture(size, 2))


@pytest.mark.parametrize(("controller", "size"), KINDS)
def test_a_display_that_lost_its_power_unnoticed_comes_back(controller: str, size: tuple[int, int]) -> None:
    oled, wire = make(controller, size)
    oled.show(picture(size, 1))
    wire.vanish()
    wire.come_back()
    assert wire.pixels().getbbox() is None
    for _ in range(8):
        oled.refresh()
    assert same(wire.pixels(), picture(size, 1))


@pytest.mark.parametrize(("controller", "size"), KINDS)
def test_closing_leaves_nothing_lit(controller: str, size: tuple[int, int]) -> None:
    oled, wire = make(controller, size)
    oled.show(picture(size, 1))
    oled.close()
    assert not wire.on
    assert not wire._memory[:, 56:-56].any() if controller == "ssd1322" else not wire._memory[:, 2:-2].any()


def test_rebuilding_leaves_no_exit_hooks_behind() -> None:
    before = atexit._ncallbacks()
    for _ in range(5):
        make("ssd1306", (128, 64))[0].drop()
    assert atexit._ncallbacks() == before


def test_a_bus_that_is_not_there_says_where_it_was_looked_for() -> None:
    with pytest.raises(DisplayLost, match="/dev/i2c-42 at 0x3d"):
        build(Display(I2c(port=42, address=0x3D)))


def test_an_spi_display_without_its_bus_is_lost_too_and_lets_its_pins_go() -> None:
    from gpiozero import Device
    from gpiozero.pins.mock import MockFactory

    before, Device.pin_factory = Device.pin_factory, MockFactory()
    try:
        for _ in range(2):
            with pytest.raises(DisplayLost):
                build(Display(Spi(port=5), controller="ssd1322"))
    finally:
        Device.pin_factory = before


def test_a_channel_is_found_by_its_name_whatever_number_the_kernel_gave_it(tmp_path: Path) -> None:
    buses = tmp_path / "sys" / "bus" / "i2c" / "devices"
    (tmp_path / "sys" / "i2c-1" / "1-0070").mkdir(parents=True)
    buses.mkdir(parents=True)
    (buses / "1-0070").symlink_to(tmp_path / "sys" / "i2c-1" / "1-0070")
    display = Display(I2c(port="1-0070/channel-1"))
    assert node(display, tmp_path, buses) == buses / "1-0070" / "channel-1", "there is none yet"
    for number in (2, 23):
        made = tmp_path / "sys" / "i2c-1" / f"i2c-{number}"
        made.mkdir()
        link = tmp_path / "sys" / "i2c-1" / "1-0070" / "channel-1"
        link.unlink(missing_ok=True)
        link.symlink_to(made)
        assert node(display, tmp_path, buses) == tmp_path / f"i2c-{number}"


def test_a_channel_that_is_not_there_says_what_makes_it() -> None:
    with pytest.raises(DisplayLost, match=r"1-0070/channel-7.*dtoverlay=i2c-mux"):
        build(Display(I2c(port="1-0070/channel-7")))


def test_an_spi_display_is_held_in_reset_for_as_long_as_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """An SSD1322's data sheet: 100 us low, and 100 us until the first command."""
    from gpiozero import Device
    from gpiozero.pins.mock import MockFactory

    class Bus:
        """What spidev is."""

        max_speed_hz = mode = 0

        def open(self, port: int, device: int) -> None: ...

        def writebytes(self, data: list[int]) -> None:
            sent.append(time.perf_counter())

        def close(self) -> None: ...

    sent: list[float] = []
    monkeypatch.setitem(sys.modules, "spidev", SimpleNamespace(SpiDev=Bus))
    monkeypatch.setattr(Device, "pin_factory", MockFactory())
    levels: list[tuple[float, int]] = []
    output = oled_module._Pins.output

    def watched(pins: oled_module._Pins, pin: int, level: int) -> None:
        output(pins, pin, level)
        if pin == 25:
            levels.append((time.perf_counter(), level))

    monkeypatch.setattr(oled_module._Pins, "output", watched)
    build(Display(Spi(), controller="ssd1322")).close()
    (low, first), (high, second) = levels
    assert (first, second) == (0, 1)
    assert high - low >= 100e-6
    assert sent[0] - high >= 100e-6


def test_every_controller_of_the_list_is_one_of_luma_and_has_a_size_and_a_bus() -> None:
    for name, controller in CONTROLLERS.items():
        device = getattr(luma.oled.device, name)
        assert issubclass(device, luma.core.device.device)
        assert controller.sizes
        assert {*controller.buses} & {"i2c", "spi"} == {*controller.buses} != set()
        assert addressing(controller.memory).overhead > 0
