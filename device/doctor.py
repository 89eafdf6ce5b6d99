"""Checks wiring, camera, pages, enrolled sets and journal as the daemon uses them."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from device import games, pins
from device.buzzer import Buzzer
from device.daemon import status
from device.daemon.assembly import SIZED, UNSIZED, camera_spec, displays, enrolled_folders, is_unsized
from device.daemon.status import STALE_S, Status
from device.displays import oled
from device.displays.keeper import Showing
from device.displays.oled import DisplayLost
from device.enrolment import kinds_of, laid_on
from device.journal import JournalError
from device.journal.raw_pages import prove
from device.resources import load_shipped
from device.settings.owner_settings import KEPT, laid_over
from device.settings.table import Bus, Display, I2c, NoCamera, TableSettings
from device.web.serving import page_address
from engine.table import Health
from vision.camera import Camera, CameraLost, Frame, Image
from vision.cameras import CameraSpec, open_camera
from vision.cameras.stream import MESSAGES
from vision.device_nodes import DEV, LATE, camera_nodes, forbidden_node, open_errno
from vision.files import BadFile
from vision.frame_rate import looking_ms, plan
from vision.recognition.check_round import read_checked
from vision.recognition.enrolment import EnrolmentError, load
from vision.recognition.index import INDEX, read_index
from vision.recognition.naming import PieceSet
from vision.recognition.piece_sizes import by_kind, elsewhere, read_measures
from vision.registration.lens import LensUnfit, load_lens

DARK = 20.0
"""Mean gray below which a picture is too dark."""

ROOM = 1_000_000
"""Free bytes needed for an evening."""

QUICK_KHZ = 400
"""Fastest I2C speed in the controllers' data sheets."""

WIRES = "check power, ground and data lines, and the address jumper; i2cdetect -y PORT lists what answers"
MIRROR = "turn mirroring off in the camera's settings; let it look at the table itself, and not by way of a mirror"
STEADY = "fix its arm or stand, away from where people lean; lamps that flicker can do the same"
PICTURE_S = 8.0
"""Seconds that a camera has for its first picture."""

PLUGS = "check the ribbon cable or the plug; rpicam-hello --list-cameras or v4l2-ctl --list-devices names it"


class Finding(msgspec.Struct, frozen=True):
    """A part's result. found: in words."""

    key: str
    ok: bool
    found: str
    remedy: str = ""


class Probes(msgspec.Struct, frozen=True):
    """Access to devices, by default the daemon's."""

    display: Callable[[Display], Showing] = oled.build
    camera: Callable[[CameraSpec], Camera] = open_camera
    looking_ms: Callable[[Image], float] = looking_ms
    factory: Any = None
    dev: Path = DEV
    buses: Path = oled.BUSES


def examine(settings: TableSettings, probes: Probes | None = None) -> Iterator[Finding]:
    """Yield each part's finding; a running daemon reports the devices that it holds. Raises BadFile."""
    probes = probes or Probes()
    running = status.read(settings.runtime_dir)
    yield from _pins(settings, probes) if running is None else _service(running)
    yield from _buses(settings, probes)
    for (key, display), name in zip(settings.displays().items(), displays(settings), strict=True):
        yield _display(key, display, probes) if running is None else _ask_worker(key, name, display, running)
    yield from _camera(settings, probes) if running is None else _camera_finding(settings, running)
    yield from _owner_findings(settings)
    if is_unsized(settings):
        yield Finding("camera.points", False, UNSIZED, SIZED)
    if settings.pages.on:
        yield _pages(settings, running)
    yield from _sets(settings)
    yield _journal(settings)


def _service(running: Status) -> Iterator[Finding]:
    if running.age_s > STALE_S:
        found = f"process {running.pid} has not said for {running.age_s:.0f} s how it is"
        yield Finding("service", False, found, "sudo systemctl restart referee; journalctl -u referee says why")
        return
    mode = " in safe mode" if running.safe else ""
    remedy = "mend what journalctl -u referee names, then: sudo systemctl restart referee" if running.safe else ""
    found = f"referees{mode} (process {running.pid}), and was asked for displays and camera; it holds the pins"
    yield Finding("service", not running.safe, found, remedy)


