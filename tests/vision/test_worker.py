"""The vision process: frames through shared memory, reports and orders through its socket."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
import zmq

from engine.table import Health
from tests.vision.cameras.stream_server import serving
from tests.vision.faces import disc
from tests.vision.scenes import CONFIG, Stone, View, World, load_mat, seven
from vision.cameras import CameraSpec
from vision.cameras.shared import FrameRing
from vision.config import WorkerConfig
from vision.exposure import GAMMA
from vision.messages import Busy, FromWorker, Picture, Quit, Report, RestPicture, ShowPictures, VisionSetup
from vision.recognition.enrolment import EnrolledSet, save
from vision.registration.lens import Lens, Points, save_lens

ROOT = Path(__file__).parents[2]
SETUP = VisionSetup("tellstones", ("line", "pool"), {"line": "stones", "pool": "stones"}, {"a": "bottom", "b": "top"})


def world(stones: Sequence[Stone] = ()) -> World:
    """A table on which nothing is burnt out."""
    return World(load_mat(), list(stones), view=View(exposure=0.85))


class Daemon:
    """The daemon's side: a socket, a ring of frames, and the worker as a child."""

    def __init__(self, folder: Path, **options: object) -> None:
        self.folder, self.errors = folder, ""
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.socket = self.context.socket(zmq.PAIR)
        address = f"ipc://{folder}/v.sock"
        self.socket.bind(address)
        self.ring = FrameRing(folder / "frames", 1280, 720)
        config = WorkerConfig(
            camera=CameraSpec("shared", str(folder / "frames")),
            address=address,
            data=(str(CONFIG),),
            parent=os.getpid(),
        )
        config = msgspec.structs.replace(config, **options)
        command = [sys.executable, "-m", "vision.worker", msgspec.json.encode(config).decode()]
        self.child = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)

    def tell(self, message: msgspec.Struct | bytes) -> None:
        self.socket.send(message if isinstance(message, bytes) else msgspec.json.encode(message))

    def hear(self, seconds: float = 20.0) -> FromWorker:
        assert self.socket.poll(round(seconds * 1000)), "the worker is silent"
        heard: FromWorker = msgspec.json.decode(self.socket.recv(), type=FromWorker)
        return heard

    def report(self) -> Report:
        heard = self.hear()
        assert isinstance(heard, Report)
        return heard

    def close(self) -> str:
        """What the worker logged. May be called again."""
        if self.child.poll() is None:
            self.child.kill()
        if self.child.stderr is not None and not self.child.stderr.closed:
            self.errors = self.child.communicate()[1]
            self.context.destroy(0)
            self.ring.close()
        return self.errors


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    one = Daemon(tmp_path)
    yield one
    one.close()


def test_every_frame_is_answered_once_and_the_first_with_an_observation(daemon: Daemon) -> None:
    daemon.tell(SETUP)
    table = world(seven(load_mat(), up=False))
    reports = []
    for serial in range(1, 5):
        daemon.ring.write(serial, serial * 1.0, table.render())
        reports.append(daemon.hear())
    assert [report.frame for report in reports if isinstance(report, Report)] == [1, 2, 3, 4]
    first = reports[0]
    assert isinstance(first, Report)
    assert first.observation is not None
    assert len(first.observation.zone("line").pieces) == 7
    assert not daemon.socket.poll(300)


@pytest.mark.thorough
def test_rubbish_is_dropped_and_quit_ends_it(daemon: Daemon) -> None:
    for rubbish in (b"", b"\xff\xfe", b'{"type": "sing"}', b'{"type": "rebase", "version": 99}', b"[" * 2_000_000):
        daemon.tell(rubbish)
    daemon.tell(SETUP)
    daemon.ring.write(1, 1.0, world().render())
    answer = daemon.hear()
    assert isinstance(answer, Report)
    assert answer.health is Health.OK
    daemon.tell(Quit())
    assert daemon.child.wait(10) == 0
    errors = daemon.close()
    assert errors.count("dropped a message") == 3  # one line a kind: undecodable, of another version, too long


