"""The camera page: pictures and hints as they come, and nothing for those without its address."""

from __future__ import annotations

import asyncio

import aiohttp

from device.session.check import GONE
from device.web.calibrate import CameraPage
from engine.text import say
from vision.messages import Picture

DARK = say("It is too dark. Switch on a lamp.")


class Album:
    """One picture after another, each shown until the next is laid on it."""

    def __init__(self) -> None:
        self.top: Picture | None = None

    def picture(self) -> Picture | None:
        return self.top


def test_pictures_and_hints_arrive() -> None:
    async def whole() -> None:
        album = Album()
        panel = CameraPage(album, port=0)
        await panel.start()
        try:
            async with aiohttp.ClientSession() as client, client.ws_connect(panel.address() + "link") as page:
                album.top = Picture(1, b"\xff\xd8 one", (DARK,))
                assert await page.receive_bytes(timeout=30) == b"\xff\xd8 one"
                assert await page.receive_json(timeout=30) == {"is": "hints", "hints": [str(DARK)]}
                await page.send_str("anything")
                album.top = Picture(2, b"\xff\xd8 two", (DARK,))
                assert await page.receive_bytes(timeout=30) == b"\xff\xd8 two"
                album.top = Picture(2, b"\xff\xd8 two", (GONE,))
                assert await page.receive_json(timeout=30) == {"is": "hints", "hints": [str(GONE)]}
                async with client.get(panel.address()) as answer:
                    assert "calibrate.js" in await answer.text()
                async with client.get(panel.address().rsplit("/", 2)[0] + "/other/") as answer:
                    assert answer.status == 404
        finally:
            await panel.close()

    asyncio.run(whole())


def test_hints_come_in_the_language_of_the_page() -> None:
    async def whole() -> None:
        album = Album()
        album.top = Picture(1, b"\xff\xd8 one", (DARK,))
        panel = CameraPage(album, port=0, language="zh_Hant")
        await panel.start()
        try:
            async with aiohttp.ClientSession() as client:
                for asked, hint in (("", "太暗了。請開燈。"), ("?lang=ru", "Слишком темно. Включите лампу.")):
                    async with client.ws_connect(panel.address() + "link" + asked) as page:
                        await page.receive_bytes(timeout=30)
                        assert await page.receive_json(timeout=30) == {"is": "hints", "hints": [hint]}
        finally:
            await panel.close()

    asyncio.run(whole())
