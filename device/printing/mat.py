"""The mat of a game: markers, patches and zones on dark ground, and its geometry as data."""

from __future__ import annotations

from typing import Any

import msgspec

from device.printing.drawing import WHITE, Item, Label, Shape, Sheet, box, yardstick
from device.printing.markers import corners, marker
from device.resources import resource
from vision.mat import Box, Mat

GROUND = "#465c4a"
OUTLINE = "#a0b096"
GRAY = "#808080"
QUIET = 1 / 6
"""White rim about a marker, as a part of its side: one cell of a 4x4 marker."""


def load(name: str) -> Mat:
    """A shipped mat. Raises ResourceMissing, or msgspec.ValidationError if its file is broken."""
    return msgspec.toml.decode(resource("mats", f"{name}.toml").read_bytes(), type=Mat)


def sheet(mat: Mat, *, measured: bool = True) -> Sheet:
    """The mat on paper of its own size. measured: with a line of 100 mm."""
    width, height = mat.size_mm
    items: list[Item] = [Shape((box(0, 0, width, height),), GROUND)]
    for zone in mat.zones:
        items += [_frame(each) for each in (zone.box, *zone.cells)]
        if zone.label:
            items.append(Label(zone.label, (zone.box.x + 2, zone.box.y + 6), 5.0, OUTLINE))
    items += [_patch(mat.white, WHITE), _patch(mat.gray, GRAY)]
    for each in mat.markers:
        rim = min(each.side * QUIET, each.x, each.y)
        quiet = Box(each.x - rim, each.y - rim, each.side + 2 * rim, each.side + 2 * rim)
        items += [_patch(quiet, WHITE), marker(mat.dictionary, each.id, each.x, each.y, each.side)]
    measure = yardstick((width / 2, height - 6), OUTLINE) if measured else ()
    return Sheet(mat.name, width, height, (*items, *measure))


def geometry(mat: Mat) -> dict[str, Any]:
    """What `--json` prints: millimetres from the top-left corner, marker corners clockwise from the top left."""
    return {
        "mat": mat.name,
        "size_mm": mat.size_mm,
        "dictionary": mat.dictionary,
        "markers": [{"id": each.id, "corners": corners(each.x, each.y, each.side)} for each in mat.markers],
        "zones": [
            {"name": zone.name, "order": zone.order, "set": zone.set, "box": zone.box, "cells": zone.cells}
            for zone in mat.zones
        ],
        "white": mat.white,
        "gray": mat.gray,
        "sides": mat.sides,
    }


def _frame(place: Box) -> Shape:
    outline = box(place.x, place.y, place.width, place.height)
    return Shape((outline,), fill=None, line=OUTLINE, width=0.75)


def _patch(place: Box, colour: str) -> Shape:
    return Shape((box(place.x, place.y, place.width, place.height),), colour)
