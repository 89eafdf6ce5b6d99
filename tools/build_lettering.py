"""Rebuilds config/fonts/referee-text.json: the outlines of Noto Sans, cut down to what printed sheets say.

Run by hand after a card, a plan or a wiring picture needs a new character: `python -m tools.build_lettering`. It
fetches the npm packages named below (or takes the folder of a previous `npm pack`, given as argument), and needs
skia-pathops beside what is installed, to join strokes that overlap. Installing the program never needs it.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from fontTools.pens.basePen import BasePen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.ttLib.removeOverlaps import removeOverlaps

from device.art import cards
from device.locale import LANGUAGES, translate
from device.printing.drawing import FILE, FontFace, OutlineGlyph
from device.resources import root
from engine.text import Text
from tools.catalogues import collect

VERSIONS = {"noto-sans": "0.4.2", "noto-sans-sc": "0.4.3", "noto-sans-tc": "0.4.3"}
"""Of the npm packages @expo-google-fonts/NAME: Latin and Cyrillic, and both Chinese scripts."""

WEIGHT = "500Medium"
RANGES = ((0x20, 0x7E), (0xA0, 0xAC), (0xAE, 0x17F), (0x400, 0x45F))
MARKS = "–—‘’“”„…•№←↑→↓·×、。「」『』《》（），：；"
SOURCES = ("device/printing/", "config/mats/", "config/sets/")
"""Whose messages stand on sheets, beside the titles of cards."""
LENGTHS = (80, 200)
"""Thousandths of a line's height, from which on a curve takes not two straight lines but three, then five."""


def characters(language: str) -> set[str]:
    """Every character of the sheets in a language, and whatever Latin and Cyrillic a name may have."""
    found = {chr(code) for first, last in RANGES for code in range(first, last + 1)} | set(MARKS)
    said = {each.message for each in collect() if each.place.startswith(SOURCES)}
    for file in sorted((root() / "art").glob("*.toml")):
        for card in cards(file.stem).values():
            said |= {card.title, card.corner, *card.notes}
    return {char for message in said for char in translate(Text(message), language) if char.isprintable()} | found


_Point: TypeAlias = tuple[float, float]


class Outlines(BasePen):  # type: ignore[misc]
    """Draws a glyph as closed lines, in the units of the font, y up."""

    def __init__(self, glyphs: Any) -> None:
        super().__init__(glyphs)
        self.outlines: list[list[int]] = []

    def _moveTo(self, point: _Point) -> None:  # noqa: N802
        self.outlines.append([])
        self._lineTo(point)

    def _lineTo(self, point: _Point) -> None:  # noqa: N802
        self.outlines[-1] += (round(point[0]), round(point[1]))

    def _curveToOne(self, one: _Point, two: _Point, end: _Point) -> None:  # noqa: N802
        start = self._getCurrentPoint()
        length = math.dist(start, end)
        steps = 2 if length < LENGTHS[0] else 3 if length < LENGTHS[1] else 5
        for t in (step / steps for step in range(1, steps + 1)):
            parts = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            points = (start, one, two, end)
            x, y = (sum(part * p[axis] for part, p in zip(parts, points, strict=True)) for axis in (0, 1))
            self._lineTo((x, y))

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """Each outline from the origin on, by what is added to the point before: shorter to write."""
        return tuple(
            tuple(value - before for value, before in zip(line, (0, 0, *line), strict=False)) for line in self.outlines
        )


def package(name: str, folder: Path) -> Path:
    """An npm archive, fetched unless the folder already has it."""
    archive = folder / f"expo-google-fonts-{name}-{VERSIONS[name]}.tgz"
    if not archive.exists():
        wanted = f"@expo-google-fonts/{name}@{VERSIONS[name]}"
        subprocess.run(["npm", "pack", "--silent", wanted], cwd=folder, check=True)
    return archive


def glyphs(name: str, folder: Path, wanted: set[str]) -> dict[str, OutlineGlyph]:
    """The outlines of these characters, as far as the font of a package has them."""
    with tempfile.TemporaryDirectory() as unpacked, tarfile.open(package(name, folder)) as tar:
        family = "NotoSans" + name.removeprefix("noto-sans").removeprefix("-").upper()
        file = f"package/{WEIGHT}/{family}_{WEIGHT}.ttf"
        tar.extract(file, unpacked, filter="data")
        font = TTFont(Path(unpacked) / file)
    cutter = Subsetter(Options(layout_features=[], hinting=False))
    cutter.populate(unicodes=[ord(char) for char in wanted])
    cutter.subset(font)
    removeOverlaps(font)
    drawn, names = font.getGlyphSet(), font.getBestCmap()
    found = {}
    for char in sorted(wanted):
        if ord(char) in names:
            pen = Outlines(drawn)
            glyph = drawn[names[ord(char)]]
            glyph.draw(pen)
            found[char] = OutlineGlyph(round(glyph.width), pen.steps())
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)
        own = characters("zh_Hant")
        shared = set().union(own, *(characters(language) for language in LANGUAGES))
        western = glyphs("noto-sans", folder, shared)
        simple = glyphs("noto-sans-sc", folder, shared - western.keys())
        full = glyphs("noto-sans-tc", folder, own - western.keys())
    face = FontFace(1000, western | simple, {char: glyph for char, glyph in full.items() if simple.get(char) != glyph})
    (root() / "fonts" / FILE).write_bytes(msgspec.json.encode(face) + b"\n")
    print(f"{len(face.glyphs)} characters, {len(face.traditional)} of them otherwise in zh_Hant")


if __name__ == "__main__":
    main()
