"""Invented pieces: what is painted, printed or cut on a tile or card. No picture of a real game goes in.

A `Design` is a handful of numbers and words; `paint` makes of it what a camera would see under even light. Siblings
differ in one trait only (colour, count, filling, symbol), so that the network must learn to look at that trait.
"""

from __future__ import annotations

import random
import subprocess
from functools import lru_cache
from typing import Literal, get_args

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

Plane = npt.NDArray[np.float32]

SIDE = 96
"""Pixels along the edge of a painted sheet."""

HUES = (0, 12, 28, 45, 60, 90, 130, 165, 185, 210, 235, 265, 290, 325)
RANGES = {
    "latin": "ABCDEFGHJKLMNPQRSTUVWXYZ0123456789abdefghkqrt&?!",
    "cjk": (0x4E00, 0x9FA5),
    "numerals": "一二三四五六七八九十百千萬东南西北中發白春夏秋冬梅蘭竹菊王玉金銀桂香步飛角馬車兵將士相炮帥",
    "cyrillic": "БГДЖЗИЛПФЦЧШЩЫЭЮЯ",
    "symbols": (0x2600, 0x26FF),
    "dingbats": (0x2701, 0x27BF),
    "geometric": (0x25A0, 0x25FF),
    "runes": (0x16A0, 0x16EA),
    "hieroglyphs": (0x13000, 0x1342E),
    "phaistos": (0x101D0, 0x101FC),
    "linear": (0x10000, 0x1005D),
    "dominoes": (0x1F030, 0x1F093),
}
"""Where glyphs are drawn from: characters, or the first and last code point of a block."""

Filling = Literal["solid", "outline", "stripes", "dots", "halo", "rings"]


class Symbol(msgspec.Struct, frozen=True):
    """One mark: a glyph (script and character) or a regular shape (script "shape", number of corners and seed)."""

    script: str
    text: str
    face: int = 0
    squash: float = 1.0
    turn: float = 0.0


class Design(msgspec.Struct, frozen=True):
    """A kind of piece. Colours are hue (degrees), saturation, value; sizes are parts of the side."""

    symbol: Symbol
    second: Symbol | None
    colour: tuple[float, float, float]
    second_colour: tuple[float, float, float]
    ground: tuple[float, float, float]
    filling: Filling
    count: int
    size: float
    columns: int
    grain: float
    frame: float
    art: int | None
    relief: float
    gloss: float
    seed: int


@lru_cache(maxsize=1)
def fonts() -> dict[str, list[tuple[str, int]]]:
    """Font files of this machine that hold each script, as (path, index)."""
    found: dict[str, list[tuple[str, int]]] = {}
    for script, glyphs in RANGES.items():
        sample = ord(glyphs[0]) if isinstance(glyphs, str) else glyphs[0] + 3
        lines = subprocess.run(
            ["fc-list", f":charset={sample:x}:scalable=true", "file", "index"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        faces = []
        for line in sorted(lines):
            path, _, rest = line.partition(":")
            number = int(rest.partition("index=")[2] or 0)
            if "Emoji" not in path and number < 65536:
                faces.append((path.strip(), number))
        random.Random(script).shuffle(faces)
        found[script] = faces[:40]
    return found


@lru_cache(maxsize=512)
def face(path: str, index: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, 80, index=index)


@lru_cache(maxsize=20000)
def stencil(symbol: Symbol) -> Plane | None:
    """The mark as 0..1 on a square, filling it; None if the font has no such glyph."""
    plane = _polygon(symbol) if symbol.script == "shape" else _glyph(symbol)
    if plane is None:
        return None
    if symbol.turn:
        matrix = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), symbol.turn, 0.8)
        plane = cv2.warpAffine(plane, matrix, (SIDE, SIDE))
    return plane


def _glyph(symbol: Symbol) -> Plane | None:
    faces = fonts()[symbol.script]
    font = face(*faces[symbol.face % len(faces)])
    box = font.getbbox(symbol.text)
    width, height = int(box[2] - box[0]), int(box[3] - box[1])
    if width < 8 or height < 8:
        return None
    sheet = Pillow.new("L", (width, height))
    ImageDraw.Draw(sheet).text((-box[0], -box[1]), symbol.text, fill=255, font=font)
    ink = np.asarray(sheet, np.float32) / 255.0
    return _fit_ink(ink, symbol.squash)


def _fit_ink(ink: Plane, squash: float) -> Plane:
    height, width = ink.shape
    scale = SIDE * 0.96 / max(height, width / squash)
    size = (max(4, min(SIDE, round(width * scale / squash))), max(4, min(SIDE, round(height * scale))))
    small = cv2.resize(ink, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    plane = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - size[1]) // 2, (SIDE - size[0]) // 2
    plane[top : top + size[1], left : left + size[0]] = small
    return plane


