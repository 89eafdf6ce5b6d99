"""The gateway between guests and the daemon: what a page needs passes, and each seat has its own."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from extensions.phones.tests.daemon.phone import Phone
from extensions.phones.tests.stand_in import CODE, FILES, Gateway, gateway
from referee_phones.frames import LINKS, Back, Closed, Go, Join, Name, PageOpened, PageTouch, Speak
from referee_phones.websocket import RESTART, UNFIT

WAIT_S = 30.0
ASKS_LINK = (
    b"GET /link HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)


def visit(made: Gateway, audience: str, does: Callable[[aiohttp.ClientSession], Awaitable[None]]) -> None:
    """As a browser at an audience's address."""

    async def whole() -> None:
        address, timeout = f"http://127.0.0.1:{made.ports[audience]}", aiohttp.ClientTimeout(total=WAIT_S)
        async with aiohttp.ClientSession(address, timeout=timeout) as session, asyncio.timeout(3 * WAIT_S):
            await does(session)

    asyncio.run(whole())


@asynccontextmanager
async def linked(session: aiohttp.ClientSession, path: str = "/link") -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A page that has got its first sheet."""
    async with challenged(session, path) as (link, _):
        yield link


@asynccontextmanager
async def challenged(
    session: aiohttp.ClientSession, path: str = "/link"
) -> AsyncIterator[tuple[aiohttp.ClientWebSocketResponse, str]]:
    """The same, with what it is asked to prove something with."""
    async with session.ws_connect(path) as link:
        asked = (await link.receive_json())["challenge"]
        assert (await link.receive_json())["number"] == 1
        yield link, asked


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with gateway(tmp_path_factory.mktemp("gateway")) as made:
        yield made


def test_files_are_served_and_nothing_else(served: Gateway) -> None:
    async def look(session: aiohttp.ClientSession) -> None:
        page = await session.get("/")
        assert (page.status, await page.read()) == (200, FILES["/"].body)
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
        script = await session.get("/app.js")
        assert await script.read() == FILES["/app.js"].body
        assert script.headers["X-Content-Type-Options"] == "nosniff"
        assert await (await session.get("/app.json")).json(content_type=None) == {"audience": "a"}
        known = await session.get("/app.js", headers={"If-None-Match": script.headers["ETag"]})
        assert (known.status, await known.read()) == (304, b"")
        head = await session.head("/app.js", headers={"Accept-Encoding": "identity"})
        assert (head.status, head.headers["Content-Length"], await head.read()) == (200, "100000", b"")
        for path in ("/nowhere", "/../plan.py", "/%2e%2e/plan.py", "/link/", "/app.js/"):
            assert (await session.get(path)).status == 404, path
        assert await (await session.get("/nowhere?lang=ru")).text() == "Нет такой.\n"
        assert (await session.post("/", data=b"x")).status == 413
        assert (await session.delete("/")).status == 405
        assert (await session.get("/link")).status == 426

    visit(served, "a", look)


@pytest.mark.parametrize(
    ("takes", "packed"),
    [("gzip, deflate, br", True), ("br;q=1, GZIP ; q=0.5", True), ("gzip;q=0", False), ("br", False), ("", False)],
)
def test_a_file_goes_packed_to_who_can_unpack_it(served: Gateway, takes: str, packed: bool) -> None:
    async def look(session: aiohttp.ClientSession) -> None:
        script = await session.get("/app.js", headers={"Accept-Encoding": takes})
        assert script.headers.get("Content-Encoding") == ("gzip" if packed else None)
        assert (int(script.headers["Content-Length"]) < 1000) is packed
        assert script.headers["Vary"] == "Accept-Encoding"
        assert await script.read() == FILES["/app.js"].body

    visit(served, "a", look)


def test_a_phone_joins_plays_and_leaves(tmp_path: Path) -> None:
    phone, said = Phone(), list[dict[str, Any]]()

    async def play(session: aiohttp.ClientSession) -> None:
        async with challenged(session, "/link?lang=zh_Hant") as (link, asked):
            said.append(phone.joins(asked, CODE))
            await link.send_json(said[0])
            assert await link.receive_json() == {"joined": "a"}
            await link.send_json({"tap": {"serial": 4, "line": 2, "menu": False}})
            assert await link.receive_json() == {"sheet": {"status": "tapped 4"}, "number": 2}
            await link.send_json({"speak": "ru"})
            await link.send_json({"name": "Анна"})
            said.append(phone.returns(asked))
            await link.send_json(said[1])
            await link.send_json({"go": True})
        async with challenged(session) as (link, asked):
            await link.send_json(Phone().joins(asked, CODE))
            assert await link.receive_json() == {"refused": "This code was used.", "why": "spent"}
        async with challenged(session) as (link, asked):
            await link.send_json(Phone().joins(asked, "WRONG"))
            assert (await link.receive_json())["why"] == "unknown"
            assert (await link.receive()).type is aiohttp.WSMsgType.CLOSE, "the daemon wanted it closed"

    with gateway(tmp_path) as made:
        visit(made, "a", play)
        seat = made.daemons["a"]
        made.until(lambda: sum(isinstance(each, Closed) for each in seat.heard) == 3)
        first = [each for each in seat.heard if each.link == 1]
        assert first == [
            PageOpened(1, "zh_Hant", "127.0.0.1"), Join(1, said[0]["join"], said[0]["prove"]), PageTouch(1, 4, 2),
            Speak(1, "ru"), Name(1, "Анна"), Back(1, said[1]["prove"]), Go(1), Closed(1),
        ]  # fmt: skip
        assert seat.strange == 0
        assert made.daemons["table"].heard == [], "each seat has its own socket"


def test_a_page_from_before_an_update_is_told_to_reload_and_keeps_what_it_has(tmp_path: Path) -> None:
    """It says its key. That goes no further, and it is not closed: it would come back, and say it again and again."""
    told = {"refused": "Load it again.", "why": "off"}

    async def says(session: aiohttp.ClientSession) -> None:
        async with linked(session) as link:
            for said in ({"back": "0" * 32}, {"join": CODE, "key": "0" * 32}):
                await link.send_json(said)
                assert await link.receive_json() == told
            with pytest.raises(TimeoutError):
                await link.receive(0.2)
            await link.send_json({"back": "0" * 32})
            assert (await link.receive()).data == UNFIT, "not as often as somebody likes"

    with gateway(tmp_path, audiences=("a",)) as made:
        visit(made, "a", says)
        made.until(lambda: any(isinstance(each, Closed) for each in made.daemons["a"].heard))
        assert [type(each) for each in made.daemons["a"].heard] == [PageOpened, Closed]


def test_what_is_said_to_one_page_goes_to_no_other(served: Gateway) -> None:
    async def two(session: aiohttp.ClientSession) -> None:
        async with linked(session) as one, linked(session) as other:
            await one.send_json({"tap": {"serial": 9, "line": 0}})
            assert (await one.receive_json())["sheet"] == {"status": "tapped 9"}
            with pytest.raises(TimeoutError):
                await other.receive(0.2)

    visit(served, "a", two)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("{", 1008), ('{"tap":{"serial":1}}', 1008), ('{"prove":"short"}', 1008), ("[" * 2000, 1008),
        (json.dumps({"name": "x" * 3000}), 1009), (b"\x00", 1008),
    ],
)  # fmt: skip
def test_what_no_page_says_ends_the_link_and_does_not_reach_the_daemon(
    served: Gateway, said: str | bytes, code: int
) -> None:
    before = served.daemons["a"].strange

    async def babble(session: aiohttp.ClientSession) -> None:
        async with linked(session) as link:
            await (link.send_bytes(said) if isinstance(said, bytes) else link.send_str(said))
            ended = await link.receive()
            assert (ended.type, ended.data) == (aiohttp.WSMsgType.CLOSE, code)

    visit(served, "a", babble)
    assert served.daemons["a"].strange == before


def test_who_never_stops_talking_is_ended(served: Gateway) -> None:
    async def flood(session: aiohttp.ClientSession) -> None:
        async with linked(session) as link:
            with contextlib.suppress(ConnectionResetError):  # it may be ended before all is said
                for serial in range(200):
                    await link.send_json({"tap": {"serial": serial, "line": 0}})
            while (said := await link.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
            assert said.type in {aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED}
        async with linked(session):
            pass  # the next one is welcome

    visit(served, "a", flood)


def test_a_message_cut_into_nothing_over_and_over_is_ended(served: Gateway) -> None:
    """RFC 6455, 5.4: a message may have any number of fragments, and one may be empty."""
    before = served.daemons["a"].strange

    async def ask(session: aiohttp.ClientSession) -> None:
        async with linked(session):
            pass

    with socket.create_connection(("127.0.0.1", served.ports["a"]), WAIT_S) as guest:
        guest.sendall(ASKS_LINK + b"\r\n" + b"\x01\x80\0\0\0\0" + b"\x00\x80\0\0\0\0" * 2000)
        said = b""
        with contextlib.suppress(ConnectionResetError):
            while data := guest.recv(65536):
                said += data
        assert UNFIT.to_bytes(2, "big") in said, "it is told why"
    visit(served, "a", ask)
    assert served.daemons["a"].strange == before


def test_a_site_elsewhere_cannot_have_its_name_point_here(served: Gateway) -> None:
    async def rebind(session: aiohttp.ClientSession) -> None:
        for path in ("/", "/app.json", "/link"):
            answer = await session.get(path, headers={"Host": "evil.example"})
            assert (answer.status, await answer.text()) == (421, "Not known by this name.\n")
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect("/link", origin="http://evil.example")
        assert refused.value.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect("/link", origin=f"http://127.0.0.1:{served.ports['table']}")
        assert refused.value.status == 403, "another seat's page"

    visit(served, "a", rebind)


def test_a_reverse_proxy_may_stand_before_it_under_a_name_that_the_table_file_knows(served: Gateway) -> None:
    async def proxied(session: aiohttp.ClientSession) -> None:
        headers = {"Host": "table.example", "X-Forwarded-For": "10.0.0.9", "X-Forwarded-Proto": "https"}
        page = await session.get("/", headers=headers)
        assert page.status == 200
        assert "wss://table.example;" in page.headers["Content-Security-Policy"]
        async with session.ws_connect("/link", headers=headers, origin="https://table.example") as link:
            assert "challenge" in await link.receive_json()

    visit(served, "a", proxied)


def test_a_proxy_that_leaves_out_the_port_is_understood(served: Gateway) -> None:
    async def proxied(session: aiohttp.ClientSession) -> None:
        for host, origin in (("localhost", "https://localhost:8443"), ("table.example:443", "https://table.example")):
            async with session.ws_connect("/link", headers={"Host": host}, origin=origin) as link:
                assert "challenge" in await link.receive_json()

    visit(served, "a", proxied)


def test_a_page_that_is_refused_can_ask_why(served: Gateway) -> None:
    """Browsers do not tell their pages; a request of the page's own has no Origin, so it says itself whose it is."""

    async def asked(session: aiohttp.ClientSession) -> None:
        headers = {"Host": "127.0.0.1:8140"}
        for language, sentence in (("en", "Of another page.\n"), ("ru", "Чужая.\n")):
            why = await session.get(f"/link?lang={language}&page=https%3A%2F%2Ftable.example", headers=headers)
            assert (why.status, await why.text()) == (403, sentence)
        fits = await session.get("/link?lang=en&page=https%3A%2F%2F127.0.0.1:8140", headers=headers)
        assert fits.status == 426, "a WebSocket is missing, and nothing else"

    visit(served, "a", asked)


