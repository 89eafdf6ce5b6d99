"""Rebuilds config/fonts: Fusion Pixel 12 px (SIL Open Font License), cut down to what the catalogues use.

Run by hand after a translation needs a new glyph: `python -m tools.build_fonts`. It fetches the two npm packages named
below (or takes the folder of a previous `npm pack`, given as argument); installing the program never needs it.
The licence reserves the font's name, so what is cut down and changed (`tools.raising`) is called by another.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from babel.messages.pofile import read_po
from fontTools import subset
from fontTools.ttLib import TTFont

from device.locale import NAMES
from tools.catalogues import on_displays
from tools.raising import raise_letters

CONFIG = Path(__file__).resolve().parents[1] / "config"
VERSION = "5.3.0"
VARIANTS = {"tc": "Referee Pixel TC", "sc": "Referee Pixel SC"}
RANGES = ((0x20, 0x7E), (0xA0, 0xAC), (0xAE, 0xFF), (0x401, 0x401), (0x410, 0x44F), (0x451, 0x451))
MARKS = "–—‘’“”„…•′″№←↑→↓↔▲▼◀▶△▽○●◇◆□■☆★、。「」『』《》〈〉！（），：；？～·×"


def characters() -> set[str]:
    """Every character that a screen may have to show."""
    wanted = {chr(code) for first, last in RANGES for code in range(first, last + 1)} | set(MARKS)
    wanted.update(*NAMES.values())
    for path in sorted((CONFIG / "locale").glob("*/LC_MESSAGES/*.po")):
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


def main() -> None:
    wanted = characters()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)
        lacking = set[str]()
        for variant in VARIANTS:
            lacking |= build(variant, package(variant, folder), wanted)
    (CONFIG / "fonts" / "characters.txt").write_text("".join(sorted(wanted - lacking)) + "\n", encoding="utf-8")
    print(f"{len(wanted - lacking)} characters in {len(VARIANTS)} fonts")
    if lacking:
        sys.exit(f"No glyph for: {''.join(sorted(lacking))}. Use other characters in the catalogues.")


if __name__ == "__main__":
    main()