def _owner_findings(settings: TableSettings) -> Iterator[Finding]:
    laid = laid_over(settings)
    for key, value in laid.chosen.items():
        yield Finding(key, True, f"{value!r} was chosen on the owner's page, over the table file ({KEPT})")
    for fault in laid.wrong:
        yield Finding(
            fault.key or KEPT, False, f"chosen on the owner's page, but left out: {fault.wrong}", fault.remedy
        )


def _ask_worker(key: str, name: str, display: Display, running: Status) -> Finding:
    if (node := running.shut.get(name)) is not None:
        return Finding(key, False, f"{node} may not be used by the service", LATE)
    if not running.displays.get(name, False):
        return Finding(key, False, f"{display.controller} does not answer the service", WIRES)
    width, height = display.pixels
    return Finding(key, True, f"{display.controller} {width}x{height} answers the service")


def _pages(settings: TableSettings, running: Status | None) -> Finding:
    place = page_address(settings.pages.hosts, settings.pages.port, tls=settings.pages.tls)
    if running is None:
        return Finding("pages", True, f"are to be at {place}, once the service runs")
    if running.pages is None:
        remedy = "journalctl -u referee says why; then: sudo systemctl restart referee"
        return Finding("pages", False, "the service has no sockets for them", remedy)
    missing = ", ".join(name for name, workers in running.pages.items() if not workers)
    if missing:
        remedy = "sudo systemctl restart referee-pages; journalctl -u referee-pages says why"
        return Finding("pages", False, f"nobody serves those of {missing}", remedy)
    return Finding("pages", True, f"are served at {place}; each seat's code is in the menu, By phone")


def _camera_finding(settings: TableSettings, running: Status) -> Iterator[Finding]:
    camera = running.camera
    if camera is None:
        yield Finding("camera", isinstance(settings.camera, NoCamera), "none: the buttons alone")
    elif camera.busy:
        yield Finding(
            "camera", True, f"worker {camera.workers} of the service {camera.busy}: it looks when that is done"
        )
    elif camera.health == "":
        yield Finding("camera", False, f"worker {camera.workers} of the service has not reported yet", PLUGS)
    elif camera.health == Health.FORBIDDEN:
        yield Finding("camera", False, "may not be used by the service", LATE)
    elif camera.health in MESSAGES:
        yield Finding("camera", False, *MESSAGES[Health(camera.health)])
    elif camera.health == Health.NO_FRAMES:
        yield Finding("camera", False, "sends the service no pictures", PLUGS)
    elif camera.health == Health.MIRRORED:
        yield Finding("camera", False, "its picture is mirrored, so no marker can be read", MIRROR)
    elif camera.health == Health.SHAKING:
        yield Finding("camera", False, "the picture keeps moving, though no hand is there", STEADY)
    else:
        rest = ", and has seen the table at rest" if camera.observed else ""
        yield Finding("camera", True, f"the service looks through it ({camera.health}){rest}")


def _pins(settings: TableSettings, probes: Probes) -> Iterator[Finding]:
    try:
        pins.ready(probes.factory)
    except pins.PinLost as error:
        remedy = "run this on the Raspberry Pi, with python3-lgpio installed and your user in the group gpio"
        yield Finding("seats", False, str(error), remedy)
        return
    for seat, panel in settings.panels().items():
        key = "shared" if seat is None else f"seats.{seat}"
        for name, pin in panel.input.pins():
            yield _pin(f"{key}.input.{name}", pin, probes)
    if settings.buzzer is not None:
        yield _buzzer(settings.buzzer.pin, probes)


def _pin(key: str, pin: int, probes: Probes) -> Finding:
    try:
        with closing(pins.open_input(pin, probes.factory)) as device:
            pressed = device.is_active
    except pins.PinLost as error:
        remedy = "stop the referee (systemctl stop referee), and see that your user is in the group gpio"
        return Finding(key, False, str(error), remedy)
    if pressed:
        remedy = f"let go of the button; if nobody presses it, GPIO {pin} is shorted to ground"
        return Finding(key, False, f"GPIO {pin} is closed", remedy)
    return Finding(key, True, f"GPIO {pin} is open, as it should be while nobody presses")


