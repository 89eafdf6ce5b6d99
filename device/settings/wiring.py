"""Finds impossible wiring, such as pins used twice."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain
from typing import TypeAlias

from device.bus.broker_address import is_port
from device.displays.controllers import CONTROLLERS, Fours
from device.settings.table import SIZES, WIDTH, Display, Herald, I2c, NoCamera, Phone, Spi, TableSettings
from device.web.host_names import is_address
from engine.table import SEATS
from vision.files import Fault
from vision.files.decode import shown_value

EEPROM_PINS = (0, 1)
I2C_PINS = {1: (2, 3), 3: (4, 5), 4: (8, 9), 5: (12, 13), 6: (22, 23)}
"""SDA and SCL by port; a Pi 4's overlays add 3 to 6."""
MULTIPLEXER_BUS, MULTIPLEXER_ADDRESS = 1, 0x70
"""Default multiplexer of channels given by number."""
CHANNEL = re.compile(r"(\d{1,2})-(007[0-7])/channel-([0-7])")
"""Kernel name of a multiplexer's channel: bus, address, channel."""
SPI_PINS = {0: (9, 10, 11), 1: (19, 20, 21)}
SPI_SELECT = {(0, 0): 8, (0, 1): 7, (1, 0): 18, (1, 1): 17, (1, 2): 16}
SPI_HELD = {0: (7, 8)}
"""Select lines that the kernel holds with an SPI bus (`dtparam=spi=on`)."""
I2C_ADDRESSES = (0x3C, 0x3D)
LABEL = re.compile(r"[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?")
"""Label of a host name (RFC 1123, 2.1)."""
LONGEST_IN_BYTES = 21
"""Longest host with characters that QR codes store less compactly."""

Displays: TypeAlias = Mapping[str, Display]
"""Displays by table-file key."""


def faults(table: TableSettings, wrong: Iterable[str] = ()) -> tuple[Fault, ...]:
    """Return all faults of a table. wrong: keys already refused, to say no more about."""
    left = tuple(wrong)
    sound = {key: display for key, display in table.displays().items() if not _within(key, left)}
    certain = len(sound) == len(table.displays())
    found = [_pins(table, sound, certain), _places(sound), *(_display(*each) for each in sound.items())]
    if not any(_names_panels(key) for key in left):
        found.insert(0, _seats(table))
    if not _within("camera", left):
        found.append(_camera(table))
    if not _within("clock", left):
        found.append(_clock(table))
    if table.pages.hosts and not _within("pages", left):
        found.append(_hosts(table.pages.hosts))
    if table.herald is not None and not _within("herald", left):
        found.append(_herald(table.herald))
    return tuple(chain(*found))


def _within(section: str, keys: Iterable[str]) -> bool:
    return any(key.startswith(f"{section}.") for key in keys)


def _names_panels(key: str) -> bool:
    first, *more = key.split(".")
    return bool(get_close_matches(first, ("seats", "shared"))) and len(more) <= (first == "seats")


def _seats(table: TableSettings) -> Iterator[Fault]:
    if table.seats and table.shared:
        yield Fault("shared", "stands beside [seats]", "keep one panel for all, or one for each seat")
    if not table.seats and not table.shared and not table.pages.on:
        yield Fault(
            "seats", "nobody has a panel", "add [shared], or [seats.a] and [seats.b], or play by phone: [pages]"
        )
    if len(table.seats) == 1 and not table.pages.on:
        yield Fault("seats", "one seat alone has a panel", "add [seats.b], or call the one panel [shared]")
    for place, seat in enumerate(sorted(table.seats)):
        if seat not in SEATS:
            yield Fault(f"seats.{seat}", "no such seat", "seats are a, b, c and d, clockwise")
        elif seat != SEATS[place]:
            yield Fault(f"seats.{seat}", f"there is no seat {SEATS[place]}", "name the seats a, b, c, d without a gap")


