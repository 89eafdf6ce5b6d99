"""Ready... Fence! passes the suite of all games, in every way that it can be played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from engine.game import OptionValue
from tests.engine.conformance import Conformance


class Fence(Conformance):
    """Nothing that the referee knows is hidden from anybody: hands are real cards, which the state does not hold."""

    game = "fence"
    matches = 6
    cap = 5000
    sampled = 15
    pairs = 40


class TestTutorial(Fence):
    options: ClassVar[Mapping[str, OptionValue]] = {"mode": "tutorial", "passivity": 10, "tutorial_timer": "twelve"}


class TestBasic(Fence):
    options: ClassVar[Mapping[str, OptionValue]] = {"mode": "basic", "passivity": 10}


class TestBasicElimination(Fence):
    options: ClassVar[Mapping[str, OptionValue]] = {
        "mode": "basic",
        "passivity": 6,
        "bout": "elimination",
        "stamina": "off",
        "start_gap": 4,
        "starter": "b",
    }
    seats = ("b", "d")
    matches = 3


class TestAdvanced(Fence):
    options: ClassVar[Mapping[str, OptionValue]] = {"mode": "advanced", "passivity": 10}


class TestAdvancedElimination(Fence):
    options: ClassVar[Mapping[str, OptionValue]] = {
        "mode": "advanced",
        "passivity": 20,
        "bout": "elimination",
        "period_timer": "twelve",
        "must_answer": True,
        "payment": "threshold",
    }
    matches = 3


class TestForEver(Fence):
    """Without the passivity rule a bout need not end; the rule is offered."""

    options: ClassVar[Mapping[str, OptionValue]] = {"mode": "basic", "both_actions": True, "disengage": "always"}
    ends = False
    cap = 600
    matches = 3
