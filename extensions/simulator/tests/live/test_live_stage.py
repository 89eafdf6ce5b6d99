"""The running table as the panel sees it: hands, pins, displays, knobs and faults on one clock."""

from __future__ import annotations

import math

import pytest

from device import games
from device.key_gestures import Button
from device.session.table import KnownGame
from engine.table import Face, Seat
from referee_simulator.hardware.oled import SimulatedOled
from referee_simulator.hardware.pins import Pins
from referee_simulator.live.live_stage import LiveStage
from referee_simulator.live.table_parts import Parts
from referee_simulator.table.scenes import Scene

PINS: dict[tuple[Seat | None, Button], int] = {
    ("a", Button.BACK): 5,
    ("a", Button.NEXT): 6,
    ("a", Button.CHOOSE): 7,
    ("b", Button.CHOOSE): 8,
}


class HandClock:
    """Time goes on when the test says so."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def sleep_until(self, at: float) -> None:
        self.time = max(self.time, at)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def stage(clock: HandClock) -> LiveStage:
    spec = games.spec("tellstones")
    parts = Parts(Pins(PINS, seed=1), {"a": SimulatedOled(), "table": SimulatedOled("ssd1322", (256, 64))})
    mat = games.mats(["tellstones"])["tellstones"]
    known = {"tellstones": KnownGame(spec, games.game(spec))}
    return LiveStage(known, "tellstones", ("a", "b"), mat, scene=Scene(seed=4), parts=parts, clock=clock)


def test_the_pieces_are_set_out_as_the_rules_want_them(stage: LiveStage) -> None:
    bodies = stage.truth().bodies
    assert sorted(body.kind for body in bodies) == sorted(
        ["crown", "shield", "sword", "flag", "knight", "hammer", "scales"]
    )
    zone = {zone.name: zone.box for zone in stage.mat.zones}
    in_line = [body for body in bodies if zone["line"].y < body.y < zone["line"].y + zone["line"].height]
    assert len(in_line) == 1


def test_a_piece_is_turned_by_a_hand_and_not_at_once(stage: LiveStage, clock: HandClock) -> None:
    body = stage.truth().bodies[0]
    stage.flip("a", body.id)
    clock.time = 0.01
    assert stage.truth().body(body.id).face is Face.UP
    assert not stage.table.resting(clock.time)
    clock.time = 10.0
    assert stage.truth().body(body.id).face is Face.DOWN
    assert stage.table.resting(clock.time)
    assert stage.peek("b", body.id) == body.kind
    assert stage.truth().body(body.id).held
    stage.lower("b")
    after = stage.truth().body(body.id)
    assert not after.held
    assert 0.0 < math.hypot(after.x - body.x, after.y - body.y) < 3.0, "no hand finds the very place"


def test_a_piece_is_carried_and_everything_set_out_anew(stage: LiveStage) -> None:
    body = stage.truth().bodies[1]
    stage.take("a", body.id)
    stage.carry("a", 100.0, 150.0)
    assert stage.truth().body(body.id).held
    stage.drop("a", 101.0, 151.0)
    moved = stage.truth().body(body.id)
    assert (moved.x, moved.y, moved.held) == (101.0, 151.0, False)
    stage.lay()
    assert (stage.truth().body(body.id).x, stage.truth().body(body.id).y) != (101.0, 151.0)


def test_another_mat_is_laid_once_and_keeps_the_faults(stage: LiveStage) -> None:
    stage.throw("black", True)
    two = games.mats(["tellstones-two"])["tellstones-two"]
    stage.change_mat(two)
    laid = stage.table
    assert (laid.mat, laid.faults.black) == (two, True)
    assert len(stage.truth().bodies) >= 14
    stage.change_mat(two)
    assert stage.table is laid


def test_knobs_turn_within_their_bounds(stage: LiveStage) -> None:
    stage.turn("stops", 1.5)
    stage.turn("kelvin", 99_999)
    standing = {knob.name: knob for knob in stage.knobs()}
    assert standing["stops"].value == 1.5
    assert standing["kelvin"].value == standing["kelvin"].high
    assert all(knob.low <= knob.value <= knob.high for knob in standing.values())
    with pytest.raises(KeyError):
        stage.turn("jitter_mm", 3)


def test_switches_fail_what_they_name(stage: LiveStage) -> None:
    stage.throw("gone", True)
    assert stage.table.frame(0.0) is None
    stage.throw("gone", False)
    stage.throw("glare", True)
    assert stage.table.faults.glare > 0
    stage.throw("display table", True)
    stage.throw("stuck b", True)
    assert stage.pins.factory.pin(8).state == 0
    on = {switch.name for switch in stage.switches() if switch.on}
    assert on == {"glare", "display table", "stuck b"}
    for name in on:
        stage.throw(name, False)
    assert not any(switch.on for switch in stage.switches())
    with pytest.raises(KeyError):
        stage.throw("earthquake", True)
    with pytest.raises(KeyError):
        stage.throw("display z", True)


def test_buttons_reach_their_pins(stage: LiveStage, clock: HandClock) -> None:
    pin = stage.pins.factory.pin(7)
    stage.press("a", Button.CHOOSE)
    stage.pins.advance(1.0)
    assert pin.state == 0
    clock.time = 2.0
    stage.release("a", Button.CHOOSE)
    stage.pins.advance(3.0)
    assert pin.state == 1
    with pytest.raises(KeyError):
        stage.press("b", Button.BACK)


def test_a_press_and_its_end_that_come_together_are_a_press_all_the_same(stage: LiveStage, clock: HandClock) -> None:
    pin = stage.pins.factory.pin(7)
    stage.press("a", Button.CHOOSE)
    stage.release("a", Button.CHOOSE)
    stage.pins.advance(0.04)
    assert pin.state == 0
    stage.pins.advance(0.1)
    assert pin.state == 1


def test_displays_are_shown_as_bits(stage: LiveStage) -> None:
    screens = stage.screens()
    assert {name: (pixels.width, pixels.height, len(pixels.bits)) for name, pixels in screens.items()} == {
        "a": (128, 64, 1024),
        "table": (256, 64, 2048),
    }
    assert not any(screens["a"].bits), "a display that nobody has set up is dark"


def test_who_plays_is_told_once(stage: LiveStage) -> None:
    told: list[str] = []
    stage.played = told.append
    for auto in ("honest", "honest", "off"):
        stage.play(auto)
    assert told == ["honest", "off"]
    assert stage.auto() == "off"
