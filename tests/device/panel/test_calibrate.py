"""The camera page: pictures and hints as they come, and nothing for those without its address."""

from __future__ import annotations

import asyncio

import aiohttp

from device.sim.panel import CalibratePanel
from vision.link import Picture


class Album:
    """One picture after another, each shown until the next is laid on it."""

    def __init__(self) -> None:
        self.top: Picture | None = None

    def picture(self) -> Picture | None:
        return self.top


def test_pictures_and_hints_arrive() -> None:
    async def whole() -> None:
        album = Album()
        panel = CalibratePanel(album, port=0)
        await panel.start()
        try:
            async with aiohttp.ClientSession() as client, client.ws_connect(panel.address() + "link") as page:
                album.top = Picture(1, b"\xff\xd8 one", ("marker 2 is hidden",))
                assert await page.receive_bytes(timeout=5) == b"\x01\xff\xd8 one"
                assert await page.receive_json(timeout=5) == {"is": "hints", "hints": ["marker 2 is hidden"]}
                await page.send_str("anything")
                album.top = Picture(2, b"\xff\xd8 two", ("marker 2 is hidden",))
                assert await page.receive_bytes(timeout=5) == b"\x01\xff\xd8 two"
                async with client.get(panel.address()) as answer:
                    assert "calibrate.js" in await answer.text()
                async with client.get(panel.address().rsplit("/", 2)[0] + "/other/") as answer:
                    assert answer.status == 404
        finally:
            await panel.close()

    asyncio.run(whole())
