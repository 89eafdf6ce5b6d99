"""The page for the room shows the table's display, and nothing that only a seat may know."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import aiohttp
import zmq
from PIL import Image

from device import room
from device.bus.endpoints import ipc
from device.bus.seats import Endpoints
from device.screens.render import render
from device.screens.screen import Screen
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
        stop.set()
        await asyncio.wait_for(serving, 10)
        endpoints.close()


async def news(session: aiohttp.ClientSession, after: int) -> int:
    return int(await (await session.get(f"/news?after={after}")).json())


def test_the_room_sees_the_table_display_alone(tmp_path: Path, unused_port: int) -> None:
    asyncio.run(visit(tmp_path / "run", unused_port))
