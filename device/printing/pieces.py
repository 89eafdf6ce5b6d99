"""Draws a set's pieces on sheets to cut: cards readable from both ends, and stones to glue, with blank backs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import msgspec

from device.art import SYMBOL, CardArt, Drawing, cards, drawings
from device.art import card as art_card
from device.locale import translate
from device.printing.drawing import (
    A4,
    Colour,
    DrawnDisc,
    Item,
    Point,
    Shape,
    Sheet,
    box,
    caption,
    fit_height,
    words,
    yardstick,
)
from device.resources import find, load_shipped
from engine.errors import RefereeError
from engine.text import Text, say

PAPER = "#fbf6e9"
CUT = "#999999"
FRAME = "#c9bfa5"
BACK = "#6a4a63"
BACK_LINE = "#d8c9d4"
EDGE = 4.0
"""Margin of a card in mm."""

SIZES = {1: 30.0, 2: 22.0, 3: 17.0}
"""Side of the central symbols in mm, by their number."""


class _Set(msgspec.Struct, frozen=True):
    name: str
    kinds: tuple[str, ...]
    shape: str
    size_mm: tuple[float, float]
    backs: bool = True


def load(name: str) -> _Set:
    """Return a shipped set. Raises as `load_shipped`."""
    return load_shipped(_Set, "sets", f"{name}.toml")


def has_drawings(name: str) -> bool:
    """Return True for a set of cards with drawings."""
    return load(name).shape == "card" and find("art", f"{name}.toml").is_file()


def geometry(name: str, paper: tuple[float, float] = A4) -> dict[str, Any]:
    """Return a set's JSON geometry."""
    pieces, art = load(name), cards(name)
    copies = {kind: art[kind].copies for kind in pieces.kinds}
    return {"set": name, "kinds": pieces.kinds, "copies": copies, "size_mm": pieces.size_mm, "page_mm": paper}


def face(name: str, kind: str, language: str = "en") -> Sheet:
    """Return a card's face. Raises KeyError for an unknown kind, and as `load`."""
    width, height = load(name).size_mm
    card, art = art_card(name, kind), drawings(name)
    ground = Shape((box(0, 0, width, height),), PAPER)
    frame = Shape((box(2, 2, width - 4, height - 4),), None, FRAME, 0.5)
    half = [*_bands(card, width), *_corner(card, art, language)]
    turned = [_turn_item(item, width, height) for item in half]
    middle = _middle(card, art, width, height)
    return Sheet(kind, width, height, (ground, *half, *turned, frame, *middle, *_title(card, width, height, language)))


def back(name: str) -> Sheet:
    """Return the shared card back."""
    width, height = load(name).size_mm
    lines = [
        Shape((((x, 5.0), (x + 12.0, height / 2), (x, height - 5.0)),), None, BACK_LINE, 0.6)
        for x in (k * 8.0 + 3.5 for k in range(int((width - 16) / 8) + 1))
    ]
    rim = Shape((box(3, 3, width - 6, height - 6),), None, BACK_LINE, 0.8)
    return Sheet("back", width, height, (Shape((box(0, 0, width, height),), BACK), *lines, rim))


def sheets(name: str, language: str = "en", paper: tuple[float, float] = A4) -> tuple[Sheet, ...]:
    """Return sheets with every copy of each card, then the backs. Raises RefereeError if none fits on it."""
    art = cards(name)
    faces = [face(name, kind, language) for kind in load(name).kinds for _ in range(art[kind].copies)]
    each = _grid(name, paper)
    room = each[0] * each[1]
    starts = range(0, len(faces), room)
    pages = [_page(f"{name} {1 + k // room}", faces[k : k + room], each, paper, language) for k in starts]
    return (*pages, _page(f"{name} backs", [back(name)] * room, each, paper, language))


