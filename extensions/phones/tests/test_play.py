"""`referee play`: a table on this computer, without displays, buttons or a file to write."""

from __future__ import annotations

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

from device.settings import load
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
    with pytest.raises(typer.BadParameter, match="rtsp://") as error:
        choose_camera("htp://anna:secret@192.0.2.7", [])
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
    play.welcome(table(camera, tmp_path, "192.0.2.7", 9000), camera, tmp_path)
    said = capsys.readouterr().out
    assert "198.51.100.7" in said
    assert "secret" not in said


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
    return [sys.executable, "-c", play.CHILD, "play", *words]


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_one_command_opens_a_table_and_its_end_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    words = ["--folder", str(tmp_path), "--no-browser", "--host", "127.0.0.1", "--camera", "none"]
    words += ["--port", str(free())]
    log = (tmp_path / "log").open("wb")
    with subprocess.Popen(started(words), stdout=subprocess.PIPE, stderr=log, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(5)]
        place, claim = said[0].split()[2], said[1].split()[2]
        assert "#" in claim, said
        assert "none" in said[2]
        assert b"<html" in opened(place)
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


def opened(address: str) -> bytes:
    """Return what a page sends, once its gateway serves it."""
    end = time.monotonic() + 60
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
