"""A table file as a list of wires: which contact goes to which pin of the header."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from gpiozero.pins.pi import PiBoardInfo

from device.settings.table import Display, I2c, TableSettings
from device.settings.wiring import I2C_PINS, SPI_PINS, SPI_SELECT

HEADER, FORTY_PINS = "J8", 0xA02082
"""The header is the same on every Pi since the B+; this is the revision of one of them."""


class Wire(msgspec.Struct, frozen=True):
    """One wire. part: where it begins, such as "seats.a". contact: which of that part. to: a pin, or where else."""

    part: str
    contact: str
    to: str


def wires(settings: TableSettings) -> Iterator[Wire]:
    """Every wire that the table file asks for, panel by panel; supply and ground go without saying."""
    for seat, panel in settings.panels().items():
        name = "shared" if seat is None else f"seats.{seat}"
        yield from (Wire(name, key, pin_text(pin)) for key, pin in panel.input.pins())
        yield from _display(f"{name}.display", panel.display)
    if settings.table_display is not None:
        yield from _display("table_display", settings.table_display)


def pin_text(gpio: int) -> str:
    """How a pin is found on the board: its BCM number and its place on the header."""
    ((_, place),) = PiBoardInfo.from_revision(FORTY_PINS).find_pin(f"GPIO{gpio}")
    return f"GPIO {gpio} (pin {place.number})"


def _display(name: str, display: Display) -> Iterator[Wire]:
    bus = display.bus
    if isinstance(bus, I2c):
        own = bus.port in I2C_PINS
        lines = zip(("SDA", "SCL"), I2C_PINS[bus.port if own else 1], strict=True)
        where = "" if own else f", by a channel of the multiplexer (i2c-{bus.port})"
        yield from (Wire(name, contact, pin_text(pin) + where) for contact, pin in lines)
        yield Wire(name, "address", f"0x{bus.address:02X}")
        return
    _, mosi, clock = SPI_PINS[bus.port]
    pins = {"MOSI": mosi, "CLK": clock, "CS": SPI_SELECT[bus.port, bus.device], "DC": bus.dc, "reset": bus.reset}
    yield from (Wire(name, contact, pin_text(pin)) for contact, pin in pins.items())