def _buzzer(pin: int, probes: Probes) -> Finding:
    try:
        Buzzer(pin, probes.factory).close()
    except pins.PinLost as error:
        remedy = "stop the referee (systemctl stop referee), and see that your user is in the group gpio"
        return Finding("buzzer.pin", False, str(error), remedy)
    return Finding("buzzer.pin", True, f"GPIO {pin} can be used")


def _buses(settings: TableSettings, probes: Probes) -> Iterator[Finding]:
    seen: set[Path] = set()
    for key, display in settings.displays().items():
        path = oled.node(display, probes.dev)
        if path not in seen:
            seen.add(path)
            yield _bus(f"{key}.bus", path, display.bus, probes)


def _bus(key: str, path: Path, bus: Bus, probes: Probes) -> Finding:
    kind = "i2c" if isinstance(bus, I2c) else "spi"
    if not path.exists():
        remedy = f"switch it on: sudo raspi-config nonint do_{kind} 0; a mux needs its overlay (docs/wiring.md)"
        if isinstance(bus, I2c) and bus.sda is not None:
            line = f"dtoverlay=i2c-gpio,bus={bus.port},i2c_gpio_sda={bus.sda},i2c_gpio_scl={bus.scl}"
            remedy = f"put {line} into /boot/firmware/config.txt, and restart the Pi"
        return Finding(key, False, f"{path} is not there", remedy)
    if (why := open_errno(path)) == errno.EPERM:
        return Finding(key, False, f"{path} may not be used by the service", LATE)
    if why:
        return Finding(key, False, f"{path} may not be used", f"sudo usermod -aG {kind} $USER, then log in again")
    return Finding(key, True, f"{path} is there{_at_speed(path, probes) if kind == 'i2c' else ''}")


def _at_speed(path: Path, probes: Probes) -> str:
    khz = oled.speed_khz(path, probes.buses)
    if khz is None:
        return ""
    slow = "; wires under half a metre mostly bear 400, and screens come sooner (docs/wiring.md)"
    return f", at {khz} kHz{slow if khz < QUICK_KHZ else ''}"


def _display(key: str, display: Display, probes: Probes) -> Finding:
    try:
        shown = probes.display(display)
        shown.refresh()
        shown.close()
    except DisplayLost as error:
        return Finding(key, False, str(error), WIRES)
    width, height = display.pixels
    return Finding(key, True, f"{display.controller} {width}x{height} answers")


def _camera(settings: TableSettings, probes: Probes) -> Iterator[Finding]:
    spec = camera_spec(settings)
    if spec is None:
        yield Finding("camera", True, "none: the buttons alone")
        return
    try:
        with closing(probes.camera(spec)) as camera:
            camera.open()
            frame = camera.read(PICTURE_S)
    except CameraLost as error:
        yield _lost_finding(spec, error, probes)
        return
    if frame is None:
        yield Finding("camera", False, "the recording holds no picture", "name another file")
        return
    yield _picture(frame, probes)
    yield from _corners(settings, frame)
    yield from _lens(settings, frame)


def _lost_finding(spec: CameraSpec, error: CameraLost, probes: Probes) -> Finding:
    if shut := forbidden_node(camera_nodes(spec.source, spec.target, probes.dev)):
        return Finding("camera", False, f"{shut} may not be used by the service", LATE)
    if error.health in MESSAGES:
        return Finding("camera", False, *MESSAGES[error.health])
    return Finding("camera", False, str(error), PLUGS)


def _picture(frame: Frame, probes: Probes) -> Finding:
    height, width = frame.image.shape[:2]
    light = float(np.mean(frame.small))
    if light < DARK:
        return Finding("camera", False, f"{width}x{height}, but dark", "take off the cap, switch on a light")
    return Finding(
        "camera", True, f"{width}x{height}, mean brightness {light:.0f} of 255; {_pace(frame.image, probes)}"
    )


def _corners(settings: TableSettings, frame: Frame) -> Iterator[Finding]:
    camera = settings.camera
    if isinstance(camera, NoCamera) or camera.points is None or camera.size is None:
        return
    height, width = frame.image.shape[:2]
    found = "corners of pictures of {} x {}".format(*camera.size)
    if camera.size == (width, height):
        yield Finding("camera.points", True, found)
    else:
        remedy = "measure them again: `referee calibrate` shows the picture"
        yield Finding("camera.points", False, f"{found}, and the camera takes {width} x {height}", remedy)


