"""`referee play`: a table on this computer, without displays, buttons, root or configuration."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
import typer

from device.bus.endpoints import alone, runtime_dir
from device.settings import load
from device.settings.table import Address, NetworkCamera, NoCamera, PagesSettings, Phone, TableSettings, V4l2
from engine.errors import RefereeError
from referee_phones.command import Host, listening
from vision.cameras import CameraSpec
from vision.files import BadFile, read_text, write_whole

PANEL = "At the table"

VIDEO = Path("/sys/class/video4linux")
"""The kernel's list of video devices."""

ADDRESS = "address"
"""The choice of a camera in the network."""

START_S = 60.0
"""Seconds that the referee has to start."""

END_S = 10.0
"""Seconds before a process that does not end is killed."""

CHILD = """\
import ctypes, sys
ctypes.CDLL(None).prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM: it ends with `referee play`, whatever ends that
sys.argv[0] = "referee"
from device.cli import main
main()
"""


class Webcam(msgspec.Struct, frozen=True):
    """A USB camera, /dev/video`index`."""

    index: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (/dev/video{self.index})"


class NotStarted(RefereeError, RuntimeError):
    """A part of the table did not start, or has ended."""


def command(
    camera: Annotated[
        str | None,
        typer.Option(
            help="`phone`; `usb`: the first USB camera, if there is one; a number: /dev/videoN; an address, such as "
            "http://192.168.1.20:8080/video; `none`.",
            show_default="asks; `usb` without a terminal",
        ),
    ] = None,
    host: Host = "0.0.0.0",
    port: Annotated[
        int, typer.Option(min=1024, max=65_000, help="Port of the table's page; the next six are used, too.")
    ] = 8139,
    folder: Annotated[
        Path | None, typer.Option(help="Where matches and pieces are kept.", show_default="the user's data folder")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page here.")] = True,
) -> None:
    """Play at a real table with this computer: a camera or a phone watches, phones are the seats. Ctrl-C ends it.

    The first start opens the table settings: print the mat, photograph the pieces, play. An interrupted match continues
    at the next start.
    """
    from platformdirs import user_data_path

    home = (folder or user_data_path("table-referee")).absolute()
    there, file = webcams(), home / "table.toml"
    for each in listening(host, port, 7, "choose another --port, or another --host"):
        each.close()
    taken = choose_camera(camera or _choose_watcher(there, last_address(file), browser=browser), there)
    settings = table(taken, home, address(host), port)
    home.mkdir(parents=True, exist_ok=True)
    with alone(runtime_dir(settings.runtime_dir), settings.state_dir):  # another one's table file stays
        pass
    write_whole(file, toml(settings).encode(), 0o600)  # a camera's address may hold a password
    with ExitStack() as stack:
        referee = stack.enter_context(running("run", "--table", str(file)))
        until_heard(settings, referee)
        pages = stack.enter_context(
            running("pages", "--table", str(file), "--host", host, "--state", str(home / "pages"))
        )
        first = welcome(settings, taken, home)
        if browser and graphical(os.environ):  # a browser of text would take the terminal, and can show no page
            webbrowser.open(first)
        wait((referee, pages))


def webcams(folder: Path = VIDEO) -> list[Webcam]:
    """Return this computer's USB cameras, by number. Of a camera's devices the first (index 0) sends pictures."""
    found = []
    for each in folder.glob("video*"):
        number, usb = each.name.removeprefix("video"), "/usb" in str(each.resolve())
        if usb and number.isdecimal() and _text(each / "index") == "0":
            found.append(Webcam(int(number), _text(each / "name") or "camera"))
    return sorted(found, key=lambda webcam: webcam.index)


def last_address(file: Path) -> str:
    """Return the last start's network camera address; "" without one or if unreadable."""
    try:
        camera = load(file).camera
    except BadFile:
        return ""
    return camera.address if isinstance(camera, NetworkCamera) else ""


def _choose_watcher(there: Sequence[Webcam], known: str, *, browser: bool) -> str:
    if not sys.stdin.isatty():
        return "usb"
    if not (browser and graphical(os.environ)):
        return ask_camera(there, known)
    from referee_phones.camera_choice import Offer, choose

    def ready(page: str) -> None:
        typer.echo(f"Choose the camera in the browser: {page}")
        webbrowser.open(page)

    offers = [Offer(str(each.index), str(each), CameraSpec("opencv", str(each.index), 640, 480)) for each in there]
    offers += [Offer(known, str(urlsplit(known).hostname), CameraSpec("stream", known, 640))] if known else []
    return choose(offers, environment_language(os.environ), ready)


def graphical(environment: Mapping[str, str]) -> bool:
    """Return True if a browser can open a window here."""
    return sys.platform == "darwin" or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def ask_camera(there: Sequence[Webcam], known: str = "") -> str:
    """Ask which camera watches, by name; return it for `--camera`. known: the last start's address."""
    offers = [(str(each.index), str(each)) for each in there]
    offers += [(known, f"the camera at {urlsplit(known).hostname}")] if known else []
    offers += [
        ("phone", "a phone, by its browser"),
        (ADDRESS, "a camera in the network, by its address"),
        ("none", "none: enter each move on the phones"),
    ]
    typer.echo("Which camera watches the table?")
    for number, (_, name) in enumerate(offers, 1):
        typer.echo(f"  {number}  {name}")
    numbers = {str(number): camera for number, (camera, _) in enumerate(offers, 1)}
    while (said := typer.prompt("Number", "1")) not in numbers:
        pass
    return typer.prompt("Address (rtsp://... or http://...)") if numbers[said] == ADDRESS else numbers[said]


def choose_camera(camera: str, there: Sequence[Webcam]) -> Webcam | Phone | NetworkCamera | None:
    """Return the camera named by `--camera`; None for `none`, or `usb` without one. Raises typer.BadParameter."""
    if camera == "phone":
        return Phone()
    if "://" in camera:
        return _stream(camera)
    number = camera.removeprefix("/dev/video")
    if camera == "none" or (camera == "usb" and not there):
        return None
    if camera == "usb":
        return there[0]
    if number.isdecimal() and int(number) < 64:
        return next((each for each in there if each.index == int(number)), Webcam(int(number), "camera"))
    listed = "; ".join(map(str, there)) or "none is connected"
    raise typer.BadParameter(
        f"say phone, usb, none, a number or an address. USB cameras: {listed}", param_hint="--camera"
    )


def _stream(address: str) -> NetworkCamera:
    try:
        return NetworkCamera(address=msgspec.convert(address, Address))
    except msgspec.ValidationError as error:
        wrong = "an address is one such as rtsp://192.168.1.20/stream or http://192.168.1.20:8080/video"
        raise typer.BadParameter(wrong, param_hint="--camera") from error


def table(camera: Webcam | Phone | NetworkCamera | None, home: Path, address: str, port: int) -> TableSettings:
    """Return settings for a table without displays and buttons. address: of this computer, for phones."""
    return TableSettings(
        V4l2(index=camera.index) if isinstance(camera, Webcam) else camera or NoCamera(),
        language=environment_language(os.environ),
        pages=PagesSettings(on=True, hosts=(address,), port=port, group=""),
        runtime_dir=home / "run",
        state_dir=home / "state",
    )


def toml(settings: TableSettings) -> str:
    """Return the settings as a table file."""
    camera = settings.camera
    lines = [
        "# Written by `referee play` at each start.",
        f"language = {_quote(settings.language)}",
        f"runtime_dir = {_quote(str(settings.runtime_dir))}",
        f"state_dir = {_quote(str(settings.state_dir))}",
        "[camera]",
        f"source = {_quote(str(camera.__struct_config__.tag))}",
        *((f"index = {camera.index}",) if isinstance(camera, V4l2) else ()),
        *((f"address = {_quote(camera.address)}",) if isinstance(camera, NetworkCamera) else ()),
        "[pages]",
        "on = true",
        f"hosts = [{_quote(settings.pages.hosts[0])}]",
        f"port = {settings.pages.port}",
        "group = ''",
    ]
    return "\n".join(lines) + "\n"


def environment_language(environment: Mapping[str, str]) -> str:
    """Return the environment's language if known, else English."""
    from device.locale import LANGUAGES

    spoken_name = (
        environment.get("LC_ALL") or environment.get("LC_MESSAGES") or environment.get("LANG") or "en"
    ).split(".")[0]
    traditional = spoken_name in ("zh_TW", "zh_HK", "zh_MO")
    code = "zh-Hant" if traditional else "zh-Hans" if spoken_name.startswith("zh") else spoken_name.split("_")[0]
    return next((each for each in LANGUAGES if each.replace("_", "-") == code), "en")


def address(host: str) -> str:
    """Return the address by which phones reach this computer."""
    from device.web.serving import in_url

    return in_url(host).strip("[]")


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a `referee` command until the context ends; Ctrl-C does not reach it."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", CHILD, *words], stdout=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def until_heard(settings: TableSettings, referee: subprocess.Popen[bytes]) -> None:
    """Wait until the referee answers pages. Raises NotStarted."""
    from device.bus.endpoints import socket_path

    path, end = socket_path(settings.runtime_dir / "pages", "table"), time.monotonic() + START_S
    while not path.is_socket():
        if referee.poll() is not None:
            raise NotStarted("the referee has ended; the lines above say why")
        if time.monotonic() > end:
            raise NotStarted(f"the referee did not start within {START_S:.0f} s")
        time.sleep(0.1)