@pytest.mark.parametrize("host", ["[::1]", "[fd00::5]:8140"])
def test_a_policy_names_no_ipv6_address(served: Gateway, host: str) -> None:
    async def look(session: aiohttp.ClientSession) -> None:
        page = await session.get("/", headers={"Host": host})
        assert page.status == 200
        assert "connect-src 'self' ws: wss:;" in page.headers["Content-Security-Policy"]

    visit(served, "a", look)


def test_half_a_request_keeps_nobody_out(served: Gateway) -> None:
    halves = [socket.create_connection(("127.0.0.1", served.ports["a"])) for _ in range(150)]
    try:
        for number, each in enumerate(halves):
            each.sendall(
                (b"", b"GET / HTTP/1.1\r\nHost: ta", b"GET /link HTTP/1.1\r\n", b"\x16\x03\x01\x02")[number % 4]
            )

        async def ask(session: aiohttp.ClientSession) -> None:
            assert (await session.get("/")).status == 200
            async with linked(session):
                pass

        visit(served, "a", ask)
    finally:
        for each in halves:
            each.close()


@pytest.mark.parametrize(
    "data",
    [
        b"HEAD / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: [1]\r\n\r\n", ASKS_LINK + b"Origin: http://[\r\n\r\n",
        ASKS_LINK + b"Sec-WebSocket-Protocol: \xff\r\n\r\n",
        b"\x00\xff\n\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"GET " + b"/" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 10.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        b"GET /link HTTP/1.1\r\nHost: 10.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    ],
)  # fmt: skip
def test_what_is_no_request_gets_no_page(served: Gateway, data: bytes) -> None:
    with socket.create_connection(("127.0.0.1", served.ports["a"]), WAIT_S) as guest:
        guest.sendall(data)
        guest.shutdown(socket.SHUT_WR)
        said = b"".join(iter(lambda: guest.recv(65536), b""))
    assert not said or said.startswith(b"HTTP/1.1 4")
    assert "Traceback" not in served.text


