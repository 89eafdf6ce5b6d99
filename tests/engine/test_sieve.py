"""The quick test by looks: whatever it rejects, the comparison rejects as well, and it lets the right layout pass."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from device.conformance.playouts import Step, load, playout
from engine.arbiter import agreement, gather
from engine.arbiter.compare import Fit, Sieve, compare
from engine.arbiter.expectation import carry
from engine.catalogue import AnyGame
from engine.grammar import sentences
from engine.table import Observation, Sight, Sighting, Trace
from tests.engine.ideal import IdealTable

GAMES = {"tellstones": ("a", "b"), "fence": ("a", "b"), "runes": ("a", "b", "c")}


def _traces(rules: AnyGame, step: Step) -> list[Trace]:
    legal = (
        rules.trace(step.state, seat, rules.read(step.state, seat, words))
        for seat in sorted(rules.actors(step.state))
        for words in sentences(rules, step.state, seat)
    )
    return [*legal, *(attempt.trace for attempt in rules.attempts(step.state))]


def _blurred(rng: Random, seen: Observation) -> Observation:
    """The observation with a piece here and there covered or not named."""

    def blur(sighting: Sighting | None) -> Sighting | None:
        if sighting is None or rng.random() < 0.9:
            return sighting
        return replace(sighting, sight=rng.choice((Sight.COVERED, Sight.UNKNOWN)), kind=None)

    return replace(seen, zones=tuple(replace(z, pieces=tuple(map(blur, z.pieces))) for z in seen.zones))


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", GAMES)
def test_what_the_sieve_rejects_does_not_fit(name: str) -> None:
    rules, options = load(name, {})
    rng, rejected, passed = Random(7), 0, 0
    steps = [step for seed in range(4) for step in playout(rules, options, GAMES[name], seed, 100).steps]
    for step in rng.sample(steps, 12):
        traces = _traces(rules, step)
        done = rng.choice([trace for trace in traces if not trace.unseen])
        table = IdealTable.of(rules.layout(step.state))
        watch = agreement(rules.layout(step.state), table.observe())
        table.perform(done)
        seen = table.observe(1.0)
        for observation in (seen, _blurred(rng, seen)):
            now = gather(watch, observation)
            sieve = Sieve(now)
            assert sieve.passes(done.layout)
            for trace in traces:
                fit = compare(carry(watch.base, trace), now)
                if sieve.passes(trace.layout):
                    passed += 1
                else:
                    rejected += 1
                    assert fit is Fit.NO, trace
    assert min(rejected, passed) > 20
