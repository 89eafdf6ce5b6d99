"""Who knocks at the pages' server: what a page needs passes, and nobody leaves no room for others."""

from __future__ import annotations

import asyncio
import logging
import resource
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from device.web.connection_limits import ConnectionLimiter, Limits, affordable
from device.web.private_site import MOST_LINKS, STATIC, Audience, Links
from device.web.server import Server, files, mark_as_link

QUICK = Limits(sweep_s=0.02)
ASK = b"GET / HTTP/1.1\r\nHost: table\r\n\r\n"


async def hello(_: web.Request) -> web.Response:
    return web.Response(text="hello")


async def never(_: web.Request) -> web.Response:
    await asyncio.sleep(60)
    return web.Response(text="late")


async def broken(_: web.Request) -> web.Response:
    raise ValueError("broken")


async def flood(request: web.Request) -> web.WebSocketResponse:
    """A link that sends for ever, and reads nothing."""
    link = web.WebSocketResponse(compress=False)
    await link.prepare(request)
    mark_as_link(request)
    while True:
        await link.send_bytes(bytes(100_000))
        await asyncio.sleep(0)


async def quiet(request: web.Request) -> web.WebSocketResponse:
    """A link that sends back what it hears."""
    link = web.WebSocketResponse(compress=False)
    await link.prepare(request)
    mark_as_link(request)
    async for said in link:
        await link.send_str(said.data)
    return link


ROUTES = (
    web.get("/", hello),
    web.get("/never", never),
    web.get("/broken", broken),
    web.get("/flood", flood),
    web.get("/quiet", quiet),
    files("/shared/", STATIC),
)


@asynccontextmanager
async def served(limits: Limits) -> AsyncIterator[Server]:
    server = Server(ROUTES, "127.0.0.1", 0, limits)
    await server.start()
    try:
        yield server
    finally:
        await server.close()


