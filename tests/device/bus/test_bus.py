"""Sockets: nothing received is trusted, a seat's endpoint is its own, TCP needs that seat's key."""

from __future__ import annotations

import logging
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st

from device.bus.curve import Gate, Keys, unlock
from device.bus.endpoints import EndpointError, ipc, runtime_dir
from device.bus.inbox import LONGEST, Inbox
from device.bus.seats import VERSION, Endpoints, Shown
from device.screens.screen import Screen
from engine.text import say
from vision.link import VERSION as LINK
from vision.link import FromWorker, Report


@pytest.fixture
def context() -> Iterator[zmq.Context[zmq.Socket[bytes]]]:
    made: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    yield made
    made.destroy(0)


def inbox() -> Inbox[FromWorker]:
    return Inbox("vision", FromWorker, LINK)


REPORT = msgspec.json.encode({"type": "report", "frame": 1, "at": 0.5, "moving": False, "health": "ok"})


def test_a_good_message_comes_through() -> None:
    message = inbox().receive(REPORT)
    assert isinstance(message, Report)
    assert message.frame == 1


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "undecodable"),
        (b"\xff\xfe", "undecodable"),
        (b'{"type":"report"}', "undecodable"),
        (b'{"type":"unheard of"}', "undecodable"),
        (b"[" * 100_000, "undecodable"),
        (REPORT[:-1] + b',"version":99}', "wrong version"),
        (b'"' + b"x" * LONGEST + b'"', "too long"),
    ],
)
def test_bad_messages_are_counted_logged_once_and_dropped(
    data: bytes, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    box = inbox()
    with caplog.at_level(logging.WARNING):
        assert [box.receive(data) for _ in range(3)] == [None] * 3
    assert box.dropped == {kind: 3}
    assert len(caplog.records) == 1
    assert box.receive(REPORT) is not None


@given(st.binary(max_size=200))
def test_no_bytes_at_all_can_stop_an_inbox(data: bytes) -> None:
    box = inbox()
    assert box.receive(data) is None
    assert sum(box.dropped.values()) == 1


def test_a_log_line_tells_nothing_of_the_contents(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        inbox().receive(b'{"type":"report","frame":"secret crown"}')
    assert "crown" not in caplog.text


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


def received(socket: zmq.Socket[bytes], endpoints: Endpoints, seconds: float = 3.0) -> list[Shown]:
    box: Inbox[Shown] = Inbox("test", Shown, VERSION)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        endpoints.welcome()
        if socket.poll(50):
            found = [box.receive(socket.recv())]
            while socket.poll(50):
                found.append(box.receive(socket.recv()))
            return [shown for shown in found if shown is not None]
    return []


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
    assert [shown.number for shown in received(a, endpoints)] == [1, 2, 3]
    assert received(b, endpoints) == [Shown("b", 1, Screen(say("open")), "ru")]
    endpoints.close()


def test_over_tcp_only_the_seats_own_key_opens_its_endpoint(
    context: zmq.Context[zmq.Socket[bytes]], tmp_path: Path
) -> None:
    keys = Keys(tmp_path / "keys")
    gate = Gate(context, keys)
    endpoints = Endpoints(context, tmp_path / "run", ("a", "b"))
    address = endpoints.over_tcp("a", "tcp://127.0.0.1:*", gate)
    good, other, without = reader(context), reader(context), reader(context)
    unlock(good, keys, "a")
    other.curve_publickey, other.curve_secretkey = keys.reader("b")
    other.curve_serverkey = keys.server("a")[0]
    for socket in (good, other, without):
        socket.connect(address)
    local = reader(context)
    local.connect(ipc(tmp_path / "run", "display-a"))
    assert received(good, endpoints), "the seat's own key"
    assert received(local, endpoints), "local readers need none"
    endpoints.publish("a", Screen(say("secret")), "en")
    assert received(good, endpoints)
    assert received(other, endpoints, 0.5) == []
    assert received(without, endpoints, 0.5) == []
    endpoints.close()
    gate.close()
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in (tmp_path / "keys").rglob("*.key_secret"))


def test_an_address_in_use_is_an_error_with_a_remedy(context: zmq.Context[zmq.Socket[bytes]], tmp_path: Path) -> None:
    gate = Gate(context, Keys(tmp_path / "keys"))
    endpoints = Endpoints(context, tmp_path / "run", ("a", "b"))
    address = endpoints.over_tcp("a", "tcp://127.0.0.1:*", gate)
    with pytest.raises(EndpointError, match="another address"):
        endpoints.over_tcp("b", address, gate)
    endpoints.close()
    gate.close()
