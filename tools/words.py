"""Docstrings that begin with the wrong word: `python -m tools.words` names each, and exits with 1 if there is one.

A docstring of a function begins with a verb, or names the thing that it returns; never with a question or a
preposition. `EXCEPT` has the files for which that does not hold, or not yet.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "vision", "device", "extensions/*/src")

REFUSED = frozenset(
    (
        "What",
        "Whether",
        "Of",
        "Whose",
        "How",
        "Where",
        "Who",
        "When",
        "Which",
        "Whoever",
        "Whatever",
        "Why",
        "By",
        "As",
        "At",
        "In",
        "On",
        "From",
        "To",
        "With",
        "If",
        "Until",
        "For",
        "So",
        "It",
        "Its",
        "That",
        "They",
        "There",
        "Then",
        "While",
        "Because",
        "Before",
        "After",
        "Besides",
        "Only",
        "Not",
        "Also",
    )
)

EXCEPT = (
    *("vision/cards/", "vision/recognition/", "vision/tracking/"),
    "extensions/simulator/src/referee_simulator/conformance/checks.py",
)
"""The parts of the eye that are to be replaced; and checks whose docstrings are the titles of a report."""


def strays(root: Path) -> Iterator[str]:
    """Yield each docstring that begins with a refused word: file, line, function, word."""
    for path in sorted(path for folder in FOLDERS for path in root.glob(f"{folder}/**/*.py")):
        place = path.relative_to(root).as_posix()
        if place.startswith(EXCEPT):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
                first = text.split()[0].strip(".,:;")
                if first in REFUSED:
                    yield f"{place}:{node.lineno}: {node.name}: {first}"


def main() -> int:
    """Print them."""
    found = list(strays(ROOT))
    for each in found:
        print(each)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