def welcome(settings: TableSettings, camera: Webcam | Phone | NetworkCamera | None, home: Path) -> str:
    """Print the pages' addresses; return the one to open: the settings' while nobody owns the table."""
    import segno

    from device.owner.claim import open_codes
    from device.owner.claim_files import OwnerFiles
    from device.web.audiences import OWNER, port_of
    from device.web.host_names import in_address

    deed, place = OwnerFiles(settings.state_dir), f"http://{in_address(settings.pages.hosts[0])}"
    everybody, own = f"{place}:{settings.pages.port}/", f"{place}:{port_of(OWNER, settings.pages.port)}/"
    codes = open_codes(deed.claim(), deed.codes())
    claiming = bool(codes) and not deed.claim().owner
    lines = (
        ("The table", f"{everybody}  for everybody to see; phones scan their seats there"),
        ("Table settings", f"{own}{'#' + codes[0] if claiming else ''}"),
        ("Camera", _camera(settings, camera)),
        ("Kept in", str(home)),
    )
    for title, text in lines:
        typer.echo(f"{title + ':':<16}{text}")
    if isinstance(camera, Phone) and sys.stdout.isatty():
        segno.make(camera_address(settings)).terminal(compact=True)
    typer.echo("Ctrl-C ends it. An interrupted match goes on at the next start.")
    sys.stdout.flush()
    return f"{own}#{codes[0]}" if claiming else everybody


