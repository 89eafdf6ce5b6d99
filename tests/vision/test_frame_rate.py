"""A slow machine is given fewer pictures, then smaller ones, and says so; gains are locked again under another lamp."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator

import cv2
import msgspec
import numpy as np
import pytest
import zmq

from engine.table import Health, Observation
from tests.vision.scenes import CONFIG, Hand, World, load_mat, seven
from vision import worker
from vision.camera import Frame, Image
from vision.cameras import CameraSpec
from vision.config import WorkerConfig
from vision.frame_rate import LEAST_PICTURES, MOVING_FPS, RESTING_FPS, SLOWEST_FPS, Load, looking_ms, plan, smaller
from vision.messages import Quit, Report, VisionSetup
from vision.worker import Worker

MAT = load_mat()
SETUP = VisionSetup("tellstones", ("line", "pool"), {"line": "stones", "pool": "stones"}, {"a": "bottom", "b": "top"})


def test_a_fast_machine_sees_all_that_is_asked_for() -> None:
    load = Load()
    assert not any(load.note(20.0, moving) for moving in (True, False) * 30)
    assert (load.plan.moving_fps, load.plan.resting_fps, load.plan.overloaded) == (MOVING_FPS, RESTING_FPS, False)


def test_a_slower_machine_is_given_fewer_pictures_and_more_again() -> None:
    load = Load()
    assert any(load.note(150.0, True) for _ in range(30))
    assert load.plan.moving_fps == pytest.approx(0.8 / 0.150, rel=0.3)
    assert not load.plan.overloaded
    assert any(load.note(30.0, True) for _ in range(60))
    assert load.plan.moving_fps > 0.75 * MOVING_FPS


def test_what_a_resting_picture_costs_says_nothing_of_hands() -> None:
    load = Load()
    for _ in range(50):
        load.note(150.0, True)
        for _ in range(20):
            load.note(1.0, False)
    assert load.plan.moving_fps < 0.75 * MOVING_FPS


def test_one_slow_picture_is_no_slow_machine() -> None:
    load = Load()
    for number in range(60):
        load.note(900.0 if number == 40 else 25.0, True)
        assert not load.plan.overloaded


def test_overload_is_told_after_enough_pictures() -> None:
    load = Load()
    told = [load.note(400.0, True) and load.plan.overloaded for _ in range(LEAST_PICTURES + 5)]
    assert told.index(True) == LEAST_PICTURES - 1
    assert load.plan.moving_fps == SLOWEST_FPS


def test_pictures_get_smaller_only_so_far() -> None:
    assert smaller((1280, 720)) == (960, 540)
    assert smaller((960, 540)) == (720, 404)
    assert smaller((720, 404)) is None


def test_the_doctor_times_a_picture() -> None:
    ticks = itertools.count()
    assert looking_ms(World(MAT).render(), lambda: next(ticks) * 0.25) == pytest.approx(500.0)
    assert plan(500.0).overloaded
    assert not plan(looking_ms(World(MAT).render())).overloaded


Light = tuple[float, float, float]
DAY: Light = (1.0, 1.0, 1.0)
LAMPLIGHT: Light = (0.5, 0.9, 1.0)


class Shot(msgspec.Struct, frozen=True):
    """What the camera is to see next: the table at rest (0, 1) or with a hand (2, 3), and the light."""

    number: int
    light: Light = DAY


REST = [Shot(0), Shot(1)]
HANDS = [Shot(2), Shot(3)]


@pytest.fixture(scope="module")
def views() -> list[Image]:
    world = World(MAT, seven(MAT))
    resting = [world.render(), world.render()]
    world.hands = [Hand(150, 180)]
    reaching = world.render()
    world.hands = [Hand(260, 150)]
    return [*resting, reaching, world.render()]


class Eye:
    """A camera whose gains stay as they were at opening or at the last `relock`."""

    def __init__(self, spec: CameraSpec, script: Iterator[Shot], views: list[Image], end: Callable[[], None]) -> None:
        self.spec, self._script, self._views, self._end = spec, script, views, end
        self.relocked: list[int] = []
        self.paces: list[float] = []
        self._light = self._gains = DAY
        self._serial = 0

    def open(self) -> None:
        self._serial = 0

    def read(self, timeout_s: float) -> Frame | None:
        shot = next(self._script, None)
        if shot is None:
            self._end()
            return None
        self._serial += 1
        self._light = shot.light
        ratio = np.array(self._light) / np.array(self._gains)
        image = np.clip(self._views[shot.number] * ratio, 0, 255).astype(np.uint8)
        image = np.asarray(cv2.resize(image, self.spec.size), np.uint8)
        return Frame.of(self._serial, self._serial * 0.5, image)

    def relock(self) -> None:
        self.relocked.append(self._serial)
        self._gains = self._light

    def pace(self, frames_per_second: float) -> None:
        self.paces.append(frames_per_second)

    def close(self) -> None: ...


class Daemon:
    """A worker in this process, the cameras that it opened, and what it sent."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        views: list[Image],
        shots: list[Shot],
        target: str = "0",
        size: tuple[int, int] = (1280, 720),
    ) -> None:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        daemon, ours = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
        daemon.bind("inproc://vision")
        ours.connect("inproc://vision")
        script = iter(shots)
        self.cameras: list[Eye] = []

        def opened(spec: CameraSpec) -> Eye:
            self.cameras.append(Eye(spec, script, views, lambda: daemon.send(msgspec.json.encode(Quit()))))
            return self.cameras[-1]

        monkeypatch.setattr(worker, "open_camera", opened)
        daemon.send(msgspec.json.encode(SETUP))
        spec = CameraSpec("opencv", target, *size)
        Worker(WorkerConfig(spec, "inproc://vision", (str(CONFIG),)), ours).run()
        self.reports: list[Report] = []
        while daemon.poll(0):
            self.reports.append(msgspec.json.decode(daemon.recv(), type=Report))
        context.destroy(0)

    def last(self) -> Observation:
        """The newest observation."""
        return [report.observation for report in self.reports if report.observation is not None][-1]


