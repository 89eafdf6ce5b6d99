"""Exposure is turned down where a lamp burns something out, as far as that helps, and no farther."""

from __future__ import annotations

import pytest

from vision.exposure import ANSWER_S, BURNT_MM2, GAMMA, LEAST_WHITE, MOST, Exposure
from vision.picture_checks import SATURATED

SHEET_MM2, PACE_S = 400.0, 0.2


class Room:
    """A mat with a white patch, on which things lie that are so bright. They would be that many gray levels at 0 stops,
    if a picture had so many. lag: so many pictures show what was before the camera was told.
    """

    def __init__(self, *lies: float, white: float | None = 240.0, can: bool = True, lag: int = 0) -> None:
        self.lies, self.white, self._can, self._lag = lies, white, can, lag
        self.told: list[float] = []
        self.deaf = False
        self.light = 1.0
        self.exposure = Exposure(self._dim)
        self.at = 0.0
        self._taken = [0.0] * (lag + 1)

    def _dim(self, stops: float) -> bool:
        self.told.append(stops)
        return self._can

    def _level(self, level: float) -> float:
        return min(255.0, level * self.light * float(2.0 ** (-self._taken[0] / GAMMA)))

    def _picture(self) -> None:
        self.at += PACE_S
        self._taken = [*self._taken, self.told[-1] if self.told and self._can and not self.deaf else 0.0]
        self._taken = self._taken[-self._lag - 1 :]

    def waits(self) -> bool:
        self._picture()
        burnt = sum(SHEET_MM2 for level in self.lies if self._level(level) >= SATURATED)
        white = None if self.white is None else self._level(self.white)
        return self.exposure.waits(burnt, white, self.at, self._level(90.0))

    def rest(self) -> int:
        """How many pictures are waited for until one is looked at."""
        waited = 0
        while self.waits():
            waited += 1
            assert waited < 60
        assert self.exposure.stops == self._taken[0], "it shows what the camera was told"
        return waited


def test_where_nothing_is_burnt_out_the_camera_is_left_alone() -> None:
    room = Room(250.0, 180.0)
    assert room.rest() == 0
    assert room.told == []


def test_a_glint_is_left_alone() -> None:
    room = Room()
    assert not room.exposure.waits(BURNT_MM2, 200.0, 0.0, 90.0)
    assert room.exposure.waits(BURNT_MM2 + 1, 200.0, 0.0, 90.0)


@pytest.mark.parametrize("lag", [0, 1, 4, 9])
@pytest.mark.parametrize(("level", "stops"), [(280.0, 0.5), (330.0, 1.0), (400.0, 1.5), (460.0, 2.0)])
def test_pictures_get_darker_until_what_lies_in_a_reflection_is_not_burnt_out(
    level: float, stops: float, lag: int
) -> None:
    room = Room(level, 150.0, lag=lag)
    assert room.rest() == len(room.told) * (1 + lag)
    assert room.exposure.stops == stops == len(room.told) / 2
    assert room.rest() == 0, "and stay so"


def test_a_white_patch_half_in_a_shade_leads_round_in_no_circle() -> None:
    """It is even, and so told, only in pictures that are too dark, in which nothing is burnt out."""
    room = Room(400.0, white=None)
    waited = 0
    while room.waits():
        room.white = 120.0 if room.exposure.stops >= 1.5 else None
        waited += 1
        assert waited < 60, room.told
    assert room.rest() == 0


def test_once_nothing_burns_out_by_itself_pictures_may_get_as_dark_as_before() -> None:
    room = Room(460.0)
    room.rest()
    assert room.exposure.stops == MOST
    room.light, room.lies = 0.6, ()
    room.rest()
    assert room.exposure.stops == 0, "the light got weaker"
    room.rest()
    room.light, room.lies = 1.0, (460.0,)
    room.rest()
    assert room.exposure.stops == MOST


def test_what_is_laid_into_it_later_makes_them_darker_still() -> None:
    room = Room(280.0)
    room.rest()
    room.lies = (280.0, 330.0)
    assert room.rest() == 1
    assert room.told == [0.5, 1.0]


def test_they_are_not_made_so_dark_that_noise_hides_the_print() -> None:
    room = Room(330.0, white=LEAST_WHITE - 1)
    assert room.rest() == 0
    assert room.told == []
    room = Room(500.0, white=LEAST_WHITE + 20)
    room.rest()
    assert room.told == [0.5, 0.0], "one step on it would be too dark, and did not help"


