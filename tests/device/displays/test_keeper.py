"""Keepers in a time that the test turns: recovery, back-off, pages, and that one lost display holds up no other."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial

import numpy as np
import pytest
from PIL import Image, ImageChops

from device.clock import WallClock
from device.daemon.displays import Pane, Waking
from device.displays import oled
from device.displays.keeper import Keeper, Lane, Light, Resting, RetryTimes
from device.displays.oled import DisplayLost, Oled
from device.key_gestures import Button, Gesture, Key
from device.settings.table import Display, I2c
from referee_simulator.hardware.oled import SimulatedOled

SIZE = (128, 64)


class Time:
    """A clock that jumps from one sleeper to the next."""

    def __init__(self) -> None:
        self.time = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = itertools.count()

    def now(self) -> float:
        return self.time

    async def sleep_until(self, at: float) -> None:
        if at > self.time:
            future = asyncio.get_running_loop().create_future()
            heapq.heappush(self._sleepers, (at, next(self._count), future))
            await future

    async def pass_by(self, seconds: float) -> None:
        until = self.time + seconds
        await settle()
        while self._sleepers and self._sleepers[0][0] <= until:
            self.time, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                future.set_result(None)
                await settle()
        self.time = until


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def picture(seed: int) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).random((64, 128)) < 0.3)


def same(a: Image.Image, b: Image.Image) -> bool:
    return ImageChops.logical_xor(a, b).getbbox() is None


class Desk:
    """One simulated display with its keeper."""

    def __init__(self) -> None:
        self.time = Time()
        self.wire = SimulatedOled()
        self.told: list[bool] = []
        self.builds = 0
        self.keeper = Keeper("a", self.build, self.time, told=lambda _, there: self.told.append(there))

    def build(self) -> Oled:
        self.builds += 1
        return Oled(Display(I2c()), self.wire)


def test_it_is_blank_at_start_and_shows_the_latest_screen() -> None:
    async def play() -> None:
        menu_state = Desk()
        task = asyncio.create_task(menu_state.keeper.run())
        await menu_state.time.pass_by(0.1)
        assert menu_state.wire.on
        assert menu_state.wire.pixels().getbbox() is None
        menu_state.keeper.show(lambda: [picture(1)])
        menu_state.keeper.show(lambda: [picture(2)])
        await menu_state.time.pass_by(0.01)
        assert same(menu_state.wire.pixels(), picture(2))
        await menu_state.keeper.close()
        assert not menu_state.wire.on
        await task

    asyncio.run(play())


def test_what_is_overtaken_before_its_turn_is_not_drawn() -> None:
    async def play() -> None:
        menu_state, drawn = Desk(), list[int]()

        def drawing(number: int) -> list[Image.Image]:
            drawn.append(number)
            return [picture(number)]

        task = asyncio.create_task(menu_state.keeper.run())
        await menu_state.time.pass_by(0.1)
        for number in (1, 2, 3):
            menu_state.keeper.show(partial(drawing, number))
        assert drawn == []
        await menu_state.time.pass_by(0.01)
        assert drawn == [3]
        assert same(menu_state.wire.pixels(), picture(3))
        await menu_state.keeper.close()
        await task

    asyncio.run(play())


@pytest.mark.parametrize("gone_s", [0.3, 1.0, 7.0, 300.0])
def test_a_display_that_was_gone_shows_the_right_screen_within_two_seconds(gone_s: float) -> None:
    async def play() -> None:
        menu_state = Desk()
        task = asyncio.create_task(menu_state.keeper.run())
        menu_state.keeper.show(lambda: [picture(1)])
        await menu_state.time.pass_by(3.21)
        menu_state.wire.vanish()
        await menu_state.time.pass_by(gone_s / 2)
        menu_state.keeper.show(lambda: [picture(2)])
        await menu_state.time.pass_by(gone_s / 2)
        menu_state.wire.come_back()
        await menu_state.time.pass_by(2.0)
        assert same(menu_state.wire.pixels(), picture(2))
        assert menu_state.told == [True, False, True]
        assert menu_state.builds <= 4 + gone_s
        assert menu_state.keeper.there
        await menu_state.keeper.close()
        await task

    asyncio.run(play())


def test_a_display_that_is_lost_while_it_rests_dark_swallows_no_press() -> None:
    async def play() -> None:
        menu_state = Desk()
        rests = Resting(dim_s=1.0, dark_s=2.0)
        menu_state.keeper = Keeper("a", menu_state.build, menu_state.time, told=lambda *_: None, resting=rests)
        task = asyncio.create_task(menu_state.keeper.run())
        menu_state.keeper.show(lambda: [picture(1)])
        await menu_state.time.pass_by(5.0)
        assert menu_state.keeper._light is Light.DARK
        menu_state.wire.vanish()
        await menu_state.time.pass_by(30.0)
        assert not menu_state.keeper.there
        assert not menu_state.keeper.press()
        await menu_state.keeper.close()
        await task

    asyncio.run(play())


def test_a_display_that_is_missing_from_the_start_is_told_once_and_found_later() -> None:
    async def play() -> None:
        menu_state = Desk()
        menu_state.wire.vanish()
        task = asyncio.create_task(menu_state.keeper.run())
        menu_state.keeper.show(lambda: [picture(1)])
        await menu_state.time.pass_by(60)
        assert menu_state.told == [False]
        menu_state.wire.come_back()
        await menu_state.time.pass_by(2)
        assert same(menu_state.wire.pixels(), picture(1))
        await menu_state.keeper.close()
        await task

    asyncio.run(play())


def test_pages_take_turns_and_an_equal_screen_does_not_start_again() -> None:
    async def play() -> None:
        menu_state, seen = Desk(), []
        task = asyncio.create_task(menu_state.keeper.run())
        pages = [picture(1), picture(2), picture(3)]
        for _ in range(24):
            menu_state.keeper.show(lambda: list(pages))
            await menu_state.time.pass_by(0.5)
            seen.append(next(n for n, page in enumerate(pages) if same(menu_state.wire.pixels(), page)))
        # 5 s the first page, 3 s each of the others
        assert [(page, len(list(run))) for page, run in itertools.groupby(seen)] == [(0, 9), (1, 6), (2, 6), (0, 3)]
        await menu_state.keeper.close()
        await task

    asyncio.run(play())


def test_a_screen_that_stays_costs_only_the_check() -> None:
    async def play() -> None:
        menu_state = Desk()
        task = asyncio.create_task(menu_state.keeper.run())
        menu_state.keeper.show(lambda: [picture(1)])
        await menu_state.time.pass_by(0.5)
        before = menu_state.keeper.sent
        menu_state.keeper.show(lambda: [picture(1)])
        await menu_state.time.pass_by(0.4)
        assert menu_state.keeper.sent == before
        await menu_state.time.pass_by(10)
        assert menu_state.keeper.sent - before <= 10 * 200
        await menu_state.keeper.close()
        await task

    asyncio.run(play())


class Sticking(Oled):
    """A display whose bus hangs from its first picture on."""

    def __init__(self, hang: threading.Event) -> None:
        super().__init__(Display(I2c()), SimulatedOled())
        self._hang, self.stuck = hang, threading.Event()

    def show(self, image: Image.Image) -> None:
        self.stuck.set()
        self._hang.wait(100)

    def close(self) -> None:
        self._hang.wait(100)


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_display_that_hangs_is_given_up_and_nothing_waits_for_it_at_the_end(cancelled: bool) -> None:
    hang = threading.Event()
    display = Sticking(hang)

    async def play() -> None:
        keeper = Keeper(
            "hung", lambda: display, WallClock(), lane=Lane("display-hung"), timeout=RetryTimes(close_s=0.05)
        )
        task = asyncio.create_task(keeper.run())
        keeper.show(lambda: [picture(1)])
        while not display.stuck.is_set():
            await asyncio.sleep(0.01)
        if cancelled:
            task.cancel()
            await asyncio.sleep(0)
        await asyncio.wait_for(keeper.close(), 60)
        task.cancel()

    begun = time.monotonic()
    asyncio.run(play())
    assert time.monotonic() - begun < 60
    assert display not in oled._open
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "display-hung")
    hang.set()


async def eventually(done: Callable[[], bool]) -> None:
    for _ in range(6000):
        if done():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize("hangs", ["at its first picture", "when it is built"])
def test_while_a_bus_hangs_its_keeper_goes_round_says_so_and_goes_on_when_it_lets_go(hangs: str) -> None:
    hang, told, beats = threading.Event(), [], []
    wire = SimulatedOled()

    class Hanging(Oled):
        def show(self, image: Image.Image) -> None:
            hang.wait(100)
            super().show(image)

    def build() -> Oled:
        if hangs == "when it is built":
            hang.wait(100)
        return Hanging(Display(I2c()), wire)

    async def play() -> None:
        timeout = RetryTimes(check_s=0.02, hung_s=1.0)
        clock = WallClock()
        keeper = Keeper(
            "a",
            build,
            clock,
            lane=Lane("a"),
            timeout=timeout,
            told=lambda _, there: told.append(there),
            beat=lambda: beats.append(clock.now()),
        )
        task = asyncio.create_task(keeper.run())
        keeper.show(lambda: [picture(1)])
        await eventually(lambda: told[-1:] == [False])
        assert not keeper.there
        seen = len(beats)
        await eventually(lambda: len(beats) > seen + 3)
        hang.set()
        await eventually(lambda: same(wire.pixels(), picture(1)) and keeper.there)
        await keeper.close()
        await task

    asyncio.run(play())
    assert told == ([True, False, True] if hangs == "at its first picture" else [False, True])


def test_what_a_job_raises_is_raised_where_it_is_waited_for() -> None:
    async def play() -> None:
        lane = Lane("test")
        lane.join()
        assert await asyncio.wrap_future(lane.do(lambda: 7)) == 7
        with pytest.raises(ZeroDivisionError):
            await asyncio.wrap_future(lane.do(lambda: 1 // 0))
        lane.leave()

    asyncio.run(play())


def test_a_display_whose_bus_hangs_holds_up_no_other() -> None:
    async def play() -> None:
        hang = threading.Event()

        def hanging() -> Oled:
            hang.wait(100)
            raise DisplayLost("the bus hangs")

        wire = SimulatedOled()
        clock = WallClock()
        stuck = Keeper("a", hanging, clock, lane=Lane("a"), timeout=RetryTimes(retry_s=30.0, most_s=30.0, close_s=0.2))
        free = Keeper("b", lambda: Oled(Display(I2c()), wire), clock, lane=Lane("b"), timeout=RetryTimes(close_s=60.0))
        tasks = [asyncio.create_task(keeper.run()) for keeper in (stuck, free)]
        stuck.show(lambda: [picture(1)])
        free.show(lambda: [picture(2)])
        await eventually(lambda: same(wire.pixels(), picture(2)))
        assert not stuck.there
        await asyncio.gather(stuck.close(), free.close())
        assert not wire.on
        hang.set()
        await asyncio.gather(*tasks)

    asyncio.run(play())


def test_a_display_that_waits_for_its_bus_is_lost_only_if_nothing_goes_over_it() -> None:
    async def play() -> None:
        clock, lane, told = Time(), Lane("bus"), list[bool]()
        gates = [threading.Event() for _ in range(5)]
        for gate in gates:
            lane.do(partial(gate.wait, 100), float("inf"))
        wire = SimulatedOled()
        keeper = Keeper(
            "a", lambda: Oled(Display(I2c()), wire), clock, lane=lane, told=lambda _, there: told.append(there)
        )
        running = asyncio.create_task(keeper.run())
        for number, gate in enumerate(gates[:-1], 1):
            await clock.pass_by(2.0)
            gate.set()
            await eventually(partial(lambda finished: lane.finished == finished, number))
        assert not told, "eight seconds, in which others were served"
        await clock.pass_by(5.0)
        assert told == [False]
        gates[-1].set()
        await eventually(lambda: told == [False, True])
        await keeper.close()
        await running

    asyncio.run(play())


class Busy:
    """Two displays on one bus, "pressed" and "other", and a job that keeps the bus until it is let go. sent: whose
    pictures went over it, in order, each by its seed.
    """

    def __init__(self) -> None:
        self.sent: list[tuple[str, int]] = []
        self.lane, self.free = Lane("bus"), threading.Event()
        self.keepers = {
            name: Keeper(name, partial(self.glass, name), WallClock(), lane=self.lane, timeout=RetryTimes(check_s=1e6))
            for name in ("other", "pressed")
        }
        self._waking = Waking({name: Pane(SIZE, keeper) for name, keeper in self.keepers.items()})

    def glass(self, name: str) -> Oled:
        sent = self.sent

        class Glass(Oled):
            def show(self, image: Image.Image) -> None:
                sent.append((name, next(seed for seed in range(10) if same(image, picture(seed)))))
                super().show(image)

        return Glass(Display(I2c()), SimulatedOled())

    async def play(self, showing: Callable[[Busy], Awaitable[None]]) -> list[tuple[str, int]]:
        """What was sent of what `showing` shows while the bus is kept."""
        running = [asyncio.create_task(keeper.run()) for keeper in self.keepers.values()]
        await eventually(lambda: all(keeper.there for keeper in self.keepers.values()))
        self.lane.do(lambda: self.free.wait(100), float("inf"))
        await showing(self)
        self.free.set()
        await eventually(lambda: {name for name, _ in self.sent} == set(self.keepers))
        for keeper in self.keepers.values():
            await keeper.close()
        await asyncio.gather(*running)
        return self.sent

    def press(self, name: str) -> None:
        self._waking.wake_if_dark(Key(name, Button.CHOOSE, Gesture.DOWN, 0.0))

    async def show(self, name: str, seed: int) -> None:
        """Shows a picture that waits for the bus when this returns."""
        waiting = self.keepers[name]._bus.queued
        self.keepers[name].show(lambda: [picture(seed)])
        await eventually(lambda: self.keepers[name]._bus.queued not in (None, waiting))


def test_of_displays_on_one_bus_the_one_whose_button_was_pressed_is_served_first() -> None:
    async def showing(bus: Busy) -> None:
        bus.press("other")
        await bus.show("other", 1)
        bus.press("pressed")
        await bus.show("pressed", 2)

    assert asyncio.run(Busy().play(showing)) == [("pressed", 2), ("other", 1)]


def test_a_picture_that_is_overtaken_while_it_waits_for_its_bus_is_never_sent() -> None:
    async def showing(bus: Busy) -> None:
        for seed in (1, 2, 3):
            await bus.show("other", seed)
        await bus.show("pressed", 4)

    assert asyncio.run(Busy().play(showing)) == [("other", 3), ("pressed", 4)]
