"""The damage test finds no silent loss, and would find one if there were."""

from __future__ import annotations

import pytest

from device.journal import opening
from device.journal.raw_pages import Found
from tools.damage import damage_test
from tools.spoiled import Kind, Plan, Target


@pytest.mark.thorough
def test_nothing_is_lost_in_silence_whatever_goes_bad() -> None:
    found = damage_test(20, Plan(3, 0))
    assert (found.trials, found.wrong) == (20, 0), found.notes
    assert found.told > 0
    assert found.entries > 1000


@pytest.mark.thorough
def test_one_bit_in_the_log_of_a_killed_daemon_costs_nothing() -> None:
    found = damage_test(20, Plan(9, 0, Kind.BIT, Target.LOG, killed=True))
    assert (found.wrong, found.lost) == (0, 0), found.notes


def test_one_bad_sector_costs_nothing() -> None:
    found = damage_test(10, Plan(21, 0, Kind.PAGE, Target.DATABASE))
    assert (found.wrong, found.lost) == (0, 0), found.notes


@pytest.mark.soak
def test_whatever_goes_bad_and_how_often() -> None:
    found = damage_test(2000, Plan(1000, 0))
    assert found.wrong == 0, found.notes


@pytest.mark.thorough
def test_a_loss_that_nobody_tells_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_loss_text", lambda _found: None)
    found = damage_test(10, Plan(5, 0, Kind.EMPTIED, Target.BOTH))
    assert found.silent == 10


@pytest.mark.thorough
def test_a_salvage_that_loses_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Found.rows
    monkeypatch.setattr(Found, "rows", lambda *given: rows(*given)[:-1])
    found = damage_test(10, Plan(6, 0, Kind.PAGE, Target.DATABASE, killed=False))
    assert found.lost >= 10
