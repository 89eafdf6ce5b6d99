"""A network camera: what is said when it cannot be reached, stalls or ends, and that it comes back."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.table import Health
from tests.vision.cameras import rtsp_server
from tests.vision.cameras.stream_server import StreamServer, serving, stored
from vision.camera import Camera, CameraLost, Frame, NoFrameYet
from vision.cameras import CameraSpec, hide_address, open_camera
from vision.cameras.stream import MESSAGES

PATIENCE_S = 30.0


@pytest.fixture
def server() -> Iterator[StreamServer]:
    with serving() as made:
        yield made


def opened(address: str, width: int = 1280) -> Camera:
    camera = open_camera(CameraSpec("stream", address, width))
    camera.open()
    return camera


def lost(camera: Camera) -> CameraLost:
    """Read until the camera is lost."""
    try:
        while camera.read(PATIENCE_S):
            pass
    except CameraLost as error:
        return error
    raise AssertionError("a stream has no end of a recording")


def seen(camera: Camera) -> Frame:
    frame = camera.read(PATIENCE_S)
    assert frame is not None
    return frame


def test_its_pictures_are_read_each_once_in_order(server: StreamServer) -> None:
    camera = opened(server.address())
    frames = [seen(camera) for _ in range(3)]
    camera.close()
    assert [frame.image.shape for frame in frames] == [(48, 64, 3)] * 3
    assert abs(float(frames[0].image.mean()) - 90) < 3
    assert frames[0].serial < frames[1].serial < frames[2].serial
    assert frames[0].at < frames[1].at < frames[2].at


def test_the_newest_picture_is_read_however_long_nobody_looked(server: StreamServer) -> None:
    camera = opened(server.address())
    seen(camera)
    server.picture = np.full((48, 64, 3), 200, np.uint8)
    assert any(seen(camera).image.mean() > 150 for _ in range(20))
    camera.close()


def test_a_large_picture_is_read_in_the_size_that_the_table_file_wants(server: StreamServer) -> None:
    server.picture = np.full((480, 640, 3), 90, np.uint8)
    camera = opened(server.address(), width=320)
    assert seen(camera).image.shape == (240, 320, 3)
    camera.close()


def test_nothing_is_waited_for_longer_than_asked(server: StreamServer) -> None:
    server.does = "stalls"
    camera = opened(server.address())
    with pytest.raises(NoFrameYet):
        camera.read(0.01)
    camera.close()


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("path", "user", "health"),
    [
        ("nothing", "", Health.NO_VIDEO),
        ("page", "", Health.NO_VIDEO),
        ("closed", "", Health.REFUSED),
        ("closed", "anna:wrong@", Health.REFUSED),
    ],
)
def test_an_address_without_a_video_says_why(server: StreamServer, path: str, user: str, health: Health) -> None:
    error = lost(opened(server.address(path, user)))
    assert error.health is health
    assert MESSAGES[health][1] in str(error)


def test_the_right_password_opens_it(server: StreamServer) -> None:
    camera = opened(server.address("closed", "anna:se%40cret@"))
    assert seen(camera).image.shape == (48, 64, 3)
    camera.close()


@pytest.mark.parametrize("address", ["http://127.0.0.1:{}/video", "rtsp://anna:secret@127.0.0.1:{}/stream"])
def test_an_address_where_nothing_answers_says_so(address: str) -> None:
    assert lost(opened(address.format(closed_port()))).health is Health.UNREACHABLE


def test_a_name_that_nobody_has_is_no_address() -> None:
    assert lost(opened("http://nobody.invalid/video")).health is Health.UNREACHABLE


def test_without_a_network_the_network_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    port = closed_port()

    def refuse(*_: object) -> None:
        raise OSError(97, "Address family not supported by protocol")

    monkeypatch.setattr("vision.cameras.stream.socket.socket", refuse)
    assert lost(opened(f"http://127.0.0.1:{port}/video")).health is Health.NO_NETWORK


def answering(answer: bytes) -> tuple[int, Callable[[], None]]:
    """Return the port of a camera that gives every question this answer, and what ends it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            with link:
                link.recv(4096)
                link.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return int(listener.getsockname()[1]), lambda: listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(
    ("answer", "health"),
    [
        (b'RTSP/1.0 401 Unauthorized\r\nCSeq: 1\r\nWWW-Authenticate: Basic realm="x"\r\n\r\n', Health.REFUSED),
        (b"RTSP/1.0 404 Not Found\r\nCSeq: 1\r\n\r\n", Health.NO_VIDEO),
        (b"SSH-2.0-OpenSSH_9.2\r\n", Health.NO_VIDEO),
    ],
)
def test_an_rtsp_camera_that_refuses_says_why(answer: bytes, health: Health) -> None:
    port, end = answering(answer)
    assert lost(opened(f"rtsp://anna:wrong@127.0.0.1:{port}/stream")).health is health
    end()


def test_a_stream_that_stalls_and_one_that_ends_are_told_apart_and_each_returns(server: StreamServer) -> None:
    for does, health in (("stalls", Health.STALLED), ("ends", Health.ENDED)):
        camera = opened(server.address())
        seen(camera)
        server.does = does
        error = lost(camera)
        assert error.health is health
        assert MESSAGES[health][0] in str(error)
        server.does = "sends"
        again = opened(server.address())
        seen(again)
        again.close()


def test_rtsp_stalls_ends_and_returns_too(capfd: pytest.CaptureFixture[str]) -> None:
    with rtsp_server.serving(np.full((96, 128, 3), 90, np.uint8)) as server:
        for does, health in (("stalls", Health.STALLED), ("ends", Health.ENDED)):
            camera = opened(server.address())
            frame = seen(camera)
            assert (frame.image.shape, round(float(frame.image.mean()), -1)) == ((96, 128, 3), 90)
            server.does = does
            assert lost(camera).health is health
            server.does = "sends"
        server.guarded = True
        camera = opened(server.address("anna:se%40cret@"))
        seen(camera)
        camera.close()
        assert lost(opened(server.address("anna:wrong@"))).health is Health.REFUSED
    assert not any(secret in "".join(capfd.readouterr()) for secret in ("anna", "cret", "wrong"))


def test_a_process_that_is_done_with_a_stream_ends_in_order(server: StreamServer) -> None:
    code = (
        "from vision.cameras import CameraSpec, open_camera\n"
        f"camera = open_camera(CameraSpec('stream', {server.address()!r}))\n"
        "camera.open()\ncamera.read(20.0)\ncamera.close()\n"
    )
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", ["closed", "nothing"])
def test_what_is_said_names_the_host_and_nothing_secret(
    server: StreamServer, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    error = lost(opened(server.address(f"{path}?password=other", "anna:secret@")))
    said = "".join((str(error), *capfd.readouterr()))
    assert "127.0.0.1" in said
    assert not any(secret in said for secret in ("anna", "secret", "other"))


def test_a_command_line_holds_no_address(tmp_path: Path, server: StreamServer) -> None:
    spec = CameraSpec("stream", server.address("closed", "anna:se%40cret@"))
    hidden = hide_address(spec, tmp_path / "run")
    assert "secret" not in hidden.target
    assert stored(Path(hidden.target)) == spec.target
    camera = open_camera(hidden)
    camera.open()
    seen(camera)
    camera.close()
    phone = CameraSpec("phone", "/dev/shm/ring")
    assert hide_address(phone, tmp_path) == phone


def test_an_address_that_is_gone_is_a_lost_camera(tmp_path: Path) -> None:
    with pytest.raises(CameraLost, match="cannot be read"):
        opened(str(tmp_path / "gone"))
