"""Lists every part of a table file and the header pins of its contacts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from gpiozero.pins.pi import PiBoardInfo

from device.settings.table import Buttons, Display, I2c, Input, TableSettings
from device.settings.wiring import (
    MULTIPLEXER_ADDRESS,
    MULTIPLEXER_BUS,
    SPI_PINS,
    SPI_SELECT,
    bus_pins,
    multiplexer_of,
)

FORTY_PINS = 0xA02082
"""Revision of a Pi with the 40-pin header."""


class Pin(msgspec.Struct, frozen=True):
    """A header pin. name: "GPIO17", "GND", "3V3" or "5V". row: from 1. column: 1 for odd numbers."""

    name: str
    row: int
    column: int


HEADER: dict[int, Pin] = {
    number: Pin(str(pin.name), int(pin.row), int(pin.col))
    for number, pin in PiBoardInfo.from_revision(FORTY_PINS).headers["J8"].pins.items()
}
GROUND, SUPPLY = "GND", "3V3"
"""The header's names of ground and 3.3 V."""

MULTIPLEXER = "multiplexer"
"""A multiplexer group's key; several add the kernel's name, "multiplexer.1-0071"."""

Kind: TypeAlias = Literal["button", "encoder", "display", "multiplexer", "buzzer"]


class PinContact(msgspec.Struct, frozen=True):
    """A part's contact. pin: 1 to 40; None if it goes to `to`, another's contact or parts."""

    name: str
    pin: int | None = None
    to: str = ""

    def __str__(self) -> str:
        return self.to if self.pin is None else pin_text(self.pin)


class WiredPart(msgspec.Struct, frozen=True):
    """A part. key: in the table file. address: on I2C."""

    key: str
    kind: Kind
    contacts: tuple[PinContact, ...]
    address: int | None = None


class PartGroup(msgspec.Struct, frozen=True):
    """Parts of one seat or the table. key: "seats.a", "shared", ..."""

    key: str
    parts: tuple[WiredPart, ...]


def groups(settings: TableSettings) -> tuple[PartGroup, ...]:
    """Return all parts by panel, table display, buzzer and multiplexer, with pins for supply and ground."""
    channels = _channels(settings)
    found = []
    for seat, panel in settings.panels().items():
        key = "shared" if seat is None else f"seats.{seat}"
        found.append(PartGroup(key, (*_inputs(key, panel.input), _display(f"{key}.display", panel.display, channels))))
    if settings.table_display is not None:
        found.append(PartGroup("table_display", (_display("table_display", settings.table_display, channels),)))
    if settings.buzzer is not None:
        found.append(PartGroup("buzzer", (WiredPart("buzzer", "buzzer", _two(settings.buzzer.pin)),)))
    for place in sorted({outlet.place for outlet in channels.values()}):
        part = _multiplexer(settings, channels, place)
        found.append(PartGroup(part.key, (part,)))
    return tuple(_assign_supplies(found))


def pin_text(number: int) -> str:
    """Return a header pin's function and number: "GPIO 17 (pin 11)"."""
    name = HEADER[number].name
    return f"{name.replace('GPIO', 'GPIO ')} (pin {number})"


def _place(gpio: int) -> int:
    return next(number for number, pin in HEADER.items() if pin.name == f"GPIO{gpio}")


def _inputs(key: str, given: Input) -> Iterator[WiredPart]:
    if isinstance(given, Buttons):
        for name, gpio in given.pins():
            yield _button(f"{key}.input.{name}", gpio)
        return
    signals = {"A (CLK)": given.a, "B (DT)": given.b, "push (SW)": given.push}
    yield WiredPart(f"{key}.input", "encoder", (*_signals(signals), PinContact(GROUND)))
    yield _button(f"{key}.input.back", given.back)


def _button(key: str, gpio: int) -> WiredPart:
    return WiredPart(key, "button", _two(gpio))


def _two(gpio: int) -> tuple[PinContact, ...]:
    return (*_signals({"signal": gpio}), PinContact(GROUND))


def _signals(pins: dict[str, int]) -> Iterator[PinContact]:
    return (PinContact(name, _place(gpio)) for name, gpio in pins.items())


