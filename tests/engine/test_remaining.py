"""What is still missing of an action that was begun, or ordered: its steps, and nothing that nobody may know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from engine import match as matches
from engine.arbiter import Case, Evidence, Refuse, agreement, gather, judge
from engine.arbiter.repair import steps
from engine.catalogue import AnyGame
from engine.entry import Act, Start
from engine.game import OptionValue
from engine.grammar import sentences
from engine.match import Match
from engine.table import Arrangement, Touch, Trace
from engine.text import Text
from referee_simulator.conformance.playouts import draw_action, load
from tests.engine.fence.bouts import bout, parsed, rules
from tests.engine.ideal import IdealTable
from tests.engine.test_tellstones_conformance import Tellstones

TABLES: dict[str, tuple[str, Mapping[str, OptionValue]]] = {
    "tellstones": ("ab", {}),
    "fence": ("ab", {}),
    "runes": ("abc", {}),
    "planetx": ("ab", {"camera": True}),
}


def positions(name: str, seed: int, count: int = 30, **more: OptionValue) -> Iterator[tuple[AnyGame, Match]]:
    """A match in many states, reached by random play."""
    seats, given = TABLES[name]
    game, options = load(name, {**given, **more})
    dice = Random(seed)
    match = matches.begin(game, Start(0.0, name, dict(options), tuple(seats), seed))
    for _ in range(count):
        if match.result is not None:
            return
        yield game, match
        seat = dice.choice(sorted(game.actors(match.state)))
        match, _ = matches.advance(game, match, Act(match.at, seat, draw_action(game, match.state, seat, dice)))
        match = replace(match, pending=None)


def intents(game: AnyGame, match: Match, dice: Random, most: int = 4) -> list[Trace]:
    """Some legal actions that carry or turn pieces."""
    state = match.state
    every = (
        game.trace(state, seat, game.read(state, seat, words))
        for seat in sorted(game.actors(state))
        for words in list(sentences(game, state, seat))[:100]
    )
    found = [trace for trace in every if trace.moves or trace.turned]
    return dice.sample(found, min(most, len(found)))


def started(game: AnyGame, state: Any) -> tuple[IdealTable, Evidence]:
    table = IdealTable.of(game.layout(state))
    return table, agreement(game.layout(state), table.observe())


def lifted(game: AnyGame, state: Any, trace: Trace) -> Evidence | None:
    """The first piece of an action was taken up, and is in a hand; None if all of them come from hands."""
    table, before = started(game, state)
    source = next((move.source for move in trace.moves if move.source is not None), None)
    if source is None:
        return None
    zone = table.zones[source.zone]
    held = zone[source.index]
    assert held is not None
    if table.orders[source.zone] is Arrangement.CELLS:
        zone[source.index] = None
    else:
        zone.pop(source.index)
    by = frozenset({min(trace.hands, default="a")})
    table.touched[held[0]], table.hands = Touch(held[0], True, 1.0, by), by
    return gather(before, table.observe(1.0))


def said(texts: tuple[Text, ...]) -> list[str]:
    return [str(text) for text in texts]


@pytest.mark.parametrize("name", TABLES)
def test_all_of_it_is_missing_at_first_and_nothing_once_it_is_done(name: str) -> None:
    dice, tried = Random(3), 0
    for game, match in positions(name, 3):
        for trace in intents(game, match, dice):
            table, before = started(game, match.state)
            missing, done = steps(trace, before.base, before)
            assert missing
            assert done == 0
            assert missing == steps(trace, before.base, None)[0], "without eyes all of it is missing, too"
            table.perform(trace)
            after = gather(before, table.observe(1.0))
            assert steps(trace, after.base, after)[0] == ()
            tried += 1
    assert tried > 20


@pytest.mark.quick(1)
@pytest.mark.parametrize("mode", ["standard", "two-line"])
def test_what_is_missing_tells_no_secret(mode: str) -> None:
    """Of two states that nobody can tell apart, the same is said to be missing (law 5)."""
    dice, compared, told = Random(5), 0, 0
    for seed in range(12):
        for game, match in positions("tellstones", seed, mode=mode):
            other = replace(match, state=Tellstones().twin(dice, match.state, None))
            if other.state == match.state:
                continue
            for trace in intents(game, match, dice):
                evidence = lifted(game, match.state, trace)
                if evidence is None:
                    continue
                one, two = (judge(game, each, evidence, overdue=True) for each in (match, other))
                assert getattr(one, "go_on", ()) == getattr(two, "go_on", ())
                compared += 1
                told += bool(getattr(one, "go_on", ()))
    assert compared > 20
    assert told > 0


def test_a_hidden_stone_is_named_by_its_place_and_a_card_from_a_hand_not_at_all() -> None:
    game, options = load("tellstones", {"first_stone": "scales", "starter": "a"})
    match = matches.begin(game, Start(0.0, "tellstones", dict(options), ("a", "b"), 1))
    for seat, line in (("a", "place crown left"), ("b", "hide crown")):
        match, _ = matches.advance(game, match, Act(0.0, seat, tuple(line.split())))
        match = replace(match, pending=None)
    swap = next(t for t in intents(game, match, Random(1), 100) if len(t.moves) == 2)
    missing, _ = steps(swap, started(game, match.state)[1].base, None)
    assert sorted(said(missing)) == [
        "Move scales: place 2 of line → place 1 of line.",
        "Move the hidden piece: place 1 of line → place 2 of line.",
    ]
    seat, words = parsed("a: play fleche 6")
    trace = rules().trace(bout(2), seat, rules().read(bout(2), seat, words))
    missing, _ = steps(trace, started(rules(), bout(2))[1].base, None)
    assert "Something is missing: lane-green." in said(missing)
    assert not [text for text in said(missing) if "fleche" in text]


def test_half_an_exchange_asks_for_the_other_half() -> None:
    game, options = load("tellstones", {"first_stone": "scales", "starter": "a"})
    match = matches.begin(game, Start(0.0, "tellstones", dict(options), ("a", "b"), 1))
    for seat, line in (("a", "place crown left"), ("b", "hide crown")):
        match, _ = matches.advance(game, match, Act(0.0, seat, tuple(line.split())))
        match = replace(match, pending=None)
    swap = next(t for t in intents(game, match, Random(1), 100) if len(t.moves) == 2)
    evidence = lifted(game, match.state, swap)
    assert evidence is not None
    verdict = judge(game, match, evidence, overdue=True)
    assert isinstance(verdict, Refuse)
    assert said(verdict.go_on)[0].startswith("Move the hidden piece to place 2")


def orders(game: AnyGame, match: Match) -> Iterator[Match]:
    """The match after each order that somebody may give."""
    for seat in sorted(game.actors(match.state)):
        for words in list(sentences(game, match.state, seat))[:20]:
            yield matches.advance(game, match, Act(match.at, seat, words))[0]


def test_an_order_in_parts_is_not_called_another_one() -> None:
    """The arrow was moved on, and the pawn still stands: that is a part of what was ordered, not something else."""
    game, match, ordered = next(
        (game, match, ordered)
        for game, match in positions("planetx", 1)
        for ordered in orders(game, match)
        if ordered.pending is not None and len(ordered.pending.trace.moves) == 2
    )
    assert ordered.pending is not None
    assert len(Case().missing_steps(ordered)) == 2
    table, before = started(game, match.state)
    table.perform(ordered.pending.trace)
    stays = ordered.pending.trace.moves[1]
    assert stays.source is not None
    assert stays.target is not None
    pawn = table.zones[stays.target.zone].pop(stays.target.index)
    table.zones[stays.source.zone].insert(stays.source.index, pawn)
    verdict = judge(game, ordered, gather(before, table.observe(1.0)), overdue=True)
    assert isinstance(verdict, Refuse)
    assert (verdict.kind, str(verdict.text)) == ("unfinished", "Not finished yet: complete the move.")
    assert [text.startswith("Move ") for text in said(verdict.go_on)] == [True]
    assert verdict.put_back == ()
