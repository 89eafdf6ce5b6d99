"""A Raspberry Pi camera: the whole field, exposure and focus that stay, and what hands in the picture change of it."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.vision.cameras.chip import FIELD, Picamera2
from vision.camera import Frame, Relocking
from vision.cameras import CameraSpec
from vision.cameras.modes import whole_field
from vision.cameras.picamera import FOCUS_S, SETTLING_FPS, WARM_UP_S, PiCamera

Plug = Callable[..., tuple[PiCamera, Picamera2]]


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Opens the camera that is plugged in; time goes on by its pictures alone."""
    module = types.ModuleType("picamera2")
    monkeypatch.setattr(module, "Picamera2", Picamera2, raising=False)
    monkeypatch.setitem(sys.modules, "picamera2", module)
    monkeypatch.setattr("vision.cameras.picamera.time.monotonic", lambda: Picamera2.made[-1].now)

    def opened(sensor: str = "imx219", lens: bool = False, **spec: Any) -> tuple[PiCamera, Picamera2]:
        monkeypatch.setattr(Picamera2, "sensor", sensor)
        monkeypatch.setattr(Picamera2, "lens", lens)
        camera = PiCamera(CameraSpec("picamera2", "1", **spec))
        camera.open()
        return camera, Picamera2.made[-1]

    return opened


def read(camera: PiCamera, times: int = 1) -> list[Frame]:
    frames = [camera.read(1.0) for _ in range(times)]
    return [frame for frame in frames if frame is not None]


def set_to(chip: Picamera2) -> tuple[object, ...]:
    seen = chip.capture_metadata()
    return seen["ExposureTime"], seen["AnalogueGain"], seen["ColourGains"], seen.get("LensPosition")


@pytest.mark.parametrize("sensor", FIELD)
@pytest.mark.parametrize("size", [(1280, 720), (960, 540), (720, 404), (1640, 1232)])
def test_pictures_of_every_size_show_all_that_the_lens_does(plug: Plug, sensor: str, size: tuple[int, int]) -> None:
    _, chip = plug(sensor, width=size[0], height=size[1])
    across = max(crop[2] for *_, crop in FIELD[sensor])
    assert chip.field[2] >= 0.98 * across


def test_the_smallest_mode_that_fills_the_picture_is_taken() -> None:
    def modes(sensor: str) -> list[dict[str, Any]]:
        return [{"size": mode[:2], "bit_depth": mode[2], "crop_limits": mode[3]} for mode in FIELD[sensor]]

    assert whole_field(modes("imx219"), (1280, 720)) == {"output_size": (1640, 1232), "bit_depth": 10}
    assert whole_field(modes("imx708"), (1280, 720)) == {"output_size": (2304, 1296), "bit_depth": 10}
    assert whole_field(modes("imx708"), (4608, 2592)) == {"output_size": (4608, 2592), "bit_depth": 10}
    assert whole_field(modes("ov5647"), (4000, 3000)) == {"output_size": (2592, 1944), "bit_depth": 10}
    assert whole_field([{"format": "YUYV"}], (1280, 720)) is None, "a camera on USB tells nothing of fields"


def test_it_is_locked_after_its_warm_up_so_that_a_hand_changes_nothing(plug: Plug) -> None:
    camera, chip = plug(fps=10.0)
    before = set_to(chip)
    assert int(read(camera)[0].image[0, 0, 0]) == pytest.approx(120, abs=2)
    chip.light = 0.5  # a hand
    read(camera, 30)
    assert set_to(chip) == before
    assert all(request.released for request in chip.requests)


def test_a_dim_room_is_met_with_gain_before_hands_smear(plug: Plug) -> None:
    _, chip = plug()
    exposure, gain, *_ = set_to(chip)
    assert exposure == pytest.approx(5_000, rel=0.05), "of two settings that show the same the shorter one is taken"
    assert gain == pytest.approx(2.4, rel=0.05)


@pytest.mark.parametrize(("mains_hz", "period"), [(50, 10_000), (60, 8_333)])
def test_where_exposures_are_longer_they_last_for_whole_periods_of_a_lamp(
    plug: Plug, mains_hz: int, period: int
) -> None:
    camera, chip = plug(mains_hz=mains_hz)
    chip.light = 0.08
    camera.relock()
    read(camera, 90)
    exposure, gain, *_ = set_to(chip)
    assert exposure in {period, 2 * period}
    assert float(str(exposure)) * float(str(gain)) == pytest.approx(12_000 / 0.08, rel=0.02), "and as bright"


def test_it_is_locked_anew_without_a_gap_and_never_exposes_longer_than_it_may(plug: Plug) -> None:
    camera, chip = plug(fps=5.0)
    assert isinstance(camera, Relocking)
    chip.light = 0.03  # another lamp
    began, count = chip.now, len(chip.requests)
    camera.relock()
    assert len(chip.requests) == count, "locking anew waits for nothing"
    camera.pace(1.0)
    while chip.now < began + WARM_UP_S + 0.1:
        assert read(camera)[0].small.shape == (180, 320)
    settled = set_to(chip)
    assert 1e6 / SETTLING_FPS * 0.8 < float(str(settled[0])) <= 1e6 / SETTLING_FPS + 1
    chip.light = 1.0
    frames = read(camera, 4)
    assert set_to(chip) == settled
    assert np.diff([frame.at for frame in frames[1:]]) == pytest.approx(1.0), "at the pace asked for meanwhile"


def test_it_focuses_once_and_stays_there(plug: Plug) -> None:
    camera, chip = plug("imx708", lens=True)
    assert set_to(chip)[3] == 2.2
    chip.sharp_at = 8.0  # type: ignore[misc]  # a hand
    camera.relock()
    read(camera, 200)
    assert set_to(chip)[3] == 2.2
    assert chip._set["AfMode"] == 0


def test_a_focus_that_was_set_is_kept_and_not_looked_for(plug: Plug) -> None:
    camera, chip = plug("imx708", lens=True, focus=1.6)
    assert chip.now < WARM_UP_S + 0.2
    read(camera, 20)
    assert set_to(chip)[3] == 1.6


def test_a_camera_that_finds_nothing_sharp_says_so_and_goes_on(
    plug: Plug, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Picamera2, "sharp_at", None)
    camera, chip = plug("imx708", lens=True)
    assert "found no sharp picture (lens at 1.0 dioptres)" in caplog.text
    assert chip.now <= WARM_UP_S + FOCUS_S + 0.2
    assert read(camera)


def test_a_lens_that_never_answers_is_waited_for_no_longer_than_that(
    plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Picamera2, "_move_lens", lambda chip: None)
    camera, chip = plug("imx708", lens=True)
    assert chip.now <= WARM_UP_S + FOCUS_S + 0.2
    assert read(camera)


def test_a_camera_without_a_lens_that_moves_is_told_to_have_none(plug: Plug, caplog: pytest.LogCaptureFixture) -> None:
    camera, _ = plug("imx219", focus=1.6)
    assert "cannot focus" in caplog.text
    assert read(camera)
