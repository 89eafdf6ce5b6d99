"""Mutation runs try the quickest tests first, and leave out what is too dear."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tools.quickest_first import MEASURED, SHARE, pytest_collection_modifyitems


def _kept(folder: Path, *names: str) -> tuple[list[str], list[str]]:
    """The tests that are run, in order, and those that are not."""
    left: list[Any] = []

    def deselected(items: list[Any]) -> None:
        left.extend(items)

    hook = SimpleNamespace(pytest_deselected=deselected)
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in names]
    config: Any = SimpleNamespace(rootpath=folder, hook=hook)
    pytest_collection_modifyitems(config, items)
    return [item.nodeid for item in items], [item.nodeid for item in left]


def test_the_quickest_come_first_within_the_budget(tmp_path: Path) -> None:
    took = {"others": 100.0 / SHARE, "slow": 99.0, "quick": 1.0, "middling": 20.0, "new": 0.0}
    (tmp_path / MEASURED).write_text(json.dumps({"duration_by_test": took}), "utf-8")
    assert _kept(tmp_path, "slow", "middling", "quick", "unknown") == (["unknown", "quick", "middling"], ["slow"])


@pytest.mark.parametrize("names", [(), ("b", "a")])
def test_while_durations_are_measured_everything_runs_as_it_stands(tmp_path: Path, names: tuple[str, ...]) -> None:
    assert _kept(tmp_path, *names) == (list(names), [])
