"""`referee play`: a table on this computer, without displays, buttons or a file to write."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, suppress
from io import StringIO
from pathlib import Path
from random import SystemRandom

import pytest
import typer

from device.bus.endpoints import alone, socket_path
from device.cli.common import UnwritableError
from device.owner.claim import Claim
from device.owner.claim_files import OwnerFiles
from device.settings import load, owner_settings
from device.settings.table import NetworkCamera, NoCamera, Phone, V4l2
from referee_phones import play
from referee_phones.play import Webcam, ask_camera, choose_camera, environment_language, table, toml, webcams

VIDEO = "http://anna:secret@198.51.100.7:8080/video"


def kernel(folder: Path, devices: dict[str, tuple[str, str, str]]) -> Path:
    """A list of video devices: by name the bus that it is on, its name for people, and its place at its camera."""
    listed = folder / "class"
    listed.mkdir()
    for name, (bus, title, index) in devices.items():
        there = folder / "devices" / bus / name
        there.mkdir(parents=True)
        (there / "name").write_text(f"{title}\n")
        (there / "index").write_text(f"{index}\n")
        (listed / name).symlink_to(there)
    return listed


def test_usb_cameras_are_found_by_their_first_device_and_no_codec_is_one(tmp_path: Path) -> None:
    found = webcams(
        kernel(
            tmp_path,
            {
                "video10": ("pci/usb2/2-1", "Document camera", "0"),
                "video0": ("pci/usb1/1-1", "HD Webcam", "0"),
                "video1": ("pci/usb1/1-1", "HD Webcam", "1"),
                "video11": ("platform/codec", "bcm2835-codec-decode", "0"),
                "video64": ("pci/usb2/2-2", "One too many", "0"),
            },
        )
    )
    assert list(map(str, found)) == ["HD Webcam (/dev/video0)", "Document camera (/dev/video10)"]


def test_without_any_camera_there_is_none(tmp_path: Path) -> None:
    assert webcams(tmp_path / "nothing") == []
    assert choose_camera("usb", []) is None


@pytest.mark.parametrize(
    ("camera", "index"), [("usb", 2), ("none", None), ("4", 4), ("/dev/video2", 2), ("/dev/video7", 7)]
)
def test_a_camera_is_chosen(camera: str, index: int | None) -> None:
    found = choose_camera(camera, [Webcam(2, "one"), Webcam(4, "two")])
    assert (found and found.index) == index


def test_a_phone_is_chosen() -> None:
    assert choose_camera("phone", [Webcam(2, "one")]) == Phone()


def test_an_address_is_chosen_and_a_wrong_one_refused_without_its_password() -> None:
    assert choose_camera(VIDEO, []) == NetworkCamera(address=VIDEO)
    for wrong in ("htp://anna:secret@192.0.2.7", "http://anna:secret@[192.0.2.7]:80/", "rtsp://anna:secret@[abc/"):
        with pytest.raises(typer.BadParameter, match="rtsp://") as error:
            choose_camera(wrong, [])
        assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("number", "camera"), [("", "2"), ("2", "4"), ("3", "phone"), ("9\n5", "none"), (f"4\n{VIDEO}", VIDEO)]
)
def test_cameras_are_offered_by_name(number: str, camera: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(f"{number}\n"))
    assert ask_camera([Webcam(2, "HD Webcam"), Webcam(4, "Document camera")]) == camera


def test_the_address_of_the_last_start_is_offered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "table.toml"
    assert play.last_address(file) == ""
    file.write_text(toml(table(NetworkCamera(address=VIDEO), tmp_path, "192.0.2.7", 9000)))
    assert play.last_address(file) == VIDEO
    monkeypatch.setattr("sys.stdin", StringIO("1\n"))
    assert ask_camera([], VIDEO) == VIDEO
    file.write_text(toml(table(None, tmp_path, "192.0.2.7", 9000)))
    assert play.last_address(file) == ""


@pytest.mark.parametrize("camera", ["webcam", "64", "-1", "", "/dev/video"])
def test_a_camera_that_is_none_is_refused_and_those_that_there_are_are_named(camera: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"HD Webcam \(/dev/video2\)"):
        choose_camera(camera, [Webcam(2, "HD Webcam")])


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "ru_RU.UTF-8", "LC_ALL": "zh_TW.UTF-8"}, "zh-Hant"),
        ({"LANG": "zh_Hant_TW.UTF-8"}, "zh-Hant"),
        ({"LANG": "zh_CN.UTF-8"}, "zh-Hans"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({}, "en"),
    ],
)
def test_it_speaks_the_users_language(environment: dict[str, str], language: str) -> None:
    assert environment_language(environment).replace("_", "-") == language


@pytest.mark.parametrize("webcam", [None, Webcam(3, "HD Webcam"), Phone(), NetworkCamera(address=VIDEO)])
def test_the_table_file_says_what_the_table_is(tmp_path: Path, webcam: Webcam | Phone | NetworkCamera | None) -> None:
    made = table(webcam, tmp_path / 'a "folder"', "192.0.2.7", 9000)
    file = tmp_path / "table.toml"
    file.write_text(toml(made))
    read = load(file)
    assert read == made
    assert read.camera == (V4l2(index=3) if isinstance(webcam, Webcam) else webcam or NoCamera())


def test_the_welcome_names_a_cameras_host_and_no_password(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    camera = NetworkCamera(address=VIDEO)
    play.welcome(table(camera, tmp_path, "192.0.2.7", 9000), camera, tmp_path, "127.0.0.1")
    said = capsys.readouterr().out
    assert "198.51.100.7" in said
    assert "secret" not in said


def test_the_pages_open_at_this_computers_own_address_and_others_hear_of_the_networks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    OwnerFiles(tmp_path / "state").furnish(7)
    made = table(None, tmp_path, "192.0.2.7", 9000)
    assert play.welcome(made, None, tmp_path, "127.0.0.1").startswith("http://127.0.0.1:9005/#")
    said = capsys.readouterr().out
    assert "http://127.0.0.1:9000/ " in said
    assert "http://192.0.2.7:9000/ " in said
    assert "forget" not in said


def test_whose_settings_are_claimed_is_told_how_to_claim_them_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    OwnerFiles(tmp_path / "state").keep(Claim("a" * 64))
    alone = play.welcome(table(None, tmp_path, "127.0.0.1", 9000), None, tmp_path, "127.0.0.1")
    assert alone == "http://127.0.0.1:9000/"
    said = capsys.readouterr().out
    assert f"referee owner --table {tmp_path}/table.toml forget" in said
    assert "none can join" in said


@pytest.mark.parametrize(
    ("own", "reaches", "moved"),
    [
        ({"192.0.2.7"}, "192.0.2.7", False),
        ({"192.0.2.7", "192.0.2.9"}, "192.0.2.9", False),  # both are there
        (set[str](), "", False),  # in no network for a while
        ({"192.0.2.9"}, "192.0.2.9", True),
    ],
)
def test_a_computer_has_moved_once_another_address_stands_for_the_one_that_is_gone(
    own: set[str], reaches: str, moved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.web.serving.is_own", own.__contains__)
    monkeypatch.setattr("device.web.serving.own_address", lambda _host: reaches)
    assert play.has_moved(table(None, tmp_path, "192.0.2.7", 9000), "0.0.0.0") is moved
    assert not play.has_moved(table(None, tmp_path, "192.0.2.7", 9000), "192.0.2.7")


def test_the_camera_that_was_chosen_last_counts_and_what_a_power_cut_left_is_gone(tmp_path: Path) -> None:
    made = table(Webcam(2, "one"), tmp_path, "192.0.2.7", 9000)
    heard = socket_path(made.runtime_dir / "pages", "table")
    for folder in (heard.parent, made.state_dir):
        folder.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(heard))
    owner_settings.keep(made.state_dir, "camera.index", 1)
    play.prepare(made, tmp_path)
    assert owner_settings.laid_over(made).table == made
    assert not heard.exists()


def test_a_table_that_is_open_already_and_a_folder_that_is_too_long_say_what_to_do(tmp_path: Path) -> None:
    made = table(None, tmp_path, "192.0.2.7", 9000)
    made.runtime_dir.mkdir()
    with alone(made.runtime_dir), pytest.raises(play.NotStarted, match="choose another --folder"):
        play.prepare(made, tmp_path)
    deep = tmp_path / ("a" * 100)
    with pytest.raises(typer.BadParameter, match="too long"):
        play.prepare(table(None, deep, "192.0.2.7", 9000), deep)
    with pytest.raises(typer.BadParameter, match="UTF-8"):
        play.table_file(Path("/tmp/\udcff"))


def test_on_a_full_disk_a_table_file_that_says_the_same_stays(tmp_path: Path) -> None:
    made, file = table(None, tmp_path, "192.0.2.7", 9000), tmp_path / "table.toml"
    play.write(made, file)
    before = file.stat().st_ino
    play.write(made, file)
    assert file.stat().st_ino == before
    (tmp_path / "file").touch()
    with pytest.raises(UnwritableError, match=r"table\.toml cannot be written"):
        play.write(made, tmp_path / "file" / "table.toml")


def test_a_host_that_is_none_is_refused() -> None:
    for host in ("", "a b", "x" * 50):
        with pytest.raises(typer.BadParameter):
            play.address_for_phones(host)
    assert play.address_for_phones("192.0.2.7") == "192.0.2.7"


def test_a_part_ends_with_the_process_that_it_belongs_to_even_if_that_ended_before_it_began() -> None:
    words = [sys.executable, "-c", play.CHILD, str(os.getpid() + 1), "--help"]
    done = subprocess.run(words, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def free() -> int:
    """Return a port that was free a moment ago, with the six after it."""
    dice = SystemRandom()
    while True:
        with ExitStack() as stack, suppress(OSError):
            port = dice.randrange(20_000, 32_000)  # below those that the kernel gives out by itself
            for place in range(7):
                stack.enter_context(socket.create_server(("127.0.0.1", port + place)))
            return port


def test_a_port_that_is_taken_is_named_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = ["--folder", str(tmp_path), "--no-browser", "--host", "127.0.0.1", "--port", str(port)]
        done = subprocess.run(started(words), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert f"no page can be opened at 127.0.0.1:{port}" in done.stderr
    assert not (tmp_path / "table.toml").exists()


def started(words: list[str]) -> list[str]:
    return [sys.executable, "-c", play.CHILD, str(os.getpid()), "play", *words]


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_one_command_opens_a_table_and_its_end_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    words = ["--folder", str(tmp_path), "--no-browser", "--host", "127.0.0.1", "--camera", "none"]
    words += ["--port", str(free())]
    log = (tmp_path / "log").open("wb")
    hears = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # this test may run after nohup
    with subprocess.Popen(started(words), stdout=subprocess.PIPE, stderr=log, text=True) as process:
        signal.signal(signal.SIGHUP, hears)
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(6)]
        place, claim = said[0].split()[2], said[2].split()[2]
        assert "none can join" in said[1]
        assert "#" in claim, said
        assert "none" in said[3]
        assert b"<html" in opened(place, patience_s=0.0), "it listens before it says so"
        assert b"<html" in opened(claim.partition("#")[0])
        left = children(process.pid)
        assert len(left) >= 2
        process.send_signal(number)
        assert process.wait(30) == (0 if number != signal.SIGKILL else -signal.SIGKILL)
    end = time.monotonic() + 30
    while (there := [pid for pid in left if alive(pid)]) and time.monotonic() < end:
        time.sleep(0.1)
    assert there == []
    assert (tmp_path / "state").is_dir()


def opened(address: str, patience_s: float = 60.0) -> bytes:
    """Return what a page sends, once its gateway serves it."""
    end = time.monotonic() + patience_s
    while True:
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                return bytes(answer.read())
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [*map(int, found), *(each for child in found for each in children(int(child)))]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
