"""Serves the page of `referee calibrate`. Pictures reveal hidden pieces (law 5), so never during a match."""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

import msgspec
from aiohttp import web

from device.locale import translate
from device.web.html_templates import page
from device.web.private_site import NEWS_S, STATIC, Audience, OnePage
from device.web.words import CAMERA, SHARED
from vision.messages import Picture

PORT = 8138
WORDS = {**SHARED, **CAMERA}
_log = logging.getLogger(__name__)


class PictureSource(Protocol):
    """Provides pictures of the vision worker."""

    def picture(self) -> Picture | None:
        """Return the newest picture; None before the first."""
        ...


class CameraPage(OnePage):
    """Serves the calibration page, by default to this machine only."""

    def __init__(
        self, preview: PictureSource, host: str = "127.0.0.1", port: int = PORT, language: str | None = None
    ) -> None:
        """language: None for the browser's."""
        super().__init__(html, host, port, language=language)
        self._lookout = preview

    async def talk(self, link: web.WebSocketResponse, _: Audience, language: str) -> None:
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
                if picture is not None and picture.jpeg and picture.frame != shown:
                    shown = picture.frame
                    await link.send_bytes(picture.jpeg)
                if picture is not None and picture.hints != hints:
                    hints = picture.hints
                    said = [translate(hint, language) for hint in hints]
                    await link.send_str(msgspec.json.encode({"is": "hints", "hints": said}).decode())
                await asyncio.sleep(NEWS_S)
        except ConnectionError:
            _log.info("the camera page has gone")


def html(language: str) -> str:
    return page(STATIC / "calibrate.html", language, WORDS)
