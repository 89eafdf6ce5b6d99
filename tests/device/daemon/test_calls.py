"""What an input costs the core, counted in calls: they are the same on every machine, which time is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from device.key_gestures import Button, Gesture, Key
from device.session.messages import Input, Silence, Tick
from device.session.offers import offer
from device.session.screens import screens
from device.session.state import Play
from device.session.table import TABLE
from engine.table import Health
from engine.text import say
from tests.engine.ideal import IdealTable
from tools.bench.bench_calls import CLOCKS, SECOND, Room, of_core
from vision.messages import Report


@pytest.fixture(params=[*CLOCKS, "shared"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path, CLOCKS.get(request.param, {}), shared=request.param == "shared")
    yield made
    made.journal.close()


def test_a_report_that_tells_nothing_costs_next_to_nothing(room: Room) -> None:
    costs = sorted(room.calls(room.empty()).total() for _ in range(SECOND))
    dear = 1 if room.core.table.clock else 0  # once a second a clock shows something else
    assert costs[0] > 0
    assert costs[-1 - dear] < 20


def test_an_action_that_is_seen_enters_few_files_of_the_core(room: Room) -> None:
    assert isinstance(room.core.session.stage, Play)
    before = room.core.session.stage.match.state
    entered = of_core(room.calls(room.report_action()))
    assert room.core.session.stage.match.state != before
    assert "engine/arbiter/case.py" in entered
    assert len(entered) < 25, sorted(entered)


@pytest.mark.parametrize("gesture", [Gesture.DOWN, Gesture.UP])
def test_a_button_that_goes_down_or_up_costs_a_fraction_of_a_press(room: Room, gesture: Gesture) -> None:
    """Each press brings one of both, and waits for it."""
    felt, pressed = (
        room.calls(Key(room.panels[0], Button.NEXT, each, room.now)).total() for each in (gesture, Gesture.PRESS)
    )
    assert 0 < felt < pressed / 4


@pytest.mark.quick(1)
@pytest.mark.parametrize("inputs", [120, pytest.param(800, marks=pytest.mark.soak)])
def test_no_screen_is_left_as_it_was(room: Room, inputs: int) -> None:
    """Whatever comes, each display shows what a screen made again would show, and a press is meant for that."""
    dice, changed = Random(4), 0
    for _ in range(inputs):
        room.now += dice.choice((0.0, 0.05, 0.3, 0.6, 1.0, 5.0))
        before = dict(room.shown.screens)
        room.core.take(anything(room, dice))
        table, session = room.core.table, room.core.session
        assert room.shown.screens == screens(table, session)
        assert {panel: aim.offer for panel, aim in session.aims.items()} == {
            panel: offer(table, session, panel) for panel in {*table.displays} - {TABLE}
        }
        changed += before != room.shown.screens
    assert changed > inputs // 8


def anything(room: Room, dice: Random) -> Input:
    """A press, a look at the table, a camera that fails or moves, or time."""
    seat, button = dice.choice(room.panels), dice.choice((Button.NEXT, Button.CHOOSE, Button.CHOOSE, Button.BACK))
    gesture = dice.choice((Gesture.DOWN, Gesture.UP, *[Gesture.PRESS] * 3, Gesture.LONG))
    playing = isinstance(room.core.session.stage, Play) and room.core.session.stage.match.result is None
    match dice.randrange(8):
        case 0:
            return Report(0, room.now, dice.random() < 0.5, Health.OK)
        case 1:
            return Report(0, room.now, False, dice.choice((Health.OK, Health.DARK)))
        case 2:
            return acted(room) if playing and dice.random() < 0.5 else room.report_rest()
        case 3:
            return Silence(room.now, dice.choice((None, say("Too dark for the camera."))))
        case 4:
            return Tick(room.now)
        case _:
            return Key(seat, button, gesture, room.now)


def acted(room: Room) -> Report:
    """A legal action; who finds the pieces otherwise than the match has them (it was taken back) lays them so first."""
    assert isinstance(room.core.session.stage, Play)
    layout = room.known.game.layout(room.core.session.stage.match.state)
    lying = {zone: tuple(held and held[1] for held in pieces) for zone, pieces in room.pieces.zones.items()}
    if lying != {zone.zone: zone.pieces for zone in layout.zones}:
        room.pieces = replace(IdealTable.of(layout), serial=room.pieces.serial)
    return room.report_action()
