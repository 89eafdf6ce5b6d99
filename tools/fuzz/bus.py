"""The bus, both ways: messages as the receiver's inbox takes them, and what it does with those that decode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import zmq

from device import games
from device.bus.framing import Unpacker, pack
from device.daemon.core import Core, Store
from device.daemon.match_identity import simulated_chance
from device.daemon.referee import Ports
from device.journal import Journal
from device.resources import root
from device.session.table import KnownGame, Table
from engine.catalogue import complete
from engine.entry import Start
from engine.table import Arrangement, Face, Health, Observation, Sight, Sighting, Touch, ZoneSight
from engine.text import say
from referee_phones.frames import FROM_WORKER, LONGEST_IN, Back, Closed, Join, Name, PageOpened
from referee_phones.frames import FromWorker as FromGateway
from referee_phones.frames import PageTouch as Tapped
from referee_phones.page_messages import Outdated, to_frame
from tools.fuzz.judge import Target
from vision.cameras import CameraSpec
from vision.config import WorkerConfig
from vision.message_decoding import Inbox
from vision.messages import VERSION, Busy, FromWorker, Picture, Quit, Rebase, Report, ShowPictures, VisionSetup
from vision.worker import Worker


@contextmanager
def targets(folder: Path) -> Iterator[tuple[Target, ...]]:
    """Each receiver."""
    folder.mkdir(parents=True)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    try:
        with Journal(folder / "journal.db") as journal:
            yield _reports(journal), _orders(context, folder), _workers(), _pages()
    finally:
        context.destroy(0)


def _reports(journal: Journal) -> Target:
    """What the daemon hears from the vision worker, in the midst of a match."""
    spec = games.spec("tellstones")
    table = Table(
        ("a", "b"), {spec.name: KnownGame(spec, games.game(spec))}, camera=True, mats=games.mats(["tellstones"])
    )
    journal.append((Start(0.0, spec.name, dict(complete(spec.options, {})), ("a", "b"), 7),))
    core = Core(table, Store(journal), simulated_chance(7), Ports(), now=lambda: 0.0, goes_on=True)
    inbox: Inbox[FromWorker] = Inbox("vision", FromWorker, VERSION)

    def feed(data: bytes) -> None:
        message = inbox.receive(data)
        if isinstance(message, Report):
            core.take(message)
            core.wake_at()

    stone = Sighting(3, "crown", Face.UP, Sight.SEEN, 0.97, 120.0, 80.0, 12.5)
    zones = ZoneSight("line", Arrangement.ROW, (stone,)), ZoneSight("pool", Arrangement.AREA, (stone, stone))
    seen = Observation(1, 2.0, zones, (Touch(3, True, 0.9, frozenset("a")),), hands=frozenset("a"))
    samples = (
        *(Report(1, 2.0, False, Health.OK, seen, 12.5), Report(2, 2.2, True, Health.NO_MAT, instead="fence")),
        *(Busy("reads set stones", 3, 32), Picture(4, b"\xff\xd8jpeg", (say("Too dark for the camera."),))),
    )
    return Target("reports", tuple(map(msgspec.json.encode, samples)), feed)


def _orders(context: zmq.Context[zmq.Socket[bytes]], folder: Path) -> Target:
    """What the vision worker hears from the daemon, and its setting up of what is named there."""
    ours, theirs = context.socket(zmq.PAIR), context.socket(zmq.PAIR)
    address = "inproc://orders"
    ours.bind(address)
    theirs.connect(address)
    camera = CameraSpec("shared", str(folder / "no camera"))
    worker = Worker(WorkerConfig(camera, address, (str(root()),)), theirs)
    quits = msgspec.json.encode(Quit())

    def feed(data: bytes) -> None:
        ours.send(data)
        ours.send(quits)
        worker.run()
        for socket in (ours, theirs):
            while socket.poll(0):
                socket.recv()

    sets, sides = {"line": "stones", "pool": "stones"}, {"a": "bottom", "b": "top"}
    samples = VisionSetup("tellstones", ("line", "pool"), sets, sides), Rebase(), ShowPictures(True), Quit()
    return Target("orders", tuple(map(msgspec.json.encode, samples)), feed)


def _workers() -> Target:
    """What the daemon hears from a worker of the pages: the frames, and what is in them."""
    inbox: Inbox[FromGateway] = Inbox("pages", FROM_WORKER, 1)

    def feed(data: bytes) -> None:
        for frame in Unpacker(LONGEST_IN).feed(data):
            if frame is not None:
                inbox.receive(frame)

    value = "0123456789abcdef" * 4
    frames: tuple[FromGateway, ...] = (
        PageOpened(1, "ru"),
        Join(1, value, value),
        Back(1, value),
        Tapped(1, 3, -1, True),
        Name(1, "Anna"),
        Closed(1),
    )
    return Target("workers of the pages", tuple(map(pack, frames)), feed)


def _pages() -> Target:
    """What a worker hears from a page: text that it makes a frame of, or refuses."""

    def feed(data: bytes) -> None:
        with suppress(ValueError, Outdated):
            to_frame(1, data.decode())

    value = b"0123456789abcdef" * 4
    samples = (
        b'{"prove": "%b", "join": "%b", "number": true}' % (value, value),
        b'{"prove": "%b"}' % value,
        b'{"back": "0123456789abcdef0123456789abcdef"}',
        b'{"tap": {"serial": 3, "line": 0, "menu": false}}',
        b'{"speak": "zh_Hant"}',
        b'{"name": "Anna"}',
        b'{"go": true}',
    )
    return Target("pages", samples, feed)
