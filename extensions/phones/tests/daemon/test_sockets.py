"""The pages' sockets: whatever a worker sends, the daemon goes on; whatever it does not take, nothing waits for it."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.bus.endpoints import EndpointError
from device.bus.framing import HEAD, LONGEST_OUT, Unpacker, pack
from referee_phones.daemon import sockets
from referee_phones.daemon.sockets import AT_ONCE, Audiences, WorkerConnection
from referee_phones.frames import (
    FROM_WORKER,
    LONGEST_IN,
    TO_WORKER,
    Close,
    Closed,
    FromWorker,
    Hello,
    Join,
    PageOpened,
    PageTouch,
    To,
    ToWorker,
)

KEY, PROOF = "01" * 32, "ab" * 32


class Heard:
    """What the sockets of an audience said."""

    def __init__(self, folder: Path, names: tuple[str, ...] = ("a", "table"), group: str = "") -> None:
        self.frames: list[tuple[str, FromWorker]] = []
        self.workers: list[WorkerConnection] = []
        self.gone = 0
        self.ready = 0
        self.sockets = Audiences(
            folder, names, met=self.workers.append, heard=self._heard, gone=self._gone, ready=self._ready, group=group
        )

    def _heard(self, worker: WorkerConnection, frame: FromWorker) -> None:
        self.frames.append((worker.audience, frame))

    def _gone(self, _worker: WorkerConnection) -> None:
        self.gone += 1

    def _ready(self, _worker: WorkerConnection) -> None:
        self.ready += 1


def serving(folder: Path, scenario: Callable[[Heard], Awaitable[None]]) -> Heard:
    async def main() -> Heard:
        made = Heard(folder)
        await made.sockets.listen()
        await made.sockets.start()
        try:
            await asyncio.wait_for(scenario(made), 100)
        finally:
            made.sockets.close()
        return made

    return asyncio.run(main())


async def until(true: Callable[[], bool]) -> None:
    for _ in range(12_000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")


def samples() -> list[FromWorker]:
    values: dict[str, Any] = {
        "link": 3,
        "language": "ru",
        "public": KEY,
        "proof": PROOF,
        "serial": 4,
        "line": -1,
        "text": "A",
        "at": 2,
        "part": b"half of it",
        "jpeg": b"a picture",
    }
    return [
        kind(**{name: values[name] for name in kind.__struct_fields__ if name in values})
        for kind in get_args(FROM_WORKER)
    ]


@pytest.mark.parametrize("frame", samples(), ids=lambda frame: type(frame).__name__)
def test_a_frame_comes_back_from_its_bytes(frame: FromWorker) -> None:
    (data,) = Unpacker(LONGEST_IN).feed(pack(frame))
    assert data is not None
    assert msgspec.json.decode(data, type=FROM_WORKER) == frame


@pytest.mark.parametrize("frame", [Hello(KEY), To(1, '{"x":1}'), Close(2)])
def test_so_does_an_answer(frame: ToWorker) -> None:
    (data,) = Unpacker(LONGEST_OUT).feed(pack(frame))
    assert data is not None
    assert msgspec.json.decode(data, type=TO_WORKER) == frame


@settings(max_examples=50)
@given(st.lists(st.binary(max_size=30), max_size=8), st.integers(1, 40), st.integers(1, 4))
def test_frames_are_cut_alike_however_the_bytes_arrive(payloads: list[bytes], step: int, most: int) -> None:
    longest = 20
    stream = b"".join(len(each).to_bytes(HEAD, "big") + each for each in payloads)
    unpacker, found = Unpacker(longest), list[bytes | None]()
    for start in range(0, len(stream), step):
        found += unpacker.feed(stream[start : start + step], most)
    while more := list(unpacker.feed(b"", most)):
        found += more
    assert found == [each if len(each) <= longest else None for each in payloads]


def test_a_socket_serves_its_audience_alone(tmp_path: Path) -> None:
    async def scenario(made: Heard) -> None:
        reader, writer = await asyncio.open_unix_connection(tmp_path / "pages" / "a.sock")
        writer.write(pack(PageOpened(1, "ru")) + pack(Join(1, KEY, PROOF)))
        await until(lambda: len(made.frames) == 2)
        made.workers[0].send(To(1, "hello"))
        length = int.from_bytes(await reader.readexactly(HEAD), "big")
        assert msgspec.json.decode(await reader.readexactly(length), type=TO_WORKER) == To(1, "hello")
        assert made.sockets.workers == {"a": 1, "table": 0}
        writer.close()
        await until(lambda: made.gone == 1)

    made = serving(tmp_path / "pages", scenario)
    assert made.frames == [("a", PageOpened(1, "ru")), ("a", Join(1, KEY, PROOF))]
    assert not list((tmp_path / "pages").iterdir())


def test_nobody_else_may_connect(tmp_path: Path) -> None:
    async def scenario(made: Heard) -> None:
        folder = tmp_path / "pages"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}

    serving(tmp_path / "pages", scenario)


def test_the_gateways_group_may(tmp_path: Path) -> None:
    import grp

    async def main() -> None:
        made = Heard(tmp_path / "pages", group=grp.getgrgid(os.getgid()).gr_name)
        await made.sockets.listen()
        modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "pages").iterdir()}
        assert (stat.S_IMODE((tmp_path / "pages").stat().st_mode), modes) == (0o710, {0o660})
        made.sockets.close()

    asyncio.run(main())


def test_a_group_that_is_not_there_leaves_the_folder_private(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        made = Heard(tmp_path / "pages", group="no-such-group")
        await made.sockets.listen()
        assert stat.S_IMODE((tmp_path / "pages").stat().st_mode) == 0o700
        made.sockets.close()

    asyncio.run(main())
    assert "no-such-group" in caplog.text


def test_what_cannot_be_understood_is_counted_logged_once_and_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def framed(data: bytes) -> bytes:
        return len(data).to_bytes(HEAD, "big") + data

    wrong = [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"is":"opened"}',
        b'{"is":"opened","link":-1}',
        b'{"is":"opened","link":1,"more":2}',
        b'{"is":"seed","link":1}',
        b'{"is":"join","link":1,"code":"A","key":"short"}',
        b'{"is":"touch","link":1,"serial":1,"line":"1"}',
        b"[" * 4000,
    ]

    async def scenario(made: Heard) -> None:
        _, writer = await asyncio.open_unix_connection(tmp_path / "pages" / "a.sock")
        for data in wrong:
            writer.write(framed(data))
        writer.write(framed(b"x" * (LONGEST_IN + 1)) + pack(Closed(9)))
        await until(lambda: len(made.frames) == 1)
        assert made.sockets.dropped == len(wrong) + 1
        writer.close()

    with caplog.at_level(logging.WARNING):
        made = serving(tmp_path / "pages", scenario)
    assert made.frames == [("a", Closed(9))]
    assert len(caplog.records) == 2  # one for each kind


def test_a_flood_is_read_slowly_and_keeps_nobody_else_waiting(tmp_path: Path) -> None:
    async def scenario(made: Heard) -> None:
        _, writer = await asyncio.open_unix_connection(tmp_path / "pages" / "a.sock")
        writer.write(pack(PageTouch(1, 1, 0)) * 20_000)
        await until(lambda: len(made.frames) >= AT_ONCE)
        _, other = await asyncio.open_unix_connection(tmp_path / "pages" / "table.sock")
        other.write(pack(PageOpened(5)))
        await until(lambda: ("table", PageOpened(5)) in made.frames)
        assert len(made.frames) < 3 * AT_ONCE
        writer.close()
        other.close()

    serving(tmp_path / "pages", scenario)


def test_the_rest_of_a_burst_is_read_in_time(tmp_path: Path) -> None:
    count = int(AT_ONCE) + 30

    async def scenario(made: Heard) -> None:
        _, writer = await asyncio.open_unix_connection(tmp_path / "pages" / "a.sock")
        for number in range(count):
            writer.write(pack(PageOpened(number)))
        await until(lambda: len(made.frames) == count)
        writer.close()

    made = serving(tmp_path / "pages", scenario)
    assert [frame.link for _, frame in made.frames] == list(range(count))


def test_a_worker_that_takes_nothing_is_left_alone_and_then_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "STUCK_S", 0.1)

    async def scenario(made: Heard) -> None:
        sleeping = socket.socket(socket.AF_UNIX)
        sleeping.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sleeping, str(tmp_path / "pages" / "a.sock"))
        await asyncio.get_running_loop().sock_sendall(sleeping, pack(PageOpened(1)))
        await until(lambda: bool(made.workers))
        (worker,) = made.workers
        while worker.takes:
            worker.send(To(1, "x" * 100_000))
        await until(lambda: made.gone == 1)
        worker.send(To(1, "nobody hears it"))
        sleeping.close()

    made = serving(tmp_path / "pages", scenario)
    assert made.ready == 0


def test_one_that_takes_again_is_told_of(tmp_path: Path) -> None:
    async def scenario(made: Heard) -> None:
        reader, writer = await asyncio.open_unix_connection(tmp_path / "pages" / "a.sock", limit=1 << 24)
        writer.write(pack(PageOpened(1)))
        await until(lambda: bool(made.workers))
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        while made.workers[0].takes:
            made.workers[0].send(To(1, "x" * 100_000))
        reader._transport.resume_reading()  # type: ignore[attr-defined]
        await until(lambda: made.ready == 1)
        assert made.workers[0].takes
        writer.close()

    serving(tmp_path / "pages", scenario)


def test_of_too_many_workers_the_oldest_goes(tmp_path: Path) -> None:
    async def scenario(made: Heard) -> None:
        opened = [await asyncio.open_unix_connection(tmp_path / "pages" / "a.sock") for _ in range(3)]
        assert await asyncio.wait_for(opened[0][0].read(), 60) == b""
        assert made.sockets.workers["a"] == 2
        for _, writer in opened:
            writer.close()

    serving(tmp_path / "pages", scenario)


def test_what_a_killed_daemon_left_is_in_nobodys_way(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.sock").write_text("left")

    async def scenario(made: Heard) -> None:
        _, writer = await asyncio.open_unix_connection(folder / "a.sock")
        writer.close()

    serving(folder, scenario)


def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "pages").write_text("a file")

    async def main() -> None:
        await Heard(tmp_path / "pages").sockets.listen()

    with pytest.raises(EndpointError, match="no pages can be served from"):
        asyncio.run(main())
