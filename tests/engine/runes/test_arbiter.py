"""Through ideal eyes the arbiter takes every action that is seen for what it is, and refuses what is wrong."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from engine import match as matches
from engine.arbiter import Accept, Ask, Evidence, Refuse, agreement, gather, judge
from engine.catalogue import complete
from engine.entry import Act, Source
from engine.entry import Start as StartEntry
from engine.match import Match
from engine.runes.match import Queued, State, with_wizard, wizard_at
from engine.table import Touch, Trace
from referee_simulator.dealers.runes import CardLocations, deal
from tests.engine.ideal import IdealTable
from tests.engine.runes.tables import DEALER, chosen_words, play, start, stepped
from tests.engine.runes.turns import GAME, SPEC, Start, turn_from


def a_match(state: State, seats: str) -> Match:
    solo = {"opponent": "automatic"} if len(seats) == 1 else {}
    begun = matches.begin(GAME, StartEntry(0.0, "runes", dict(complete(SPEC.options, solo)), tuple(seats), 1))
    return replace(begun, state=state)


def watched(state: State) -> tuple[IdealTable, Evidence]:
    layout = GAME.layout(state)
    table = IdealTable.of(layout)
    return table, agreement(layout, table.observe())


def verdict_on(state: State, seats: str, trace: Trace, hand: str) -> object:
    """What the arbiter makes of a trace carried out by a hand."""
    table, watch = watched(state)
    table.perform(trace, hand)
    seen = table.observe()
    return judge(GAME, a_match(state, seats), gather(watch, seen), overdue=True)


def follow(seats: str, seed: int, count: int) -> list[tuple[State, CardLocations]]:
    """States of an honest match; every action that a camera can tell is judged on the way."""
    rng = Random(seed)
    state, judged = start(seats, seed), 0
    found: list[tuple[State, CardLocations]] = []
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


@pytest.mark.quick(1)
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
        verdict = judge(GAME, a_match(before, seats), gather(watch, seen))
        assert isinstance(verdict, Accept), verdict
        assert sorted((step.seat, step.words) for step in verdict.steps) == steps


@pytest.mark.thorough
def test_visible_cheats_are_refused() -> None:
    rng, kinds = Random(4), set()
    for state, table in follow("ab", 5, 90)[::3]:
        for cheater in "ab":
            every = list(DEALER.cheats(table, state, cheater))
            for attempt in rng.sample(every, min(4, len(every))):
                verdict = verdict_on(state, "ab", attempt.trace, cheater)
                assert isinstance(verdict, Refuse), (attempt.kind, verdict)
                kinds.add(attempt.kind)
    assert len(kinds) >= 6


def test_one_card_paid_is_not_the_card_that_was_ordered_and_another_on_it() -> None:
    """Of a pile only the top shows: the other card alone is plainer than both."""
    starts = {"a": Start(sequence=("end",)), "b": Start()}
    lines = ("a: lay", "b: lay", "a: reveal ace-of-wyrms", "b: reveal sea", "a: cast drain b end", "b: mirror a")
    state = play(turn_from(starts), *lines)
    match = a_match(state, "ab")
    ordered, _ = matches.advance(GAME, match, Act(1.0, "b", ("pay", "journey"), Source.BUTTONS))
    for card, kind in (("savage", "other card discarded"), ("journey", None)):
        table, watch = watched(state)
        table.perform(GAME.trace(state, "b", GAME.read(state, "b", ("pay", card))), "b")
        seen = table.observe()
        verdict = judge(GAME, ordered, gather(watch, seen), overdue=True)
        if kind is None:
            assert verdict == Accept((), settles=True)
        else:
            assert isinstance(verdict, Refuse)
            assert verdict.kind == kind


@pytest.mark.parametrize(("lifted", "kind"), [(False, Accept), (True, Ask)])
def test_cards_turned_down_are_slid_when_the_next_one_comes_but_not_looked_at(lifted: bool, kind: type) -> None:
    starts = {"a": Start(sequence=("-end", "mill")), "b": Start()}
    state = play(turn_from(starts), "a: lay", "b: lay")
    table, watch = watched(state)
    table.perform(GAME.trace(state, "a", GAME.read(state, "a", ("reveal", "castle"))), "a")
    held = table.zones["sequence-a"][0]
    assert held is not None
    table.touched[held[0]] = Touch(held[0], lifted, 1.0, frozenset({"a"}))
    seen = table.observe()
    assert isinstance(judge(GAME, a_match(state, "ab"), gather(watch, seen), overdue=True), kind)


@pytest.mark.parametrize(("lifted", "kind"), [(False, Accept), (True, Ask)])
def test_a_splay_that_loses_a_card_and_gains_another_is_slid_as_well(lifted: bool, kind: type) -> None:
    """A full sequence closes ranks as the opponent's next card comes: as many cards as before, but not the same."""
    state = play(turn_from({"a": Start()}), "a: lay")
    queue = (Queued("darkness"), Queued("end", down=True), Queued("sea"), Queued("mill"))
    state = with_wizard(state, replace(wizard_at(state, "b"), sequence=queue))
    table, watch = watched(state)
    table.perform(GAME.trace(state, "a", GAME.read(state, "a", ("turn", "castle"))), "a")
    held = table.zones["sequence-b"][0]
    assert held is not None
    table.touched[held[0]] = Touch(held[0], lifted, 1.0, frozenset({"a"}))
    seen = table.observe()
    assert isinstance(judge(GAME, a_match(state, "a"), gather(watch, seen), overdue=True), kind)
