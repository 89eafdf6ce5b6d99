"""docs/troubleshooting.md quotes what the program really says."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = re.findall(
    r"^\|[^|]*\|([^|]*)\|[^|]*\|$", (ROOT / "docs" / "troubleshooting.md").read_text("utf-8"), re.MULTILINE
)
QUOTES = sorted({quote for row in ROWS for quote in re.findall(r"`([^`]+)`", row)})
FIELD = re.compile(r"\{[^{}\n]*\}|%[.\d]*[sdfg]")


@cache
def source() -> str:
    """All that the program may say: a sentence broken over lines in one piece, fields as the page writes them."""
    files = (
        path
        for folder in ("device", "vision", "engine", "extensions/*/src")
        for path in sorted(ROOT.glob(f"{folder}/**/*.py"))
    )
    whole = re.sub(r'"\s*\n\s*f?"', "", "\n".join(path.read_text("utf-8") for path in files))
    return FIELD.sub("…", whole)


def test_it_quotes_enough() -> None:
    assert len(QUOTES) > 25


@pytest.mark.parametrize("quote", QUOTES)
def test_the_program_says_so(quote: str) -> None:
    assert quote in source()
