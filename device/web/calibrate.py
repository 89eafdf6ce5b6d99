"""The page of `referee calibrate`: what a camera sees, real or simulated, with what was found and hints.

It shows frames, and frames show peeks (law 5): it runs by itself, never beside a match at a real table.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

import msgspec
from aiohttp import web

from device.locale import translate
from device.web.pages import page
from device.web.private_site import NEWS_S, STATIC, Audience, OnePage
from device.web.words import CAMERA, SHARED
from vision.messages import Picture

PORT = 8138
WORDS = {**SHARED, **CAMERA}
_log = logging.getLogger(__name__)


class PictureSource(Protocol):
    """Whoever gets pictures from the vision worker, such as the daemon's side of the link."""

    def picture(self) -> Picture | None:
        """The newest; None if there is none yet."""
        ...


class CameraPage(OnePage):
    """Serves the page. Only this machine reaches it, unless `host` says otherwise."""

    def __init__(
        self, preview: PictureSource, host: str = "127.0.0.1", port: int = PORT, language: str | None = None
    ) -> None:
        """language: of the page; None: the browser's own."""
        super().__init__(html, host, port, language=language)
        self._lookout = preview

    async def talk(self, link: web.WebSocketResponse, _: Audience, language: str) -> None:
        """Sends pictures and hints until the page goes."""
        news = asyncio.create_task(self._tell(link, language))
        try:
            async for _said in link:
                _log.debug("the camera page has nothing to say")
        finally:
            news.cancel()

    async def _tell(self, link: web.WebSocketResponse, language: str) -> None:
        shown, hints = -1, None
        try:
            while not link.closed:
                picture = self._lookout.picture()
                if picture is not None and picture.frame != shown:
                    shown = picture.frame
                    await link.send_bytes(picture.jpeg)
                    if picture.hints != hints:
                        hints = picture.hints
                        said = [translate(hint, language) for hint in hints]
                        await link.send_str(msgspec.json.encode({"is": "hints", "hints": said}).decode())
                await asyncio.sleep(NEWS_S)
        except ConnectionError:
            _log.info("the camera page has gone")


def html(language: str) -> str:
    """The page in a language."""
    return page(STATIC / "calibrate.html", language, WORDS)
