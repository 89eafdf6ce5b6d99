"""A press is aimed as the finger goes down: what it would accept must have stood there by then, and been read."""

from __future__ import annotations

import pytest

from device.key_gestures import Button, Gesture, Key
from device.session.aim import READING_S, Aim, Offer, feel, is_meant, note_shown, renew_offer
from engine.text import say

LINE, OTHER = (Offer(("menu",), "a", item=text) for text in (say("Yes"), say("No")))
ASKED = Offer(("question",), "a", item=say("Yes"), asks=True)
AIM = Aim(LINE, since=10.0)


def key(at: float, button: Button = Button.CHOOSE, gesture: Gesture = Gesture.PRESS) -> Key:
    return Key("a", button, gesture, at)


def pressed(aim: Aim, down: float, up: float, button: Button = Button.CHOOSE) -> bool:
    return is_meant(feel(aim, key(down, button, Gesture.DOWN)), key(up, button))


@pytest.mark.parametrize(("down", "right"), [(9.9, False), (10.0, True), (10.1, True)])
def test_the_finger_went_down_on_what_stood_there(down: float, right: bool) -> None:
    assert pressed(AIM, down, 11.0) is right


def test_what_comes_by_itself_is_read_first() -> None:
    anew = renew_offer(AIM, OTHER, 20.0, own=False)
    assert not pressed(anew, 20.0 + READING_S - 0.01, 21.0)
    assert pressed(anew, 20.0 + READING_S, 21.0)
    assert pressed(renew_offer(AIM, OTHER, 20.0, own=True), 20.0, 21.0), (
        "the owner walks through a menu as fast as can be"
    )


def test_a_question_is_read_by_whoever_led_to_it_too() -> None:
    asked = renew_offer(AIM, ASKED, 20.0, own=True)
    assert not pressed(asked, 20.1, 20.2)
    further = renew_offer(asked, Offer(ASKED.page, "a", item=say("No"), asks=True), 21.0, own=True)
    assert pressed(further, 21.0, 21.1), "along its lines nothing has to be read again"


def test_who_is_handed_a_panel_reads_what_stands_there() -> None:
    handed = renew_offer(AIM, Offer((), "b"), 20.0, own=True)
    assert not pressed(handed, 20.1, 20.2)
    assert pressed(handed, 20.0 + READING_S, 21.0)


def test_what_has_gone_asks_for_no_reading() -> None:
    gone = renew_offer(renew_offer(AIM, ASKED, 20.0, own=False), None, 21.0, own=False)
    assert not pressed(gone, 20.9, 21.1)
    assert pressed(gone, 21.0, 21.1)


def test_a_display_shows_late_what_vision_tells_late() -> None:
    late = note_shown(renew_offer(AIM, ASKED, 20.0, own=False), 20.4)
    assert not pressed(late, 20.8, 20.9)
    assert pressed(late, 20.4 + READING_S, 21.0)


@pytest.mark.parametrize("button", [Button.NEXT, Button.BACK])
def test_leafing_on_quickly_is_never_lost_to_ones_own_keys(button: Button) -> None:
    assert pressed(AIM, 9.9, 10.1, button)
    assert not pressed(renew_offer(AIM, ASKED, 20.0, own=False), 19.9, 20.1, button)


def test_a_menu_that_stands_on_no_display_takes_no_press() -> None:
    assert not pressed(Aim(Offer(LINE.page, "a", item=LINE.item, hidden=True), since=10.0), 11.0, 11.1)


def test_detents_and_repeats_are_aimed_when_they_come() -> None:
    anew = renew_offer(AIM, ASKED, 20.0, own=False)
    assert not is_meant(anew, key(20.1, Button.PREVIOUS))
    held = feel(anew, key(15.0, Button.NEXT, Gesture.DOWN))
    assert is_meant(held, key(20.6, Button.NEXT, Gesture.REPEAT))
    assert not is_meant(held, key(20.6, Button.NEXT)), "but its release was aimed when it went down"


def test_a_long_press_answers_nothing() -> None:
    held = feel(renew_offer(AIM, ASKED, 20.0, own=False), key(19.9, gesture=Gesture.DOWN))
    assert is_meant(held, key(20.1, gesture=Gesture.LONG))
    assert feel(held, key(20.1, gesture=Gesture.LONG)).down == {}
