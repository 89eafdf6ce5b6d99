"""A Raspberry Pi camera: the whole field, exposure and focus that stay, and what hands in the picture change of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.vision.cameras.conftest import Plug, Rig
from vision.camera import Dimming, Frame, Relocking
from vision.cameras.picamera import FOCUS_S, SETTLING_FPS, WARM_UP_S, PiCamera

REQUESTS = 3
"""So many are on their way when something is set."""


def read(camera: PiCamera, times: int = 1) -> list[Frame]:
    frames = [camera.read(1.0) for _ in range(times)]
    return [frame for frame in frames if frame is not None]


def set_to(camera: PiCamera, chip: Any) -> tuple[Any, ...]:
    """What holds once the requests that are on their way are done."""
    read(camera, REQUESTS)
    return tuple(chip.set.get(name) for name in ("ExposureTime", "AnalogueGain", "ColourGains", "LensPosition"))


@pytest.mark.thorough
def test_it_is_locked_after_its_warm_up_so_that_a_hand_changes_nothing(plug: Plug) -> None:
    camera, chip = plug(fps=10.0)
    before = set_to(camera, chip)
    assert int(read(camera)[0].image[0, 0, 0]) == pytest.approx(120, abs=2)
    chip.light = 0.5  # a hand
    read(camera, 30)
    now = set_to(camera, chip)
    assert now[:2] == pytest.approx(before[:2], rel=1e-6)
    assert now[2:] == before[2:]


def test_a_dim_room_is_met_with_gain_before_hands_smear(plug: Plug) -> None:
    camera, chip = plug()
    exposure, gain, *_ = set_to(camera, chip)
    assert exposure == pytest.approx(5_000, rel=0.05), "of two settings that show the same the shorter one is taken"
    assert gain == pytest.approx(2.4, rel=0.05)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("mains_hz", "period"), [(50, 10_000), (60, 8_333)])
def test_where_exposures_are_longer_they_last_for_whole_periods_of_a_lamp(
    plug: Plug, mains_hz: int, period: int
) -> None:
    camera, chip = plug(mains_hz=mains_hz)
    chip.light = 0.08
    camera.relock()
    read(camera, 90)
    exposure, gain, *_ = set_to(camera, chip)
    assert exposure in {period, 2 * period}
    assert exposure * gain == pytest.approx(12_000 / 0.08, rel=0.02), "and as bright"


def test_it_is_locked_anew_without_a_gap_and_never_exposes_longer_than_it_may(plug: Plug) -> None:
    camera, chip = plug(fps=5.0)
    assert isinstance(camera, Relocking)
    chip.light = 0.03  # another lamp
    began, count = chip.now, chip.pictures
    camera.relock()
    assert chip.pictures == count, "locking again waits for nothing"
    camera.pace(1.0)
    while chip.now < began + WARM_UP_S + 0.1:
        assert read(camera)[0].small.shape == (240, 320)
    settled = set_to(camera, chip)
    assert 1e6 / SETTLING_FPS * 0.8 < settled[0] <= 1e6 / SETTLING_FPS + 1
    chip.light = 1.0
    frames = read(camera, 4)
    assert set_to(camera, chip) == settled
    steps = np.diff([frame.at for frame in frames])
    assert steps == pytest.approx(np.maximum(1.0, steps.round())), "at the pace asked for meanwhile, whoever is late"


@pytest.mark.quick(1)
@pytest.mark.parametrize(("stops", "gain", "exposure"), [(0.5, 2**-0.5, 1.0), (1.0, 0.5, 1.0), (2.0, 1 / 2.4, 0.6)])
def test_it_is_turned_down_by_its_gain_first_and_as_far_as_asked(
    plug: Plug, stops: float, gain: float, exposure: float
) -> None:
    camera, chip = plug()
    assert isinstance(camera, Dimming)
    before = set_to(camera, chip)
    bright = int(read(camera)[0].image[0, 0, 0])
    assert camera.dim(stops)
    read(camera, 2 * REQUESTS)
    now = set_to(camera, chip)
    assert now[:2] == pytest.approx((before[0] * exposure, before[1] * gain), rel=0.05)
    assert now[0] * now[1] == pytest.approx(before[0] * before[1] * 2**-stops, rel=0.01)
    assert int(read(camera)[0].image[0, 0, 0]) < bright
    assert camera.dim(0.0)
    read(camera, 2 * REQUESTS)
    assert set_to(camera, chip)[:2] == pytest.approx(before[:2], rel=1e-3), "and up again"


def test_it_is_turned_down_as_far_as_asked_though_its_sensor_has_no_gain_of_one(plug: Plug) -> None:
    camera, chip = plug("imx708", lens=True)
    before = set_to(camera, chip)
    assert camera.dim(1.5)
    read(camera, 2 * REQUESTS)
    now = set_to(camera, chip)
    assert now[1] == chip.least_gain
    assert now[0] * now[1] == pytest.approx(before[0] * before[1] * 2**-1.5, rel=0.01)


def test_it_is_not_turned_down_while_it_looks_for_its_exposure(plug: Plug) -> None:
    camera, chip = plug()
    camera.relock()
    assert not camera.dim(1.0)
    began = chip.now
    while chip.now < began + WARM_UP_S + 0.1:
        read(camera)
    assert camera.dim(1.0)
    camera.close()
    assert not camera.dim(1.0)


@pytest.mark.thorough
def test_it_focuses_once_and_stays_there(plug: Plug) -> None:
    camera, chip = plug("imx708", lens=True)
    assert set_to(camera, chip)[3] == 2.2
    chip.sharp_at = 8.0  # a hand
    camera.relock()
    read(camera, 200)
    assert set_to(camera, chip)[3] == 2.2
    assert chip.set["AfMode"] == 0


def test_a_focus_that_was_set_is_kept_and_not_looked_for(plug: Plug) -> None:
    camera, chip = plug("imx708", lens=True, focus=1.6)
    assert chip.now < WARM_UP_S + 0.2
    read(camera, 20)
    assert set_to(camera, chip)[3] == 1.6


def test_a_camera_that_finds_nothing_sharp_says_so_and_goes_on(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    chip = rig.plug("imx708", lens=True)
    chip.sharp_at = None
    camera = rig.camera()
    camera.open()
    assert "found no sharp picture (lens at 1.0 dioptres)" in caplog.text
    assert chip.now <= WARM_UP_S + FOCUS_S + 0.2
    assert read(camera)


def test_a_lens_that_never_answers_is_waited_for_no_longer_than_that(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    chip = rig.plug("imx708", lens=True)
    monkeypatch.setattr(chip, "_search", lambda: None)
    camera = rig.camera()
    camera.open()
    assert chip.now <= WARM_UP_S + FOCUS_S + 0.2
    assert read(camera)


def test_a_camera_without_a_lens_that_moves_is_told_to_have_none(plug: Plug, caplog: pytest.LogCaptureFixture) -> None:
    camera, _ = plug("imx219", focus=1.6)
    assert "cannot focus" in caplog.text
    assert read(camera)