def _display(key: str, display: Display, channels: Channels) -> WiredPart:
    supply = (PinContact("VCC"), PinContact(GROUND))
    bus = display.bus
    if not isinstance(bus, I2c):
        _, mosi, clock = SPI_PINS[bus.port]
        select = SPI_SELECT[bus.port, bus.device]
        pins = {"CLK (D0)": clock, "MOSI (D1)": mosi, "CS": select, "DC": bus.dc, "RES": bus.reset}
        return WiredPart(key, "display", (*supply, *_signals(pins)))
    if bus.port not in channels:
        data, clock = bus_pins(bus)[1]
        return WiredPart(key, "display", (*supply, *_signals({"SDA": data, "SCL": clock})), bus.address)
    outlet = channels[bus.port]
    which = f" {_kernels(outlet.place)}" if _several(channels) else ""
    lines = (PinContact(f"S{line}", to=f"S{line[0]}{outlet.channel}{which}") for line in ("DA", "CL"))
    return WiredPart(key, "display", (*supply, *lines), bus.address)


Place: TypeAlias = tuple[int, int]
"""Bus and address of a multiplexer."""


class Outlet(NamedTuple):
    """A multiplexer's channel."""

    place: Place
    channel: int


Channels: TypeAlias = dict[int | str, Outlet]
"""Multiplexer channels by table-file name."""


def _several(channels: Channels) -> bool:
    return len({outlet.place for outlet in channels.values()}) > 1


def _kernels(place: Place) -> str:
    return f"{place[0]}-{place[1]:04x}"


def _behind(settings: TableSettings) -> dict[int | str, I2c]:
    buses = [each.bus for each in settings.displays().values() if isinstance(each.bus, I2c)]
    return {bus.port: bus for bus in buses if multiplexer_of(bus) is not None}


def _channels(settings: TableSettings) -> Channels:
    found: Channels = {}
    numbers = list[int]()
    for port, bus in _behind(settings).items():
        match multiplexer_of(bus):
            case (number, address, int(channel)):
                found[port] = Outlet((number, address), channel)
            case _ if isinstance(port, int):
                numbers.append(port)
    place = (MULTIPLEXER_BUS, MULTIPLEXER_ADDRESS)
    return found | {port: Outlet(place, channel) for channel, port in enumerate(sorted(numbers))}


def _multiplexer(settings: TableSettings, channels: Channels, place: Place) -> WiredPart:
    bus = next(bus for port, bus in _behind(settings).items() if channels[port].place == place)
    data, clock = bus_pins(bus)[1]
    own = (PinContact("VIN"), PinContact(GROUND), *_signals({"SDA": data, "SCL": clock}))
    address = tuple(PinContact(f"A{bit} (high)" if place[1] >> bit & 1 else f"A{bit}") for bit in range(3))
    users: dict[int, list[str]] = {}
    for key, display in settings.displays().items():
        outlet = channels.get(display.bus.port) if isinstance(display.bus, I2c) else None
        if outlet is not None and outlet.place == place:
            users.setdefault(outlet.channel, []).append(key)
    lines = tuple(
        PinContact(f"{line}{channel}", to=", ".join(users[channel]))
        for channel in sorted(users)
        for line in ("SD", "SC")
    )
    key = f"{MULTIPLEXER}.{_kernels(place)}" if _several(channels) else MULTIPLEXER
    return WiredPart(key, "multiplexer", (*own, *address, *lines), place[1])


_SHARED = {"VCC": SUPPLY, "VIN": SUPPLY, GROUND: GROUND}
_SHARED |= {f"A{bit}": GROUND for bit in range(3)} | {f"A{bit} (high)": SUPPLY for bit in range(3)}
"""Contacts that go to no pin of their own, and what they need."""


def _assign_supplies(found: Iterable[PartGroup]) -> Iterator[PartGroup]:
    taken: Counter[int] = Counter()
    for group in found:
        pins = [contact.pin for part in group.parts for contact in part.contacts if contact.pin is not None]
        middle = sum(HEADER[pin].row for pin in pins) / max(1, len(pins))
        chosen = {kind: _nearest(kind, middle, taken) for kind in _needed_supplies(group)}
        taken.update(chosen.values())
        parts = (_supplied_part(part, chosen) for part in group.parts)
        yield PartGroup(group.key, tuple(parts))


def _needed_supplies(group: PartGroup) -> list[str]:
    names = (contact.name for part in group.parts for contact in part.contacts)
    return sorted({_SHARED[name] for name in names if name in _SHARED})


def _nearest(kind: str, row: float, taken: Counter[int]) -> int:
    pins = [number for number, pin in HEADER.items() if pin.name == kind]
    return min(pins, key=lambda number: (taken[number], abs(HEADER[number].row - row), number))


def _supplied_part(part: WiredPart, chosen: dict[str, int]) -> WiredPart:
    contacts = (
        msgspec.structs.replace(each, pin=chosen[_SHARED[each.name]]) if each.name in _SHARED else each
        for each in part.contacts
    )
    return msgspec.structs.replace(part, contacts=tuple(contacts))
