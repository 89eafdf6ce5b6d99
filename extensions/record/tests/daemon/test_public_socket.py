"""The public socket: whoever reads there is told what the table says, and cannot hold it up, nor say anything."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from device.bus.endpoints import EndpointError, socket_path
from device.bus.framing import pack
from device.clock import Clock
from referee_record.daemon import public_socket
from referee_record.daemon.public_socket import GRID_S, NAME, PIECE, READERS, Public
from referee_record.listening import frames

PATIENCE_S = 60.0


class Stepped:
    """A clock that a test moves on. asked: until when somebody waits."""

    def __init__(self) -> None:
        self.at, self.asked, self._moved = 10.03, 0.0, asyncio.Event()

    def now(self) -> float:
        return self.at

    async def sleep_until(self, at: float) -> None:
        self.asked = at
        while self.at < at:
            self._moved.clear()
            await self._moved.wait()

    def move(self, at: float) -> None:
        self.at = at
        self._moved.set()


class Hurried:
    """A clock whose time is always come."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at

    async def sleep_until(self, at: float) -> None:
        self.at = max(self.at, at)
        await asyncio.sleep(0)


class Text(msgspec.Struct):
    """A frame of nothing in particular."""

    text: str


def frame(text: str) -> bytes:
    return pack(Text(text))


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def serving(folder: Path, clock: Clock) -> AsyncIterator[Public]:
    made = Public(folder / "public", clock)
    await made.listen()
    running = asyncio.ensure_future(made.run())
    try:
        yield made
    finally:
        running.cancel()
        await made.close()


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), PATIENCE_S * 2))


async def next_text(reading: AsyncIterator[bytes]) -> str:
    return msgspec.json.decode(await asyncio.wait_for(anext(reading), PATIENCE_S), type=Text).text


async def texts(reading: AsyncIterator[bytes], count: int) -> list[str]:
    return [await next_text(reading) for _ in range(count)]


def test_who_reads_is_told_each_frame_and_who_comes_late_where_it_stands_and_all_before(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path, Hurried()) as made:
            path = socket_path(tmp_path / "public", NAME)
            made.begin((frame("before"),), frame("stands before"))
            early = frames(path)
            assert await texts(early, 2) == ["stands before", "before"]
            for n in range(3):
                made.put(frame(f"said {n}"), frame(f"stands {n}"))
            assert await texts(early, 3) == ["said 0", "said 1", "said 2"]
            late = frames(path)
            assert await texts(late, 5) == ["stands 2", "before", "said 0", "said 1", "said 2"]
            made.put(frame("said 3"), frame("stands 3"))
            assert [await next_text(each) for each in (early, late)] == ["said 3", "said 3"]
            made.put(frame("last"), frame("stands at last"))
            made.begin((frame("another"), frame("goes on")), frame("stands again"))
            assert [await texts(each, 3) for each in (early, late)] == [["last", "another", "goes on"]] * 2
            over = ["before", "said 0", "said 1", "said 2", "said 3", "last"]
            assert await texts(frames(path), 9) == [*over, "stands again", "another", "goes on"]
            made.begin((frame("another"), frame("and on")), frame("stands further"))
            assert await texts(frames(path), 9) == [*over, "stands further", "another", "and on"]
            made.begin((frame("silent"),), b"")
            assert await texts(frames(path), 3) == ["another", "and on", "silent"]
            made.begin((frame("third"),), frame("stands third"))
            assert await texts(frames(path), 4) == ["another", "and on", "stands third", "third"]

    run(scenario)


def test_it_goes_out_on_the_grid_and_not_when_it_happened(tmp_path: Path) -> None:
    async def scenario() -> None:
        clock = Stepped()
        async with serving(tmp_path, clock) as made:
            reader, writer = await asyncio.open_unix_connection(socket_path(tmp_path / "public", NAME))
            await until(lambda: clock.asked > 0)
            assert clock.asked == pytest.approx(10.25)
            made.put(frame("first"), frame("stands"))
            clock.move(10.26)
            late = frame("stands") + frame("first")
            assert await reader.readexactly(len(late)) == late
            made.put(frame("second"), b"")
            await until(lambda: clock.asked > 10.26)
            made.put(frame("third"), b"")
            assert clock.asked == pytest.approx(10.5)
            assert clock.asked % GRID_S == pytest.approx(0)
            clock.move(10.5)
            both = frame("second") + frame("third")
            assert await reader.readexactly(len(both)) == both
            writer.close()

    run(scenario)


def test_nobody_speaks_there(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path, Hurried()) as made:
            reader, writer = await asyncio.open_unix_connection(socket_path(tmp_path / "public", NAME))
            await until(lambda: made.readers == 1)
            writer.write(b"x")
            await until(lambda: made.readers == 0)
            with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                await reader.readexactly(1)
            writer.close()

    run(scenario)