def _pins(table: TableSettings, displays: Displays, certain: bool) -> Iterator[Fault]:
    users: defaultdict[int, list[str]] = defaultdict(list)
    for key, pin in dict.fromkeys(chain(_bus_pins(displays), _input_pins(table))):
        users[pin].append(key)
        if pin in EEPROM_PINS:
            yield Fault(key, f"GPIO {pin} belongs to the EEPROM of add-on boards", "take a pin from 2 to 27")
    for pin, keys in sorted(users.items()):
        for key in keys[1:]:
            remedy = f"move the wire, free are {_free(users, displays)}" if certain else "move the wire"
            yield Fault(key, f"GPIO {pin} is already {keys[0]}", remedy)


def _input_pins(table: TableSettings) -> Iterator[tuple[str, int]]:
    for seat, panel in table.panels().items():
        key = "shared" if seat is None else f"seats.{seat}"
        yield from ((f"{key}.input.{name}", pin) for name, pin in panel.input.pins())
    if table.buzzer is not None:
        yield "buzzer.pin", table.buzzer.pin


def _bus_pins(displays: Displays) -> Iterator[tuple[str, int]]:
    for key, display in displays.items():
        match display.bus:
            case I2c() as wired:
                name, pins = bus_pins(wired)
                yield from ((f"the bus {name}", pin) for pin in pins)
            case Spi() as bus:
                yield from ((f"the bus spi{bus.port}", pin) for pin in SPI_PINS.get(bus.port, ()))
                if (bus.port, bus.device) in SPI_SELECT:
                    yield (f"the select line of spi{bus.port}.{bus.device}", SPI_SELECT[bus.port, bus.device])
                yield (f"{key}.bus.dc", bus.dc)
                yield (f"{key}.bus.reset", bus.reset)


def bus_pins(bus: I2c) -> tuple[str, tuple[int, int]]:
    """Return a display's physical bus, and its SDA and SCL."""
    if bus.sda is not None and bus.scl is not None:
        return f"i2c-{bus.port}", (bus.sda, bus.scl)
    behind = multiplexer_of(bus)
    number = bus.port if behind is None else behind[0]
    pins = I2C_PINS.get(number) if isinstance(number, int) else None
    return f"i2c-{number}", pins or I2C_PINS[MULTIPLEXER_BUS]


def multiplexer_of(bus: I2c) -> tuple[int, int, int | None] | None:
    """Return bus, address and channel of a display's multiplexer, or None; channel None if only its kernel number is
    known."""
    if isinstance(bus.port, str):
        named = CHANNEL.fullmatch(bus.port)
        return (int(named[1]), int(named[2], 16), int(named[3])) if named is not None else None
    if bus.port in I2C_PINS or bus.sda is not None:
        return None
    return MULTIPLEXER_BUS, MULTIPLEXER_ADDRESS, None


def _free(users: dict[int, list[str]], displays: Displays) -> str:
    held = {pin for each in displays.values() if isinstance(each.bus, Spi) for pin in SPI_HELD.get(each.bus.port, ())}
    return ", ".join(str(pin) for pin in range(2, 28) if pin not in users and pin not in held)


def _places(displays: Displays) -> Iterator[Fault]:
    first: dict[tuple[str, int | str, int], str] = {}
    for key, display in displays.items():
        match display.bus:
            case I2c(port=port, address=address):
                name = f"{port if isinstance(port, str) else f'i2c-{port}'} at 0x{address:02X}"
                place = ("i2c", port, address)
                remedy = "set its address jumper to the other address, or put it behind an i2c-mux"
            case Spi() as bus:
                name = f"spi{bus.port}.{bus.device}"
                place = ("spi", bus.port, bus.device)
                remedy = "give it a device number (select line) of its own"
        if place in first:
            yield Fault(f"{key}.bus", f"{name} is already {first[place]}", remedy)
        first.setdefault(place, key)


