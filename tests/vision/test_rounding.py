"""Nothing that is decided hangs on how a processor rounds, or in which order it sorts what is equal."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import vision
from vision.recognition.prints.telling import tell_apart

SOURCES = sorted(Path(vision.__file__).parent.rglob("*.py"))


def calls(path: Path, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
            yield node


def test_what_is_equal_keeps_its_order_on_every_processor() -> None:
    """Without `kind="stable"` numpy sorts by other code where a processor has AVX-512."""
    unstable = [
        f"{path.name}:{call.lineno}"
        for path in SOURCES
        for call in calls(path, "argsort")
        if not any(each.arg == "kind" for each in call.keywords)
    ]
    assert unstable == []


def test_two_prints_are_told_apart_where_they_differ_most_in_whatever_order_numpy_leaves_the_largest() -> None:
    """The greatest difference was once taken from the end of a partition, where any of the greatest may be."""
    other = np.random.default_rng(1).random((60, 60, 3), np.float32)
    mine, seen = other.copy(), other.copy()
    mine[9:12, 30:33] += 1.5
    mine[15:27, 15:27] += 0.65
    mine[35:59, 35:59] += 0.52
    seen[:30] = mine[:30]  # the picture shows mine where the two differ most, the other where they differ a little
    assert tell_apart(mine, other, seen, np.ones((60, 60), np.bool_)) == pytest.approx(0.5, abs=0.01)