def test_where_the_white_patch_is_hidden_they_get_no_darker_than_so_much() -> None:
    room = Room(460.0, white=None)
    room.rest()
    assert room.exposure.stops == MOST


def test_where_the_sun_is_mirrored_they_are_as_bright_as_before_and_that_is_not_tried_again() -> None:
    room = Room(10_000.0)
    room.rest()
    assert room.told == [0.5, 1.0, 1.5, 2.0, 0.0]
    assert room.rest() == 0
    room.exposure.unlock_exposure()
    assert room.rest() > 0, "but under another lamp"
    assert room.rest() == 0
    room.lies = ()
    assert room.rest() == 0
    room.lies = (280.0,)
    assert room.rest() == 1, "and for another thing, once the sun is gone"


def test_what_is_laid_into_it_while_pictures_get_darker_is_no_sign_that_they_are_no_use() -> None:
    room = Room(10_000.0)
    for _ in range(4):
        assert room.waits()
    room.lies = (10_000.0, *[280.0] * 9)
    assert room.waits()
    assert room.told[-1] == 0.0
    room = Room(10_000.0)
    assert room.waits()
    room.lies = (10_000.0, *[400.0] * 9)
    room.rest()
    assert room.exposure.stops == MOST


def test_where_it_helps_with_most_of_what_is_burnt_out_they_stay_darker() -> None:
    room = Room(10_000.0, 300.0, 320.0)
    room.rest()
    assert room.exposure.stops == MOST
    assert room.rest() == 0


def test_a_camera_that_cannot_be_turned_down_is_not_waited_for() -> None:
    room = Room(300.0, can=False)
    assert room.rest() == 0
    assert room.exposure.stops == 0.0


def test_a_camera_that_does_not_do_what_it_is_told_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    room = Room(300.0)
    room.deaf = True
    assert room.rest() == pytest.approx(3 * ANSWER_S / PACE_S, abs=2)
    assert room.told == [0.5, 1.0, 0.0], "once more, to be sure"
    assert room.exposure.stops == 0.0
    assert room.rest() == 0
    assert "does not take darker pictures" in caplog.text


@pytest.mark.parametrize(
    ("brightness", "after_s", "given_up"),
    [(90.0, 2.1, True), (30.0, 2.1, False), (245.0, 2.1, False), (90.0, 3.1, False)],
)
def test_what_cannot_show_whether_a_camera_does_what_it_is_told_is_no_sign(
    brightness: float, after_s: float, given_up: bool
) -> None:
    """Night, a dazzled camera, and a picture so late that the light may have changed."""
    room = Room()
    for number in range(3):
        room.exposure.waits(SHEET_MM2, 240.0, number * after_s, brightness)
    assert room.told == [0.5, 1.0, 0.0 if given_up else 1.5]


def test_one_that_does_is_not_given_up_because_it_got_brighter_meanwhile() -> None:
    room = Room(400.0)
    assert room.waits()
    room.at += ANSWER_S + 0.2  # a hand
    room.light = 1.15
    room.rest()
    assert room.exposure.stops == 2.0


def test_a_white_patch_that_is_told_only_in_the_dark_leads_round_in_no_circle() -> None:
    """It lies half in a shade: in bright pictures it is too uneven."""
    room = Room(10_000.0, white=None)
    while room.waits():
        room.white = 130.0 if room.exposure.stops == MOST else None
        assert room.at < 20.0
    assert room.exposure.stops == 0.0
    assert room.rest() == 0


def test_where_the_light_gets_weaker_pictures_are_as_bright_as_they_can_be() -> None:
    room = Room(400.0)
    room.rest()
    room.light = 0.5
    assert room.rest() == 1
    assert room.exposure.stops == 0.0
    assert room.rest() == 0, "and stay so"


def test_at_night_they_are_as_bright_as_they_can_be() -> None:
    room = Room()
    exposure, told = room.exposure, room.told
    exposure.note_darkness(0.0, 3.0)
    assert told == []
    exposure.waits(1000.0, 250.0, 1.0, 90.0)
    exposure.note_darkness(5.0, 3.0)
    exposure.note_darkness(5.2, 3.0)
    exposure.note_darkness(9.0, 4.0)
    assert told == [0.5, 0.0]
    assert exposure.stops == 0.0
    assert exposure.waits(1000.0, 250.0, 20.0, 90.0), "and in the morning that may be another lamp"
