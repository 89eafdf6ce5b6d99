"""The page for the room shows the table's display, and nothing that only a seat may know."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path

import aiohttp
import pytest
import zmq
from aiohttp.test_utils import make_mocked_request
from PIL import Image

from device.bus.endpoints import ipc
from device.bus.seats import Endpoints, Shown
from device.screens.render import render
from device.screens.screen import Screen
from device.web import room
from device.web.headers import HEADERS
from engine.text import say


async def visit(folder: Path, port: int) -> None:
    with zmq.Context() as context:
        endpoints = Endpoints(context, folder, ("a", "table"))
        stop = asyncio.Event()
        path = Path(ipc(folder, "display-table").removeprefix("ipc://"))
        serving = asyncio.ensure_future(room.serve(path, "127.0.0.1", port, stop))
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
            for _ in range(100):
                try:
                    page = await (await session.get("/")).text()
                    break
                except aiohttp.ClientConnectionError:
                    await asyncio.sleep(0.05)
            assert "screen.png" in page
            for loaded in ("/", "/screen.png", "/shared/room.js", "/shared/room.css", "/nowhere"):
                answer = await session.get(loaded)
                assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS, loaded
                assert answer.status == (404 if loaded == "/nowhere" else 200)
            waiting = asyncio.ensure_future(news(session, 0))
            for _ in range(100):
                endpoints.publish("a", Screen(say("secret")), "en")
                endpoints.publish("table", Screen(say("Open to all")), "en")
                await asyncio.sleep(0.05)
                if waiting.done():
                    break
            assert await waiting > 0
            picture = await (await session.get("/screen.png")).read()
            image = Image.open(io.BytesIO(picture))
            assert image.size == (1024, 256)
            shown = render(Screen(say("Open to all")), room.SIZE, "en")
            assert image.resize(room.SIZE).tobytes() == shown.tobytes()
            assert await (await session.get("/?lang=ru")).text() == room.html("ru")
        stop.set()
        await asyncio.wait_for(serving, 10)
        endpoints.close()


async def news(session: aiohttp.ClientSession, after: int) -> int:
    return int(await (await session.get(f"/news?after={after}")).json())


def test_the_room_sees_the_table_display_alone(tmp_path: Path, unused_port: int) -> None:
    asyncio.run(visit(tmp_path / "run", unused_port))


def test_a_screen_is_drawn_once_however_many_look_at_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Shown] = []

    def draw(shown: Shown) -> bytes:
        drawn.append(shown)
        return b"%d" % len(drawn)

    monkeypatch.setattr(room, "png", draw)

    async def look() -> list[bytes]:
        showing, seen = room.Room(), []
        for number in (1, 2):
            await showing.show(Shown("table", number, Screen(say("Open to all")), "en"))
            answers = [await showing.picture(make_mocked_request("GET", "/screen.png")) for _ in range(3)]
            seen += [bytes(answer.body) for answer in answers if isinstance(answer.body, bytes)]
        return seen

    assert asyncio.run(look()) == [b"1", b"1", b"1", b"2", b"2", b"2"]


def test_the_page_needs_no_script_of_its_own() -> None:
    """Its headers forbid what stands in it: script and style are files."""
    assert not re.search(r"<script[^>]*>[^<]|<style| style=| on[a-z]+=", room.html("en"))
