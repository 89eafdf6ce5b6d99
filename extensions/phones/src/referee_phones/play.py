"""`referee play`: a table on this computer, without displays, buttons, root or configuration."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
import typer

from device.bus.endpoints import AnotherReferee, EndpointError, alone, runtime_dir, socket_path
from device.cli.common import writing
from device.cli.linux import require_linux
from device.settings import load, owner_command, owner_settings
from device.settings.table import Address, NetworkCamera, NoCamera, PagesSettings, Phone, TableSettings, V4l2
from device.settings.table import Host as Reached
from engine.errors import RefereeError
from referee_phones.command import Host, listening
from vision.cameras import CameraSpec
from vision.files import BadFile, read_text, write_whole

PANEL = "At the table"

VIDEO = Path("/sys/class/video4linux")
"""The kernel's list of video devices."""

VIDEOS = 64
"""Devices that the kernel numbers for cameras."""

ADDRESS = "address"
"""The choice of a camera in the network."""

CAMERA_INDEX = "camera.index"
"""The owner's page's choice of a camera."""

START_S = 60.0
"""Seconds that the referee has to start."""

LOCAL = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""This computer's own address for those that mean all of them. It is there without a network, keeps the owner's key
wherever the computer goes, and lets a page keep the screen on."""

MOVED = """\
This computer has another address now. Before a match phones scan their seats again. In a match each opens port {a}
(seat A), {b} (B) and so on of the new address, and enters the six digits that its old page's menu shows."""

END_S = 10.0
"""Seconds before a process that does not end is killed."""

CHILD = """\
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM: it ends with `referee play`, whatever ends that
if os.getppid() != int(sys.argv.pop(1)):
    sys.exit()  # that has ended already
sys.argv[0] = "referee"
from device.cli import main
main()
"""
"""Runs a `referee` command of a process, whose number is the first argument."""


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
    require_linux("play")
    from platformdirs import user_data_path

    home, there = (folder or user_data_path("table-referee")).absolute(), webcams()
    last = last_address(table_file(home))
    for each in listening(host, port, 7, "choose another --port, or another --host"):
        each.close()
    taken = choose_camera(camera or _choose_watcher(there, last, browser=browser), there)
    settings = table(taken, home, address_for_phones(host), port)
    prepare(settings, home)
    shows = browser and graphical(os.environ)  # a browser of text would take the terminal, and can show no page

    def greet(settings: TableSettings) -> None:
        nonlocal shows
        first = welcome(settings, taken, home, LOCAL.get(host, host))
        if shows:
            webbrowser.open(first)
        shows = False

    with until_signal() as ended:
        while serve(settings, home, host, ended, greet):
            settings = table(taken, home, address_for_phones(host), port)
            typer.echo(f"\n{MOVED.format(a=port + 1, b=port + 2)}")


def serve(
    settings: TableSettings, home: Path, host: str, ended: Callable[[], bool], greet: Callable[[TableSettings], None]
) -> bool:
    """Run the table until the user ends it; return True if it ended because this computer has another address. greet:
    called once its pages can be opened."""
    file = table_file(home)
    write(settings, file)
    with ExitStack() as stack:
        parts = [stack.enter_context(running("run", "--table", str(file)))]
        heard = socket_path(settings.runtime_dir / "pages", "table")
        if not wait(parts, ended, heard.is_socket, START_S):
            return False
        words = ("pages", "--table", str(file), "--host", host, "--state", str(home / "pages"))
        parts.append(stack.enter_context(running(*words)))
        if not wait(parts, ended, lambda: listens(LOCAL.get(host, host), settings.pages.port), START_S):
            return False
        greet(settings)
        return wait(parts, ended, lambda: has_moved(settings, host))


def table_file(home: Path) -> Path:
    """Return a folder's table file. Raises typer.BadParameter for a folder whose name is no text."""
    try:
        str(home).encode()
    except UnicodeEncodeError as error:
        raise typer.BadParameter("its name is not valid UTF-8", param_hint="--folder") from error
    return home / "table.toml"


def prepare(settings: TableSettings, home: Path) -> None:
    """Make the folder ready for a start. Raises NotStarted if it is in use, typer.BadParameter if it can't be used,
    UnwritableError."""
    try:
        with writing(home):
            home.mkdir(parents=True, exist_ok=True)
            heard = socket_path(runtime_dir(settings.runtime_dir) / "pages", "table")
            with alone(settings.runtime_dir, settings.state_dir):
                heard.unlink(missing_ok=True)  # left by a power cut
                if CAMERA_INDEX in owner_settings.laid_over(settings).chosen:
                    owner_settings.keep(settings.state_dir, CAMERA_INDEX, None)  # another was chosen just now
    except AnotherReferee as error:
        in_use = f"process {error.holder} has this table open already: end it there, or choose another --folder"
        raise NotStarted(in_use) from error
    except EndpointError as error:
        raise typer.BadParameter(f"{home} cannot be used ({error})", param_hint="--folder") from error


def write(settings: TableSettings, file: Path) -> None:
    """Write the table file unless it says this already. Raises UnwritableError."""
    text = toml(settings)
    with suppress(BadFile):
        if read_text(file) == text:
            return
    with writing(file):
        write_whole(file, text.encode(), 0o600)  # a camera's address may hold a password


