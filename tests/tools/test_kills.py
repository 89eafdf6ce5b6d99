"""The kill test finds nothing wrong with the journal, and would find it if there were."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tools import kills


def test_a_few_kills_lose_and_double_nothing() -> None:
    found = kills.kill_test(5, seed=11)
    assert (found.kills, found.lost, found.doubled, found.differing) == (5, 0, 0, 0)
    assert found.entries > 0


def test_an_order_that_waits_to_be_carried_out_still_waits_after_a_kill() -> None:
    """When a kill falls is chance: a busy machine may need more of them until one falls while an order waits."""
    found = (kills.kill_test(6, seed) for seed in range(21, 35, 2))
    waited = next(result for result in found if result.owed or result.lost or result.doubled or result.differing)
    assert (waited.lost, waited.doubled, waited.differing) == (0, 0, 0)


@pytest.mark.soak
def test_two_hundred_kills_lose_and_double_nothing() -> None:
    found = kills.kill_test(200, seed=20)
    assert (found.lost, found.doubled, found.differing) == (0, 0, 0)


@pytest.mark.parametrize(
    ("harm", "counted"),
    [
        ("DELETE FROM entry WHERE id = (SELECT max(id) FROM entry)", "lost"),
        ("INSERT INTO entry (match, seq, data, crc) SELECT match, seq + 1, data, crc FROM entry "
         "WHERE id = (SELECT max(id) FROM entry)", "doubled"),
    ],
)  # fmt: skip
def test_a_journal_that_loses_or_doubles_is_found_out(harm: str, counted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = kills._run

    def harmed(path: Path, seed: int, seconds: float) -> tuple[list[str], bool, float]:
        result = run(path, seed, max(seconds, 0.1))
        if "whole" not in path.name and len(kills._journalled(path)) > 1:
            with sqlite3.connect(path) as db:
                db.execute(harm)
        return result

    monkeypatch.setattr(kills, "_run", harmed)
    assert getattr(kills.kill_test(2, seed=11), counted) > 0
