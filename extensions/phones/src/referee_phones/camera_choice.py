"""The page on which `referee play` asks for the camera, with each one's picture.

It is for this computer alone, behind a secret address, and ends with the choice.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import msgspec
from aiohttp import web

from device.locale import translate
from device.session.check import trouble
from device.settings.table import Address
from device.web.html_templates import page
from device.web.private_site import Audience, OnePage
from device.web.server import files
from device.web.words import SHARED
from engine.table import Health
from engine.text import Text, say
from referee_phones.words import CHOICE
from vision.camera import Camera, CameraLost, NoFrameYet
from vision.cameras import CameraSpec, open_camera

STATIC = Path(__file__).parent / "choosing"
WORDS = {**SHARED, **CHOICE}

WIDTH = 320
"""Pixels of a picture."""

PER_SECOND = 1.0
READ_S = 5.0
RETRY_S = 2.0
END_S = 3.0
"""Seconds for a camera to close, so that the referee can open it."""

MOST_ADDRESSES = 4

BUSY = say("This camera sends no picture. Is another program using it?")
WRONG = say("This is not a camera's address: those begin with rtsp:// or http://.")
_log = logging.getLogger(__name__)


class Offer(msgspec.Struct, frozen=True):
    """A camera to choose. value: for `--camera`."""

    value: str
    name: str
    spec: CameraSpec


class _Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A page's message. choose: an offer's number, "phone" or "none". look: a further camera's address."""

    choose: str = ""
    look: str = ""


class Preview(threading.Thread):
    """Takes small pictures of a camera until `end` is set. fault: why there are none."""

    def __init__(self, offer: Offer) -> None:
        super().__init__(daemon=True)
        self.offer, self.end = offer, threading.Event()
        self.jpeg: bytes | None = None
        self.fault: Text | None = None

    def run(self) -> None:
        while not self.end.is_set():
            try:
                with closing(open_camera(self.offer.spec)) as camera:
                    camera.open()
                    camera.pace(PER_SECOND)
                    while not self.end.is_set():
                        self._take(camera)
            except CameraLost as error:
                self.jpeg, self.fault = None, BUSY if error.health is Health.NO_FRAMES else trouble(error.health)
                self.end.wait(RETRY_S)

    def _take(self, camera: Camera) -> None:
        try:
            frame = camera.read(READ_S)
        except NoFrameYet:
            return
        if frame is None:
            raise CameraLost("the recording is over")
        height, width = frame.image.shape[:2]
        small = cv2.resize(frame.image, (WIDTH, round(height * WIDTH / width)), interpolation=cv2.INTER_AREA)
        self.jpeg, self.fault = cv2.imencode(".jpg", small)[1].tobytes(), None


class ChoicePage(OnePage):
    """Serves the page. choice: future value of the chosen camera."""

    def __init__(self, offers: Sequence[Offer], language: str | None = None) -> None:
        super().__init__(html, "127.0.0.1", 0, language=language, routes=(files("/choosing/", STATIC),))
        self.previews: list[Preview] = []
        self.choice: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        for offer in offers:
            self._show(offer)

    async def end(self) -> None:
        """End previews and page."""
        for preview in self.previews:
            preview.end.set()
        for preview in self.previews:
            await asyncio.to_thread(preview.join, END_S)
        await self.close()

    async def talk(self, link: web.WebSocketResponse, _: Audience, language: str) -> None:
        """Show cameras to a page until it goes; take further addresses and the first choice."""
        news = asyncio.create_task(self._send_pictures(link, language))
        try:
            async for heard in link:
                said = _decode(heard.data)
                if said.look:
                    await self._look(link, said.look, language)
                elif (value := self._value(said.choose)) and not self.choice.done():
                    await link.send_json({"is": "chosen"})
                    self.choice.set_result(value)
        finally:
            news.cancel()

    def _show(self, offer: Offer) -> None:
        self.previews.append(Preview(offer))
        self.previews[-1].start()

    def _value(self, choice: str) -> str:
        if choice.isdecimal() and int(choice) < len(self.previews):
            return self.previews[int(choice)].offer.value
        return choice if choice in ("phone", "none") else ""

    async def _look(self, link: web.WebSocketResponse, address: str, language: str) -> None:
        """Show the camera at an address, unless MOST_ADDRESSES are shown; refuse other text. Only its host is named,
        as the address may hold a password."""
        known = {preview.offer.value for preview in self.previews}
        try:
            host = urlsplit(msgspec.convert(address, Address)).hostname
        except (msgspec.ValidationError, ValueError):
            await link.send_json({"is": "refused", "why": translate(WRONG, language)})
            return
        if address not in known and sum("://" in value for value in known) < MOST_ADDRESSES:
            self._show(Offer(address, str(host), CameraSpec("stream", address, WIDTH)))
        await link.send_json({"is": "looking"})

    async def _send_pictures(self, link: web.WebSocketResponse, language: str) -> None:
        try:
            while not link.closed:
                await link.send_json({"is": "cameras", "cameras": [_said_of(each, language) for each in self.previews]})
                for number, preview in enumerate(self.previews):
                    if preview.jpeg is not None:
                        await link.send_bytes(bytes([number]) + preview.jpeg)
                await asyncio.sleep(1 / PER_SECOND)
        except ConnectionError:
            _log.info("the page of the cameras has gone")


def _said_of(preview: Preview, language: str) -> dict[str, str]:
    return {"name": preview.offer.name, "fault": translate(preview.fault, language) if preview.fault else ""}


def _decode(data: object) -> _Said:
    try:
        return msgspec.json.decode(str(data), type=_Said)
    except msgspec.DecodeError:
        return _Said()


def html(language: str) -> str:
    return page(STATIC / "index.html", language, WORDS)


def choose(offers: Sequence[Offer], language: str, ready: Callable[[str], object]) -> str:
    """Serve the page until a choice; return an offer's value, an address, "phone" or "none". ready: gets the page's
    address."""

    async def serve() -> str:
        site = ChoicePage(offers, language)
        await site.start()
        try:
            await asyncio.to_thread(ready, site.address())  # a browser that starts now asks for the page at once
            return await site.choice
        finally:
            await site.end()

    return asyncio.run(serve())
