"""Pictures of the wiring: every wire of the table file is drawn from its pin to its contact, and none hides another."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageChops

from device.locale import LANGUAGES
from device.printing import wiring
from device.printing.drawing import A4, LETTER, Point, Shape, Sheet
from device.printing.formats import MM_PER_INCH, picture
from device.settings import load, parse, template
from device.settings.table import TableSettings
from device.settings.wiring_list import HEADER, groups
from tests.pairing import paired

TWO_MULTIPLEXERS = "four-seats behind two multiplexers"
WITH_BUZZER = "one OLED and a buzzer"
TABLES = ("one-oled", "two-seats", "four-seats", "simulated", TWO_MULTIPLEXERS)
DOCS = Path(__file__).parents[3] / "docs"
Line = tuple[Point, Point]


def table(name: str) -> TableSettings:
    if name == TWO_MULTIPLEXERS:
        return parse(template("four-seats").read_text().replace("1-0070/channel-1", "1-0071/channel-0"))
    if name == WITH_BUZZER:
        return parse(template("one-oled").read_text() + "\n[buzzer]\npin = 18\n")
    return load(template(name))


def strokes(sheet: Sheet) -> dict[str, list[Line]]:
    """The wires by their colours."""
    found: dict[str, list[Line]] = {}
    for item in sheet.items:
        if isinstance(item, Shape) and item.fill is None and item.width == wiring.WIRE and item.line != wiring.FAINT:
            (start, end), *_ = item.outlines
            found.setdefault(str(item.line), []).append((start, end))
    return found


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", [*TABLES, WITH_BUZZER])
def test_each_wire_leaves_its_pin_and_ends_at_as_many_contacts_as_hang_on_it(name: str) -> None:
    settings = table(name)
    for group, sheet in zip(groups(settings), wiring.sheets(settings), strict=False):
        hanging: dict[int, int] = {}
        for contact in (each for part in group.parts for each in part.contacts):
            if contact.pin is not None:
                hanging[contact.pin] = hanging.get(contact.pin, 0) + 1
        drawn = strokes(sheet)
        assert len(drawn) == len(hanging)  # one colour a pin
        for lines in drawn.values():
            (pin,) = {number for number in hanging if lines[0][0] == pytest.approx(wiring._at(number))}
            ends = [end for _, end in lines if end[0] == wiring.PART]
            assert len(ends) == hanging[pin], HEADER[pin]
            assert connected(lines)


def connected(lines: list[Line]) -> bool:
    """True if one can go along them from the first to every other."""
    reached, waiting = [lines[0]], list(lines[1:])
    while found := [line for line in waiting if any(touching(line, other) for other in reached)]:
        reached += found
        waiting = [line for line in waiting if line not in found]
    return not waiting


def touching(one: Line, other: Line) -> bool:
    return any(on(point, other) for point in one) or any(on(point, one) for point in other)


def on(point: Point, line: Line) -> bool:
    (x, y), ((ax, ay), (bx, by)) = point, line
    away = abs((bx - ax) * (y - ay) - (by - ay) * (x - ax))
    inside = min(ax, bx) - 1e-6 <= x <= max(ax, bx) + 1e-6 and min(ay, by) - 1e-6 <= y <= max(ay, by) + 1e-6
    return away < 1e-6 and inside


@pytest.mark.quick(3)
@pytest.mark.parametrize("name", TABLES)
def test_no_wire_lies_on_another(name: str) -> None:
    for sheet in wiring.sheets(table(name)):
        for first, second in combinations(strokes(sheet).values(), 2):
            for one in first:
                for other in second:
                    assert not overlapping(one, other), sheet.name


def overlapping(one: Line, other: Line) -> bool:
    """True if both run along the same line for a while."""
    for axis in (0, 1):
        across = 1 - axis
        heights = {point[across] for line in (one, other) for point in line}
        if max(heights) - min(heights) < wiring.WIRE:
            (a, b), (c, d) = (sorted(point[axis] for point in line) for line in (one, other))
            if min(b, d) - max(a, c) > 1e-6:
                return True
    return False


@pytest.mark.quick(1)
@pytest.mark.parametrize(("language", "paper"), paired(LANGUAGES, (A4, LETTER)))
def test_everything_lies_on_the_paper(language: str, paper: tuple[float, float]) -> None:
    for name in TABLES:
        for sheet in wiring.sheets(table(name), language, paper):
            assert (sheet.width, sheet.height) == paper
            points = [p for item in sheet.items if isinstance(item, Shape) for out in item.outlines for p in out]
            assert all(5 <= x <= paper[0] - 5 and 5 <= y <= paper[1] - 5 for x, y in points), sheet.name


def test_the_pictures_of_the_documentation_are_those_of_the_shipped_files() -> None:
    """Written by `referee print wiring --table two-seats --format png --dpi 100 --out docs/images`."""
    for sheet in wiring.sheets(load(template("two-seats"))):
        path = DOCS / "images" / f"{sheet.name.replace(' ', '-')}.png"
        shown, drawn = Image.open(path).convert("L"), picture(sheet, 100 / MM_PER_INCH).convert("L")
        assert shown.size == drawn.size
        unlike = np.asarray(ImageChops.difference(shown, drawn)) > 64
        assert unlike.mean() < 1e-4, path.name  # versions of Pillow draw the ends of lines a little differently
