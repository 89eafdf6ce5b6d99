"""Checks for wiring that no Raspberry Pi can have: pins used twice, two displays in one place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import chain
from typing import TypeAlias

from device.settings.table import SIZES, WIDTH, Display, I2c, NoCamera, Spi, TableSettings
from vision.files import Fault

SEATS = ("a", "b", "c", "d")
EEPROM_PINS = (0, 1)
I2C_PINS = {1: (2, 3), 3: (4, 5), 4: (8, 9), 5: (12, 13), 6: (22, 23)}
"""SDA and SCL by port. Overlays give a Pi 4 ports 3 to 6; channels of a mux have no pins of their own."""
SPI_PINS = {0: (9, 10, 11), 1: (19, 20, 21)}
SPI_SELECT = {(0, 0): 8, (0, 1): 7, (1, 0): 18, (1, 1): 17, (1, 2): 16}
I2C_ADDRESSES = (0x3C, 0x3D)

Displays: TypeAlias = Mapping[str, Display]
"""By the keys that name them in the table file."""


def faults(table: TableSettings, wrong: Iterable[str] = ()) -> tuple[Fault, ...]:
    """All that is impossible about a decoded table.

    wrong: keys of the file that were left out of it, as they cannot be. Nothing is said of what may be meant otherwise.
    """
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
    return tuple(chain(*found))


def _within(section: str, keys: Iterable[str]) -> bool:
    """True if one of the keys is in a section."""
    return any(key.startswith(f"{section}.") for key in keys)


def _names_panels(key: str) -> bool:
    """True for what may have been meant as the section of a panel, such as `seats.a` or `[seat.a]`."""
    first, *more = key.split(".")
    return bool(get_close_matches(first, ("seats", "shared"))) and len(more) <= (first == "seats")


def _seats(table: TableSettings) -> Iterator[Fault]:
    if table.seats and table.shared:
        yield Fault("shared", "stands beside [seats]", "keep one panel for all, or one for each seat")
    if not table.seats and not table.shared:
        yield Fault("seats", "nobody has a panel", "add [shared], or [seats.a] and [seats.b]")
    if len(table.seats) == 1:
        yield Fault("seats", "one seat alone has a panel", "add [seats.b], or call the one panel [shared]")
    for place, seat in enumerate(sorted(table.seats)):
        if seat not in SEATS:
            yield Fault(f"seats.{seat}", "no such seat", "seats are a, b, c and d, clockwise")
        elif seat != SEATS[place]:
            yield Fault(f"seats.{seat}", f"there is no seat {SEATS[place]}", "name the seats a, b, c, d without a gap")


def _pins(table: TableSettings, displays: Displays, certain: bool) -> Iterator[Fault]:
    """certain: the pins of every display are known, so that the free ones can be told."""
    users: defaultdict[int, list[str]] = defaultdict(list)
    for key, pin in dict.fromkeys(chain(_bus_pins(displays), _input_pins(table))):
        users[pin].append(key)
        if pin in EEPROM_PINS:
            yield Fault(key, f"GPIO {pin} belongs to the EEPROM of add-on boards", "take a pin from 2 to 27")
    for pin, keys in sorted(users.items()):
        for key in keys[1:]:
            remedy = f"move the wire, free are {_free(users)}" if certain else "move the wire"
            yield Fault(key, f"GPIO {pin} is already {keys[0]}", remedy)


def _input_pins(table: TableSettings) -> Iterator[tuple[str, int]]:
    for seat, panel in table.panels().items():
        key = "shared" if seat is None else f"seats.{seat}"
        yield from ((f"{key}.input.{name}", pin) for name, pin in panel.input.pins())


def _bus_pins(displays: Displays) -> Iterator[tuple[str, int]]:
    """Displays share the lines of a bus, but each has its own data/command and reset line."""
    for key, display in displays.items():
        match display.bus:
            case I2c(port=port):
                yield from ((f"the bus i2c-{port}", pin) for pin in I2C_PINS.get(port, ()))
            case Spi() as bus:
                yield from ((f"the bus spi{bus.port}", pin) for pin in SPI_PINS.get(bus.port, ()))
                if (bus.port, bus.device) in SPI_SELECT:
                    yield (f"the select line of spi{bus.port}.{bus.device}", SPI_SELECT[bus.port, bus.device])
                yield (f"{key}.bus.dc", bus.dc)
                yield (f"{key}.bus.reset", bus.reset)


def _free(users: dict[int, list[str]]) -> str:
    return ", ".join(str(pin) for pin in range(2, 28) if pin not in users)


def _places(displays: Displays) -> Iterator[Fault]:
    """Two displays that answer to the same name."""
    first: dict[tuple[str, int, int], str] = {}
    for key, display in displays.items():
        match display.bus:
            case I2c(port=port, address=address):
                place, name = ("i2c", port, address), f"i2c-{port} at 0x{address:02X}"
                remedy = "set its address jumper to the other address, or put it behind an i2c-mux"
            case Spi() as bus:
                place, name = ("spi", bus.port, bus.device), f"spi{bus.port}.{bus.device}"
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
    match display.bus:
        case I2c() if display.controller == "ssd1322":
            yield Fault(f"{key}.bus.kind", "an ssd1322 has no i2c", 'wire it to spi and write kind = "spi"')
        case I2c(address=address) if address not in I2C_ADDRESSES:
            wrong = f"no {display.controller} answers at 0x{address:02X}"
            yield Fault(f"{key}.bus.address", wrong, "its jumper chooses 0x3C or 0x3D")
        case Spi(port=port, device=device) if (port, device) not in SPI_SELECT:
            known = ", ".join(f"{each[0]}.{each[1]}" for each in SPI_SELECT)
            yield Fault(f"{key}.bus", f"there is no spi{port}.{device}", f"take one of {known}")


def _camera(table: TableSettings) -> Iterator[Fault]:
    if isinstance(table.camera, NoCamera) or table.camera.points is None:
        return
    width, height = table.camera.size or (WIDTH, WIDTH)  # the height is the camera's to say: no field is higher
    points = table.camera.points
    if any(not (0 <= x <= width and 0 <= y <= height) for x, y in points):
        yield Fault("camera.points", "a corner lies outside the picture", f"keep within {width} by {height} pixels")
    turns = [_turn(points[i], points[i - 3], points[i - 2]) for i in range(4)]
    if min(turns) <= 0:
        remedy = "give the mat's top left, top right, bottom right and bottom left corner, in this order"
        yield Fault("camera.points", "the corners do not go round clockwise", remedy)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Twice the area of the triangle, positive if it goes round clockwise as y points down."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _clock(table: TableSettings) -> Iterator[Fault]:
    if table.clock.kind != "chess" and table.clock.increment:
        yield Fault("clock.increment", "only a chess clock has one", 'remove it, or write kind = "chess"')
