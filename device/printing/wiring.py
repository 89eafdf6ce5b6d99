"""Draws the wiring from the table file: a page per seat, and all header pins.

The board's card slot points up, pin 1 is top left; wires run right, each in its own lane, to the parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, permutations

import msgspec

from device.locale import translate
from device.printing.drawing import A4, Colour, DrawnDisc, Item, Point, Shape, Sheet, box, fit_height, rule, words
from device.settings.table import TableSettings
from device.settings.wiring_list import GROUND, HEADER, SUPPLY, PartGroup, PinContact, WiredPart, groups
from engine.text import Text, in_context, list_texts, say, seat_of

INK, FAINT, PAPER = "#202020", "#8a8a8a", "#ffffff"
BOARD, GOLD, METAL, GLASS = "#e6efe6", "#d8b860", "#c4c8cc", "#1c2430"
GROUND_COLOUR, SUPPLY_COLOUR = "#303030", "#c62828"
COLOURS: tuple[Colour, ...] = (
    "#1565c0", "#b26a00", "#2e7d32", "#7b1fa2", "#00838f", "#ad1457", "#5d4037", "#558b2f", "#4527a0", "#ef6c00",
)  # fmt: skip
"""Signal colours, readable under white letters; neighbours differ."""

HEAD, TOP, ROW = 20.0, 40.0, 9.5
TRACK = ROW / 2
"""Offset in mm of the left column's wires between right pins."""
LEFT, PITCH = 58.0, 8.0
CHIP, CHIP_GAP = 24.0, 4.0
LANES = LEFT + PITCH + CHIP_GAP + CHIP + 4.0
PART, PART_WIDTH = 146.0, 52.0
TAG = 13.0
"""Room in mm for a multiplexer contact's tag."""
PIN_MM, NAME_MM, TITLE_MM, NOTE_MM, HEAD_MM = 3.4, 4.0, 4.4, 4.2, 7.0
WIRE = 0.9

_KEYS = {"back": say("Back"), "next": say("Next"), "choose": say("Choose")}


class _Wire(msgspec.Struct, frozen=True):
    pin: int
    colour: Colour
    source: float
    targets: tuple[float, ...]

    @property
    def span(self) -> tuple[float, float]:
        return min(self.source, *self.targets), max(self.source, *self.targets)


def sheets(settings: TableSettings, language: str = "en", paper: tuple[float, float] = A4) -> tuple[Sheet, ...]:
    """Return a page per panel, table display, buzzer and multiplexer, then one of the whole header."""
    found = groups(settings)
    pages = (_page(group, found, language, paper) for group in found)
    return (*pages, _overview(found, language, paper))


# One group.


def _page(group: PartGroup, found: Sequence[PartGroup], language: str, paper: tuple[float, float]) -> Sheet:
    parts = _in_order(group.parts)
    places = _places(parts)
    wires = _wires(parts, places)
    lanes = _lanes(wires, PART - _room(parts))
    used = {wire.pin: wire.colour for wire in wires}
    items: list[Item] = [
        *_heading(translate(_name_text(group.key), language), language, paper),
        *_board(),
        *(item for wire in wires for item in _draw_wire(wire, lanes[wire.pin])),
        *_header(used, language),
        *(item for part in parts for item in _part(part, places, used, language)),
        *_notes(_remarks(group, found), language, paper),
    ]
    return Sheet(f"wiring {group.key.replace('.', ' ').replace('_', ' ')}", *paper, tuple(items))


def _room(parts: Sequence[WiredPart]) -> float:
    tags = [each.to for part in parts for each in part.contacts if _of_multiplexer(each)]
    return TAG * (2 if any(" " in tag for tag in tags) else 1) if tags else 0.0


def _of_multiplexer(contact: PinContact) -> bool:
    """Return True for a multiplexer channel's contact, such as "SD0"."""
    return contact.to[:2] in ("SD", "SC")


def _in_order(parts: Iterable[WiredPart]) -> tuple[WiredPart, ...]:
    sorted_parts = (msgspec.structs.replace(part, contacts=tuple(sorted(part.contacts, key=_height))) for part in parts)
    return tuple(sorted(sorted_parts, key=lambda part: _mean([_height(each) for each in part.contacts])))


