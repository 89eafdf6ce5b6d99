"""Counts what one object holds; of the parameters of a function ruff says it (pyproject.toml)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 20
LARGER = {"Scene": 34, "LiveStage": 24}
"""Classes that are still to be divided: they may get smaller."""


def attributes(source: str) -> Iterator[tuple[str, int]]:
    """Each class with the number of attributes that its methods set."""
    for made in ast.walk(ast.parse(source)):
        if isinstance(made, ast.ClassDef):
            yield made.name, len(set(_set_in(made)))


def _set_in(made: ast.ClassDef) -> Iterator[str]:
    for node in ast.walk(made):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name


def test_no_class_has_more_attributes_than_a_reader_can_hold() -> None:
    tops = [ROOT / "engine", ROOT / "vision", ROOT / "device", *ROOT.glob("extensions/*/src")]
    files = [path for top in tops for path in top.rglob("*.py")]
    found = {
        f"{path.relative_to(ROOT)}: {name}": count
        for path in files
        for name, count in attributes(path.read_text(encoding="utf-8"))
        if count > LARGER.get(name, MOST)
    }
    assert found == {}


def test_attributes_are_counted_once_wherever_they_are_set() -> None:
    source = """
class One:
    kind = 1
    def __init__(self):
        self.a, (self.b, self.c.d) = 1, (2, 3)
        self.a += 1
    def later(self):
        self.e: int = self.f
"""
    assert dict(attributes(source)) == {"One": 3}
