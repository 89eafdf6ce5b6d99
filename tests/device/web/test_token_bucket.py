"""What is allowed each second and at once: it is spent, comes back with time, and is not taken where there is none."""

from __future__ import annotations

import pytest

from device.web.token_bucket import Allowance


def test_an_allowance_comes_back_with_time() -> None:
    allowance = Allowance(10.0, 20.0)
    assert allowance.spend(20.0, 0.0) == 0.0
    assert allowance.spend(5.0, 0.0) == pytest.approx(0.5)
    assert not allowance.whole(2.0)
    assert allowance.whole(2.5)
    assert allowance.balance(100.0) == 20.0


def test_what_is_refused_costs_nothing() -> None:
    allowance = Allowance(0.5, 2.0)
    assert [allowance.take(7.0) for _ in range(5)] == [True, True, False, False, False]
    assert not allowance.take(8.9)
    assert allowance.take(9.0)
    assert [allowance.take(1e6) for _ in range(3)] == [True, True, False]
