"""A panel on gpiozero's mock pins, with bouncing edges and a clock that the test turns."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from device.buttons.panel import ButtonPanel, Stuck
from device.key_gestures import Button, Gesture, Key
from device.pins import PinLost

PINS = {Button.BACK: 5, Button.NEXT: 6, Button.CHOOSE: 13}


class Bench:
    """Mock pins, a panel on them, and time."""

    def __init__(self) -> None:
        self.time = 0.0
        self.told: list[Key | Stuck] = []
        self.factory = MockFactory()
        self.panel = self.build()

    def build(self) -> ButtonPanel:
        return ButtonPanel("a", PINS, self.told.append, now=lambda: self.time, post=self.post, factory=self.factory)

    @staticmethod
    def post(call: object, *args: object) -> None:
        assert callable(call)
        call(*args)

    def wait(self, seconds: float) -> None:
        until = self.time + seconds
        while (due := self.panel.due()) is not None and due <= until:
            self.time = due
            self.panel.tick()
        self.time = until

    def drive(self, button: Button, pressed: bool) -> None:
        pin = self.factory.pin(PINS[button])
        if pressed:
            pin.drive_low()
        else:
            pin.drive_high()

    def bounce(self, button: Button, pressed: bool, gaps: tuple[float, ...] = (0.001, 0.003, 0.0005, 0.002)) -> None:
        level = pressed
        for gap in gaps:
            self.drive(button, level)
            self.wait(gap)
            level = not level
        self.drive(button, pressed)
        self.wait(0.05)

    def gestures(self) -> list[tuple[Button, Gesture]]:
        return [(key.button, key.gesture) for key in self.told if isinstance(key, Key)]


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.panel.close()
    bench.factory.reset()


def test_a_bouncing_press_is_one_press(bench: Bench) -> None:
    bench.bounce(Button.CHOOSE, True)
    bench.bounce(Button.CHOOSE, False)
    assert bench.gestures() == [(Button.CHOOSE, g) for g in (Gesture.DOWN, Gesture.UP, Gesture.PRESS)]
    assert all(isinstance(key, Key) and key.seat == "a" for key in bench.told)


def test_long_and_repeat_while_held(bench: Bench) -> None:
    bench.bounce(Button.NEXT, True)
    bench.wait(0.9)
    held = [gesture for _, gesture in bench.gestures()]
    assert held[:3] == [Gesture.DOWN, Gesture.LONG, Gesture.REPEAT]
    bench.bounce(Button.NEXT, False)
    assert bench.gestures()[-1] == (Button.NEXT, Gesture.UP)


def test_next_and_choose_work_while_back_is_held(bench: Bench) -> None:
    bench.bounce(Button.BACK, True)
    bench.bounce(Button.CHOOSE, True)
    bench.bounce(Button.CHOOSE, False)
    assert (Button.CHOOSE, Gesture.PRESS) in bench.gestures()
    assert (Button.BACK, Gesture.UP) not in bench.gestures()
    bench.bounce(Button.BACK, False)
    assert bench.gestures()[-1] == (Button.BACK, Gesture.UP), "it showed private text: letting go is no press"
    bench.bounce(Button.BACK, True)
    bench.bounce(Button.BACK, False)
    assert bench.gestures()[-1] == (Button.BACK, Gesture.PRESS)


def test_a_stuck_button_is_reported_and_released(bench: Bench) -> None:
    bench.bounce(Button.BACK, True)
    bench.wait(120)
    assert [stuck.contact for stuck in bench.told if isinstance(stuck, Stuck)] == ["back"]
    assert bench.gestures()[-1] == (Button.BACK, Gesture.UP)


def test_an_edge_that_got_lost_is_made_up_for_at_the_next_tick(bench: Bench) -> None:
    bench.drive(Button.CHOOSE, True)
    pin = bench.factory.pin(PINS[Button.CHOOSE])
    callback, pin.when_changed = pin.when_changed, None
    bench.drive(Button.CHOOSE, False)
    pin.when_changed = callback
    bench.wait(0.1)
    assert [gesture for _, gesture in bench.gestures()] == [Gesture.DOWN, Gesture.UP, Gesture.PRESS]


class HeldPin(MockPin):
    """A pin whose contact is closed to ground when the pull-up is switched on."""

    def _set_pull(self, value: str) -> None:
        super()._set_pull(value)
        self.drive_low()


def test_a_button_held_at_power_on_was_pressed_for_nobody(bench: Bench) -> None:
    bench.panel.close()
    bench.factory.reset()
    bench.factory.pin(PINS[Button.CHOOSE], pin_class=HeldPin)
    bench.panel = bench.build()
    bench.wait(2)
    bench.bounce(Button.CHOOSE, False)
    assert bench.told == []
    bench.bounce(Button.CHOOSE, True)
    assert bench.gestures() == [(Button.CHOOSE, Gesture.DOWN)]


def test_a_pin_that_is_taken_is_an_error_with_its_number(bench: Bench) -> None:
    with pytest.raises(PinLost, match="pin 5"):
        bench.build()


def test_closing_lets_the_pins_go(bench: Bench) -> None:
    bench.panel.close()
    bench.panel = bench.build()
    bench.bounce(Button.NEXT, True)
    assert bench.gestures() == [(Button.NEXT, Gesture.DOWN)]


class TurnedClock:
    """A clock that jumps to whatever is waited for, once nothing else can run."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    async def sleep_until(self, at: float) -> None:
        await asyncio.sleep(0)
        self.time = max(self.time, at)


def test_run_ticks_by_the_clock_it_is_given_and_edges_may_come_from_another_thread() -> None:
    async def play() -> list[Gesture]:
        clock, told, factory = TurnedClock(), list[Gesture](), MockFactory()
        done = asyncio.Event()

        def listener(key: Key | Stuck) -> None:
            assert isinstance(key, Key)
            told.append(key.gesture)
            if key.gesture is Gesture.LONG:
                done.set()

        post = asyncio.get_running_loop().call_soon_threadsafe
        panel = ButtonPanel(None, {Button.CHOOSE: 13}, listener, now=clock.now, post=post, factory=factory)
        task = asyncio.create_task(panel.run(clock))
        await asyncio.to_thread(factory.pin(13).drive_low)
        await asyncio.wait_for(done.wait(), 60)
        task.cancel()
        panel.close()
        factory.reset()
        return told[:2]

    assert asyncio.run(play()) == [Gesture.DOWN, Gesture.LONG]