def test_many_questions_at_once_are_answered_as_fast_as_the_answers_are_read(served: Gateway) -> None:
    """A guest that asks for a large file often and reads nothing fills no memory."""
    ask = b"GET /app.js HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.ports["a"]), WAIT_S) as guest:
        guest.sendall(ask * 100)
        time.sleep(0.3)
        assert pss_kb(served.workers()["a"], "Rss") < 60_000
        read = 0
        while read < 100 * 100_000:
            read += len(guest.recv(1 << 20))


def pss_kb(pid: int, key: str = "Pss") -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


@pytest.mark.thorough
def test_two_hundred_guests_get_a_sheet_each(served: Gateway) -> None:
    """From addresses of their own: the newest have room, whoever came before. One house cannot fill the table."""

    async def crowd(_: aiohttp.ClientSession) -> None:
        guests = [Guest(served.ports["table"], f"127.0.2.{number + 1}") for number in range(200)]
        said = [await guest.open() for guest in guests]
        assert all("sheet" in each for each in said)
        assert all([await guest.open_still() for guest in guests[-LINKS:]])
        for guest in guests:
            await guest.close()
        for audience in ("a", "table"):
            context = [Guest(served.ports[audience], f"127.0.3.{number // 60 + 1}") for number in range(180)]
            said = [await guest.open() for guest in context]
            assert all("sheet" in each for each in said), "a newer page takes the place of a house's oldest"
            late = Guest(served.ports[audience], "127.0.4.1")
            assert "sheet" in await late.open(), "who has many makes room for who has none"
            while sum([await guest.open_still() for guest in (*context, late)]) > LINKS:
                pass
            assert await late.open_still()
            for guest in (*context, late):
                await guest.close()

    visit(served, "table", crowd)