def _polygon(symbol: Symbol) -> Plane:
    """A disc, polygon, star, clover or blob, by the name's letter and number."""
    form, number = symbol.text[0], int(symbol.text[1:])
    dice = random.Random(symbol.text)
    angles = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    if form == "d":
        radius = np.ones_like(angles)
    elif form == "p":
        step = 2 * np.pi / max(3, number)
        radius = np.cos(step / 2) / np.cos(angles % step - step / 2)
    elif form == "s":
        radius = 0.7 + 0.3 * np.sign(np.cos(angles * max(3, number))) * np.abs(np.cos(angles * max(3, number))) ** 0.5
    elif form == "c":
        radius = 0.68 + 0.32 * np.cos(angles * max(2, number))
    else:
        radius = 0.75 + sum(dice.uniform(-0.2, 0.2) * np.cos(k * angles + dice.uniform(0, 6.3)) for k in range(1, 6))
    points = np.stack([np.cos(angles - np.pi / 2) * radius / symbol.squash, np.sin(angles - np.pi / 2) * radius], 1)
    points = points / np.abs(points).max() * SIDE * 0.48 + SIDE / 2
    plane = np.zeros((SIDE, SIDE), np.float32)
    cv2.fillPoly(plane, [np.round(points * 16).astype(np.int32)], 1.0, lineType=cv2.LINE_AA, shift=4)
    return np.clip(plane, 0, 1)


def invent_symbol(dice: random.Random) -> Symbol:
    """Any mark that some font on this machine can draw."""
    while True:
        if dice.random() < 0.3:
            symbol = Symbol("shape", dice.choice("dppssccbb") + str(dice.randrange(2, 9)))
        else:
            weights = {"latin": 4, "cjk": 4, "numerals": 4, "cyrillic": 1, "dominoes": 1}
            scripts = [script for script in RANGES if fonts()[script]]
            script = dice.choices(scripts, [weights.get(s, 2) for s in scripts])[0]
            glyphs = RANGES[script]
            text = dice.choice(glyphs) if isinstance(glyphs, str) else chr(dice.randint(*glyphs))
            symbol = Symbol(script, text, dice.randrange(40))
        squash = dice.choice((1.0, 1.0, 1.0, dice.uniform(0.6, 1.6)))
        symbol = msgspec.structs.replace(
            symbol, squash=squash, turn=dice.choice((0, 0, 0, 0, 45, 90, dice.uniform(0, 360)))
        )
        plane = stencil(symbol)
        if plane is not None and 0.03 < plane.mean() < 0.95:
            return symbol


def letter(design: Design, dice: random.Random) -> Design:
    """The same piece with another mark of the same script and font, of one height and turn."""
    symbol = design.symbol
    for _ in range(50):
        if symbol.script == "shape":
            text = dice.choice("dppssccbb") + str(dice.randrange(2, 9))
        else:
            glyphs = RANGES[symbol.script]
            text = dice.choice(glyphs) if isinstance(glyphs, str) else chr(dice.randint(*glyphs))
        other = msgspec.structs.replace(symbol, text=text)
        plane = stencil(other)
        if text != symbol.text and plane is not None and 0.03 < plane.mean() < 0.95:
            return msgspec.structs.replace(design, symbol=other)
    return msgspec.structs.replace(design, symbol=invent_symbol(dice))


def invent_colour(dice: random.Random) -> tuple[float, float, float]:
    """Mostly a strong colour, sometimes black, gray or white."""
    if dice.random() < 0.25:
        return 0.0, 0.0, dice.choice((0.03, 0.1, 0.2, 0.9))
    return dice.choice(HUES) + dice.uniform(-5, 5), dice.uniform(0.5, 1.0), dice.uniform(0.25, 0.95)


def invent_ground(dice: random.Random) -> tuple[float, float, float]:
    """Ivory, white, wood, stone, black, or a colour."""
    return dice.choice(
        (
            (40.0, dice.uniform(0.0, 0.2), dice.uniform(0.75, 0.95)),
            (40.0, dice.uniform(0.0, 0.08), dice.uniform(0.85, 0.97)),
            (dice.uniform(22, 38), dice.uniform(0.3, 0.65), dice.uniform(0.35, 0.85)),
            (0.0, 0.02, dice.uniform(0.02, 0.12)),
            (0.0, 0.03, dice.uniform(0.2, 0.7)),
            (dice.choice(HUES), dice.uniform(0.2, 0.9), dice.uniform(0.15, 0.9)),
        )
    )


