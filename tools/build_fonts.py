"""Rebuilds config/fonts: Fusion Pixel 12 px (SIL Open Font License), cut down to what the catalogues use, and a font of
the letters that only people's names need, from Fusion Pixel and, where it has none, from GNU Unifont (same licence).

Run by hand after a translation needs a new glyph: `python -m tools.build_fonts`. It fetches the two npm packages named
below and Debian's fonts-unifont (or takes the folder that holds them, given as argument); installing the program never
needs it. The licence reserves the font's name, so what is cut down and changed (`tools.raising`) is called by another.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import unicodedata
from pathlib import Path
from typing import Any

from babel.messages.pofile import read_po
from fontTools import subset
from fontTools.fontBuilder import FontBuilder
from fontTools.misc.psCharStrings import T2CharString
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

from device.locale import NAMES
from device.screens.fonts import BASE, LINE, OVERHANG, SIZE
from tools.catalogues import on_displays
from tools.raising import PIXEL, raise_letters

CONFIG = Path(__file__).resolve().parents[1] / "config"
VERSION = "5.3.0"
VARIANTS = {"tc": "Referee Pixel TC", "sc": "Referee Pixel SC"}
RANGES = ((0x20, 0x7E), (0xA0, 0xAC), (0xAE, 0xFF), (0x401, 0x401), (0x410, 0x44F), (0x451, 0x451))
UNIFONT = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN", "HEBREW", "ARABIC")
"""The scripts that are taken from Unifont: those that can be read without marks that stand on letters."""
UNIFONT_PIXEL = 4
"""Units of Unifont in a pixel."""
MARKS = "–—‘’“”„…•′″№←↑→↓↔▲▼◀▶△▽○●◇◆□■☆★、。「」『』《》〈〉！（），：；？～·×"


def characters() -> set[str]:
    """Every character that a screen may have to show."""
    wanted = {chr(code) for first, last in RANGES for code in range(first, last + 1)} | set(MARKS)
    wanted.update(*NAMES.values())
    root = CONFIG.parent
    ours, extensions = root.glob("config/locale/*/*/*.po"), root.glob("extensions/*/src/*/config/locale/*/*/*.po")
    for path in sorted([*ours, *extensions]):
        with path.open("rb") as file:
            for message in read_po(file):
                if on_displays(place for place, _ in message.locations):
                    wanted.update(str(message.string))
    return {char for char in wanted if char.isprintable()}


def package(variant: str, folder: Path) -> Path:
    """The npm archive of a variant, fetched unless the folder already has it."""
    name = f"fusion-pixel-12px-proportional-{variant}"
    archive = folder / f"fontsource-{name}-{VERSION}.tgz"
    if not archive.exists():
        subprocess.run(["npm", "pack", "--silent", f"@fontsource/{name}@{VERSION}"], cwd=folder, check=True)
    return archive


def build(variant: str, archive: Path, wanted: set[str]) -> set[str]:
    """Writes config/fonts/referee-pixel-VARIANT.otf. Returns the characters that the font lacks."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
        root = Path(folder) / "package"
        (CONFIG / "fonts" / "OFL.txt").write_bytes((root / "LICENSE").read_bytes())
        font = TTFont(next((root / "files").glob("*.woff2")), recalcTimestamp=False)
    lacking = {char for char in wanted if ord(char) not in font.getBestCmap()}
    options = subset.Options(
        layout_features=[], hinting=False, recalc_timestamp=False, name_IDs=[0, 1, 2, 4, 6, 13, 14]
    )
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[ord(char) for char in wanted - lacking])
    cutter.subset(font)
    raise_letters(font)
    for record in font["name"].names:
        if record.nameID in (1, 4, 6):
            name = VARIANTS[variant]
            record.string = name.replace(" ", "") if record.nameID == 6 else name
    name = VARIANTS[variant].replace(" ", "")
    font["CFF "].cff.fontNames = [name]
    top = font["CFF "].cff[name]
    top.FullName = top.FamilyName = VARIANTS[variant]
    font.flavor = None
    font.save(CONFIG / "fonts" / f"referee-pixel-{variant}.otf")
    return lacking


