"""Steps that time themselves: each without the steps inside it, also when one fails."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from vision.step_timing import Parts, TimedStep, Times, run_together


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Walk:
    """A look of three steps, one inside another."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.times = Times(self.clock)

    @TimedStep("whole")
    def whole(self) -> str:
        self.clock.now += 0.001
        self.part(seconds=0.004)
        self.clock.now += 0.002
        self.part(seconds=0.005)
        return "done"

    @TimedStep("part")
    def part(self, *, seconds: float) -> None:
        self.clock.now += seconds

    @Parts("long")
    def long(self) -> Generator[None, None, str]:
        self.clock.now += 0.001
        yield
        self.part(seconds=0.004)
        self.clock.now += 0.002
        return "there"

    @TimedStep("bad")
    def bad(self) -> None:
        self.clock.now += 0.003
        raise ValueError("no mat")


def test_a_step_counts_without_those_inside_it_and_all_calls_count() -> None:
    walk = Walk()
    assert walk.whole() == "done"
    assert walk.times.ms == pytest.approx({"whole": 3.0, "part": 9.0})
    assert list(walk.times.ms) == ["whole", "part"]


def test_what_passes_between_steps_is_no_steps() -> None:
    walk = Walk()
    walk.part(seconds=0.001)
    walk.clock.now += 7.0
    walk.part(seconds=0.001)
    assert walk.times.ms == pytest.approx({"part": 2.0})


def test_a_step_that_fails_is_left_and_counted() -> None:
    walk = Walk()
    with pytest.raises(ValueError, match="no mat"):
        walk.bad()
    walk.clock.now += 1.0
    walk.part(seconds=0.002)
    assert walk.times.ms == pytest.approx({"bad": 3.0, "part": 2.0})


def test_another_picture_begins_with_nothing() -> None:
    walk = Walk()
    walk.whole()
    walk.times.begin()
    walk.part(seconds=0.002)
    assert walk.times.ms == pytest.approx({"part": 2.0})
    assert Walk.whole.__name__ == "whole"


def test_of_a_step_in_parts_what_passes_between_them_counts_for_no_step() -> None:
    walk = Walk()
    going = walk.long()
    next(going)
    walk.clock.now += 7.0
    assert run_together(going) == "there"
    assert walk.times.ms == pytest.approx({"long": 3.0, "part": 4.0})
