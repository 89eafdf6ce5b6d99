"""A pytest plugin for mutation runs: the quickest tests first, and none that would make a surviving mutant dear.

mutmut runs every test that calls the changed function until one fails; a mutant that survives costs them all. Tests
that no longer fit into a share of the whole suite's time are left out, so the score is a lower bound.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SHARE = 0.02
"""What the tests of one mutant may take together of the time of the whole suite, however busy the machine was."""

MEASURED = Path("mutmut-stats.json")
"""What mutmut measured, in the folder that the tests run in; there is none while it measures."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sorts the tests by their duration, and deselects those beyond the budget."""
    path = Path(config.rootpath, MEASURED)
    if not path.exists():
        return
    took: dict[str, float] = json.loads(path.read_text("utf-8"))["duration_by_test"]
    budget = SHARE * sum(took.values())
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    spent = 0.0
    for item in sorted(items, key=lambda item: took.get(item.nodeid, 0.0)):
        spent += took.get(item.nodeid, 0.0)
        (kept if spent <= budget else left).append(item)
    items[:] = kept
    if left:
        config.hook.pytest_deselected(items=left)