def test_who_sits_at_a_seat_comes_back_though_as_many_strangers_look_at_it_as_there_is_room_for(
    served: Gateway,
) -> None:
    async def crowd(_: aiohttp.ClientSession) -> None:
        strangers = [Guest(served.ports["a"], f"127.0.5.{number + 1}") for number in range(LINKS)]
        phone = Guest(served.ports["a"], "127.0.6.1")
        for guest in strangers:
            await guest.open()
        assert "sheet" in await phone.open()
        await phone.say(prove="0" * 64)
        for _number in range(3):
            strangers.append(Guest(served.ports["a"], "127.0.6.2"))
            assert "sheet" in await strangers[-1].open()
        assert await phone.open_still(), "who said something stays"
        for guest in (*strangers, phone):
            await guest.close()

    visit(served, "a", crowd)


class Guest:
    """A page in a browser at an address of its own."""

    def __init__(self, port: int, address: str) -> None:
        self._port = port
        connector = aiohttp.TCPConnector(local_addr=(address, 0))
        self._session = aiohttp.ClientSession(connector=connector)
        self._link: aiohttp.ClientWebSocketResponse | None = None

    async def open(self) -> dict[str, object]:
        """What the page is told first, beside its challenge."""
        self._link = await self._session.ws_connect(f"http://127.0.0.1:{self._port}/link")
        first = dict(await self._link.receive_json(timeout=WAIT_S))
        return dict(await self._link.receive_json(timeout=WAIT_S)) if "challenge" in first else first

    async def say(self, **message: object) -> None:
        assert self._link is not None
        await self._link.send_json(message)

    async def open_still(self) -> bool:
        """Whether the page was not closed since."""
        assert self._link is not None
        try:
            await self._link.receive(0.01)
        except TimeoutError:
            return True
        return not self._link.closed

    async def close(self) -> None:
        await self._session.close()


def test_while_the_daemon_is_away_pages_are_told_so_and_they_come_back(tmp_path: Path) -> None:
    with gateway(tmp_path, audiences=("a",)) as made:
        seat = made.daemons["a"]

        async def stay(session: aiohttp.ClientSession) -> None:
            async with linked(session) as link:
                seat.stop()
                ended = await link.receive()
                assert (ended.type, ended.data) == (aiohttp.WSMsgType.CLOSE, RESTART)
            assert (await session.get("/")).status == 200, "the app itself is there"
            async with session.ws_connect("/link?lang=ru") as link:
                assert await link.receive_json() == {"refused": "Скоро.", "why": "away"}
                assert (await link.receive()).data == RESTART
            before = seat.workers
            seat.start()
            while seat.workers == before:
                await asyncio.sleep(0.05)
            for _ in range(600):  # the new worker has taken over the port
                try:
                    async with linked(session):
                        return
                except (aiohttp.ClientError, AssertionError, KeyError, TypeError):
                    await asyncio.sleep(0.05)
            raise AssertionError("no page came back")

        visit(made, "a", stay)


