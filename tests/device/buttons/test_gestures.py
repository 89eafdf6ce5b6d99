"""Gestures from clean changes."""

import pytest

from device.buttons.debounce import Change, ContactTurn
from device.buttons.gestures import Hold, Pace, due, feed, tick
from device.key_gestures import Button, Gesture

PACE = Pace(long_s=0.6, repeat_s=0.2)


def play(button: Button, *changes: tuple[float, ContactTurn], until: float = 0.0) -> list[tuple[Gesture, float]]:
    hold = Hold(button)
    told: list[tuple[Gesture, float]] = []
    for at, turn in changes:
        hold, more = feed(hold, PACE, Change(turn, at))
        told += more
    hold, more = tick(hold, PACE, until)
    return told + list(more)


def test_a_short_press() -> None:
    assert play(Button.CHOOSE, (1.0, ContactTurn.DOWN), (1.2, ContactTurn.UP)) == [
        (Gesture.DOWN, 1.0),
        (Gesture.UP, 1.2),
        (Gesture.PRESS, 1.2),
    ]


def test_a_long_press_is_told_while_held_and_its_release_is_no_press() -> None:
    held = play(Button.CHOOSE, (1.0, ContactTurn.DOWN), until=1.7)
    assert held == [(Gesture.DOWN, 1.0), (Gesture.LONG, 1.6)]
    assert play(Button.CHOOSE, (1.0, ContactTurn.DOWN), (3.0, ContactTurn.UP)) == [*held, (Gesture.UP, 3.0)]


def test_only_next_repeats() -> None:
    assert [g for g, _ in play(Button.NEXT, (0.0, ContactTurn.DOWN), until=1.05)] == [
        Gesture.DOWN,
        Gesture.LONG,
        Gesture.REPEAT,
        Gesture.REPEAT,
    ]
    assert due(feed(Hold(Button.BACK), PACE, Change(ContactTurn.DOWN, 0.0))[0], PACE) == 0.6


@pytest.mark.parametrize("button", list(Button))
def test_a_stuck_button_is_let_go_without_a_press(button: Button) -> None:
    told = play(button, (0.0, ContactTurn.DOWN), (0.3, ContactTurn.STUCK), (9.0, ContactTurn.UP))
    assert told == [(Gesture.DOWN, 0.0), (Gesture.UP, 0.3)]


def test_a_release_without_a_press_is_nothing() -> None:
    assert play(Button.BACK, (1.0, ContactTurn.UP)) == []
