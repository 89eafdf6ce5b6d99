"""Thousands of random bouts end with the passivity rule and replay identically."""

from __future__ import annotations

import pytest

from engine import match as matches
from engine.entry import Act, Start
from engine.game import OptionValue
from referee_simulator.conformance.playouts import encode_value, load, playout

MODES = ("tutorial", "basic", "advanced")
FORMATS: tuple[dict[str, OptionValue], ...] = (
    {},
    {"bout": "elimination"},
    {"stamina": "off"},
    {"start_gap": 4},
    {"positions": "winning"},
)


def check(mode: str, seed: int) -> None:
    """One bout, in one of several formats, and its replay."""
    game, options = load("fence", {"mode": mode, "passivity": 10, **FORMATS[seed % len(FORMATS)]})
    played = playout(game, options, ("a", "b"), seed, 20_000)
    assert game.outcome(played.last) is not None
    start = Start(0.0, "fence", dict(options), ("a", "b"), seed)
    acts = [Act(float(number), step.seat, step.words) for number, step in enumerate(played.steps, 1)]
    assert encode_value(matches.replay(game, [start, *acts]).state) == encode_value(played.last)


@pytest.mark.quick(1)
@pytest.mark.clause("F105")
@pytest.mark.parametrize("mode", MODES)
def test_random_bouts_end_and_replay(mode: str) -> None:
    for seed in range(len(FORMATS)):
        check(mode, seed)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.clause("F105")
@pytest.mark.parametrize("mode", MODES)
def test_five_thousand_random_bouts_end_and_replay(mode: str) -> None:
    for seed in range(5000):
        check(mode, seed)