def camera_address(settings: TableSettings) -> str:
    """Return the address by which a phone becomes the camera."""
    from device.owner.claim_files import camera_files
    from device.web.audiences import CAMERA, port_of
    from device.web.host_names import in_address

    code = camera_files(settings.state_dir).codes().card
    host = in_address(settings.pages.hosts[0]).upper()  # in capitals for a small QR code
    return f"HTTPS://{host}:{port_of(CAMERA, settings.pages.port)}/#{code}"


def _camera(settings: TableSettings, camera: Webcam | Phone | NetworkCamera | None) -> str:
    if isinstance(camera, Phone):
        return f"{camera_address(settings)}  scan it with the phone; its browser warns once"
    if isinstance(camera, NetworkCamera):
        return f"at {urlsplit(camera.address).hostname}"
    return "none: enter each move on the phones" if camera is None else str(camera)


def wait(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait for Ctrl-C, SIGTERM or SIGHUP. Raises NotStarted if a process ends by itself."""
    ended = False

    def end(*_: object) -> None:
        nonlocal ended
        ended = True

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    while not ended:
        time.sleep(0.2)
        if not ended and any(each.poll() is not None for each in processes):
            raise NotStarted("a part of the table has ended; the lines above say why. Start it again")


def _text(path: Path) -> str:
    try:
        return read_text(path).strip()
    except BadFile:
        return ""


def _quote(text: str) -> str:
    return msgspec.json.encode(text).decode()
