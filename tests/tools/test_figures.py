"""The promises that CI holds simulated matches to: each one, broken, is told."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from figures import broken

KEPT: dict[str, Any] = {
    "verdicts": {"right": 197, "wrong": 0, "asked": 3},
    "cheats": {"injected": 60, "visible": 50, "caught": 49, "missed": 1},
    "false_accusations": 0,
}


def test_figures_that_keep_every_promise_pass() -> None:
    assert broken(KEPT) == []


@pytest.mark.parametrize(
    ("section", "key", "value", "told"),
    [
        ("verdicts", "wrong", 1, "1 wrong verdicts"),
        ("verdicts", "asked", 9, "9 of 206 honest actions"),
        ("cheats", "caught", 48, "48 of 50 visible cheats"),
    ],
)
def test_a_broken_promise_is_told(section: str, key: str, value: int, told: str) -> None:
    figures = copy.deepcopy(KEPT)
    figures[section][key] = value
    (fault,) = broken(figures)
    assert told in fault


def test_false_accusations_and_empty_runs_are_told() -> None:
    assert broken({**KEPT, "false_accusations": 2}) == ["2 false accusations: none is allowed"]
    assert broken({**KEPT, "verdicts": {"right": 0, "wrong": 0, "asked": 0}}) == ["no honest action was judged"]
