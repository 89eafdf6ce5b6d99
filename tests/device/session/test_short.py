"""When a clock is short: one moment for pages and buzzer."""

from __future__ import annotations

import msgspec
import pytest

from device.session.times import SHORT_S, short, short_s
from engine.clocks import ClockKind, ClockRules, resume, wind


@pytest.mark.parametrize(("seconds", "limit"), [(9, 3.0), (30, 10.0), (60, 20.0), (600, SHORT_S)])
def test_a_clock_is_short_with_a_third_of_a_short_move_left_and_with_twenty_seconds_of_a_long_one(
    seconds: int, limit: float
) -> None:
    rules = ClockRules(ClockKind.MOVE, seconds)
    assert short_s(rules) == pytest.approx(limit)
    wound = resume(wind(rules, ("a", "b")), frozenset("a"), 5.0)
    end = 5.0 + seconds
    assert short(wound, end - limit - 0.01) == frozenset()
    assert short(wound, end - limit) == short(wound, end + 9.0) == frozenset("a")


def test_a_clock_that_stands_may_be_short_too_and_without_clocks_none_is() -> None:
    rules = ClockRules(ClockKind.CHESS, 30)
    assert short(msgspec.structs.replace(wind(rules, ("a", "b")), left=(("a", 1.0), ("b", 11.0))), 9.0) == {"a"}
    assert short(resume(wind(ClockRules(), ("a", "b")), frozenset("a"), 0.0), 900.0) == frozenset()