def webcams(folder: Path = VIDEO) -> list[Webcam]:
    """Return this computer's USB cameras, by number. Of a camera's devices the first (index 0) sends pictures."""
    found = []
    for each in folder.glob("video*"):
        number, usb = each.name.removeprefix("video"), "/usb" in str(each.resolve())
        if usb and number.isdecimal() and int(number) < VIDEOS and _text(each / "index") == "0":
            found.append(Webcam(int(number), _text(each / "name") or "camera"))
    return sorted(found, key=lambda webcam: webcam.index)


def last_address(file: Path) -> str:
    """Return the last start's network camera address; "" without one or if it can't be used."""
    try:
        camera = load(file).camera
        return _stream(camera.address).address if isinstance(camera, NetworkCamera) else ""
    except (BadFile, typer.BadParameter):
        return ""


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
    if number.isdecimal() and int(number) < VIDEOS:
        return next((each for each in there if each.index == int(number)), Webcam(int(number), "camera"))
    listed = "; ".join(map(str, there)) or "none is connected"
    raise typer.BadParameter(
        f"say phone, usb, none, a number or an address. USB cameras: {listed}", param_hint="--camera"
    )


def _stream(address: str) -> NetworkCamera:
    try:
        urlsplit(address)
        return NetworkCamera(address=msgspec.convert(address, Address))
    except ValueError as error:
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
    traditional = not {"TW", "HK", "MO", "Hant"}.isdisjoint(spoken_name.split("_"))
    code = "zh-Hant" if traditional else "zh-Hans" if spoken_name.startswith("zh") else spoken_name.split("_")[0]
    return next((each for each in LANGUAGES if each.replace("_", "-") == code), "en")


def address_for_phones(host: str) -> str:
    """Return the address by which phones reach this computer; its own without a network. Raises typer.BadParameter."""
    from device.web.serving import own_address

    try:
        return msgspec.convert((own_address(host) or LOCAL[host]) if host in LOCAL else host, Reached)
    except msgspec.ValidationError as error:
        raise typer.BadParameter("give an address, such as 192.168.1.20", param_hint="--host") from error


def has_moved(settings: TableSettings, host: str) -> bool:
    """Return True if phones reach this computer by another address than at the start."""
    from device.web.serving import is_own

    before = settings.pages.hosts[0]
    left = host in LOCAL and (before == LOCAL[host] or not is_own(before))
    return left and address_for_phones(host) not in (before, LOCAL[host])


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a `referee` command until the context ends; Ctrl-C does not reach it."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", CHILD, str(os.getpid()), *words], stdout=subprocess.DEVNULL, start_new_session=True
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


def listens(host: str, port: int) -> bool:
    """Return True if a page can be opened there."""
    import socket

    try:
        with closing(socket.create_connection((host, port), timeout=1.0)):
            return True
    except OSError:
        return False


def welcome(settings: TableSettings, camera: Webcam | Phone | NetworkCamera | None, home: Path, here: str) -> str:
    """Print the pages' addresses; return the one to open: the settings' while nobody owns the table. here: where this
    computer finds them."""
    import segno

    from device.owner.claim import open_codes
    from device.owner.claim_files import OwnerFiles
    from device.web.audiences import OWNER, port_of
    from device.web.host_names import in_address

    deed, port, there = OwnerFiles(settings.state_dir), settings.pages.port, settings.pages.hosts[0]
    everybody, own = (f"http://{in_address(here)}:{each}/" for each in (port, port_of(OWNER, port)))
    codes = open_codes(deed.claim(), deed.codes())
    claiming = bool(codes) and not deed.claim().owner
    forget = owner_command(home / "table.toml", "forget")
    lines = [("The table", f"{everybody}  phones scan their seats there")]
    if there in LOCAL.values():
        lines.append(("Phones", "none can join: the table is on this computer alone"))
    elif there != here:
        lines.append(("Elsewhere", f"http://{in_address(there)}:{port}/  for a tablet or a television"))
    lines.append(("Table settings", f"{own}{'#' + codes[0] if claiming else ''}"))
    if not claiming:
        lines.append(("Locked out?", f"{forget}  makes a new code"))
    lines += [("Camera", _camera(settings, camera)), ("Kept in", str(home))]
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


@contextmanager
def until_signal() -> Iterator[Callable[[], bool]]:
    """Yield whether Ctrl-C, SIGTERM or SIGHUP came, which end nothing by themselves. After nohup, SIGHUP is ignored."""
    came: list[int] = []
    hangs_up = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN
    heard = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hangs_up else ()))
    before = {each: signal.signal(each, lambda number, _: came.append(number)) for each in heard}
    try:
        yield lambda: bool(came)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def wait(
    parts: Sequence[subprocess.Popen[bytes]],
    ended: Callable[[], bool],
    so: Callable[[], bool],
    within_s: float = float("inf"),
) -> bool:
    """Wait until something is so; return False if the user ends it before. Raises NotStarted if a part ends by itself,
    or after `within_s`."""
    began = time.monotonic()
    while not ended():
        if any(each.poll() is not None for each in parts):
            if ended():
                break
            raise NotStarted("a part of the table has ended; the lines above say why. Start it again")
        if so():
            return True
        if time.monotonic() > began + within_s:
            raise NotStarted(f"the table did not start within {within_s:.0f} s")
        time.sleep(0.1)
    return False


def _text(path: Path) -> str:
    try:
        return read_text(path).strip()
    except BadFile:
        return ""


def _quote(text: str) -> str:
    return msgspec.json.encode(text).decode()
