"""An OLED that nobody uses is dimmed, then dark; a press or a hand wakes it, and that press counts as nothing."""

from __future__ import annotations

import asyncio

import pytest
from PIL import Image

from device.daemon.displays import Pane, Waking
from device.displays.keeper import Keeper, Light, Resting
from device.key_gestures import Button, Gesture, Key
from device.screens.screen import Screen
from engine.text import say
from tests.device.displays.test_keeper import Time

RESTING = Resting(dim_s=10.0, dark_s=60.0)
CALM = Screen(say("Who is playing?"))
ALERT = Screen(alert=say("What happened?"))
CLOCKED = Screen(say("Who is playing?"), ("A 1:00",))


class Glass:
    """A display that keeps what it was told."""

    size = (128, 64)
    sent = 0

    def __init__(self) -> None:
        self.lit = self.dimmed = False

    def show(self, image: Image.Image) -> None:
        self.lit = image.getbbox() is not None

    def dim(self, dimmed: bool) -> None:
        self.dimmed = dimmed

    def refresh(self) -> None:
        """It is there."""

    def close(self) -> None:
        self.lit = False

    drop = give_up = close


@pytest.mark.parametrize(
    ("idle", "stays", "light"),
    [
        (9.9, False, Light.FULL),
        (10.0, False, Light.DIM),
        (60.0, False, Light.DARK),
        (60.0, True, Light.DIM),
        (9.9, True, Light.FULL),
    ],
)
def test_a_display_is_dimmed_and_dark_in_time(idle: float, stays: bool, light: Light) -> None:
    assert RESTING.light(idle, stays=stays) is light


def rested(screen: Screen, *keys: Gesture, seconds: float = 70.0, hand: bool = False) -> tuple[Glass, list[bool]]:
    """The display after so long without use, then these gestures of CHOOSE; and which of them only woke it."""
    glass, clock, woke = Glass(), Time(), []

    async def play() -> None:
        pane = Pane((128, 64), Keeper("a", lambda: glass, clock, resting=RESTING))
        waking, task = Waking({"a": pane}), asyncio.create_task(pane.run())
        pane.show(screen, "en")
        await clock.pass_by(seconds)
        for gesture in keys:
            woke.append(waking.wake_if_dark(Key("a", Button.CHOOSE, gesture, clock.now())))
            await clock.pass_by(2.0)
        if hand:
            waking.hand()
            await clock.pass_by(2.0)
        task.cancel()

    asyncio.run(play())
    return glass, woke


def test_a_calm_display_goes_dark() -> None:
    glass, _ = rested(CALM, seconds=20.0)
    assert (glass.lit, glass.dimmed) == (True, True)
    glass, _ = rested(CALM)
    assert not glass.lit


@pytest.mark.parametrize("screen", [ALERT, CLOCKED])
def test_an_alert_or_a_clock_stays_lit(screen: Screen) -> None:
    glass, _ = rested(screen)
    assert (glass.lit, glass.dimmed) == (True, True)


def test_the_press_that_wakes_counts_as_nothing_and_the_next_one_counts() -> None:
    press = (Gesture.DOWN, Gesture.UP, Gesture.PRESS)
    glass, woke = rested(CALM, *press, *press)
    assert (glass.lit, glass.dimmed) == (True, False)
    assert woke == [True, True, True, False, False, False]


def test_a_turn_of_an_encoder_that_wakes_counts_as_nothing_either() -> None:
    _, woke = rested(CALM, Gesture.PRESS, Gesture.PRESS)
    assert woke == [True, False]


def test_a_press_on_a_dim_display_counts() -> None:
    glass, woke = rested(CALM, Gesture.DOWN, seconds=20.0)
    assert (glass.dimmed, woke) == (False, [False])


def test_a_hand_wakes_every_display() -> None:
    glass, _ = rested(CALM, hand=True)
    assert (glass.lit, glass.dimmed) == (True, False)
