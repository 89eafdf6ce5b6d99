"""Through ideal eyes the arbiter takes every action that is seen for what it is, and refuses what is wrong."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from engine import match as matches
from engine.arbiter import Accept, Refuse, Watch, agreed, gather, judge
from engine.entry import Start
from engine.match import Match
from engine.options import complete
from engine.runes.dealer import Table, cheats, deal
from engine.runes.state import State
from engine.table import Trace
from tests.engine.ideal import IdealTable
from tests.engine.runes.tables import chosen_words, start, stepped
from tests.engine.runes.turns import GAME, SPEC


def a_match(state: State, seats: str) -> Match:
    solo = {"opponent": "automatic"} if len(seats) == 1 else {}
    begun = matches.begin(GAME, Start(0.0, "runes", dict(complete(SPEC.options, solo)), tuple(seats), 1))
    return replace(begun, state=state)


def watched(state: State) -> tuple[IdealTable, Watch]:
    layout = GAME.layout(state)
    table = IdealTable.of(layout)
    return table, agreed(layout, table.observe())


def verdict_on(state: State, seats: str, trace: Trace, hand: str) -> object:
    """What the arbiter makes of a trace carried out by a hand."""
    table, watch = watched(state)
    table.perform(trace, hand)
    seen = table.observe()
    return judge(GAME, a_match(state, seats), gather(watch, seen), seen, overdue=True)


def follow(seats: str, seed: int, count: int) -> list[tuple[State, Table]]:
    """States of an honest match; every action that a camera can tell is judged on the way."""
    rng = Random(seed)
    state, judged = start(seats, seed), 0
    found: list[tuple[State, Table]] = []
    table = deal(state.deck, tuple(seats), seed)
    while GAME.outcome(state) is None and len(found) < count:
        found.append((state, table))
        seat = rng.choice(sorted(GAME.actors(state)))
        words = chosen_words(rng, table, state, seat)
        trace = GAME.trace(state, seat, GAME.read(state, seat, words))
        if not trace.declared and not trace.unseen:
            verdict = verdict_on(state, seats, trace, seat)
            assert isinstance(verdict, Accept), (words, verdict)
            assert [(step.seat, step.words) for step in verdict.steps] == [(seat, words)]
            judged += 1
        state, table = stepped(rng, table, state, seat, words)
    assert judged > count // 6
    return found


@pytest.mark.parametrize("seats", ["a", "ab", "abcd"])
def test_every_action_that_is_seen_is_accepted_as_itself(seats: str) -> None:
    follow(seats, 3, 120)


@pytest.mark.clause("R21")
@pytest.mark.clause("R24")
@pytest.mark.parametrize("seats", ["ab", "abc", "abcd"])
def test_all_may_lay_and_reveal_between_two_looks(seats: str) -> None:
    """What is done at the same time has no order: no question which came first."""
    state = start(seats)
    for lines in ([("lay",)] * 4, [("reveal", card) for card in ("mill", "sea", "origin", "end")]):
        table, watch = watched(state)
        before, steps = state, list(zip(seats, lines, strict=False))
        for seat, words in reversed(steps):
            action = GAME.read(state, seat, words)
            table.perform(GAME.trace(state, seat, action), seat)
            state = GAME.apply(state, seat, action)[0]
        seen = table.observe()
        verdict = judge(GAME, a_match(before, seats), gather(watch, seen), seen)
        assert isinstance(verdict, Accept), verdict
        assert sorted((step.seat, step.words) for step in verdict.steps) == steps


def test_visible_cheats_are_refused() -> None:
    rng, kinds = Random(4), set()
    for state, table in follow("ab", 5, 90)[::3]:
        for cheater in "ab":
            every = list(cheats(table, state, cheater))
            for attempt in rng.sample(every, min(4, len(every))):
                verdict = verdict_on(state, "ab", attempt.trace, cheater)
                assert isinstance(verdict, Refuse), (attempt.kind, verdict)
                kinds.add(attempt.kind)
    assert len(kinds) >= 6
