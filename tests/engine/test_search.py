"""The search for what may have been done: what it leaves aside, and what is said where it is broken off."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine import match as matches
from engine.arbiter import Ask, Evidence, Refuse, agreement, gather, judge, search
from engine.catalogue import AnyGame
from engine.entry import Act, Source, Start
from engine.game import Choice, Words
from engine.match import Match
from engine.table import Observation, Seat, Trace
from referee_simulator.conformance.playouts import load
from tests.engine.ideal import IdealTable

GAME, OPTIONS = load("tellstones", {"first_stone": "scales", "starter": "a"})


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


def _attempted(match: Match, kind: str, pieces: int) -> Trace:
    """The first attempt of a kind that handles so many pieces."""
    every = (each.trace for each in GAME.attempts(match.state) if each.kind == kind)
    return next(trace for trace in every if len(trace.handled) == pieces)


def test_what_was_out_of_sight_and_still_is_was_not_handled(monkeypatch: pytest.MonkeyPatch) -> None:
    match, followed = _placed(), list[Any]()
    monkeypatch.setattr(search, "carry", lambda *given: followed.append(given))
    blind = _unseen(IdealTable.of(GAME.layout(match.state)).observe())
    evidence = gather(agreement(GAME.layout(match.state), blind), blind)
    assert search.displaced_tracks(evidence) == {None}
    assert search.readings(GAME, match.state, evidence.base, evidence) == search.Search()
    assert not followed


def test_a_stone_that_was_laid_and_hidden_since_was_laid() -> None:
    match: Match = matches.begin(GAME, Start(0.0, "tellstones", dict(OPTIONS), ("a", "b"), 1))
    table, state = IdealTable.of(GAME.layout(match.state)), match.state
    before = agreement(GAME.layout(state), table.observe())
    done = (("place", "knight", "left"), ("place", "crown", "left"), ("hide", "knight"))
    for words in done:
        (seat,) = GAME.actors(state)
        action = GAME.read(state, seat, words)
        table.perform(GAME.trace(state, seat, action))
        state, _ = GAME.apply(state, seat, action)
    told = judge(GAME, match, gather(before, table.observe(1.0)))
    assert isinstance(told, Ask)
    assert done in [tuple(step.words for step in reading) for reading in told.readings]


class _Guest:
    """A game that does not stand on `engine.rules`, and notes in which states its first menu was asked for."""

    def __init__(self, game: AnyGame) -> None:
        self._game, self.asked = game, list[Any]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def choices(self, state: Any, seat: Seat, prefix: Words = ()) -> tuple[Choice, ...]:
        if not prefix:
            self.asked.append(state)
        return self._game.choices(state, seat, prefix)


@pytest.mark.parametrize(("kind", "pieces"), [("placed between", 1), ("two actions", 2)])
def test_of_looks_in_one_state_the_menus_are_walked_once(kind: str, pieces: int) -> None:
    guest: Any = _Guest(GAME)
    match = _placed()
    evidence = _after(match, _attempted(match, kind, pieces))
    for overdue in (False, True, True):
        assert judge(guest, match, evidence, overdue=overdue) == judge(GAME, match, evidence, overdue=overdue)
    assert sum(state is match.state for state in guest.asked) == 1


def test_a_search_that_is_broken_off_accuses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    match = _placed()
    evidence = _after(match, _attempted(match, "two actions", 2))
    told = judge(GAME, match, evidence, overdue=True)
    assert isinstance(told, Refuse)
    assert told.violations
    monkeypatch.setattr(search, "BREADTH", 0)
    broken_off = judge(GAME, match, evidence, overdue=True)
    assert isinstance(broken_off, Refuse)
    assert (broken_off.kind, broken_off.violations, broken_off.by) == ("unexplained", (), None)
    assert broken_off.text != told.text
    assert broken_off.put_back == told.put_back
