"""Builds the daemon's parts from a table file."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from device import games as catalogue
from device.buttons import debounce
from device.buttons.gestures import Pace
from device.buttons.panel import ButtonPanel, EncoderPanel, Listener, Post
from device.buzzer import Buzzer
from device.clock import Clock
from device.daemon.displays import Pane
from device.daemon.referee import PanelPort
from device.daemon.systemd_notify import SystemdNotifier
from device.displays import oled
from device.displays.keeper import Keeper, Lane, Resting, Showing
from device.key_gestures import Button
from device.pins import PinLost
from device.resources import AGAIN, folders, root
from device.session.table import SHARED, TABLE, KnownGame, Table
from device.settings.table import (
    WIDTH,
    Buttons,
    Display,
    NetworkCamera,
    NoCamera,
    Phone,
    Picamera,
    Recording,
    Shared,
    TableSettings,
)
from engine.catalogue import GameSpec
from engine.game import OptionValue
from engine.table import SEATS, Seat
from engine.text import Text, say
from vision.cameras import CameraSpec, hide_address
from vision.cameras.ring import phone_ring
from vision.config import WorkerConfig
from vision.files import BadFile, Fault, NoFile
from vision.recognition.index import read_index

_log = logging.getLogger(__name__)


def session_table(
    settings: TableSettings, wrong: Callable[[Text], None] = lambda _text: None, *, shipped: bool = False
) -> Table:
    """Return the session's table. wrong: receives faults. shipped: ignore corrected cards. Raises BadFile if no game
    works."""
    games = _games(None if shipped else settings.state_dir, wrong)
    _tell_of_vision(settings, wrong)
    mats = {laid.mat for known in games.values() for laid in known.spec.tables if laid.mat}
    clock = settings.clock
    wound: dict[str, OptionValue] = {"kind": clock.kind}
    if clock.kind != "none":
        wound |= {"seconds": clock.seconds, "increment": clock.increment, "fall": clock.fall}
    return Table(
        panels=tuple(sorted(settings.seats)),
        games=games,
        shared=settings.shared is not None,
        pages=settings.has_pages(),
        places=tuple(seat for seat in SEATS if _for_phones(settings, seat)),
        screen=settings.table_display is not None or settings.pages.on,
        page_alone=settings.table_display is None,
        camera=not isinstance(settings.camera, NoCamera),
        mats=catalogue.mats(sorted(mats)),
        clock=wound,
        language=settings.language,
        settle_s=settings.timing.settle_s,
        aloud=settings.pages.aloud == "on",
        sounds=settings.pages.sounds == "on",
    )


def _for_phones(settings: TableSettings, seat: Seat) -> bool:
    panel = settings.shared or settings.seats.get(seat)
    return panel is None or panel.phone == "on"


def _games(owned: Path | None, wrong: Callable[[Text], None]) -> dict[str, KnownGame]:
    faulty: dict[str, BadFile] = {}
    specs = catalogue.specs(lambda path, error: faulty.update({path.stem: error}))
    found = {}
    for name, spec in specs.items():
        try:
            found[name] = _find_game(spec, owned, wrong)
        except BadFile as error:
            faulty[spec.title] = error
    for title, why in faulty.items():
        _log.error("%s is left out: %s", title, why)
        wrong(say("{game} cannot be played: its files are damaged. Update the referee.", game=Text(title)))
    if not found:
        raise next(iter(faulty.values()), NoFile(root() / "games", Fault("", "no game is installed", AGAIN)))
    return found


def _find_game(spec: GameSpec, owned: Path | None, wrong: Callable[[Text], None]) -> KnownGame:
    try:
        return KnownGame(spec, *catalogue.build(spec, owned))
    except BadFile as error:
        shipped = KnownGame(spec, *catalogue.build(spec))
        _log.error("%s is played with the data that were shipped: %s", spec.title, error)
        wrong(say("{game}: the card corrections can't be read. Enter them again.", game=Text(spec.title)))
        return shipped


def _tell_of_vision(settings: TableSettings, wrong: Callable[[Text], None]) -> None:
    camera = settings.camera
    if isinstance(camera, NoCamera):
        return
    try:
        if camera.lens is not None:
            from vision.registration.lens import load_lens  # imports OpenCV, which the daemon otherwise doesn't need

            load_lens(camera.lens)
    except BadFile as error:
        _log.error("the lens is taken for a common one: %s", error)
        wrong(say("The lens calibration can't be read. Calibrate the lens again."))
    for name, folder in enrolled_folders(settings).items():
        try:
            read_index(Path(folder))
        except NoFile:  # unfinished enrolling
            continue
        except BadFile as error:
            _log.error("set %s is not named: %s", name, error)
            wrong(
                say("The pictures of {set} can't be read, so its pieces are not recognised. Take them again.", set=name)
            )


def displays(settings: TableSettings) -> dict[str, Display]:
    """Return all displays by session name."""
    named = {seat: panel.display for seat, panel in settings.seats.items()}
    if settings.shared is not None:
        named[SHARED] = settings.shared.display
    if settings.table_display is not None:
        named[TABLE] = settings.table_display
    return named


def panes(
    settings: TableSettings,
    clock: Clock,
    notifier: SystemdNotifier,
    *,
    told: Callable[[str, bool], None],
    build: Callable[[Display], Showing] = oled.build,
) -> dict[str, Pane]:
    """Return a pane per display, watched by the notifier. Absent displays are retried.

    told: receives a name, and True when found, False when lost.
    """
    made = {}
    lanes = {bus: Lane(bus) for bus in {oled.bus_of(display) for display in displays(settings).values()}}
    for name, display in displays(settings).items():
        loop = f"display {name}"
        notifier.watch(loop)
        keeper = Keeper(
            name,
            partial(build, display),
            clock,
            told=told,
            lane=lanes[oled.bus_of(display)],
            beat=partial(notifier.beat, loop),
            resting=Resting(settings.timing.dim_s, settings.timing.dark_s),
        )
        made[name] = Pane(display.pixels, keeper)
    return made


def panels(
    settings: TableSettings, listener: Listener, *, now: Callable[[], float], post: Post, factory: Any = None
) -> tuple[PanelPort, ...]:
    """Return all panels with open pins. Raises PinLost."""
    timing = debounce.DebounceTiming(settings.timing.bounce_s)
    pace = Pace(settings.timing.long_s, settings.timing.repeat_s)
    made: list[PanelPort] = []
    try:
        for seat, wiring in settings.panels().items():
            wired = wiring.input
            pins = (
                {Button.BACK: wired.back, Button.NEXT: wired.next, Button.CHOOSE: wired.choose}
                if isinstance(wired, Buttons)
                else {Button.CHOOSE: wired.push, Button.BACK: wired.back}
            )
            panel = ButtonPanel(seat, pins, listener, now=now, post=post, factory=factory, timing=timing, pace=pace)
            if isinstance(wired, Buttons):
                made.append(panel)
            else:
                turned = (wired.a, wired.b)
                made.append(EncoderPanel(seat, turned, panel, listener, now=now, post=post, factory=factory))
    except PinLost:
        for each in made:
            each.close()
        raise
    return tuple(made)


def buzzer(settings: TableSettings, factory: Any = None) -> Buzzer | None:
    """Return the buzzer with an open pin; None without one, if it is off or, logged, if its pin fails. factory: of
    pins."""
    if settings.buzzer is None or settings.buzzer.sounds == "off":
        return None
    try:
        return Buzzer(settings.buzzer.pin, factory)
    except PinLost as error:
        _log.warning("the table has no buzzer: %s", error)
        return None


def camera_spec(settings: TableSettings) -> CameraSpec | None:
    """Return the camera's description for vision; None without one."""
    camera = settings.camera
    if isinstance(camera, NoCamera):
        return None
    width, height = camera.size or (WIDTH, None)
    match camera:
        case Picamera(number=number, focus=focus, mains_hz=mains_hz):
            return CameraSpec("picamera2", str(number), width, height, focus=focus, mains_hz=mains_hz)
        case Phone():
            return CameraSpec("phone", str(phone_ring(settings.state_dir)), width, height)
        case NetworkCamera(address=target) | Shared(name=target):
            return CameraSpec("stream" if isinstance(camera, NetworkCamera) else "shared", target, width, height)
        case Recording(path=path):
            return CameraSpec("opencv", str(path), width, height)
        case _:
            return CameraSpec("opencv", str(camera.index), width, height, mains_hz=camera.mains_hz)


