"""What waits for its turn stays in order and few, and nothing of weight is left out."""

from __future__ import annotations

import asyncio

import pytest

from device.daemon.input_queue import MOST, Inputs
from device.key_gestures import Button, Gesture, Key
from device.session.messages import Input, Tick
from engine.table import Health, Observation
from vision.messages import Report


def frame(number: int, *, moving: bool = False, health: Health = Health.OK, seen: bool = False) -> Report:
    observation = Observation(number, float(number), ()) if seen else None
    return Report(number, float(number), moving, health, observation)


def key(at: float) -> Key:
    return Key("a", Button.NEXT, Gesture.PRESS, at)


def taken(*given: Input) -> list[Input]:
    """What is taken of these inputs if all wait when the first is taken."""

    async def play() -> list[Input]:
        inputs, found = Inputs(), []
        for each in given:
            inputs.put(each)
        waiting = asyncio.ensure_future(inputs.join())
        while not waiting.done():
            found.append(await inputs.get())
            inputs.mark_done()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return found

    return asyncio.run(asyncio.wait_for(play(), 60))


def test_frames_in_which_nothing_was_seen_become_one_that_says_what_moved() -> None:
    many = [frame(n, moving=n == 3) for n in range(1, 1000)]
    assert taken(*many) == [frame(999, moving=True)]


@pytest.mark.parametrize(
    "given",
    [
        (frame(1), key(1.5), frame(2)),
        (frame(1), frame(2, health=Health.DARK), frame(3)),
        (frame(1), frame(2, seen=True), frame(3)),
        (frame(1), Tick(1.5), frame(2)),
        (frame(0), frame(1)),
        (key(1.0), key(2.0)),
    ],
)
def test_what_says_something_by_itself_stays_in_its_place(given: tuple[Input, ...]) -> None:
    assert taken(*given) == list(given)


def test_what_is_being_taken_is_not_changed() -> None:
    async def play() -> None:
        inputs = Inputs()
        inputs.put(frame(1))
        first = await inputs.get()
        inputs.put(frame(2))
        assert (first, await inputs.get()) == (frame(1), frame(2))

    asyncio.run(play())


def test_more_than_anybody_can_press_is_lost_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    pressed = [key(float(n)) for n in range(MOST + 20)]
    assert taken(*pressed) == pressed[:MOST]
    assert len(caplog.records) == 1
    assert "what comes now is lost" in caplog.text
