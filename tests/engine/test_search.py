"""The search for what may have been done: what it leaves aside, and what is said where it is broken off."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from device.conformance.playouts import load
from engine import match as matches
from engine.arbiter import Evidence, Refuse, agreement, gather, judge, search
from engine.entry import Act, Source, Start
from engine.match import Match
from engine.table import Observation, Trace
from tests.engine.ideal import IdealTable

GAME, OPTIONS = load("tellstones", {"first_stone": "scales"})


def _placed() -> Match:
    match: Match = matches.begin(GAME, Start(0.0, "tellstones", dict(OPTIONS), ("a", "b"), 1))
    for number, stone in enumerate(("crown", "shield", "flag", "knight", "sword")):
        match, _ = matches.advance(GAME, match, Act(0.0, "ab"[number % 2], ("place", stone, "left"), Source.CAMERA))
    return match


def _unseen(seen: Observation) -> Observation:
    return replace(seen, zones=tuple(replace(zone, pieces=()) for zone in seen.zones))


def _after(match: Match, trace: Trace) -> Evidence:
    table = IdealTable.of(GAME.layout(match.state))
    before = agreement(GAME.layout(match.state), table.observe())
    table.perform(trace)
    return gather(before, table.observe(1.0))


def test_what_was_out_of_sight_and_still_is_was_not_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    match, followed = _placed(), list[Any]()
    monkeypatch.setattr(search, "carry", lambda *given: followed.append(given))
    blind = _unseen(IdealTable.of(GAME.layout(match.state)).observe())
    evidence = gather(agreement(GAME.layout(match.state), blind), blind)
    assert search.displaced(evidence) == {None}
    assert search.readings(GAME, match.state, evidence.base, evidence) == search.Search()
    assert not followed


def test_a_search_that_is_broken_off_accuses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    match = _placed()
    attempt = next(each for each in GAME.attempts(match.state) if each.kind == "two actions")
    evidence = _after(match, attempt.trace)
    told = judge(GAME, match, evidence, overdue=True)
    assert isinstance(told, Refuse)
    assert told.breaches
    monkeypatch.setattr(search, "BREADTH", 0)
    broken_off = judge(GAME, match, evidence, overdue=True)
    assert isinstance(broken_off, Refuse)
    assert (broken_off.kind, broken_off.breaches, broken_off.by) == ("unexplained", (), None)
    assert broken_off.text != told.text
    assert broken_off.put_back == told.put_back