def _height(contact: PinContact) -> float:
    if contact.pin is None:
        return TOP + 20 * ROW
    pin = HEADER[contact.pin]
    return TOP + (pin.row - 1) * ROW + (TRACK if pin.column == 1 else 0.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _places(parts: Sequence[WiredPart]) -> dict[tuple[str, str], float]:
    tracks = sum(2 + 2 * len(part.contacts) for part in parts) + len(parts) - 1
    free = 40 - tracks
    gap = max(1, free // max(1, len(parts)) // 2) if free > 0 else 1
    at = TOP - TRACK / 2 + max(0, (40 - tracks - gap * (len(parts) - 1)) // 2) * TRACK
    found = {}
    for part in parts:
        at += 2 * TRACK
        for contact in part.contacts:
            found[part.key, contact.name] = at
            at += 2 * TRACK
        at += gap * TRACK
    return found


def _wires(parts: Sequence[WiredPart], places: dict[tuple[str, str], float]) -> tuple[_Wire, ...]:
    targets: dict[int, list[float]] = {}
    heights: dict[int, float] = {}
    for part in parts:
        for contact in part.contacts:
            if contact.pin is not None:
                targets.setdefault(contact.pin, []).append(places[part.key, contact.name])
                heights[contact.pin] = _height(contact)
    shades = _shades(sorted(targets, key=heights.__getitem__))
    return tuple(_Wire(pin, shades[pin], heights[pin], tuple(ends)) for pin, ends in targets.items())


def _shades(pins: Sequence[int]) -> dict[int, Colour]:
    signals = [pin for pin in pins if HEADER[pin].name not in (GROUND, SUPPLY)]
    found = {pin: COLOURS[number % len(COLOURS)] for number, pin in enumerate(signals)}
    return {pin: found.get(pin, GROUND_COLOUR if HEADER[pin].name == GROUND else SUPPLY_COLOUR) for pin in pins}


def _lanes(wires: Sequence[_Wire], end: float) -> dict[int, float]:
    """Assign lanes left of `end`, reordering while that reduces crossings; ties keep pin order."""
    order = sorted(wires, key=lambda wire: wire.source)
    better = True
    while better:
        better = False
        for first, second in permutations(range(len(order)), 2):
            tried = [*order]
            tried.insert(second, tried.pop(first))
            if _crossings(tried) < _crossings(order):
                order, better = tried, True
    step = (end - LANES) / (len(order) + 1)
    return {wire.pin: LANES + step * (number + 1) for number, wire in enumerate(order)}


def _crossings(order: Sequence[_Wire]) -> int:
    found = 0
    for number, wire in enumerate(order):
        for other_number, other in enumerate(order):
            low, high = other.span
            if other_number < number:
                found += low < wire.source < high
            elif other_number > number:
                found += sum(low < end < high for end in wire.targets)
    return found


def _draw_wire(wire: _Wire, lane: float) -> Iterator[Item]:
    pin = HEADER[wire.pin]
    x, y = _at(wire.pin)
    aside = [(x + PITCH / 2, wire.source)] if pin.column == 1 else []
    path = [(x, y), *aside, (lane, wire.source)]
    low, high = wire.span
    lines = [*pairwise(path), ((lane, low), (lane, high)), *(((lane, end), (PART, end)) for end in wire.targets)]
    yield from (rule(start, end, PAPER, WIRE + 1.0) for start, end in lines)
    yield from (rule(start, end, wire.colour, WIRE) for start, end in lines)
    if len(wire.targets) > 1:
        yield from (DrawnDisc((lane, end), 1.1, wire.colour) for end in wire.targets)


# The header.


def _at(number: int) -> Point:
    pin = HEADER[number]
    return LEFT + (pin.column - 1) * PITCH, TOP + (pin.row - 1) * ROW


def _board() -> Iterator[Item]:
    yield Shape((box(LEFT - 6, TOP - 7, PITCH + 12, 20 * ROW + 5),), BOARD, FAINT, 0.3)


def _header(used: dict[int, Colour], language: str) -> Iterator[Item]:
    for number, pin in HEADER.items():
        x, y = _at(number)
        colour = used.get(number)
        shape = box(x - 2.2, y - 2.2, 4.4, 4.4)
        yield Shape((shape,), PAPER if number == 1 else GOLD, colour or FAINT, 0.9 if colour else 0.3)
        yield words(str(number), (x, y + 1.1), 2.9, language, colour=INK, anchor="middle")
        name = pin.name.replace("GPIO", "GPIO ")
        left = LEFT - 6 - CHIP_GAP + 2 - CHIP if pin.column == 1 else LEFT + PITCH + 6 + CHIP_GAP - 2
        if colour:
            yield Shape((box(left, y - 2.7, CHIP, 5.4),), colour)
        shade = PAPER if colour else FAINT
        yield words(name, (left + CHIP / 2, y + 1.3), PIN_MM, language, colour=shade, anchor="middle")


# Parts.


def _part(
    part: WiredPart, places: dict[tuple[str, str], float], used: dict[int, Colour], language: str
) -> Iterator[Item]:
    heights = [places[part.key, contact.name] for contact in part.contacts]
    top, bottom = min(heights) - 3.5, max(heights) + 3.5
    title = translate(_title_text(part), language)
    size = fit_height(title, PART_WIDTH, TITLE_MM, language)
    yield words(title, (PART, top - 1.6), size, language, colour=INK)
    yield Shape((box(PART, top, PART_WIDTH, bottom - top),), PAPER, INK, 0.4)
    yield from _face(part, (PART + 29, top), (PART_WIDTH - 31, bottom - top))
    for contact, y in zip(part.contacts, heights, strict=True):
        colour = FAINT if contact.pin is None else used[contact.pin]
        if contact.pin is None:
            yield rule((PART - 4, y), (PART, y), FAINT, WIRE)
            yield from _elsewhere(contact, y, language)
        yield DrawnDisc((PART, y), 1.5, colour)
        yield words(translate(_contact(contact.name), language), (PART + 3, y + 1.4), NAME_MM, language, colour=INK)


def _elsewhere(contact: PinContact, y: float, language: str) -> Iterator[Item]:
    text = contact.to if _of_multiplexer(contact) else translate(_users(contact.to), language)
    size = fit_height(text, 40, PIN_MM, language)
    wide = 40 * size / max(size, fit_height(text, 40, 100.0, language))
    yield Shape((box(PART - 6 - wide, y - 2.5, wide + 2, 5.0),), FAINT)
    yield words(text, (PART - 5 - wide, y + 1.2), size, language, colour=PAPER)


def _face(part: WiredPart, corner: Point, size: tuple[float, float]) -> Iterator[Item]:
    x, y = corner[0] + size[0] / 2, corner[1] + size[1] / 2
    match part.kind:
        case "button":
            yield Shape((box(x - 5, y - 5, 10, 10),), METAL, INK, 0.3)
            yield DrawnDisc((x, y), 3.2, INK)
        case "encoder":
            yield DrawnDisc((x, y), 8.0, METAL, INK, 0.3)
            yield rule((x, y - 7.5), (x, y - 3.5), INK, 0.8)
        case "display":
            yield Shape((box(x - 10, y - 7, 20, 14),), GLASS)
            yield from (rule((x - 8, y + dy), (x + end, y + dy), PAPER, 0.5) for dy, end in ((-3, 6), (0, 2), (3, 7)))
        case "buzzer":
            yield DrawnDisc((x, y), 7.0, GLASS)
            yield DrawnDisc((x, y), 1.2, PAPER)
        case "multiplexer":
            yield Shape((box(x - 5, y - 9, 10, 18),), GLASS)
            yield from (
                rule((x + dx, y + dy), (x + dx * 1.5, y + dy), FAINT, 0.8) for dx in (-5, 5) for dy in (-6, -2, 2, 6)
            )


# Words.


def _name_text(key: str) -> Text:
    match key.split("."):
        case ["seats", seat, *_]:
            return seat_of(seat)
        case ["shared", *_]:
            return say("The shared panel")
        case ["table_display"]:
            return say("The table's own display")
        case ["buzzer"]:
            return say("Buzzer")
        case [_, name]:
            return list_texts((say("Multiplexer TCA9548A"), Text(name)))
    return say("Multiplexer TCA9548A")


def _title_text(part: WiredPart) -> Text:
    name = part.key.rpartition(".")[2]
    match part.kind:
        case "button":
            return say("Button: {name}", name=_KEYS[name])
        case "encoder":
            return say("Rotary encoder")
        case "multiplexer" | "buzzer":
            return _name_text(part.key)
        case "display" if part.address is None:
            return say("Display")
    return say("Display, address {address}", address=f"0x{part.address:02X}")


def _contact(name: str) -> Text:
    return in_context("a contact of a button", "signal") if name == "signal" else Text(name)


def _users(keys: str) -> Text:
    return say("Display: {name}", name=list_texts(map(_name_text, keys.split(", "))))


def _remarks(group: PartGroup, found: Sequence[PartGroup]) -> Iterator[Text]:
    for keys, pins in _shared_pins(group, found).items():
        names = list_texts(map(_name_text, keys))
        many = list_texts(Text(str(pin)) for pin in pins)
        yield say("Pins shared with {names}: {pins}. Join these wires on a terminal strip.", pins=many, names=names)
    kinds = {part.kind for part in group.parts}
    if "display" in kinds:
        yield say("Go by the labels printed on your display, not by their order. 3.3 V only: never 5 V.")
    if any(part.kind == "display" and part.address == 0x3D for part in group.parts):
        yield say("Set this display's address jumper to 0x3D (some boards say 0x7A).")
    if any(_of_multiplexer(each) for part in group.parts for each in part.contacts):
        yield say("SD and SC with a number are contacts of the multiplexer: see its page.")
    if "button" in kinds:
        yield say("A button has no right way round. If it has four legs, use two diagonal ones.")


def _shared_pins(group: PartGroup, found: Sequence[PartGroup]) -> dict[tuple[str, ...], list[int]]:
    joined: dict[tuple[str, ...], list[int]] = {}
    for pin in sorted(pin for pin in _pins(group) if pin is not None):
        keys = tuple(other.key for other in found if other is not group and pin in _pins(other))
        if keys:
            joined.setdefault(keys, []).append(pin)
    return joined


def _pins(group: PartGroup) -> set[int | None]:
    return {each.pin for part in group.parts for each in part.contacts}


def _heading(title: str, language: str, paper: tuple[float, float]) -> Iterator[Item]:
    yield words(title, (14, HEAD), HEAD_MM, language, colour=INK)
    how = translate(say("Hold the board so that its card slot points up: the header is at its right edge."), language)
    yield words(how, (14, HEAD + 7), fit_height(how, paper[0] - 60, NOTE_MM, language), language, colour=FAINT)
    yield from _orientation((paper[0] - 30, 10))


def _orientation(corner: Point) -> Iterator[Item]:
    x, y = corner
    yield Shape((box(x, y, 14, 21),), BOARD, INK, 0.3)
    yield Shape((box(x + 4.5, y - 1.2, 5, 2.2),), METAL, INK, 0.2)
    yield Shape((box(x + 11.2, y + 1.5, 1.8, 13),), GOLD, INK, 0.2)
    yield DrawnDisc((x + 11.7, y + 2.1), 0.45, INK)
    yield from (Shape((box(x + at, y + 18.5, 3.4, 3.5),), METAL, INK, 0.2) for at in (0.8, 5.2, 9.6))


def _notes(remarks: Iterable[Text], language: str, paper: tuple[float, float]) -> Iterator[Item]:
    y = TOP + 20 * ROW + 6
    for remark in remarks:
        text = translate(remark, language)
        yield words(text, (14, y), fit_height(text, paper[0] - 28, NOTE_MM, language), language, colour=INK)
        y += 6.0


# Every pin.


def _overview(found: Sequence[PartGroup], language: str, paper: tuple[float, float]) -> Sheet:
    users: dict[int, list[Text]] = {}
    for group in found:
        for part in group.parts:
            for contact in part.contacts:
                if contact.pin is not None:
                    users.setdefault(contact.pin, []).append(_use(group, part, contact))
    shift = paper[0] / 2 - LEFT - PITCH / 2
    used = _shades(sorted(users))
    items: list[Item] = [
        *_heading(translate(say("Every pin of the header"), language), language, paper),
        *(_move_item(item, shift) for item in (*_board(), *_header(used, language))),
    ]
    for number, uses in users.items():
        items += _list_items(number, uses, language, paper)
    return Sheet("wiring every pin", *paper, tuple(items))


def _use(group: PartGroup, part: WiredPart, contact: PinContact) -> Text:
    name = part.key.rpartition(".")[2]
    what = _KEYS[name] if part.kind == "button" and contact.name == "signal" else _contact(contact.name)
    if contact.name in ("VCC", "VIN", GROUND, "A0", "A1", "A2"):
        return _name_text(group.key)
    return say("{where}: {what}", where=_name_text(group.key), what=what)


def _list_items(number: int, uses: Sequence[Text], language: str, paper: tuple[float, float]) -> Iterator[Item]:
    pin = HEADER[number]
    text = translate(list_texts(dict.fromkeys(translate(use, language) for use in uses)), language)
    edge = PITCH / 2 + 6 + CHIP_GAP - 2 + CHIP + 3
    room = paper[0] / 2 - edge - 8
    size = fit_height(text, room, PIN_MM, language)
    y = TOP + (pin.row - 1) * ROW + 1.3
    if pin.column == 2:
        yield words(text, (paper[0] / 2 + edge, y), size, language, colour=INK)
    else:
        wide = room * size / fit_height(text, room, 100.0, language)
        yield words(text, (paper[0] / 2 - edge - wide, y), size, language, colour=INK)


def _move_item(item: Item, dx: float) -> Item:
    assert isinstance(item, Shape)
    outlines = tuple(tuple((x + dx, y) for x, y in outline) for outline in item.outlines)
    return msgspec.structs.replace(item, outlines=outlines)
