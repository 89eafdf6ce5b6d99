"""Runs the vision process: `python -m vision.worker CONFIG`.

CONFIG is a JSON `WorkerConfig`. The worker ends with its parent. It sends frames only if allowed and requested, and
pictures of rests only if its owner shows or keeps them (law 5).
"""

from __future__ import annotations

import logging
import os
import sys
import time
from pathlib import Path

import cv2
import msgspec
import numpy as np
import zmq

from engine.errors import RefereeError
from engine.table import Health
from vision.camera import Camera, CameraLost, CameraStuck, Cropping, Dimming, Frame, NoFrameYet, Relocking
from vision.cameras import open_camera
from vision.config import WorkerConfig
from vision.device_nodes import LATE, camera_nodes, forbidden_node, plugged_nodes
from vision.exposure import Exposure
from vision.files import BadFile, exists, read_toml
from vision.frame_rate import Load, smaller
from vision.mat import Mat, read_mats
from vision.mat_picture import kept_picture, mat_picture
from vision.message_decoding import Inbox
from vision.messages import VERSION, Busy, FromWorker, Quit, Rebase, Report, ShowPictures, ToWorker, VisionSetup
from vision.overlay import picture
from vision.parent_death import end_with
from vision.picture_checks import Lamp
from vision.pipeline import Scene
from vision.recognition import readers
from vision.recognition.naming import PieceSet, Recogniser
from vision.recognition.piece_sizes import with_measurements
from vision.registration.lens import Lens, LensUnfit, load_lens


class Orders:
    """Receives the daemon's messages. received: count, dropped ones included."""

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._socket = socket
        self._inbox: Inbox[ToWorker] = Inbox("orders", ToWorker, VERSION)
        self.received = 0

    def waiting(self) -> list[ToWorker]:
        """Receive all waiting messages; return those not dropped."""
        messages: list[ToWorker] = []
        while self._socket.poll(0):
            message = self._inbox.receive(self._socket.recv())
            self.received += 1
            if message is not None:
                messages.append(message)
        return messages


CROPPED_MM = 70.0
"""Room around the mat in pictures of nothing else: where motion and hands are looked for, and their blurred rim."""

CROPPED = (Health.OK, Health.GLARE, Health.SHAKING)
"""The mat lies where it was."""

READ_S = 1.0
BACKOFF_S = (0.5, 1.0)
"""Seconds between attempts to open a missing camera; a plugged-in one is tried at once."""
RELOCKED_S = 3.0
"""Seconds to lock exposure and gains."""

IDLE_MS = 250
FIRST_ORDER_MS = 1000
ORDER_MS = 5000
"""Longest delivery of an order sent before a simulated frame."""

_log = logging.getLogger("vision.worker")