def test_who_takes_nothing_is_cut_off_and_the_others_hear_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path, Hurried()) as made:
            path = socket_path(tmp_path / "public", NAME)
            stuck = socket.socket(socket.AF_UNIX)
            stuck.connect(str(path))
            await until(lambda: made.readers == 1)
            hearing = frames(path)
            made.put(frame("begin"), frame("stands"))
            assert await texts(hearing, 2) == ["stands", "begin"]
            large = "x" * (1 << 16)
            for _ in range(40):
                made.put(frame(large), frame("stands"))
                assert await next_text(hearing) == large
            await until(lambda: made.readers == 1)
            made.put(frame("end"), frame("stands"))
            assert await next_text(hearing) == "end"
            stuck.close()

    run(scenario)


def test_of_too_many_the_oldest_goes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path, Hurried()) as made:
            path = socket_path(tmp_path / "public", NAME)
            opened = [await asyncio.open_unix_connection(path) for _ in range(READERS + 1)]
            first, _ = opened[0]
            assert await asyncio.wait_for(first.read(), PATIENCE_S) == b""
            await until(lambda: made.readers == READERS)
            for _, writer in opened:
                writer.close()

    run(scenario)


def test_only_its_user_may_read(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path, Hurried()):
            folder = tmp_path / "public"
            assert folder.stat().st_mode & 0o777 == 0o700
            assert socket_path(folder, NAME).stat().st_mode & 0o777 == 0o600

    run(scenario)


def test_nothing_wakes_while_nobody_reads(tmp_path: Path) -> None:
    async def scenario() -> None:
        clock = Stepped()
        async with serving(tmp_path, clock) as made:
            for n in range(1000):
                made.put(frame(f"said {n}"), frame("stands"))
                await asyncio.sleep(0)
            assert clock.asked == 0
            reading = frames(socket_path(tmp_path / "public", NAME))
            first = asyncio.ensure_future(texts(reading, 1001))
            await until(lambda: clock.asked > 0)
            clock.move(clock.asked)
            assert await first == ["stands", *(f"said {n}" for n in range(1000))]

    run(scenario)