def build_names(pixel: Path, unifont: Path, others: set[str]) -> int:
    """Writes config/fonts/referee-pixel-names.woff: all letters but the others. Returns how many it has."""
    outlines: dict[str, T2CharString] = {}
    widths: dict[str, tuple[int, int]] = {}
    codes: dict[int, str] = {}
    for source, scale in ((TTFont(pixel), 1), (TTFont(unifont), PIXEL // UNIFONT_PIXEL)):
        glyphs = source.getGlyphSet()
        for code, glyph in sorted(source.getBestCmap().items()):
            wanted = unicodedata.category(chr(code)).startswith("L") and chr(code) not in others and code not in codes
            if not wanted or (scale > 1 and not _from_unifont(chr(code), glyphs, glyph)):
                continue
            name, width = f"u{code:04X}", int(glyphs[glyph].width * scale)
            codes[code], widths[name] = name, (width, 0)
            outlines[name] = _outline(glyphs, glyph, width, scale)
    font = FontBuilder(SIZE * PIXEL, isTTF=False)
    box = T2CharStringPen(SIZE * PIXEL, None)
    for step, points in (("moveTo", (0, 0)), ("lineTo", (9, 0)), ("lineTo", (9, 9)), ("lineTo", (0, 9))):
        getattr(box, step)(tuple(PIXEL * each for each in points))
    box.closePath()
    outlines[".notdef"], widths[".notdef"] = box.getCharString(), (SIZE * PIXEL, 0)
    font.setupGlyphOrder([".notdef", *codes.values()])
    font.setupCharacterMap(codes)
    font.setupCFF("RefereePixelNames", {"FullName": "Referee Pixel Names"}, outlines, {})
    font.setupHorizontalMetrics(widths)
    font.setupHorizontalHeader(ascent=BASE * PIXEL, descent=(BASE - LINE) * PIXEL)
    font.setupNameTable({"familyName": "Referee Pixel Names", "styleName": "Regular"})
    font.setupOS2()
    font.setupPost(keepGlyphNames=False)
    font.updateHead(created=0, modified=0)
    font.font.recalcTimestamp = False
    font.font.flavor = "woff"
    font.font.save(CONFIG / "fonts" / "referee-pixel-names.woff")
    return len(codes)


def _from_unifont(char: str, glyphs: Any, glyph: str) -> bool:
    """True for a letter of the scripts that are taken from there, if no part of it stands above or below a line."""
    bounds = BoundsPen(glyphs)
    glyphs[glyph].draw(bounds)
    _, low, _, high = bounds.bounds or (0, 0, 0, 0)
    fits = low >= (BASE - LINE) * UNIFONT_PIXEL and high <= (BASE + OVERHANG) * UNIFONT_PIXEL
    return fits and unicodedata.name(char, "").split(" ")[0] in UNIFONT


def _outline(glyphs: Any, glyph: str, width: int, scale: int) -> T2CharString:
    pen = T2CharStringPen(width, None)
    glyphs[glyph].draw(TransformPen(pen, (scale, 0, 0, scale, 0, 0)))
    return pen.getCharString()


def unpack_fonts(folder: Path, into: Path) -> tuple[Path, Path]:
    """The whole fonts from which the one of names is made."""
    with tarfile.open(package("tc", folder)) as tar:
        tar.extractall(into, filter="data")
    if not (debs := list(folder.glob("fonts-unifont_*.deb"))):
        subprocess.run(["apt-get", "download", "fonts-unifont"], cwd=folder, check=True)
        debs = list(folder.glob("fonts-unifont_*.deb"))
    subprocess.run(["dpkg-deb", "-x", debs[0], into], check=True)
    return next((into / "package" / "files").glob("*.woff2")), next(into.rglob("unifont.otf"))


def main() -> None:
    wanted = characters()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)
        lacking = set[str]()
        for variant in VARIANTS:
            lacking |= build(variant, package(variant, folder), wanted)
        letters = build_names(*unpack_fonts(folder, Path(temporary) / "whole"), wanted - lacking)
    (CONFIG / "fonts" / "characters.txt").write_text("".join(sorted(wanted - lacking)) + "\n", encoding="utf-8")
    print(f"{len(wanted - lacking)} characters in {len(VARIANTS)} fonts, {letters} letters of names in another")
    if lacking:
        sys.exit(f"No glyph for: {''.join(sorted(lacking))}. Use other characters in the catalogues.")


if __name__ == "__main__":
    main()