def _display(key: str, display: Display) -> Iterator[Fault]:
    sizes = SIZES[display.controller]
    if display.pixels not in sizes:
        known = ", ".join(f"[{width}, {height}]" for width, height in sizes)
        yield Fault(
            f"{key}.size", f"{list(display.pixels)} is no {display.controller}", f"write {known} or leave it out"
        )
    yield from _column_offset(key, display)
    match display.bus:
        case I2c(port=str() as port) as wired if multiplexer_of(wired) is None:
            remedy = "write one such as 1-0070/channel-0 (bus, address, channel), or the number of a bus"
            yield Fault(f"{key}.bus.port", f"{port!r} is no channel of a multiplexer", remedy)
        case I2c(sda=sda, scl=scl) as wired if (sda is None) is not (scl is None) or (sda and multiplexer_of(wired)):
            wrong = "sda and scl are both pins of a bus that i2c-gpio makes"
            yield Fault(f"{key}.bus", wrong, "name both beside the number of that bus, or neither")
        case I2c() if "i2c" not in CONTROLLERS[display.controller].buses:
            remedy = 'wire it to spi and write kind = "spi"'
            yield Fault(f"{key}.bus.kind", f"an {display.controller} has no i2c", remedy)
        case I2c(address=address) if address not in I2C_ADDRESSES:
            wrong = f"no {display.controller} answers at 0x{address:02X}"
            yield Fault(f"{key}.bus.address", wrong, "its jumper chooses 0x3C or 0x3D")
        case Spi(port=port, device=device) if (port, device) not in SPI_SELECT:
            known = ", ".join(f"{each[0]}.{each[1]}" for each in SPI_SELECT)
            yield Fault(f"{key}.bus", f"there is no spi{port}.{device}", f"take one of {known}")


def _column_offset(key: str, display: Display) -> Iterator[Fault]:
    offset, memory = display.column_offset, CONTROLLERS[display.controller].memory
    most = memory.columns - display.pixels[0]
    if offset is not None and offset > most:
        wrong = f"an {display.controller} with {display.pixels[0]} columns has none to begin at {offset}"
        remedy = f"write one from 0 to {most}" if most > 0 else 'leave it out, or write controller = "sh1106"'
        yield Fault(f"{key}.column_offset", wrong, remedy)
    elif offset is not None and isinstance(memory, Fours) and offset % 4:
        wrong = f"an {display.controller} begins at no column {offset}"
        yield Fault(f"{key}.column_offset", wrong, "write a multiple of 4")


def _camera(table: TableSettings) -> Iterator[Fault]:
    if isinstance(table.camera, Phone) and not table.pages.on:
        yield Fault("camera.source", "a phone sends its pictures to the pages", "add [pages] with on = true")
    if isinstance(table.camera, NoCamera) or table.camera.points is None:
        return
    width, height = table.camera.size or (WIDTH, WIDTH)  # the camera knows its height: no field is higher
    points = table.camera.points
    if any(not (0 <= x <= width and 0 <= y <= height) for x, y in points):
        yield Fault("camera.points", "a corner lies outside the picture", f"keep within {width} by {height} pixels")
    turns = [_turn(points[i], points[i - 3], points[i - 2]) for i in range(4)]
    if min(turns) <= 0:
        remedy = "give the mat's top left, top right, bottom right and bottom left corner, in this order"
        yield Fault("camera.points", "the corners do not go round clockwise", remedy)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _clock(table: TableSettings) -> Iterator[Fault]:
    if table.clock.kind != "chess" and table.clock.increment:
        yield Fault("clock.increment", "only a chess clock has one", 'remove it, or write kind = "chess"')


def _hosts(hosts: Sequence[str]) -> Iterator[Fault]:
    for host in hosts:
        if ":" in host and not is_address(host):
            yield Fault(
                "pages.hosts", f"{shown_value(host)} is no address", "write one such as fd00::5, without a port"
            )
    if len(hosts[0]) > LONGEST_IN_BYTES and set(hosts[0]) & set(":_"):
        wrong = f"{shown_value(hosts[0])} is too long for the codes that phones scan"
        remedy = f"write first one of at most {LONGEST_IN_BYTES} characters, or a name without underscores"
        yield Fault("pages.hosts", wrong, remedy)


def _herald(herald: Herald) -> Iterator[Fault]:
    host, _, port = herald.broker.partition(":")
    if len(host) > 253 or not all(LABEL.fullmatch(label) for label in host.split(".")):
        wrong = f"{shown_value(host)} is no name of a host, and no IPv4 address"
        yield Fault("herald.broker", wrong, "write what stands in the broker's certificate, such as club.local")
    if port and not is_port(int(port)):
        yield Fault("herald.broker", f"there is no port {port}", "write one from 1 to 65535, or none for 8883")
