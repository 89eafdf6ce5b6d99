"""The quick test by looks: whatever it rejects, the comparison rejects as well, and it lets the right layout pass.
A glance rules out no action that a verdict would count."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from engine import match as matches
from engine.arbiter import Evidence, Verdict, agreement, gather, judge
from engine.arbiter.compare import FitGrade, Sieve, compare
from engine.arbiter.expectation import carry
from engine.catalogue import AnyGame
from engine.entry import Start
from engine.grammar import sentences
from engine.rules import Rules
from engine.table import Arrangement, Observation, Sight, Sighting, Trace, ZoneSight
from referee_simulator.conformance.playouts import Step, load, playout
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


def _held(rng: Random, seen: Observation) -> Observation:
    """The observation without one of its pieces: a hand has it."""
    there = [(zone.zone, i) for zone in seen.zones for i, piece in enumerate(zone.pieces) if piece is not None]
    held, index = rng.choice(there)

    def without(zone: ZoneSight) -> ZoneSight:
        left = (None,) if zone.order is Arrangement.CELLS else ()
        return replace(zone, pieces=(*zone.pieces[:index], *left, *zone.pieces[index + 1 :]))

    return replace(seen, zones=tuple(without(zone) if zone.zone == held else zone for zone in seen.zones))


def _done(rng: Random, rules: AnyGame, state: Any) -> Iterator[Trace]:
    """Up to three legal actions in a row, or something illegal."""
    wrong = [attempt.trace for attempt in rules.attempts(state) if not attempt.trace.unseen]
    if wrong and rng.random() < 0.5:
        yield rng.choice(wrong)
        return
    for _ in range(rng.randint(1, 3)):
        legal = [(s, rules.read(state, s, w)) for s in sorted(rules.actors(state)) for w in sentences(rules, state, s)]
        if not (visible := [(s, a) for s, a in legal if not rules.trace(state, s, a).unseen]):
            return
        seat, action = rng.choice(visible)
        yield rules.trace(state, seat, action)
        state, _ = rules.apply(state, seat, action)


@pytest.mark.parametrize("name", GAMES)
def test_a_glance_changes_no_verdict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, options = load(name, {})
    rng, begun = Random(3), matches.begin(rules, Start(0.0, name, dict(options), GAMES[name], 1))
    steps = [step for seed in range(4) for step in playout(rules, options, GAMES[name], seed, 100).steps]
    looks = list[tuple[matches.Match, Evidence, bool, Verdict]]()
    for step in rng.sample(steps, 20):
        table = IdealTable.of(rules.layout(step.state))
        watch = agreement(rules.layout(step.state), table.observe())
        for trace in _done(rng, rules, step.state):
            table.perform(trace)
        seen, match = table.observe(1.0), replace(begun, state=step.state)
        for look, overdue in product((seen, _blurred(rng, seen), _held(rng, seen)), (False, True)):
            now = gather(watch, look)
            looks.append((match, now, overdue, judge(rules, match, now, overdue=overdue)))
    assert len({type(verdict) for *_, verdict in looks}) >= 4
    assert isinstance(rules, Rules)
    for kind in rules.actions:
        monkeypatch.setattr(kind, "may_be_seen", lambda *_: True)
    for match, now, overdue, verdict in looks:
        assert judge(rules, match, now, overdue=overdue) == verdict


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
                    assert fit is FitGrade.NO, trace
    assert min(rejected, passed) > 20
