"""The promises that CI holds simulated matches to: each one, broken, is told."""

from __future__ import annotations

from typing import Any

import pytest

from tools.figures import broken_promises

KEPT: dict[str, Any] = {
    "matches": 50,
    "actions": 100,
    "verdicts": {"right": 157, "wrong": 0, "asked": 3},
    "cheats": {"injected": 60, "visible": 50, "caught": 49, "missed": 1, "by_kind": {key: {} for key in "abcdefghij"}},
    "false_accusations": 0,
    "details": {"stuck": 0, "cheat_rate": 0.1},
}


def test_figures_that_keep_every_promise_pass() -> None:
    assert broken_promises(KEPT) == []


@pytest.mark.parametrize(
    ("section", "key", "value", "told"),
    [
        ("verdicts", "wrong", 1, "1 wrong verdicts"),
        ("verdicts", "asked", 4, "4 of 100 honest actions"),  # of the honest actions, not of all 161 verdicts
        ("cheats", "caught", 48, "48 of 50 visible cheats"),
        ("cheats", "injected", 0, "nobody cheated"),
        ("cheats", "by_kind", {"flip": {}}, "1 kinds of cheat in 50 matches"),
        ("details", "stuck", 2, "2 matches could not be played to their end"),
    ],
)
def test_a_broken_promise_is_told(section: str, key: str, value: object, told: str) -> None:
    (fault,) = broken_promises({**KEPT, section: {**KEPT[section], key: value}})
    assert told in fault


def test_numbers_that_were_not_the_truth_are_told() -> None:
    counts = {"compared": {"stamina": 100, "timer": 50}, "mismatches": {"timer": 2}}
    assert broken_promises({**KEPT, "counts": counts}) == ["timer was not the truth 2 times"]
    assert broken_promises({**KEPT, "counts": {**counts, "mismatches": {}}}) == []


def test_false_accusations_and_empty_runs_are_told() -> None:
    assert broken_promises({**KEPT, "false_accusations": 2}) == ["2 false accusations: none is allowed"]
    nobody = {**KEPT, "actions": 0, "verdicts": {"right": 0, "wrong": 0, "asked": 0}}
    assert broken_promises(nobody) == ["no honest action was judged"]


def test_other_games_may_promise_less() -> None:
    less = {**KEPT, "cheats": {**KEPT["cheats"], "visible": 100, "caught": 97}}
    assert broken_promises(less) != []
    assert broken_promises(less, 0.97) == []


def test_short_runs_and_honest_runs_need_no_cheats() -> None:
    honest = {**KEPT, "cheats": {"injected": 0, "visible": 0, "caught": 0, "by_kind": {}}}
    assert broken_promises({**honest, "details": {"stuck": 0, "cheat_rate": 0.0}}) == []
    assert broken_promises({**KEPT, "matches": 10, "cheats": {**KEPT["cheats"], "by_kind": {"flip": {}}}}) == []