class Worker:
    """Main loop of the vision process."""

    def __init__(self, config: WorkerConfig, socket: zmq.Socket[bytes]) -> None:
        self._config, self._socket, self._orders = config, socket, Orders(socket)
        self._lens = self._readable_lens()
        self._scene = self._new_scene()
        self._setup: VisionSetup | None = None
        self._recognisers: dict[str, Recogniser] = {}
        self._camera: Camera | None = None
        self._failures, self._retry_at = 0, 0.0
        self._away, self._cameras = Health.NO_FRAMES, plugged_nodes()
        self._fast: bool | None = None
        self._spec, self._load = config.camera, Load()
        self._lamp, self._settled_at = Lamp(), float("-inf")
        self._show: ShowPictures | None = None
        """Request for pictures, or None."""
        self._over = self._quit = False

    def _readable_lens(self) -> Lens | None:
        try:
            return load_lens(Path(self._config.lens)) if self._config.lens is not None else None
        except BadFile as error:
            _log.error("the lens is taken for a common one: %s", error)
            return None

    def _new_scene(self) -> Scene:
        corners = self._config.corners
        return Scene(self._lens, np.array(corners, np.float64) if corners is not None else None)

    def _mind_lens(self, frame: Frame) -> None:
        try:
            if self._lens is not None:
                self._lens.scale(*frame.image.shape[1::-1])
        except LensUnfit as error:
            _log.error("%s", error)
            self._lens, exposure = None, self._scene.exposure
            self._scene = self._new_scene()
            self._scene.exposure = exposure
            if self._setup is not None:
                self._set_up(self._setup)

    def run(self) -> None:
        """Run until told to quit or orphaned."""
        try:
            self._socket.poll(FIRST_ORDER_MS)  # the first orders may be on their way
            while not self._is_orphaned() and not self._quit and self._obey():
                self._once()
        finally:
            if self._camera is not None:
                self._camera.close()

    def _is_orphaned(self) -> bool:
        return bool(self._config.parent) and os.getppid() != self._config.parent

    def _obey(self, least: int = 0) -> bool:
        """Carry out waiting orders; return False to quit. least: first wait for so many orders, up to ORDER_MS each."""
        while self._orders.received < least and self._socket.poll(ORDER_MS):
            if not self._obey():
                return False
        for message in self._orders.waiting():
            match message:
                case Quit():
                    return False
                case VisionSetup():
                    self._set_up(message)
                case Rebase():
                    self._scene.rebase()
                case ShowPictures(on=on):
                    self._show = message if on and self._config.pictures else None
        return True

    def _set_up(self, message: VisionSetup) -> None:
        try:
            mat = read_toml(self._file("mats", message.mat), Mat)
            zones = tuple(
                msgspec.structs.replace(zone, set=message.sets.get(zone.name, zone.set)) for zone in mat.zones
            )
            mat = msgspec.structs.replace(mat, zones=zones)
            names = {zone.set for zone in zones}
            sets = {name: self._pieces(name) for name in names}
        except BadFile as error:
            _log.error("mat %s cannot be set up: %s", message.mat, error)
            return
        self._setup = message
        known = {name: found for name in names if (found := self._recogniser(name, sets[name])) is not None}
        self._scene.setup(mat, sets, known, message.sides, message.zones, self._mats())

    def _pieces(self, name: str) -> PieceSet:
        pieces = read_toml(self._file("sets", name), PieceSet)
        folder = self._config.enrolled.get(name)
        try:
            return pieces if folder is None else with_measurements(pieces, Path(folder))
        except RefereeError as error:
            _log.warning("set %s is looked for as large as its data say: %s", name, error)
            return pieces

    def _mats(self) -> list[Mat]:
        names = {path.stem for folder in self._config.data for path in Path(folder, "mats").glob("*.toml")}
        paths = (self._file("mats", name) for name in sorted(names))
        return list(read_mats(paths, lambda _path, error: _log.warning("%s", error)).values())

    def _file(self, kind: str, name: str) -> Path:
        paths = [Path(folder, kind, f"{name}.toml") for folder in self._config.data]
        return next((path for path in paths if exists(path)), paths[0])

    def _recogniser(self, name: str, pieces: PieceSet) -> Recogniser | None:
        if name not in self._recognisers:
            folder = self._config.enrolled.get(name)
            try:
                if folder is None:
                    raise FileNotFoundError("no pictures of it were enrolled")
                self._recognisers[name] = readers.loader(pieces)(
                    Path(folder), lambda done, of: self._send(Busy(f"reads set {name}", done, of))
                )
            except (OSError, RefereeError) as error:
                _log.warning("set %s is not named: %s", name, error)
                return None
        return self._recognisers[name]

    def _once(self) -> None:
        try:
            frame = self._frame()
        except CameraLost as error:
            self._on_lost(error)
            return
        if frame is None:
            time.sleep(0.05)
            return
        if not self._obey(frame.orders):
            self._quit = True
            return
        self._mind_lens(frame)
        report = self._scene.feed(frame)
        self._crop(frame, report.health)  # first: a simulated camera takes its next picture once it has the report
        if self._config.rests and (shown := mat_picture(self._scene, report)) is not None:
            self._send(shown)
        if self._config.keep and (kept := kept_picture(self._scene, report)) is not None:
            self._send(kept)
        self._send(report)
        busy = report.moving or report.looking
        if not busy:
            self._mind_light(report.at)
        self._mind_load(report.frame_ms, busy)
        self._pace(busy)
        if self._show is not None:
            self._send(picture(frame, self._scene, report, self._show.longest))

    def _frame(self) -> Frame | None:
        if self._camera is None:
            if self._over or (time.monotonic() < self._retry_at and not plugged_nodes() - self._cameras):
                self._idle()
                return None
            self._camera = open_camera(self._spec)
            self._camera.open()
            self._mind_glare(self._camera)
            self._fast = None
        try:
            frame = self._camera.read(READ_S)
        except NoFrameYet:
            if self._failures:
                self._send(Report(0, time.monotonic(), False, self._away))
            return None
        self._failures = 0
        if frame is None:
            self._over = True
            self._close()
            if (last := self._scene.finish()) is not None:
                self._send(Report(0, time.monotonic(), False, Health.OK, last))
        return frame

    def _idle(self) -> None:
        if not self._socket.poll(IDLE_MS):
            self._send(Report(0, time.monotonic(), False, self._away))

    def _on_lost(self, error: CameraLost) -> None:
        shut = forbidden_node(camera_nodes(self._spec.source, self._spec.target))
        if not self._failures:
            _log.warning("%s", f"{shut} may not be used: {LATE}" if shut else error)
        pause = BACKOFF_S[min(self._failures, len(BACKOFF_S) - 1)]
        self._failures += 1
        self._retry_at = time.monotonic() + pause
        self._close()
        self._cameras = plugged_nodes()
        self._away = Health.FORBIDDEN if shut else error.health
        self._scene.observe_again()
        self._send(Report(0, time.monotonic(), False, self._away))
        self._quit = isinstance(error, CameraStuck)  # the daemon starts another worker then

    def _close(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()

    def _pace(self, fast: bool) -> None:
        if self._camera is not None and fast != self._fast:
            self._fast = fast
            self._camera.pace(self._load.plan.moving_fps if fast else self._load.plan.resting_fps)

    def _crop(self, frame: Frame, health: Health) -> None:
        """Ask for the mat alone once found, for the whole picture when lost."""
        camera: object = self._camera
        if not isinstance(camera, Cropping):
            return
        survey = self._scene.survey if health in CROPPED else None
        corners = np.zeros(0) if survey is None else survey.surroundings(CROPPED_MM) / frame.image.shape[1::-1]
        camera.crop(corners.ravel().tolist())

    def _mind_load(self, frame_ms: float, busy: bool) -> None:
        load = self._load
        if load.note(frame_ms, busy):
            self._fast = None
            _log.warning("a picture takes %.0f ms: %.1f a second are looked at", load.moving_ms, load.plan.moving_fps)
        if load.plan.overloaded and not busy:
            self._shrink()

    def _shrink(self) -> None:
        size = smaller(self._spec.size)
        if size is None or not self._spec.live or self._config.corners is not None or self._scene.hiding:
            return
        _log.warning("that is too few: pictures are %d wide from here on, not %d", size[0], self._spec.width)
        height = size[1] if self._spec.height is not None else None
        self._spec = msgspec.structs.replace(self._spec, width=size[0], height=height)
        self._load = Load()
        self._close()

    def _mind_glare(self, camera: object) -> None:
        self._lamp, self._settled_at = Lamp(), float("-inf")
        self._scene.exposure = Exposure(camera.dim) if isinstance(camera, Dimming) else None

    def _mind_light(self, at: float) -> None:
        camera: object = self._camera
        gain, exposure = self._scene.gain, self._scene.exposure
        if gain is None or at < self._settled_at or not isinstance(camera, Relocking):
            return
        if self._settled_at > float("-inf"):
            self._settled_at = float("-inf")
            self._scene.observe_again()  # measurements since then are useless
        elif self._lamp.has_changed(gain, self._scene.dazzled):
            _log.info("the light changed: exposure and gains are locked again")
            camera.relock()
            self._settled_at = at + RELOCKED_S
            if exposure is not None:
                exposure.unlock_exposure()

    def _send(self, message: FromWorker) -> None:
        self._socket.send(msgspec.json.encode(message))


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    cv2.setNumThreads(1)
    config = msgspec.json.decode(sys.argv[1], type=WorkerConfig)
    if config.parent:
        end_with(config.parent)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    socket = context.socket(zmq.PAIR)
    socket.setsockopt(zmq.LINGER, 0)
    socket.connect(config.address)
    try:
        Worker(config, socket).run()
    finally:
        context.destroy(0)


if __name__ == "__main__":
    main()