def linear(colour: tuple[float, float, float]) -> Plane:
    """Hue, saturation, value as linear BGR."""
    hue, saturation, value = colour
    pixel = np.array([[[hue % 360, saturation, value]]], np.float32)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0] ** 2.2, np.float32)


def invent(dice: random.Random) -> Design:
    """A new kind of piece."""
    ground = invent_ground(dice)
    colour = invent_colour(dice)
    while np.abs(linear(colour) - linear(ground)).max() < 0.08:
        colour = invent_colour(dice)
    count = dice.choices((1, 2, 3, 4, 5, 6, 7, 8, 9), (12, 3, 3, 2, 2, 2, 2, 2, 2))[0]
    return Design(
        symbol=invent_symbol(dice),
        second=invent_symbol(dice) if dice.random() < 0.3 else None,
        colour=colour,
        second_colour=invent_colour(dice),
        ground=ground,
        filling=dice.choices(("solid", "outline", "stripes", "dots", "halo", "rings"), (8, 4, 3, 1, 1, 2))[0],
        count=count,
        size=dice.uniform(0.5, 0.95),
        columns=dice.choice((1, 2, 3)),
        grain=dice.choice((0.0, 0.0, dice.uniform(0.05, 0.4))),
        frame=dice.choice((0.0, 0.0, 0.0, dice.uniform(0.03, 0.1))),
        art=dice.randrange(10**6) if dice.random() < 0.12 else None,
        relief=dice.choice((0.0, dice.uniform(0.3, 1.5))),
        gloss=dice.choice((0.0, dice.uniform(0.1, 1.0), dice.uniform(0.1, 1.0))),
        seed=dice.randrange(10**9),
    )


def engrave_design(dice: random.Random) -> Design:
    """A new kind of piece with one mark, cut and glossy."""
    return msgspec.structs.replace(
        invent(dice),
        second=None,
        filling="solid",
        art=None,
        count=1,
        relief=dice.uniform(0.3, 1.5),
        gloss=dice.uniform(0.1, 1.0),
    )


TRAITS = (
    *("colour", "symbol", "filling", "count") * 2,
    "colour",
    "second",
    "second",
    "second_colour",
    "columns",
    "art",
)
"""What a sibling may differ in; named more often, chosen more often."""


def sibling(design: Design, dice: random.Random) -> Design:
    """The same piece but for one trait."""
    change = dice.choice(TRAITS)
    if change == "colour" or (change == "second_colour" and design.second is None):
        return _recolour(design, dice)
    changed = {
        "count": {"count": max(1, design.count + dice.choice((-1, 1, 2)))},
        "filling": {"filling": dice.choice([filling for filling in get_args(Filling) if filling != design.filling])},
        "columns": {"columns": design.columns % 3 + 1, "count": max(2, design.count)},
        "second": {"second": invent_symbol(dice)},
        "second_colour": {"second_colour": invent_colour(dice)},
        "art": {"art": design.art + 1} if design.art is not None else {"symbol": invent_symbol(dice)},
        "symbol": {"symbol": invent_symbol(dice)},
    }
    return msgspec.structs.replace(design, **changed[change])


def letter_or_ink(first: Design, dice: random.Random) -> Design:
    """A piece of a set as it is sold: another letter, or the same in another ink."""
    return letter(first, dice) if dice.random() < 0.7 else _recolour(first, dice)


def _recolour(design: Design, dice: random.Random) -> Design:
    """Another colour of the symbol, mostly a near one; another symbol if the colour would not show."""
    hue, saturation, value = design.colour
    if saturation > 0.3 and dice.random() < 0.7:
        hue = (hue + dice.choice((-1, 1)) * dice.uniform(22, 70)) % 360
        colour = (hue, saturation, min(1.0, max(0.15, value * dice.uniform(0.7, 1.4))))
    else:
        colour = invent_colour(dice)
    if np.abs(linear(colour) - linear(design.ground)).max() > 0.08:
        return msgspec.structs.replace(design, colour=colour)
    return msgspec.structs.replace(design, symbol=invent_symbol(dice))


class Sheet(msgspec.Struct, frozen=True):
    """A painted face: linear reflectance (SIDE x SIDE x 3, BGR), depth of the cut (SIDE x SIDE), and gloss."""

    colour: Plane
    depth: Plane
    gloss: float