def run(limits: Limits, visit: Callable[[Server], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with served(limits) as server, asyncio.timeout(60):
            await visit(server)

    asyncio.run(whole())


class Turned:
    """The door's time, which a test turns on: only then has anybody taken too long, whatever else the machine does."""

    def __init__(self) -> None:
        self.at = 0.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Turned:
    made = Turned()
    monkeypatch.setattr(ConnectionLimiter, "now", lambda _door: made.at)
    return made


async def guests(server: Server, count: int) -> None:
    """Returns once so many are inside, and what they have sent is read."""
    assert server._door is not None
    while len(server._door._guests) < count:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)


class Caller:
    """A connection, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def of(cls, server: Server, first: bytes = b"") -> Caller:
        caller = cls(*await asyncio.open_connection("127.0.0.1", server.port))
        caller.writer.write(first)
        return caller

    async def status(self) -> int:
        """Of the next answer."""
        return int((await self.reader.readline()).split()[1])

    async def ended(self) -> bool:
        """True once the other side has ended the connection, whatever it said before."""
        try:
            return await asyncio.wait_for(self.reader.read(), 30) is not None
        except ConnectionError:
            return True


async def status(server: Server, path: str) -> int:
    async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as client, client.get(path) as answer:
        return answer.status


@pytest.mark.parametrize(
    ("path", "answered"),
    [
        ("/" + "a" * 5000, 414),
        ("/shared/" + "a" * 5000, 414),
        ("/shared/" + "a" * 180, 404),
        ("/shared/" + "%D0%B0" * 30, 404),
        ("/shared/%00", 404),
        ("/shared/%2e%2e%2fserver.py", 404),
        ("/shared/..%2fserver.py", 404),
        ("/shared/calibrate.html", 404),
        ("/shared/calibrate.js", 200),
        ("/?lang=" + "a" * 1000, 200),
    ],
)
def test_no_path_is_an_error_of_the_server(path: str, answered: int) -> None:
    async def visit(server: Server) -> None:
        caller = await Caller.of(server, f"GET {path} HTTP/1.1\r\nHost: table\r\n\r\n".encode())
        assert await caller.status() == answered

    run(Limits(), visit)


@pytest.mark.parametrize("asked", ["GET / ", "GET /nowhere ", "POST / ", "POST /nowhere "])
def test_an_expectation_that_is_no_text_is_refused_at_every_address(asked: str) -> None:
    async def visit(server: Server) -> None:
        caller = await Caller.of(server, asked.encode() + b"HTTP/1.1\r\nHost: table\r\nExpect: \xa0100\r\n\r\n")
        assert await caller.status() == 417

    run(Limits(), visit)


@pytest.mark.parametrize("first", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: table\r\nX: ", ASK])
def test_who_asks_nothing_or_half_a_question_is_not_waited_for(first: bytes, clock: Turned) -> None:
    async def visit(server: Server) -> None:
        caller = await Caller.of(server, first)
        ended = asyncio.create_task(caller.ended())
        await guests(server, 1)
        clock.at += QUICK.request_s - 1.0
        await asyncio.sleep(5 * QUICK.sweep_s)
        assert not ended.done()
        clock.at += 2.0
        assert await ended

    run(QUICK, visit)


def test_who_asks_a_little_at_a_time_is_not_waited_for_either(clock: Turned) -> None:
    async def visit(server: Server) -> None:
        caller = await Caller.of(server, b"GET / HTTP/1.1\r\n")
        ended = asyncio.create_task(caller.ended())
        while not ended.done():
            caller.writer.write(b"X: y\r\n")
            clock.at += 1.0
            assert clock.at < 10 * QUICK.request_s
            await asyncio.sleep(2 * QUICK.sweep_s)
        assert await ended

    run(QUICK, visit)


def test_an_answer_that_takes_too_long_is_given_up(clock: Turned) -> None:
    async def visit(server: Server) -> None:
        caller = await Caller.of(server, b"GET /never HTTP/1.1\r\nHost: table\r\n\r\n")
        await guests(server, 1)
        clock.at += QUICK.answer_s + 1.0
        assert await caller.ended()

    run(QUICK, visit)


def test_headers_without_end_are_not_kept() -> None:
    async def visit(server: Server) -> None:
        caller = await Caller.of(server, b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 4000 + b"\r\n")
        for _ in range(20):
            caller.writer.write(b"X: " + b"y" * 4000 + b"\r\n")
        assert await caller.ended()

    run(Limits(), visit)


def test_questions_ahead_of_their_answers_are_not_kept() -> None:
    async def visit(server: Server) -> None:
        caller = await Caller.of(server, b"GET /never HTTP/1.1\r\nHost: table\r\n\r\n")
        await asyncio.sleep(0.05)
        caller.writer.write(ASK * 1000)
        assert await caller.ended()

    run(Limits(), visit)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (b"POST / HTTP/1.1\r\nHost: table\r\nContent-Length: 5\r\n\r\nhello", 413),
        (b"GET / HTTP/1.1\r\nHost: table\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 413),
        (b"POST / HTTP/1.1\r\nHost: table\r\nContent-Length: 0\r\n\r\n", 405),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: table\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400),
    ],
)
def test_what_no_page_asks_is_refused(asked: bytes, answered: int) -> None:
    async def visit(server: Server) -> None:
        caller = await Caller.of(server, asked)
        assert await caller.status() == answered

    run(Limits(), visit)


def test_a_newcomer_takes_the_room_of_who_has_kept_still_longest() -> None:
    async def visit(server: Server) -> None:
        callers = [await Caller.of(server) for _ in range(10)]
        assert await status(server, "/") == 200
        assert all([await caller.ended() for caller in callers[:7]])
        callers[9].writer.write(ASK)
        assert await callers[9].status() == 200

    run(Limits(of_one=4), visit)


def test_nobody_takes_the_room_of_a_link() -> None:
    async def visit(server: Server) -> None:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as client:
            links = [await client.ws_connect("/quiet") for _ in range(3)]
            assert await (await Caller.of(server, ASK)).ended()
            for link in links:
                await link.send_str("still here")
                assert await link.receive_str(timeout=30) == "still here"

    run(Limits(of_one=3), visit)


def test_one_machine_with_many_addresses_keeps_nobody_out() -> None:
    async def visit(server: Server) -> None:
        connector = aiohttp.TCPConnector(local_addr=("127.0.0.2", 0))
        async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}", connector=connector) as client:
            link = await client.ws_connect("/quiet")
            still = [
                await asyncio.open_connection("127.0.0.1", server.port, local_addr=(f"127.0.0.{last}", 0))
                for last in (3, 4)
            ]
            assert await status(server, "/") == 200
            await link.send_str("still here")
            assert await link.receive_str(timeout=30) == "still here"
            for _, writer in still:
                writer.close()

    run(Limits(connections=3), visit)


def test_a_link_may_keep_still_and_one_that_reads_nothing_ends(clock: Turned) -> None:
    async def visit(server: Server) -> None:
        shake = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        shake += b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        deaf = await Caller.of(server, b"GET /flood HTTP/1.1\r\nHost: table\r\n" + shake)
        async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as client:
            link = await client.ws_connect("/quiet")
            assert server._door is not None
            while not any(each._unread_since is not None for each in server._door._guests):
                await asyncio.sleep(0.01)
            clock.at += QUICK.unread_s + QUICK.request_s + QUICK.answer_s
            while len(server._door._guests) > 1:
                await asyncio.sleep(0.01)
            await link.send_str("still here")
            assert await link.receive_str(timeout=30) == "still here"
        assert deaf.reader.exception() is not None or await deaf.ended()

    run(QUICK, visit)


def test_who_asks_without_end_is_told_to_wait(clock: Turned) -> None:
    async def visit(server: Server) -> None:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as client:
            answers = [(await client.get("/")).status for _ in range(12)]
            assert answers[:10] == [200] * 10
            assert answers[10:] == [429] * 2
            clock.at += 0.3
            assert (await client.get("/")).status == 200

    run(Limits(asks=10.0, asks_burst=10.0), visit)


def test_what_is_said_too_fast_is_read_later() -> None:
    async def visit(server: Server) -> None:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as client:
            link = await client.ws_connect("/quiet")
            began = asyncio.get_running_loop().time()
            for said, count in (("x" * 1000, 20), ("later", 1)):  # however the first come, they are over the measure
                for _ in range(count):
                    await link.send_str(said)
                for _ in range(count):
                    assert await link.receive_str(timeout=30) == said
            assert asyncio.get_running_loop().time() - began > 0.7

    run(Limits(rate_bytes=20_000, burst_bytes=5_000), visit)


def test_whoever_knocks_cannot_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def visit(server: Server) -> None:
        for _ in range(30):
            await (await Caller.of(server, b"\x00\x01\r\n\r\n")).status()
            assert await status(server, "/broken") == 500

    logging.getLogger("device.web.http").filters.clear()
    run(Limits(), visit)
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 10
    assert all("broken" in str(record.exc_info and record.exc_info[1]) for record in caplog.records)


def test_no_more_connections_than_a_quarter_of_the_files_that_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    assert (affordable(Limits()).connections, affordable(Limits()).of_one) == (64, 32)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert affordable(Limits()) == Limits()


class Still(Links):
    """Links of two seats, which say nothing."""

    def whose(self, token: str) -> Audience | None:
        return Audience(token) if token in {"a", "b"} else None

    async def talk(self, link: web.WebSocketResponse, audience: Audience, language: str) -> None:
        async for _ in link:
            pass


def test_one_page_is_not_open_more_often_than_people_need() -> None:
    async def visit() -> None:
        site = Still("127.0.0.1", 0)
        await site.start()
        try:
            async with aiohttp.ClientSession(f"http://127.0.0.1:{site.port}") as client:
                links = [await client.ws_connect("/a/link") for _ in range(MOST_LINKS)]
                with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
                    await client.ws_connect("/a/link")
                await client.ws_connect("/b/link")
                await links[0].close()
                await client.ws_connect("/a/link")
        finally:
            await site.close()

    asyncio.run(visit())


def test_a_page_from_elsewhere_opens_no_link_whatever_it_calls_itself() -> None:
    async def visit() -> None:
        site = Still("127.0.0.1", 0)
        await site.start()
        try:
            async with aiohttp.ClientSession(f"http://127.0.0.1:{site.port}") as client:
                for origin in ("http://elsewhere", "http://[elsewhere"):
                    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                        await client.ws_connect("/a/link", origin=origin)
        finally:
            await site.close()

    asyncio.run(visit())


@pytest.mark.thorough
def test_a_server_ends_although_somebody_does_not_let_go() -> None:
    async def visit() -> None:
        server = Server(ROUTES, "127.0.0.1", 0)
        await server.start()
        callers = [await Caller.of(server, b"GET /never HTTP/1.1\r\nHost: table\r\n\r\n") for _ in range(3)]
        await asyncio.sleep(0.05)
        async with asyncio.timeout(30):  # /never takes longer
            await server.close()
        assert all([await caller.ended() for caller in callers])
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", server.port)) != 0

    asyncio.run(visit())
