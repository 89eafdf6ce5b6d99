"""Simulated pins bounce, stick, and end as the finger left them."""

from __future__ import annotations

import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from device.buttons.panel import ButtonPanel, Stuck
from device.key_gestures import Button, Gesture, Key
from engine.table import Seat
from referee_simulator.hardware.pins import Bounce, Pins, train

WIRING: dict[tuple[Seat | None, Button], int] = {("a", Button.BACK): 2, ("a", Button.NEXT): 3, ("a", Button.CHOOSE): 4}


@given(st.integers(0, 9999), st.booleans())
def test_a_train_of_edges_alternates_and_ends_as_it_should(seed: int, closed: bool) -> None:
    edges = train(random.Random(seed), 3, closed, 1.0, Bounce())
    assert edges[0].at == 1.0
    assert edges[-1].closed is closed
    assert all(a.closed is not b.closed and a.at <= b.at for a, b in itertools.pairwise(edges))
    assert edges[-1].at <= 1.0 + Bounce().lasts_s


def keys(seed: int, stuck: bool = False) -> list[Key]:
    now, heard = 0.0, list[Key]()

    def listen(what: Key | Stuck) -> None:
        if isinstance(what, Key) and what.gesture is Gesture.PRESS:
            heard.append(what)

    pins = Pins(WIRING, seed)
    panel = ButtonPanel(
        "a",
        {button: pin for (_, button), pin in WIRING.items()},
        listen,
        now=lambda: now,
        post=lambda call, *given: call(*given),
        factory=pins.factory,
    )
    if stuck:
        pins.stick("a", Button.NEXT, True)
    pins.tap("a", Button.NEXT, 0.1)
    pins.tap("a", Button.CHOOSE, 0.4)
    while now < 1.0:
        now = round(now + 0.001, 3)
        pins.advance(now)
        panel.tick()
    panel.close()
    return heard


def test_a_bouncing_press_is_one_press() -> None:
    for seed in range(20):
        assert [key.button for key in keys(seed)] == [Button.NEXT, Button.CHOOSE]


def test_a_stuck_button_says_nothing_more() -> None:
    assert [key.button for key in keys(1, stuck=True)] == [Button.CHOOSE]


def test_a_day_of_presses_leaves_no_log_behind() -> None:
    """gpiozero's mock pin keeps every edge that it ever had, unless it is told to forget."""
    pins = Pins(WIRING, 3)
    line = pins.factory.pin(3)
    for number in range(200):
        pins.tap("a", Button.NEXT, number * 1.0)
        pins.advance(number + 0.9)
    assert len(line.states) < 10
    assert pins.presses == 200
