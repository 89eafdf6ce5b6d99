"""Exposure is turned down where a lamp burns something out, as far as that helps, and no farther."""

from __future__ import annotations

import pytest

from vision.care import SATURATED, Lamp
from vision.exposure import ANSWER_S, BURNT_MM2, LEAST_WHITE, MOST, Exposure

SHEET_MM2 = 400.0


class Room:
    """A mat with a white patch, on which things lie that are so bright. They would be that many gray levels at 0 stops,
    if a picture had so many.
    """

    def __init__(self, *lies: float, white: float | None = 240.0, can: bool = True) -> None:
        self.lies, self._white, self._can = lies, white, can
        self.told: list[float] = []
        self.exposure = Exposure(self._dim)
        self.at = 0.0

    def _dim(self, stops: float) -> bool:
        self.told.append(stops)
        return self._can

    def _level(self, level: float) -> float:
        return min(255.0, level * self.exposure.level)

    def waits(self) -> bool:
        burnt = sum(SHEET_MM2 for level in self.lies if self._level(level) >= SATURATED)
        return self.exposure.waits(burnt, None if self._white is None else self._level(self._white), self.at)

    def rest(self) -> int:
        """How many pictures are waited for until one is looked at."""
        waited = 0
        while self.waits():
            waited, self.at = waited + 1, self.at + ANSWER_S
            assert waited < 20
        return waited


def test_where_nothing_is_burnt_out_the_camera_is_left_alone() -> None:
    room = Room(250.0, 180.0)
    assert room.rest() == 0
    assert room.told == []


def test_a_glint_is_left_alone() -> None:
    room = Room()
    assert not room.exposure.waits(BURNT_MM2, 200.0, 0.0)
    assert room.exposure.waits(BURNT_MM2 + 1, 200.0, 0.0)


@pytest.mark.parametrize(("level", "stops"), [(280.0, 0.5), (330.0, 1.0), (400.0, 1.5), (460.0, 2.0)])
def test_pictures_get_darker_until_what_lies_in_a_reflection_is_not_burnt_out(level: float, stops: float) -> None:
    room = Room(level, 150.0)
    assert room.rest() == len(room.told) == stops / 0.5
    assert room.exposure.stops == stops
    assert room.rest() == 0, "and stay so"


def test_what_is_laid_into_it_later_makes_them_darker_still() -> None:
    room = Room(280.0)
    room.rest()
    room.lies = (280.0, 330.0)
    assert room.rest() == 1
    assert room.told == [0.5, 1.0]


def test_a_picture_that_was_on_its_way_is_not_judged() -> None:
    room = Room(280.0)
    assert room.waits()
    room.at += ANSWER_S / 2
    assert room.waits()
    assert room.told == [0.5]


def test_they_are_not_made_so_dark_that_noise_hides_the_print() -> None:
    room = Room(330.0, white=LEAST_WHITE - 1)
    assert room.rest() == 0
    assert room.told == []
    room = Room(500.0, white=LEAST_WHITE + 20)
    room.rest()
    assert room.exposure.stops == 0.0, "one step on it would be too dark, and did not help"


def test_where_the_white_patch_is_hidden_they_get_no_darker_than_so_much() -> None:
    room = Room(460.0, white=None)
    room.rest()
    assert room.exposure.stops == MOST


def test_where_the_sun_is_mirrored_they_are_as_bright_as_before_and_that_is_not_tried_again() -> None:
    room = Room(10_000.0)
    room.rest()
    assert room.told == [0.5, 1.0, 1.5, 2.0, 0.0]
    assert room.rest() == 0
    room.exposure.locked()
    assert room.rest() > 0, "but under another lamp"


def test_where_it_helps_with_most_of_what_is_burnt_out_they_stay_darker() -> None:
    room = Room(10_000.0, 300.0, 320.0)
    room.rest()
    assert room.exposure.stops == MOST
    assert room.rest() == 0


def test_a_camera_that_cannot_be_turned_down_is_not_waited_for() -> None:
    room = Room(300.0, can=False)
    assert room.rest() == 0
    assert room.exposure.stops == 0.0


def test_being_turned_down_is_no_other_lamp() -> None:
    lamp, exposure = Lamp(), Exposure(lambda _: True)
    assert not lamp.changed((1.2, 1.0, 1.1), False, exposure.level)
    while exposure.waits(1000.0, 250.0, 10.0 * exposure.stops) and exposure.stops < MOST:
        pass
    gain = 1.2 / exposure.level, 1.0 / exposure.level, 1.1 / exposure.level
    assert not lamp.changed(gain, False, exposure.level)
    assert lamp.changed((gain[0], gain[1], gain[2] * 1.7), False, exposure.level)