def paint(design: Design) -> Sheet:
    """The face under even white light."""
    noise = np.random.default_rng(design.seed)
    colour = np.tile(linear(design.ground), (SIDE, SIDE, 1))
    if design.grain:
        colour = colour * (1 + design.grain * _wood(noise))[..., None]
    if design.art is not None:
        colour = _art(np.random.default_rng(design.art), colour)
    cut = np.zeros((SIDE, SIDE), np.float32)
    for symbol, tint, places in _places(design):
        plane = stencil(symbol)
        if plane is None:
            continue
        ink = _fill_plane(plane, design.filling)
        for right, down, size in places:
            mark = _place_ink(ink, right, down, size)
            colour = colour * (1 - mark[..., None]) + linear(tint) * mark[..., None]
            cut = np.maximum(cut, mark)
    if design.frame:
        edge = np.ones((SIDE, SIDE), np.float32)
        inner = round(design.frame * SIDE)
        edge[inner:-inner, inner:-inner] = 0
        colour = colour * (1 - edge[..., None]) + linear(design.second_colour) * edge[..., None]
    return Sheet(np.clip(colour, 0, 1).astype(np.float32), cut * design.relief, design.gloss)


Places = list[tuple[float, float, float]]


def _places(design: Design) -> list[tuple[Symbol, tuple[float, float, float], Places]]:
    """Which symbol goes where: (right, down, size) of each centre, in parts of the side."""
    count, size = design.count, design.size
    if design.second is not None and count == 1:
        if design.seed % 2:
            pair = [(0.5, 0.3, size * 0.5)], [(0.5, 0.72, size * 0.5)]
        else:
            corners = [(0.14, 0.14, 0.22), (0.86, 0.86, 0.22)]
            pair = [(0.5, 0.5, size * 0.75)], corners
        return [(design.symbol, design.colour, pair[0]), (design.second, design.second_colour, pair[1])]
    columns = min(design.columns, count)
    rows = -(-count // columns)
    grid: Places = []
    for number in range(count):
        row, column = divmod(number, columns)
        inrow = min(columns, count - row * columns)
        right = 0.5 + (column - (inrow - 1) / 2) * 0.9 / columns
        down = 0.5 + (row - (rows - 1) / 2) * 0.9 / rows
        grid.append((right, down, size * 0.95 / max(rows, columns)))
    if design.second is not None:
        return [(design.symbol, design.colour, grid[::2]), (design.second, design.second_colour, grid[1::2])]
    return [(design.symbol, design.colour, grid)]


def _fill_plane(plane: Plane, filling: Filling) -> Plane:
    if filling == "solid":
        return plane
    width = 5 + 2 * (int(plane.sum()) % 3)
    inner = cv2.erode(plane, np.ones((width, width), np.uint8))
    outline = np.clip(plane - inner, 0, 1)
    if filling == "outline":
        return outline
    if filling == "rings":
        core = cv2.erode(plane, np.ones((width * 2 + 7, width * 2 + 7), np.uint8))
        return np.clip(outline + core, 0, 1)
    if filling == "halo":
        return np.clip(cv2.dilate(plane, np.ones((7, 7), np.uint8)) - plane, 0, 1)
    down, right = np.mgrid[:SIDE, :SIDE]
    pattern = (right // (2 + width // 3)) % 2 if filling == "stripes" else ((right // 4) % 2) * ((down // 4) % 2)
    return np.maximum(outline, plane * pattern.astype(np.float32))


def _place_ink(ink: Plane, right: float, down: float, size: float) -> Plane:
    matrix = np.array([[size, 0, (right - size / 2) * SIDE], [0, size, (down - size / 2) * SIDE]], np.float32)
    small = cv2.GaussianBlur(ink, (0, 0), 0.35 / size) if size < 0.7 else ink
    return np.asarray(cv2.warpAffine(small, matrix, (SIDE, SIDE)), np.float32)


def _wood(noise: np.random.Generator) -> Plane:
    rough = noise.standard_normal((SIDE, SIDE)).astype(np.float32)
    lines = cv2.GaussianBlur(rough, (0, 0), sigmaX=1.2, sigmaY=20)
    lines = lines / (lines.std() + 1e-6)
    return np.asarray(np.clip(lines, -2, 2) if noise.random() < 0.5 else np.clip(lines.T, -2, 2), np.float32) * 0.4


def _art(noise: np.random.Generator, colour: Plane) -> Plane:
    """Patches of colour with wavy borders, as on a card printed to its edge."""
    picture = colour
    for _ in range(int(noise.integers(2, 6))):
        field = cv2.resize(
            noise.standard_normal((5, 5)).astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_CUBIC
        )
        mark = np.clip((field - noise.uniform(-0.3, 0.8)) * 8, 0, 1)[..., None]
        tint = linear((float(noise.uniform(0, 360)), float(noise.uniform(0.2, 0.9)), float(noise.uniform(0.2, 0.95))))
        picture = picture * (1 - mark) + tint * mark
    return np.asarray(picture, np.float32)
