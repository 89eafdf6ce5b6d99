"""Sockets: they are in a private folder, and a display's endpoint is its own."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from device.bus.display_sockets import VERSION, Endpoints, Shown
from device.bus.endpoints import EndpointError, ipc, runtime_dir
from device.screens.screen import Screen
from engine.text import say
from vision.message_decoding import Inbox


@pytest.fixture
def context() -> Iterator[zmq.Context[zmq.Socket[bytes]]]:
    made: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    yield made
    made.destroy(0)


def test_the_runtime_directory_is_the_daemons_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o755)
    assert stat.S_IMODE(runtime_dir(tmp_path / "run").stat().st_mode) == 0o700
    (tmp_path / "file").write_text("x")
    with pytest.raises(EndpointError, match="runtime_dir"):
        runtime_dir(tmp_path / "file" / "run")
    with pytest.raises(EndpointError, match="shorter"):
        ipc(tmp_path / ("x" * 100), "vision")


def reader(context: zmq.Context[zmq.Socket[bytes]]) -> zmq.Socket[bytes]:
    socket = context.socket(zmq.SUB)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.SUBSCRIBE, b"")
    return socket


def received(socket: zmq.Socket[bytes], endpoints: Endpoints, count: int = 1) -> list[Shown]:
    """Once at least so many have come: all that has."""
    box: Inbox[Shown] = Inbox("test", Shown, VERSION)
    found: list[Shown] = []
    until = time.monotonic() + 60
    while len(found) < count or socket.poll(50):
        assert time.monotonic() < until
        endpoints.welcome()
        if socket.poll(50):
            shown = box.receive(socket.recv())
            found += [shown] if shown is not None else []
    return found


def test_each_display_has_its_own_endpoint_and_its_own_numbers(
    context: zmq.Context[zmq.Socket[bytes]], tmp_path: Path
) -> None:
    endpoints = Endpoints(context, tmp_path / "run", ("a", "b"))
    a, b = reader(context), reader(context)
    a.connect(ipc(tmp_path / "run", "display-a"))
    b.connect(ipc(tmp_path / "run", "display-b"))
    assert [shown.number for shown in received(a, endpoints)] == [0]
    assert [shown.number for shown in received(b, endpoints)] == [0]
    for turn in range(3):
        endpoints.publish("a", Screen(say("secret {turn}", turn=turn)), "en")
    endpoints.publish("b", Screen(say("open")), "ru")
    assert [shown.number for shown in received(a, endpoints, 3)] == [1, 2, 3]
    assert received(b, endpoints) == [Shown("b", 1, Screen(say("open")), "ru")]
    endpoints.close()