def _lens(settings: TableSettings, frame: Frame) -> Iterator[Finding]:
    camera = settings.camera
    if isinstance(camera, NoCamera) or camera.lens is None:
        return
    height, width = frame.image.shape[:2]
    try:
        lens = load_lens(camera.lens).scale(width, height)
    except (BadFile, LensUnfit) as error:
        yield Finding("camera.lens", False, str(error), "until then a common lens is taken for it")
    else:
        yield Finding("camera.lens", True, f"measured, right to {lens.error_px:.2f} pixels")


def _pace(image: Image, probes: Probes) -> str:
    able = plan(probes.looking_ms(image))
    if not able.overloaded:
        return f"this machine looks at {able.moving_fps:.0f} a second"
    return f"too large for this machine, which will look at {able.moving_fps:.0f} smaller ones a second"


def _sets(settings: TableSettings) -> Iterator[Finding]:
    if camera_spec(settings) is None:
        return
    names = {laid.mat for spec in games.specs().values() for laid in spec.tables if laid.mat}
    known = {
        name: Path(folder) for name, folder in enrolled_folders(settings).items() if (Path(folder) / INDEX).exists()
    }
    for name in sorted({zone.set for mat in games.mats(names).values() for zone in mat.zones}):
        if name in known:
            yield _set(name, known[name], settings)
        else:
            remedy = f"referee enrol {name}: until then its pieces are followed, but not named"
            # An owner of one game need not enrol the others' pieces, but a camera that names nothing is useless.
            yield Finding(f"set {name}", bool(known), "is not enrolled", remedy)


def _set(name: str, folder: Path, settings: TableSettings) -> Finding:
    try:
        pictures = load(folder).pictures
        known = f"; {_check_round(folder)}{_from_elsewhere(name, folder, settings)}"
    except (BadFile, EnrolmentError) as error:
        remedy = f"referee enrol {name}, or only what is named here: until then none of its pieces is named"
        return Finding(f"set {name}", False, str(error), remedy)
    wanted = kinds_of(load_shipped(PieceSet, "sets", f"{name}.toml"))
    missing = ", ".join(kind for kind in wanted if kind not in pictures)
    but = f"; never named, because not enrolled: {missing}" if missing else ""
    return Finding(f"set {name}", True, f"is enrolled, {sum(map(len, pictures.values()))} pictures{but}{known}")


def _check_round(folder: Path) -> str:
    checked = read_checked(folder)
    if checked is None:
        return "never checked, which referee enrol does at its end"
    right, wrong = sum(one.right for one in checked.answers), sum(one.wrong for one in checked.answers)
    return f"checked: {right} of {len(checked.answers)} named right, {wrong} wrong"


def _from_elsewhere(name: str, folder: Path, settings: TableSettings) -> str:
    camera = camera_spec(settings)
    measured = [one for each in by_kind(read_index(folder), read_measures(folder)).values() for one in each]
    mats = [mat.name for mat in laid_on(name)]
    said = elsewhere(measured, camera.width, mats) if camera is not None else None
    return f". {said}" if said is not None else ""


def _journal(settings: TableSettings) -> Finding:
    path = settings.state_dir / "journal.db"
    if not path.exists():
        if os.access(settings.state_dir, os.W_OK):
            return Finding("state_dir", True, f"{settings.state_dir} is there, with no journal yet")
        remedy = "the service makes it; without the service: mkdir it, or set state_dir"
        return Finding("state_dir", False, f"{settings.state_dir} cannot be written by you", remedy)
    try:
        count = len(prove(path).stock.matches)
    except JournalError as error:
        return Finding("state_dir", False, str(error), f"see to {settings.state_dir}")
    held = f"{path} holds {count} matches"
    if not os.access(path, os.W_OK):
        return Finding("state_dir", False, f"{held}, but you cannot write it", "see to its owner, and to the disk")
    if shutil.disk_usage(path).free < ROOM:
        return Finding("state_dir", False, f"{held}, but the disk is full", "make room: until then nothing is saved")
    return Finding("state_dir", True, held)