@pytest.mark.thorough
def test_a_frame_waits_for_the_orders_that_were_given_before_it(daemon: Daemon) -> None:
    daemon.ring.write(1, 1.0, world(seven(load_mat(), up=False)).render(), orders=1)
    assert not daemon.socket.poll(1500)
    daemon.tell(SETUP)
    report = daemon.hear()
    assert isinstance(report, Report)
    assert report.observation is not None
    assert len(report.observation.zone("line").pieces) == 7


@pytest.mark.quick(1)
@pytest.mark.parametrize("allowed", [False, True])
def test_pictures_leave_only_if_allowed(tmp_path: Path, allowed: bool) -> None:
    daemon = Daemon(tmp_path, pictures=allowed)
    try:
        daemon.tell(SETUP)
        daemon.tell(ShowPictures(True))
        daemon.ring.write(1, 1.0, world().render())
        assert isinstance(daemon.hear(), Report)
        daemon.ring.write(2, 2.0, world().render())
        heard = [daemon.hear()]
        while daemon.socket.poll(1000):
            heard.append(daemon.hear())
        shown = [message for message in heard if isinstance(message, Picture)]
        assert bool(shown) is allowed
        assert all(message.jpeg[:2] == b"\xff\xd8" for message in shown)
    finally:
        daemon.close()


@pytest.mark.parametrize(
    ("rests", "keep", "sent"), [(False, False, []), (True, False, [Picture]), (False, True, [RestPicture])]
)
def test_the_mat_at_rest_leaves_before_its_report_if_the_owner_shows_or_keeps_it(
    tmp_path: Path, rests: bool, keep: bool, sent: list[type]
) -> None:
    daemon = Daemon(tmp_path, rests=rests, keep=keep)
    try:
        daemon.tell(SETUP)
        daemon.tell(ShowPictures(True))  # no frame is sent for all that
        daemon.ring.write(1, 1.0, world(seven(load_mat(), up=False)).render())
        heard = [daemon.hear()]
        while daemon.socket.poll(1000):
            heard.append(daemon.hear())
        assert [type(message) for message in heard] == [*sent, Report]
        assert all(len(message.places) == 7 for message in heard if isinstance(message, Picture))
    finally:
        daemon.close()


@pytest.mark.thorough
@pytest.mark.parametrize(("light", "health"), [(1.5, Health.OK), (2.2, Health.GLARE)])
def test_a_rest_that_is_burnt_out_is_told_as_a_darker_picture_shows_it(
    daemon: Daemon, light: float, health: Health
) -> None:
    daemon.tell(SETUP)
    table = world(seven(load_mat(), up=False)).render() * np.float32(light)
    told, seen, serial = None, list[Health](), 0
    while told is None and (serial := serial + 1) < 12:
        darker = table * 2.0 ** (-daemon.ring.dimmed / GAMMA)
        daemon.ring.write(serial, serial * 0.5, np.clip(darker, 0, 255).astype(np.uint8))
        report = daemon.hear()
        assert isinstance(report, Report)
        told = report.observation
        seen.append(report.health)
    assert daemon.ring.dimmed >= 0.5
    assert (seen[0], seen[-1]) == (health, Health.OK)
    assert told is not None
    assert len(told.zone("line").pieces) == 7
    assert "stops darker" in daemon.close()


def test_a_camera_is_asked_for_the_mat_alone_until_it_is_lost(daemon: Daemon) -> None:
    daemon.tell(SETUP)
    table, mat = world(seven(load_mat(), up=False)), np.zeros((720, 1280), np.uint8)
    assert daemon.ring.region == ()
    for serial in range(1, 4):
        daemon.ring.write(serial, serial * 1.0, table.render())
        assert daemon.report().health is Health.OK
    corners: Points = np.array(daemon.ring.region).reshape(4, 2)
    cv2.fillPoly(mat, [np.rint(corners * (1280, 720)).astype(np.int32)], 1)
    picture = table.render()
    white = (picture > 150).all(axis=2)  # the mat's paper: the table is darker
    assert white.sum() > 100_000
    assert (mat[white] == 1).mean() > 0.999
    assert mat.mean() < 0.95, "some of the room is left out"
    for serial in range(4, 12):
        daemon.ring.write(serial, serial * 1.0, np.where(mat[..., None] > 0, table.render(), np.uint8(128)))
        report = daemon.report()
        assert (report.health, report.moving) == (Health.OK, False), "what is left out is no motion"
    for serial in range(12, 18):
        daemon.ring.write(serial, serial * 1.0, np.full((720, 1280, 3), 90 + serial, np.uint8))
        daemon.report()
    assert daemon.ring.region == ()