@pytest.mark.thorough
def test_a_worker_that_is_killed_comes_back_and_the_others_do_not_notice(tmp_path: Path) -> None:
    with gateway(tmp_path) as made:
        made.until(lambda: len(made.workers()) == 2)
        before = made.workers()

        async def watch(session: aiohttp.ClientSession) -> None:
            async with linked(session) as link:
                os.kill(before["a"], signal.SIGKILL)
                await asyncio.to_thread(made.until, lambda: made.workers().get("a", before["a"]) != before["a"])
                await link.send_json({"tap": {"serial": 3, "line": 0}})
                assert (await link.receive_json())["sheet"] == {"status": "tapped 3"}

        visit(made, "table", watch)

        async def again(session: aiohttp.ClientSession) -> None:
            async with linked(session):
                pass

        visit(made, "a", again)
        assert made.workers()["table"] == before["table"]


def test_a_worker_whose_daemon_hangs_up_at_once_is_not_replaced_without_a_pause(tmp_path: Path) -> None:
    with gateway(tmp_path, audiences=("a",), daemons=False) as made, socket.socket(socket.AF_UNIX) as deaf:
        path = made.daemons["a"].endpoint
        path.parent.mkdir()
        deaf.bind(str(path))
        deaf.listen()
        deaf.settimeout(60)
        deaf.accept()[0].close()
        deaf.settimeout(0.05)
        hung_up, until = 1, time.monotonic() + 2.0
        while time.monotonic() < until:
            with contextlib.suppress(TimeoutError):
                deaf.accept()[0].close()
                hung_up += 1
        assert hung_up <= 4
        assert "ended" not in made.text, "it did nothing wrong"


def test_what_the_daemon_says_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    with gateway(tmp_path, audiences=("a",)) as made:

        async def hear(session: aiohttp.ClientSession) -> None:
            async with linked(session) as link:
                for data in (b"nonsense", b'{"is":"to","link":99,"text":"x"}', b'{"is":"new","link":1}'):
                    await asyncio.to_thread(made.daemons["a"].say, len(data).to_bytes(4, "big") + data)
                await link.send_json({"tap": {"serial": 8, "line": 0}})
                assert (await link.receive_json())["sheet"] == {"status": "tapped 8"}

        visit(made, "a", hear)


@pytest.mark.thorough
def test_a_page_that_reads_nothing_is_not_waited_for(tmp_path: Path) -> None:
    with gateway(tmp_path, audiences=("a",)) as made:
        guest = socket.create_connection(("127.0.0.1", made.ports["a"]), WAIT_S)
        guest.sendall(
            b"GET /link HTTP/1.1\r\nHost: 10.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        made.daemons["a"].await_frame(PageOpened)
        text = json.dumps({"is": "to", "link": 1, "text": "x" * 400_000}).encode()
        for _ in itertools.repeat(None, 30):
            made.daemons["a"].say(len(text).to_bytes(4, "big") + text)
        made.daemons["a"].await_frame(Closed)
        guest.close()


@pytest.mark.thorough
def test_a_worker_that_hangs_is_killed_and_replaced_and_this_is_logged(tmp_path: Path) -> None:
    with gateway(tmp_path, audiences=("a",)) as made:
        made.until(lambda: "a" in made.workers())
        hangs = made.workers()["a"]
        os.kill(hangs, signal.SIGSTOP)
        made.until(lambda: made.workers().get("a", hangs) != hangs)
        assert "the pages' worker for a hangs: it is killed" in made.text

        async def ask(session: aiohttp.ClientSession) -> None:
            async with linked(session):
                pass

        made.until(lambda: made.daemons["a"].workers == 2)
        visit(made, "a", ask)


def test_it_ends_with_all_its_workers(tmp_path: Path) -> None:
    with gateway(tmp_path) as made:
        made.until(lambda: len(made.workers()) == 2)
        workers = made.workers()
        assert made.process is not None
        made.process.send_signal(signal.SIGTERM)
        assert made.process.wait(WAIT_S) == 0
        assert not any(Path(f"/proc/{pid}").exists() for pid in workers.values())


def test_workers_end_with_a_keeper_that_is_killed(tmp_path: Path) -> None:
    with gateway(tmp_path) as made:
        made.until(lambda: len(made.workers()) == 2)
        workers = made.workers()
        assert made.process is not None
        made.process.kill()
        made.until(lambda: not any(alive(pid) for pid in workers.values()))


def alive(pid: int) -> bool:
    """True unless it has gone, or only its parent has not heard of it."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
