"""The adapter on the real picamera2: its own source runs here, over a stand-in of libcamera with a Zero 2 W's memory.

Where picamera2 cannot be had these tests are skipped: `make test` installs it without what it needs.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
import zmq
from gpiozero.pins.mock import MockFactory

from device.displays.keeper import Showing
from device.displays.oled import DisplayLost
from device.doctor import Probes, examine
from device.settings import parse
from device.settings.table import Display
from tests.vision.cameras.conftest import THEIRS, Rig, forget
from vision.camera import CameraLost, CameraStuck
from vision.cameras import CameraSpec
from vision.cameras.picamera import PiCamera, lores_size
from vision.cameras.sensors import SENSORS, sensor_shape, whole_field
from vision.config import WorkerConfig
from vision.worker import Worker

pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning",  # picamera2's own, of cameras that cannot be let go
    "ignore::DeprecationWarning",
)
BUFFERS = 3
"""So many pictures can be on their way at once."""

MODULES = {"ov5647": 1, "imx219": 2, "imx477": 0, "imx708": 3, "imx708_wide_noir": 3, "imx500": 0, "imx296": 0}


def test_asking_a_large_sensor_for_its_modes_takes_more_memory_than_there_is(rig: Rig) -> None:
    """Why the modes are known beforehand (picamera2's issue 1358)."""
    rig.plug("imx477")
    camera = importlib.import_module("picamera2").Picamera2(0)
    with pytest.raises(OSError, match="Cannot allocate memory"):
        _ = camera.sensor_modes
    camera.close()


@pytest.mark.quick(2)
@pytest.mark.parametrize("model", MODULES)
def test_every_camera_shows_its_whole_field_and_takes_little_of_the_memory(rig: Rig, model: str) -> None:
    chip, camera = rig.plug(model), rig.camera()
    camera.open()
    frame = camera.read(30.0)
    assert frame is not None
    height, width = frame.image.shape[:2]
    assert width == 1280
    assert width / height == pytest.approx(chip.whole[0] / chip.whole[1], rel=0.01), "of the shape of the sensor"
    assert frame.small.shape == lores_size(width, height)[::-1]
    assert chip.field[2] >= 0.98 * chip.whole[0]
    assert chip.field[3] >= 0.98 * chip.whole[1], "the height, too: 16:9 would cut a quarter of it off"
    assert rig.board.most < 48 * 2**20
    camera.close()
    assert rig.board.used() == 0


@pytest.mark.parametrize("model", ["imx708", "imx708_wide"])
def test_one_of_16_to_9_gives_such_pictures(rig: Rig, model: str) -> None:
    rig.plug(model)
    camera = rig.camera()
    camera.open()
    frame = camera.read(30.0)
    assert frame is not None
    assert frame.image.shape == (720, 1280, 3)


def test_what_is_known_of_the_sensors_is_what_they_have(rig: Rig) -> None:
    """Against the modes as rpicam-hello lists them."""
    chips = importlib.import_module("libcamera.chip")
    for model, modes in SENSORS.items():
        whole = chips.Chip(model).whole
        least = 0.98 * whole[0], 0.98 * whole[1]
        there = {mode[:3] for mode in chips.MODES[model] if mode[3][2] >= least[0] and mode[3][3] >= least[1]}
        assert {(*mode.size, mode.bits) for mode in modes} <= there
        assert [mode.size for mode in modes] == sorted(mode.size for mode in modes)
        assert {mode.size for mode in modes} == {each[:2] for each in there}, "and none is forgotten"


def test_the_smallest_mode_that_fills_the_picture_is_taken() -> None:
    taken = {
        (model, size): mode.size if (mode := whole_field(model, size)) is not None else None
        for model, size in (
            *(("imx219", (1280, 960)), ("imx219", (960, 540)), ("imx219", (1280, 1300))),
            *(("imx708", (1280, 720)), ("imx708_wide_noir", (4608, 2592)), ("ov5647", (4000, 3000))),
            ("ov9281", (1280, 800)),
        )
    }
    assert list(taken.values()) == [
        *((1640, 1232), (1640, 1232), (3280, 2464)),
        *((2304, 1296), (4608, 2592), (2592, 1944), None),
    ]
    assert sensor_shape(1280, (3280, 2464)) == (1280, 962)
    assert sensor_shape(1280, (4608, 2592)) == (1280, 720)


@pytest.mark.thorough
def test_a_sensor_that_nobody_knows_is_used_as_picamera2_chooses(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    rig.plug("ov9281")
    camera = rig.camera(width=640)
    camera.open()
    assert camera.read(30.0) is not None
    assert "of its width" not in caplog.text
    rig.plug("arducam_64mp")
    camera = rig.camera(height=720)
    camera.open()
    assert camera.read(30.0) is not None
    assert "camera 0 (arducam_64mp) shows 55% of its width and 41% of its height at 1280 x 720" in caplog.text


def test_a_size_of_another_shape_is_given_and_what_it_leaves_out_is_told(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    camera = rig.camera(width=1280, height=720)
    camera.open()
    frame = camera.read(30.0)
    assert frame is not None
    assert frame.image.shape == (720, 1280, 3)
    assert "shows 100% of its width and 75% of its height at 1280 x 720: without `size` it shows all" in caplog.text


def refusal(rig: Rig, **spec: int) -> str:
    """What is said when it does not open; nothing is held afterwards, so that it opens once the cause is gone."""
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    camera = rig.camera(**spec)
    try:
        camera.open()
        pytest.fail("it opened")
    except CameraLost as error:
        told = str(error)
    gc.collect()
    assert rig.board.used() == 0
    assert len(os.listdir("/proc/self/fd")) <= before + 1, "no pipe is left open"  # noqa: PTH208
    return told


def opens(rig: Rig) -> bool:
    camera = rig.camera()
    camera.open()
    return camera.read(30.0) is not None


@pytest.mark.thorough
def test_where_memory_is_short_it_says_so_and_comes_back(rig: Rig) -> None:
    rig.board.pieces = [8 * 2**20]
    assert "no memory for pictures of 1280 x 962" in refusal(rig)
    rig.board.pieces = [19 * 2**20]
    told = refusal(rig)
    assert "Failed to start camera" in told, "libcamera's own buffers did not fit"
    assert "write a smaller `size`" in told
    rig.board.pieces = [96 * 2**20]
    assert opens(rig)


def test_where_the_heap_is_forbidden_it_says_who_may_and_comes_back(rig: Rig) -> None:
    rig.board.forbidden = True
    assert "/dev/dma_heap/linux,cma is forbidden; the user must be in group video" in refusal(rig)
    rig.board.forbidden = False
    assert opens(rig)


def test_where_there_is_no_heap_it_says_so_and_comes_back(rig: Rig) -> None:
    rig.board.heaps = ()
    assert "Could not open any dmaHeap device" in refusal(rig)
    rig.board.heaps = ("/dev/dma_heap/linux,cma",)
    assert opens(rig)


def test_one_that_another_process_holds_is_told_and_comes_back(rig: Rig) -> None:
    rig.chip.held = True
    assert "a referee that runs may hold it" in refusal(rig)
    rig.chip.held = False
    assert opens(rig)


def test_one_that_is_away_is_told_and_comes_back_however_often_it_was_looked_for(rig: Rig) -> None:
    rig.chip.plugged = False
    for _ in range(20):
        assert "there is no camera 0: libcamera finds 0" in refusal(rig)
    rig.chip.plugged = True
    assert opens(rig)


def test_one_on_usb_is_told_where_it_belongs(rig: Rig) -> None:
    rig.plug("usb")
    assert 'is on USB: write source = "v4l2" for it' in refusal(rig)


@pytest.mark.thorough
def test_a_numpy_that_picamera2_was_not_built_for_is_told(rig: Rig) -> None:
    rig.board.numpy_fits = False
    forget_picamera2()
    try:
        assert "picamera2 cannot be loaded (numpy.dtype size changed" in refusal(rig)
    finally:
        rig.board.numpy_fits = True
        forget_picamera2()
        rig.wire()
    assert opens(rig)


def forget_picamera2() -> None:
    kept = {name: module for name, module in sys.modules.items() if name.startswith("libcamera")}
    forget()
    sys.modules.update(kept)


def read_all(camera: PiCamera) -> None:
    """What is still on its way, and one more."""
    for _ in range(BUFFERS + 1):
        camera.read(0.3)


@pytest.mark.thorough
def test_one_that_is_pulled_out_is_lost_in_time_closes_and_comes_back(rig: Rig) -> None:
    camera = rig.camera()
    camera.open()
    assert camera.read(30.0) is not None
    rig.chip.plugged = False
    began = time.perf_counter()
    with pytest.raises(CameraLost, match=r"sent no frame within 0\.3 s"):
        read_all(camera)
    camera.close()
    assert time.perf_counter() - began < 30, "the capture that waits holds nobody up"
    assert rig.board.used() == 0
    rig.chip.plugged = True
    assert opens(rig)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_one_that_takes_no_more_requests_is_lost_and_comes_back(rig: Rig) -> None:
    """picamera2's own thread ends then."""
    camera = rig.camera()
    camera.open()
    rig.chip.fails_to_queue = True
    with suppress(CameraLost):
        while camera.read(0.3) is not None:
            pass
    time.sleep(0.2)
    camera.close()
    rig.chip.fails_to_queue = False
    assert opens(rig)


def test_one_that_can_neither_start_nor_be_let_go_needs_a_new_process(rig: Rig) -> None:
    """picamera2 takes it for one that was never started, and libcamera for one that runs."""
    rig.chip.fails_to_queue = True
    with pytest.raises(CameraLost, match="Failed to queue request"):
        rig.camera().open()
    with pytest.raises(CameraStuck, match="a new process is needed"):
        rig.camera().open()


def test_a_driver_that_hangs_does_not_hold_up_its_process(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.cameras.picamera.CLOSE_S", 0.3)
    camera = rig.camera()
    camera.open()
    rig.chip.hangs = True
    began = time.perf_counter()
    camera.close()
    assert time.perf_counter() - began < 30
    with pytest.raises(CameraStuck):
        rig.camera().open()


@pytest.mark.thorough
def test_the_worker_ends_over_a_camera_that_only_a_new_process_can_open(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The daemon starts another then; without that players would go on without a camera all evening."""
    monkeypatch.setattr("vision.cameras.picamera.CLOSE_S", 0.2)
    camera = rig.camera()
    camera.open()
    rig.chip.hangs = True
    camera.close()
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    daemon, ours = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    daemon.bind("inproc://vision")
    ours.connect("inproc://vision")
    config = WorkerConfig(CameraSpec("picamera2", "0"), "inproc://vision", ("config",))
    worker = threading.Thread(target=Worker(config, ours).run, daemon=True)
    worker.start()
    worker.join(60)
    assert not worker.is_alive()
    assert "a new process is needed" in caplog.text
    assert daemon.poll(0), "and it was told that there are no frames"
    context.destroy(0)


def test_the_doctor_goes_on_whatever_a_camera_does(rig: Rig, tmp_path: Path) -> None:
    settings = parse(
        f"""
        state_dir = "{tmp_path}"
        camera = {{ source = "picamera2" }}
        shared.input = {{ kind = "buttons", back = 17, next = 27, choose = 22 }}
        shared.display.bus = {{ kind = "i2c" }}
        """
    )
    rig.plug("imx477")
    rig.board.pieces = [2**20]

    def display(_display: Display) -> Showing:
        raise DisplayLost("there is none here")

    found = list(examine(settings, Probes(display=display, factory=MockFactory())))
    (camera,) = (finding for finding in found if finding.key == "camera")
    assert not camera.ok
    assert "no memory for pictures of 1280 x 960" in camera.found
    assert found[-1] != camera, "what comes after it is looked at, too"


def test_without_libcamera_it_is_lost_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where apt has not installed it: picamera2 itself may be there, from pip."""
    for name in [name for name in sys.modules if name.partition(".")[0] in THEIRS]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "libcamera", None)
    with pytest.raises(CameraLost, match="apt install python3-picamera2"):
        PiCamera(CameraSpec("picamera2", "0")).open()