@pytest.mark.thorough
def test_a_missing_camera_is_told_and_comes_back(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    daemon.ring.close()
    try:
        daemon.tell(SETUP)
        lost = daemon.hear()
        assert isinstance(lost, Report)
        assert lost.health is Health.NO_FRAMES
        daemon.ring = FrameRing(tmp_path / "frames", 1280, 720)
        daemon.ring.write(7, 1.0, world().render())
        seen = [daemon.hear()]
        while isinstance(seen[-1], Report) and seen[-1].frame != 7:
            seen.append(daemon.hear())
        assert len(seen) < 20
    finally:
        daemon.close()


def test_a_stream_that_stalls_is_told_until_it_returns_and_no_secret_is_logged(tmp_path: Path) -> None:
    with serving() as server:
        server.picture = np.full((720, 1280, 3), 90, np.uint8)
        daemon = Daemon(tmp_path, camera=CameraSpec("stream", server.address("closed", "anna:se%40cret@")))
        try:
            daemon.tell(SETUP)
            for does, health in (("sends", Health.NO_MAT), ("stalls", Health.STALLED), ("sends", Health.NO_MAT)):
                server.does = does
                heard = {daemon.report().health}
                while health not in heard:
                    heard.add(daemon.report().health)
                assert heard <= {Health.NO_MAT, Health.STALLED, Health.DARK}, "no other sentence comes between"
        finally:
            log = daemon.close()
    assert "its stream has stopped" in log
    assert "anna" not in log
    assert "cret" not in log


@pytest.mark.quick(1)
@pytest.mark.parametrize("holds", ["nothing", "another shape"])
def test_a_lens_that_cannot_be_used_is_told_in_the_log_and_the_table_is_seen_all_the_same(
    tmp_path: Path, holds: str
) -> None:
    path = tmp_path / "lens.json"
    if holds == "another shape":
        save_lens(Lens((640, 480), (100.0, 100.0), (320.0, 240.0), (0.9, 0.0, 0.0, 0.0, 0.0)), path)
    daemon = Daemon(tmp_path, lens=str(path))
    try:
        daemon.tell(SETUP)
        daemon.ring.write(1, 0.0, world(seven(load_mat())).render())
        report = daemon.hear()
        assert isinstance(report, Report)
        assert (report.frame, report.health) == (1, Health.OK)
        assert report.observation is not None
    finally:
        assert ("the lens is taken for a common one" if holds == "nothing" else "another shape") in daemon.close()


@pytest.mark.thorough
def test_reading_what_was_enrolled_gives_signs_of_life_the_first_time(tmp_path: Path) -> None:
    stones = EnrolledSet("stones", "any", {letter: (disc(letter),) for letter in "AK"})
    save(stones, tmp_path / "stones")
    for start in ("first", "second"):
        daemon = Daemon(tmp_path, enrolled={"stones": str(tmp_path / "stones")})
        try:
            daemon.tell(SETUP)
            daemon.ring.write(1, 0.0, world().render())
            heard = [daemon.hear()]
            while not isinstance(heard[-1], Report):
                heard.append(daemon.hear())
        finally:
            daemon.close()
        steps = len(heard) - 1
        assert heard[:-1] == [Busy("reads set stones", done, steps) for done in range(1, steps + 1)]
        assert bool(steps) is (start == "first")


@pytest.mark.thorough
def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, parent=1_999_999)
    try:
        assert daemon.child.wait(20) == 0
    finally:
        daemon.close()
