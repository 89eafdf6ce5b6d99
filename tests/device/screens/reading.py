"""What stands on a display, read back as text from what was painted: words, glyphs, and where lines break.

A row of text stands for a row of the display, a column for four of its pixels at least; "--" parts the pages that a
display shows in turn. Glyphs stand between angle brackets, what is dark on a lit ground between half blocks. Bars,
boxes and rules are left to the pictures of shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from unicodedata import east_asian_width

from device.locale import LANGUAGES
from device.screens.canvas import Canvas
from device.screens.render import paint
from device.screens.screen import Screen
from tests.device.screens.gallery import SIZES

_ROW = 4
"""Pixels that parts of one row lie apart at most: an arrow or a disc beside its line."""


_COLUMN = 4
"""Pixels of a column: a small letter and the gap behind it. Every other letter is wider, an ideograph three columns."""


class Reader(Canvas):
    """A canvas that keeps what it is asked to write, with its place, and paints nothing."""

    def __init__(self, size: tuple[int, int], language: str) -> None:
        super().__init__(size, language)
        self._kept: list[tuple[int, int, str]] = []

    def rows(self) -> list[str]:
        """What stands on it, row by row."""
        rows: list[list[tuple[int, str]]] = []
        top = -_ROW - 1
        for y, x, what in sorted(self._kept):
            if y - top > _ROW:
                rows.append([])
                top = y
            rows[-1].append((x, what))
        return ["".join(_line(sorted(row))) for row in rows]

    def text(self, x: int, y: int, text: str, ink: int = 1) -> None:
        self._keep(x, y, text, ink)

    def picture(self, x: int, y: int, name: str, size: int, ink: int = 1) -> bool:
        there = super().picture(x, y, name, size, ink)
        if there:
            self._keep(x, y, f"<{name}>", ink)
        return there

    def pip(self, x: int, y: int, width: int, height: int, filled: bool) -> None:
        self._keep(x, y, "●" if filled else "○", 1)

    def arrow(self, x: int, y: int) -> None:
        self._keep(x, y, ">", 1)

    def more(self, x: int, y: int, up: bool) -> None:
        self._keep(x, y - 1, "^" if up else "v", 1)

    def _keep(self, x: int, y: int, what: str, ink: int) -> None:
        if what:
            self._kept.append((y, x, what if ink else f"▐{what}▌"))


def _line(row: Sequence[tuple[int, str]]) -> Iterator[str]:
    """The parts of a row with the spaces between them: at least one, but for the pips of a score."""
    end, before = 0, ""
    for x, what in row:
        pips = before in {"●", "○"} and what in {"●", "○"}
        gap = 0 if pips or (x < _COLUMN and not before) else max(x // _COLUMN - end, int(bool(before)))
        yield " " * gap + what
        end += gap + sum(2 if east_asian_width(char) in {"W", "F"} else 1 for char in what)
        before = what


def shown(screen: Screen) -> str:
    """What stands on a screen in every language and size; sizes at which the same stands together share their text."""
    parts = []
    for language in LANGUAGES:
        texts: dict[str, list[str]] = {}
        for size in SIZES:
            pages = (reader.rows() for reader in paint(screen, size, language, Reader))
            texts.setdefault("\n--\n".join("\n".join(page) for page in pages), []).append(str(size[0]))
        parts += [f"[{language} {' '.join(widths)}]\n{text}" for text, widths in texts.items()]
    return "\n".join(parts) + "\n"


def kept(path: Path) -> dict[str, str]:
    """A file of screens, by name."""
    parts = path.read_text(encoding="utf-8").removeprefix("== ").split("\n== ")
    return dict(part.split("\n", 1) for part in parts)


def keep(path: Path, screens: Mapping[str, Screen]) -> None:
    """Writes such a file."""
    text = "\n".join(f"== {name}\n{shown(screen)}" for name, screen in screens.items())
    path.write_text(text, encoding="utf-8")
