"""The real picamera2 over a stand-in of what it stands on: libcamera, the kernel's heap, and its other packages."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from vision.cameras import CameraSpec
from vision.cameras.picamera import CLOSING, FAILS, PiCamera, _Closing

STAND_INS = Path(__file__).parent / "stand_ins"
THEIRS = {path.stem for path in STAND_INS.iterdir()} | {"picamera2"}

Plug = Callable[..., tuple[PiCamera, Any]]


def forget() -> None:
    """Has them imported again."""
    for name in [name for name in sys.modules if name.partition(".")[0] in THEIRS]:
        del sys.modules[name]


class Rig:
    """A board with one camera, and whoever opens it."""

    def __init__(self) -> None:
        forget()
        sys.path.insert(0, str(STAND_INS))
        self.board = importlib.import_module("libcamera.board").board
        self.Chip = importlib.import_module("libcamera.chip").Chip
        self.wire()
        self.opened: list[PiCamera] = []

    def wire(self) -> None:
        """picamera2 as it is; but for the kernel's calls, which go to the board."""
        heap = importlib.import_module("picamera2.dma_heap")
        buffers = importlib.import_module("picamera2.allocators.dmaallocator")
        vars(heap)["os"], vars(heap)["fcntl"] = self.board.kernel()
        vars(buffers)["fcntl"] = self.board.kernel()[1]

    @property
    def chip(self) -> Any:
        """The camera."""
        return self.board.chips[-1]

    def plug(self, model: str = "imx219", lens: bool = False) -> Any:
        """Puts that camera in the place of all others, on a board with all its memory."""
        self.close()
        self.board.__init__()  # as new
        self.board.chips.append(self.Chip(model, lens))
        self.board.wanted = self.waited_for
        return self.chip

    @staticmethod
    def waited_for() -> bool:
        """Whether picamera2 has a job that waits for a picture."""
        cameras = sys.modules["picamera2"].Picamera2._cm.cameras
        return any(camera._job_list for camera in list(cameras.values()))

    def camera(self, **spec: Any) -> PiCamera:
        """An adapter to it, not yet opened: pictures of the whole field if nothing else is asked for."""
        self.opened.append(PiCamera(CameraSpec("picamera2", "0", **{"height": None, **spec})))
        return self.opened[-1]

    def close(self) -> None:
        """Lets all go."""
        for chip in self.board.chips:
            chip.hangs = False
        for camera in self.opened:
            with suppress(*FAILS):
                camera.close()
        self.opened = []
        for thread in threading.enumerate():
            if thread.name == CLOSING:
                thread.join(60)
        _Closing.stuck.clear()
        gc.collect()


@pytest.fixture(scope="module")
def _rig() -> Iterator[Rig]:
    if importlib.util.find_spec("picamera2") is None:
        pytest.skip("picamera2 is not installed: make test does it")
    gc.collect()
    gc.freeze()  # what other tests have left is not looked through each time a camera is to be let go
    made = Rig()
    yield made
    sys.path.remove(str(STAND_INS))
    forget()


@pytest.fixture
def rig(_rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    """A board with a camera 2; the adapter's time goes on by its pictures alone."""
    _rig.plug()
    monkeypatch.setattr("vision.cameras.picamera.CLOSE_S", 60.0)
    monkeypatch.setattr("vision.cameras.picamera.time", SimpleNamespace(monotonic=lambda: _rig.chip.now))
    yield _rig
    _rig.close()


@pytest.fixture
def plug(rig: Rig) -> Plug:
    """Opens the camera that is plugged in."""

    def opened(model: str = "imx219", lens: bool = False, **spec: Any) -> tuple[PiCamera, Any]:
        chip, camera = rig.plug(model, lens), rig.camera(**spec)
        camera.open()
        return camera, chip

    return opened
