"""Ready... Fence! passes the suite of all games, in every way that it can be played."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import ClassVar

from engine.fence.bout import State
from engine.game import OptionValue
from engine.table import Seat
from tests.engine.conformance import Conformance
from tests.engine.fence.twins import twin


class Fence(Conformance):
    """Hands are real cards, which the state does not hold; how coins will fall is all that it hides."""

    game = "fence"
    matches = 6
    cap = 5000
    sampled = 15
    pairs = 200

    def twin(self, rng: Random, state: State, seat: Seat | None) -> State:
        return twin(rng, state, seat)


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
