"""Quadrature with bounce, and an encoder panel on mock pins."""

from __future__ import annotations

from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory
from hypothesis import given
from hypothesis import strategies as st

from device.buttons.panel import ButtonPanel, EncoderPanel, Shaft, Stuck, rotate
from device.key_gestures import Button, Gesture, Key

CLOCKWISE = [(True, False), (True, True), (False, True), (False, False)]
BACK = [(False, True), (True, True), (True, False), (False, False)]


def turn(levels: list[tuple[bool, bool]]) -> int:
    shaft, total = Shaft(), 0
    for a, b in levels:
        shaft, detent = rotate(shaft, a, b)
        total += detent
    return total


def test_one_detent_each_way() -> None:
    assert turn(CLOCKWISE) == 1
    assert turn(BACK) == -1
    assert turn(CLOCKWISE * 5 + BACK * 2) == 3


def test_half_a_detent_and_back_is_nothing() -> None:
    assert turn([(True, False), (True, True), (True, False), (False, False)]) == 0


@pytest.mark.thorough
@given(st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 3), min_size=4, max_size=4)), max_size=12))
def test_bounce_does_not_count(detents: list[tuple[bool, list[int]]]) -> None:
    """Before each step its contact bounces: to the next state and back, a few times."""
    levels, here = [], (False, False)
    for clockwise, bounces in detents:
        for state, times in zip(CLOCKWISE if clockwise else BACK, bounces, strict=True):
            levels += [state, here] * times + [state]
            here = state
    assert turn(levels) == sum(1 if clockwise else -1 for clockwise, _ in detents)


def test_a_lost_edge_invents_no_turn() -> None:
    assert turn([(True, True), (False, False)]) == 0
    assert turn([*CLOCKWISE[:3], *CLOCKWISE[3:], (True, True), (False, False), *CLOCKWISE]) == 2


def test_an_encoder_panel_gives_the_keys_of_a_button_panel() -> None:
    factory, time, told = MockFactory(), [0.0], list[Key | Stuck]()
    wired: dict[str, Any] = {"now": lambda: time[0], "post": lambda f, *args: f(*args), "factory": factory}
    push_and_back = ButtonPanel("b", {Button.CHOOSE: 13, Button.BACK: 19}, told.append, **wired)
    panel = EncoderPanel("b", (5, 6), push_and_back, told.append, **wired)
    for levels in (CLOCKWISE, BACK):
        for a, b in levels:
            for pin, closed in ((5, a), (6, b)):
                factory.pin(pin).drive_low() if closed else factory.pin(pin).drive_high()
    factory.pin(13).drive_low()
    while (due := panel.due()) is not None and due < 1.0:
        time[0] = due
        panel.tick()
    panel.close()
    assert [(key.button, key.gesture) for key in told if isinstance(key, Key)] == [
        (Button.NEXT, Gesture.PRESS),
        (Button.PREVIOUS, Gesture.PRESS),
        (Button.CHOOSE, Gesture.DOWN),
        (Button.CHOOSE, Gesture.LONG),
    ]
    assert {key.seat for key in told} == {"b"}
    factory.reset()