UNSIZED = "nothing says of which pictures these corners were measured"
SIZED = "write their size beside them: [1280, 720] if an earlier version showed them; or measure them again"


def is_unsized(settings: TableSettings) -> bool:
    """Return True if the mat's corners come from a Pi camera's pictures of unknown size."""
    camera = settings.camera
    return isinstance(camera, Picamera) and camera.points is not None and camera.size is None


def enrolled_folders(settings: TableSettings) -> dict[str, str]:
    """Return enrolled sets' folders by name, unfinished ones included; none if unreadable."""
    folder = settings.state_dir / "enrolled"
    try:
        return {path.name: str(path) for path in sorted(folder.glob("*")) if path.is_dir()}
    except OSError:  # the journal names the fault
        return {}


def worker_command(settings: TableSettings, *, pictures: bool = False) -> Callable[[str], Sequence[str]]:
    """Return a function from a socket's address to the worker's command line; put a network camera's address into a
    private file. The table must have a camera. pictures: the worker may send them. Raises OSError."""
    camera = camera_spec(settings)
    assert camera is not None
    optics = settings.camera
    assert not isinstance(optics, NoCamera)
    camera = hide_address(camera, settings.runtime_dir)
    if is_unsized(settings):
        _log.warning("camera.points: %s; %s", UNSIZED, SIZED)

    def command(address: str) -> Sequence[str]:
        config = WorkerConfig(
            camera=camera,
            address=address,
            data=tuple(map(str, folders())),
            enrolled=enrolled_folders(settings),
            lens=str(optics.lens) if optics.lens is not None else None,
            corners=optics.points,
            pictures=pictures,
            rests=not pictures and settings.pages.picture == "on",
            keep=not pictures and optics.keep == "on",
            parent=os.getpid(),
        )
        return (sys.executable, "-P", "-m", "vision.worker", msgspec.json.encode(config).decode())

    return command