def slow(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Every picture costs that much."""
    ticks = itertools.count()
    monkeypatch.setattr("vision.pipeline.time.perf_counter", lambda: next(ticks) * seconds)


@pytest.mark.thorough
def test_a_slow_machine_asks_for_fewer_pictures(
    monkeypatch: pytest.MonkeyPatch, views: list[Image], caplog: pytest.LogCaptureFixture
) -> None:
    slow(monkeypatch, 0.15)
    with caplog.at_level(logging.WARNING):
        daemon = Daemon(monkeypatch, views, [*REST, *HANDS * 6, *REST * 2])
    (camera,) = daemon.cameras
    assert {report.frame_ms for report in daemon.reports} == {150.0}
    assert min(camera.paces) == pytest.approx(5.0, abs=0.5)
    assert any("a picture takes 150 ms: 5.3 a second" in record.getMessage() for record in caplog.records)


@pytest.mark.thorough
def test_a_very_slow_machine_takes_smaller_pictures_and_sees_the_same(
    monkeypatch: pytest.MonkeyPatch, views: list[Image], caplog: pytest.LogCaptureFixture
) -> None:
    slow(monkeypatch, 0.4)
    with caplog.at_level(logging.WARNING):
        daemon = Daemon(monkeypatch, views, [*REST, *HANDS * 11, *REST * 4])
    assert [camera.spec.size for camera in daemon.cameras] == [(1280, 720), (960, 540)]
    assert any("pictures are 960 wide" in record.getMessage() for record in caplog.records)
    assert Health.BUMPED not in {report.health for report in daemon.reports}
    assert len(daemon.last().zone("line").pieces) == 7
    assert daemon.last().strays == ()


@pytest.mark.thorough
def test_a_recording_stays_as_large_as_it_is(monkeypatch: pytest.MonkeyPatch, views: list[Image]) -> None:
    slow(monkeypatch, 0.4)
    daemon = Daemon(monkeypatch, views, [*REST, *HANDS * 11, *REST * 4], target="match.mp4")
    assert len(daemon.cameras) == 1


@pytest.mark.thorough
def test_gains_are_locked_anew_at_rest_under_another_lamp(monkeypatch: pytest.MonkeyPatch, views: list[Image]) -> None:
    evening = [Shot(shot.number, LAMPLIGHT) for shot in REST]
    dusk = [Shot(shot.number, (0.9, 0.98, 1.0)) for shot in REST]
    shots = [*REST * 6, *dusk * 6, *REST * 6, *evening * 14, *REST * 14]
    daemon = Daemon(monkeypatch, views, shots, size=(960, 540))
    (camera,) = daemon.cameras
    assert len(camera.relocked) == 2, "a cloud is no other lamp"
    assert 36 < camera.relocked[0] <= 64 < camera.relocked[1]
    told = {report.frame for report in daemon.reports if report.observation is not None}
    for frame in camera.relocked:
        assert told & {frame + 7, frame + 8}, "what was measured while the camera looked for its exposure is of no use"
