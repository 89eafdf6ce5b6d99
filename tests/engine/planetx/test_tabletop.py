"""The camera's part: pawns and Earth's arrow, where every action puts them (X21, X23)."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from msgspec.structs import replace

from device.printing.mat import load
from engine import match as matches
from engine.arbiter import Accept, Refuse, agreement, gather, judge
from engine.catalogue import complete
from engine.entry import Act, Settle, Source, Start
from engine.planetx.match import State
from engine.table import Layout, Spot
from referee_simulator.conformance.physics import faults
from referee_simulator.conformance.playouts import draw_action
from tests.engine.ideal import IdealTable
from tests.engine.planetx.tables import GAME, SPEC, at, play, start
from vision.mat import Box


def standing(layout: Layout) -> dict[str, int]:
    """The sector of every piece."""
    found = {}
    for zone in layout.zones:
        for index, piece in enumerate(zone.pieces):
            if piece is not None and piece.kind is not None:
                found[piece.kind] = index + 1 if zone.zone == "earth" else int(zone.zone.removeprefix("sector-"))
    return found


def due(state: State, line: str) -> dict[str, int]:
    words = tuple(line.split())
    trace = GAME.trace(state, "a", GAME.read(state, "a", words))
    assert trace.declared
    assert faults(GAME.layout(state), trace) == ()
    return standing(trace.layout)


@pytest.mark.clause("X21", "X23")
def test_an_action_moves_its_pawn_and_earth() -> None:
    state = at(start("ab", camera=True), a=0, b=1)
    assert standing(GAME.layout(state)) == {"spring": 1, "summer": 2, "earth": 1}
    assert due(state, "research R1") == {"spring": 2, "summer": 2, "earth": 2}
    assert due(state, "target 3") == {"spring": 5, "summer": 2, "earth": 2}
    trace = GAME.trace(state, "a", GAME.read(state, "a", ("research", "R1")))
    assert {move.source for move in trace.moves} == {Spot("sector-1", 0), Spot("earth", 0)}


@pytest.mark.clause("X23")
def test_earth_stops_for_a_theory_phase() -> None:
    state = at(start("ab", camera=True), a=1, b=8)
    assert due(state, "target 3") == {"spring": 6, "summer": 9, "earth": 4}


@pytest.mark.clause("X71")
def test_the_opponents_pawn_is_moved_by_the_player() -> None:
    state = start("a", camera=True, opponent="novice")
    after = play(state, "a: target 3")
    assert due(state, "target 3") == standing(GAME.layout(after))
    assert set(standing(GAME.layout(after))) == {"spring", "summer", "earth"}


@pytest.mark.clause("X21")
def test_wrong_moves_are_named() -> None:
    state = at(start("ab", camera=True), a=0, b=0)
    kinds = [attempt.kind for attempt in GAME.attempts(state)]
    assert kinds == 3 * ["moved without an action"]
    action = GAME.read(state, "a", ("target", "3"))
    wrong = list(GAME.misexecutions(state, "a", action))
    assert [attempt.kind for attempt in wrong] == ["one too far", "one short"]
    assert [standing(attempt.trace.layout)["spring"] for attempt in wrong] == [6, 4]
    assert str(wrong[0].violations[0].text) == "the pawn of A belongs on sector 5."


@pytest.mark.clause("X21")
def test_a_look_at_a_wrong_move_follows_no_action(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every action is ordered at the buttons."""
    options = dict(complete(SPEC.options, {"camera": True, "level": "genius"}))
    match = matches.begin(GAME, Start(0.0, "planetx", options, ("a", "b"), 7))
    match = replace(match, state=at(start("ab", camera=True), a=0, b=1))
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    table.perform(next(iter(GAME.attempts(match.state))).trace)
    watch = gather(watch, table.observe(1.0))
    followed = list[object]()
    monkeypatch.setattr(type(GAME), "trace", lambda *given: followed.append(given))
    told = judge(GAME, match, watch, overdue=True)
    assert isinstance(told, Refuse)
    assert told.kind == "moved without an action"
    assert not followed


def test_without_a_camera_there_is_nothing_to_see() -> None:
    state = start("ab")
    action = GAME.read(state, "a", ("target", "3"))
    assert GAME.layout(state) == Layout(())
    assert GAME.trace(state, "a", action).unseen
    assert not list(GAME.attempts(state))
    assert not list(GAME.misexecutions(state, "a", action))


@pytest.mark.parametrize("mode", ["standard", "expert"])
def test_the_mat_has_a_zone_for_everything(mode: str) -> None:
    table = SPEC.table({"mode": mode, "camera": True, "app_only": False}, 2)
    assert table is not None
    mat = load(table.mat or "")
    layout = GAME.layout(start("ab", mode=mode, camera=True))
    assert [zone.zone for zone in layout.zones] == list(table.zones) == [zone.name for zone in mat.zones]
    assert len(mat.zones[-1].cells) == len(layout.zones[-1].pieces)
    assert SPEC.table({"mode": mode, "camera": False, "app_only": False}, 2).mat is None
    boxes = [zone.box for zone in mat.zones]
    assert not [(a, b) for a, b in combinations(boxes, 2) if overlap(a, b)]
    assert all(inside(cell, boxes[-1]) for cell in mat.zones[-1].cells)
    assert not [(a, b) for a, b in combinations(mat.zones[-1].cells, 2) if overlap(a, b)]


@pytest.mark.clause("X21")
@pytest.mark.parametrize("mode", ["standard", "expert"])
def test_the_arbiter_sees_every_order_carried_out(mode: str) -> None:
    """With ideal eyes: whatever is ordered and then done by hand is accepted."""
    rng, seen = Random(7), 0
    options = dict(complete(SPEC.options, {"camera": True, "level": "genius", "years": 5, "mode": mode}))
    match = matches.begin(GAME, Start(0.0, "planetx", options, ("a", "b"), 7))
    table = IdealTable.of(GAME.layout(match.state))
    watch = agreement(GAME.layout(match.state), table.observe())
    while GAME.actors(match.state):
        seat = min(GAME.actors(match.state))
        words = draw_action(GAME, match.state, seat, rng)
        match, _ = matches.advance(GAME, match, Act(match.at, seat, words))
        if match.pending is None:
            continue
        table.perform(match.pending.trace)
        observation = table.observe(match.at + 1)
        watch = gather(watch, observation)
        assert isinstance(judge(GAME, match, watch), Accept), words
        match, _ = matches.advance(GAME, match, Settle(match.at + 1, Source.CAMERA))
        watch = agreement(GAME.layout(match.state), observation)
        seen += 1
    assert seen > 20


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes share more than a rim of 0.2 mm."""
    wide = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    high = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    return wide > 0.2 and high > 0.2


def inside(a: Box, b: Box) -> bool:
    right, bottom = a.x + a.width - b.x - b.width, a.y + a.height - b.y - b.height
    return a.x >= b.x - 0.2 and a.y >= b.y - 0.2 and right <= 0.2 and bottom <= 0.2