def test_a_long_match_comes_in_pieces_and_fills_no_buffer(tmp_path: Path) -> None:
    async def scenario() -> None:
        clock = Stepped()
        async with serving(tmp_path, clock) as made:
            long = [frame(f"{n} " + "x" * (PIECE // 3)) for n in range(40)]
            huge = frame("x" * (3 * PIECE))
            made.begin((*long, huge), frame("stands"))
            reader, writer = await asyncio.open_unix_connection(socket_path(tmp_path / "public", NAME))
            expected = [frame("stands") + long[0] + long[1], *(long[n] + long[n + 1] for n in range(2, 40, 2)), huge]
            assert all(len(piece) <= PIECE for piece in expected[:-1])
            for n, piece in enumerate(expected):
                await until(lambda: clock.asked > clock.at)
                if n == 1:
                    made.put(frame("meanwhile"), frame("stands on"))
                clock.move(clock.asked)
                assert await reader.readexactly(len(piece)) == piece
                assert made.readers == 1
            await until(lambda: clock.asked > clock.at)
            clock.move(clock.asked)
            assert await reader.readexactly(len(frame("meanwhile"))) == frame("meanwhile")
            writer.close()

    run(scenario)


def test_a_glance_goes_out_on_the_grid_when_it_changed_and_to_who_comes_late(tmp_path: Path) -> None:
    async def scenario() -> None:
        clock, looks, asked = Stepped(), [b""], list[tuple[float, bool]]()

        def look(at: float, anew: bool) -> bytes:
            asked.append((at, anew))
            return looks[0]

        async with serving(tmp_path, clock) as made:
            made.look(look)
            made.begin((frame("begin"),), frame("stands"))
            looks[0] = frame("glance 1")
            path = socket_path(tmp_path / "public", NAME)
            reader, writer = await asyncio.open_unix_connection(path)
            await until(lambda: clock.asked > 0)
            clock.move(10.26)
            expected = frame("stands") + frame("begin") + frame("glance 1")
            assert await reader.readexactly(len(expected)) == expected
            assert asked == [(10.25, True)]
            looks[0] = b""
            made.on_step()
            made.put(frame("said"), frame("stands"))
            await until(lambda: clock.asked > clock.at)
            clock.move(10.5)
            assert await reader.readexactly(len(frame("said"))) == frame("said")
            looks[0] = frame("glance 2")
            made.on_step()
            made.on_step()
            await until(lambda: clock.asked > clock.at)
            clock.move(10.75)
            assert await reader.readexactly(len(frame("glance 2"))) == frame("glance 2")
            assert asked[1:] == [(10.5, False), (10.75, False)]
            writer.close()

    run(scenario)


def test_how_a_match_looked_last_is_told_however_soon_the_next_begins(tmp_path: Path) -> None:
    async def scenario() -> None:
        looks = [frame("under way")]
        shown = list(looks)

        def look(_at: float, anew: bool) -> bytes:
            news = looks[0] != shown[0] or anew
            shown[0] = looks[0]
            return looks[0] if news else b""

        async with serving(tmp_path, Hurried()) as made:
            made.look(look, lambda: shown[0])
            made.begin((frame("first"),), frame("stands first"))
            path = socket_path(tmp_path / "public", NAME)
            early = frames(path)
            assert await texts(early, 3) == ["stands first", "first", "under way"]
            looks[0] = frame("over")
            made.leave()
            looks[0] = frame("the next")
            made.begin((frame("second"),), frame("stands second"))
            assert await texts(early, 3) == ["over", "second", "the next"]
            assert await texts(frames(path), 5) == ["first", "over", "stands second", "second", "the next"]

    run(scenario)


def test_how_a_match_looked_last_is_told_though_what_was_said_of_it_is_still_going_out(tmp_path: Path) -> None:
    async def scenario() -> None:
        clock, looks = Stepped(), [frame("over"), b"", frame("the next")]
        async with serving(tmp_path, clock) as made:
            made.look(lambda _at, _anew: looks.pop(0) if looks else b"")
            long = [frame(f"{n} " + "x" * (PIECE * 2 // 3)) for n in range(3)]
            made.begin(long, frame("stands"))
            reader, writer = await asyncio.open_unix_connection(socket_path(tmp_path / "public", NAME))
            await until(lambda: clock.asked > clock.at)
            clock.move(clock.asked)
            assert await reader.readexactly(len(first := frame("stands") + long[0])) == first
            assert looks[0] == b""
            made.leave()
            made.begin((frame("second"),), frame("stands second"))
            rest = b"".join((long[1], long[2], frame("over"), frame("second"), frame("the next")))
            reading = asyncio.ensure_future(reader.readexactly(len(rest)))
            while not reading.done():
                clock.move(clock.asked)
                await asyncio.sleep(0.01)
            assert reading.result() == rest
            writer.close()

    run(scenario)


def test_who_comes_late_is_told_how_the_match_before_looked_last(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with serving(tmp_path, Hurried()) as made:
            looks = [b""]
            made.look(lambda _at, _anew: frame("glance"), lambda: looks[0])
            made.begin((frame("first"),), frame("stands first"))
            looks[0] = frame("looked")
            made.begin((frame("second"),), frame("stands second"))
            path = socket_path(tmp_path / "public", NAME)
            assert await texts(frames(path), 5) == ["first", "looked", "stands second", "second", "glance"]

    run(scenario)


def test_how_a_match_looked_is_known_though_another_looks_now_and_is_said_of_no_other_match(tmp_path: Path) -> None:
    """As of virtual tables, which are put together again for each match."""

    async def scenario() -> None:
        async with serving(tmp_path, Hurried()) as made:
            looks = [b""]
            made.look(lambda _at, _anew: b"", lambda: looks[0])
            made.begin((frame("first"),), frame("stands first"))
            looks[0] = frame("looked")
            made.look(lambda _at, _anew: b"")
            made.begin((frame("second"),), frame("stands second"))
            path = socket_path(tmp_path / "public", NAME)
            assert await texts(frames(path), 4) == ["first", "looked", "stands second", "second"]
            made.begin((frame("third"),), frame("stands third"))
            assert await texts(frames(path), 3) == ["second", "stands third", "third"]

    run(scenario)


def test_a_look_that_fails_costs_no_link_and_is_told_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        failing = [False]

        def look(_at: float, _anew: bool) -> bytes:
            if failing[0]:
                raise OSError(5, "Input/output error")
            return frame("glance")

        async with serving(tmp_path, Hurried()) as made:
            made.look(look)
            made.begin((frame("begin"),), frame("stands"))
            path = socket_path(tmp_path / "public", NAME)
            early = frames(path)
            assert await texts(early, 3) == ["stands", "begin", "glance"]
            failing[0] = True
            for n in range(3):
                made.put(frame(f"said {n}"), frame(f"stands {n}"))
                assert await next_text(early) == f"said {n}"
            assert await texts(frames(path), 6) == ["stands 2", "begin", "said 0", "said 1", "said 2", "glance"]
            assert caplog.text.count("how the table looks cannot be told") == 1
            failing[0] = False
            made.on_step()
            assert await next_text(early) == "glance"

    run(scenario)


def test_a_folder_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "public").write_text("a file")
    with pytest.raises(EndpointError, match=public_socket.NAME):
        asyncio.run(Public(tmp_path / "public", Hurried()).listen())
