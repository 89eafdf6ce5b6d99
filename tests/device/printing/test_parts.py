"""docs/parts.md: how high a camera hangs follows from its field of view and the size of the mat."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from device.printing import mat

PAGE = (Path(__file__).parents[3] / "docs" / "parts.md").read_text("utf-8")
FIELDS = {  # degrees across and down, of the whole sensor, as Raspberry Pi's documentation of its cameras says
    "Camera Module 1": (53.5, 41.4),
    "Camera Module 2": (62.2, 48.8),
    "Camera Module 3": (66.0, 41.0),
    "Camera Module 3 Wide": (102.0, 67.0),
    "AI Camera": (66.3, 52.3),
    "USB camera, 60 degrees wide, 16:9": (60.0, 36.0),
}
MATS = (("tellstones", "planetx", "planetx-expert", "runes", "runes-four"), ("tellstones-two",), ("fence",))
RIM = 1.05


@pytest.mark.parametrize("camera", FIELDS)
def test_heights(camera: str) -> None:
    (row,) = re.findall(rf"^\| {re.escape(camera)} \|(.*)\|$", PAGE, re.MULTILINE)
    for told, names in zip(row.split("|"), MATS, strict=True):
        assert {height(camera, name) for name in names} == {int(told)}


def height(camera: str, name: str) -> int:
    """Centimetres."""
    sides = zip(mat.load(name).size_mm, FIELDS[camera], strict=True)
    return math.ceil(max(RIM * side / 2 / math.tan(math.radians(angle / 2)) for side, angle in sides) / 10)