def _grid(name: str, paper: tuple[float, float]) -> tuple[int, int]:
    width, height = load(name).size_mm
    across, down = int(paper[0] // width), int((paper[1] - 24) // height)
    if not across or not down:
        raise RefereeError(
            f"cards of {name} are {width:g} x {height:g} mm: paper of {paper[0]:g} x {paper[1]:g} mm holds none"
        )
    return across, down


def _page(name: str, faces: list[Sheet], grid: tuple[int, int], paper: tuple[float, float], language: str) -> Sheet:
    width, height = faces[0].width, faces[0].height
    left, top = (paper[0] - grid[0] * width) / 2, (paper[1] - grid[1] * height) / 2
    items: list[Item] = []
    for place, card in enumerate(faces):
        row, column = divmod(place, grid[0])
        x, y = left + column * width, top + row * height
        items += [_move_item(item, x, y) for item in card.items]
        items.append(Shape((box(x, y, width, height),), None, CUT, 0.15))
    told = caption(say("{name}. Print at 100%.", name=name), (paper[0] / 2, 9), paper[0] - 2 * GAP, language)
    return Sheet(name, *paper, (*items, told, *yardstick((paper[0] / 2, paper[1] - 6))))


def _bands(card: CardArt, width: float) -> list[Item]:
    if not card.bands:
        return []
    each = (width - 4) / len(card.bands)
    return [Shape((box(2 + k * each, 2, each, 7),), colour) for k, colour in enumerate(card.bands)]


def _corner(card: CardArt, art: dict[str, Drawing], language: str) -> list[Item]:
    top = EDGE + (6.0 if card.bands else 0.0)
    items: list[Item] = []
    if card.corner:
        items.append(words(card.corner, (EDGE + 1, top + 11.5), 14.0, language))
        top += 13.5
    for symbol in card.symbols:
        items += picture(art[symbol], (EDGE + 5.5, top + 5.5), 10.0)
        top += 11.0
    for number, note in enumerate(card.notes):
        items.append(words(note, (EDGE + 1, top + 5.0 + 5.5 * number), 5.5, language))
    return items


def _middle(card: CardArt, art: dict[str, Drawing], width: float, height: float) -> list[Item]:
    side = SIZES.get(len(card.symbols), 17.0)
    items: list[Item] = []
    for number, symbol in enumerate(card.symbols):
        off = (number - (len(card.symbols) - 1) / 2) * (side + 2)
        items += picture(art[symbol], (width / 2, height / 2 + off), side)
    return items


def _title(card: CardArt, width: float, height: float, language: str) -> tuple[Item, Item]:
    text = translate(Text(card.title), language)
    size = fit_height(text, width - 2 * EDGE - 14, 5.0, language)
    line = words(text, (width / 2 + 6, EDGE + (11.5 if card.bands else 5.5)), size, language, anchor="middle")
    return line, _turn_item(line, width, height)


def picture(drawing: Drawing, centre: Point, side: float, ground: Colour = PAPER) -> list[Item]:
    """Return a symbol in a square of this side (mm)."""
    scale = side / 100
    x, y = centre[0] - side / 2, centre[1] - side / 2
    items: list[Item] = []
    for figure in drawing.shapes:
        colour = drawing.ink if figure.fill == "ink" else ground
        if figure.circle is not None:
            cx, cy, radius = figure.circle
            items.append(DrawnDisc((x + cx * scale, y + cy * scale), radius * scale, colour))
        else:
            items.append(Shape((tuple((x + px * scale, y + py * scale) for px, py in figure.points),), colour))
    return items


def _move_item(item: Item, dx: float, dy: float) -> Item:
    return _map_item(item, lambda x, y: (x + dx, y + dy))


def _turn_item(item: Item, width: float, height: float) -> Item:
    return _map_item(item, lambda x, y: (width - x, height - y))


def _map_item(item: Item, where: Callable[[float, float], Point]) -> Item:
    if isinstance(item, Shape):
        outlines = tuple(tuple(where(*point) for point in outline) for outline in item.outlines)
        return msgspec.structs.replace(item, outlines=outlines)
    if isinstance(item, DrawnDisc):
        return msgspec.structs.replace(item, centre=where(*item.centre))
    raise TypeError(f"a card holds shapes and discs, not {type(item).__name__}")


STONE_PAPER = "#f1e7d0"
GAP = 8.0


def has_stone_drawings(name: str) -> bool:
    """Return True for a set of discs with drawings."""
    return load(name).shape == "disc" and find("art", f"{name}.toml").is_file()


def stone_geometry(name: str, paper: tuple[float, float] = A4) -> dict[str, Any]:
    pieces = load(name)
    return {"set": name, "kinds": pieces.kinds, "size_mm": pieces.size_mm, "page_mm": paper}


def stone_sheet(name: str, paper: tuple[float, float] = A4, language: str = "en", copy: int = 1) -> Sheet:
    """Return a page of faces, then any backs, at the set's size. copy: of the sheet, for its name."""
    pieces = load(name)
    art = drawings(name)
    diameter = pieces.size_mm[0]
    columns = int((paper[0] - 2 * GAP) // (diameter + GAP))
    left = (paper[0] - columns * (diameter + GAP) + GAP) / 2
    faces: list[str | None] = [*pieces.kinds]
    rows = math.ceil(len(faces) / columns)
    if pieces.backs:
        faces += [None] * (columns * rows - len(faces) + len(pieces.kinds))
    else:  # several of each, to fill the row
        faces = [pieces.kinds[place % len(pieces.kinds)] for place in range(columns * rows)]
    items: list[Item] = []
    for place, kind in enumerate(faces):
        row, column = divmod(place, columns)
        if row < rows and kind is None:
            continue
        centre = (left + column * (diameter + GAP) + diameter / 2, 24 + row * (diameter + GAP) + diameter / 2)
        items += _face(centre, diameter, art[kind] if kind is not None else None)
    told = say("{name}: cut out, glue on discs of {mm} mm. Print at 100%.", name=Text(pieces.name), mm=f"{diameter:g}")
    return Sheet(
        pieces.name if copy == 1 else f"{pieces.name} {copy}",
        *paper,
        (
            caption(told, (paper[0] / 2, 14), paper[0] - 2 * GAP, language),
            *items,
            *yardstick((paper[0] / 2, paper[1] - 14)),
        ),
    )


def _face(centre: Point, diameter: float, symbol: Drawing | None) -> list[Item]:
    face = DrawnDisc(centre, diameter / 2, STONE_PAPER, CUT, 0.2)
    return [face, *(picture(symbol, centre, diameter * SYMBOL, STONE_PAPER) if symbol is not None else ())]
