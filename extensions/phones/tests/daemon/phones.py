"""A worker of the gateway as tests play it: a unix socket, and the pages behind it."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from device.bus.framing import LONGEST_OUT, Unpacker, pack
from device.session.aim import READING_S
from extensions.phones.tests.daemon.phone import Phone
from referee_phones.frames import TO_WORKER, Admit, Close, FromWorker, Hello, PageOpened, PageTouch, ToWorker

KEY, OTHER, THIRD = Phone("0"), Phone("1"), Phone("2")
"""Browsers, by the key that each has before it joins."""


class Gateway:
    """One connection to the socket of an audience."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer, self._unpacker = reader, writer, Unpacker(LONGEST_OUT)
        self.pages: dict[int, Page] = {}
        self._last = 0
        self.public, self.greeted = "", asyncio.Event()
        self.listening = asyncio.ensure_future(self._listen())

    @staticmethod
    async def connect(folder: Path, audience: str) -> Gateway:
        for _ in range(1200):
            try:
                made = Gateway(*await asyncio.open_unix_connection(folder / f"{audience}.sock"))
            except OSError:
                await asyncio.sleep(0.05)
                continue
            await made.greeted.wait()
            return made
        raise AssertionError(f"nobody listens at {folder}/{audience}.sock")

    def page(self, language: str = "en", network: str = "") -> Page:
        """A browser opens the page."""
        self._last += 1
        page = self.pages[self._last] = Page(self, self._last)
        self.say(PageOpened(self._last, language, network))
        return page

    def say(self, frame: FromWorker) -> None:
        self._writer.write(pack(frame))

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    async def close(self) -> None:
        self.listening.cancel()
        self._writer.close()

    async def _listen(self) -> None:
        with suppress(ConnectionError):  # the daemon was killed
            while data := await self._reader.read(1 << 16):
                for frame in self._unpacker.feed(data):
                    assert frame is not None
                    self._heard(msgspec.json.decode(frame, type=TO_WORKER))

    def _heard(self, frame: ToWorker) -> None:
        if isinstance(frame, Hello):
            self.public = frame.public
            self.greeted.set()
            return
        page = self.pages[frame.link]
        if isinstance(frame, Admit):
            page.admitted = True
            return
        page.ended = isinstance(frame, Close)
        if frame.text:
            page.hear(frame.text)


class Page:
    """A browser's page: what it shows is what it was sent, field by field."""

    def __init__(self, gateway: Gateway, link: int) -> None:
        self._gateway, self.link = gateway, link
        self.sheet: dict[str, Any] = {}
        self.step: dict[str, Any] = {}
        self.texts: list[str] = []
        self.numbers: list[int] = []
        self.seat = ""
        self.admitted = False
        self.why: list[str] = []
        self.ended = False

    def hear(self, text: str) -> None:
        self.texts.append(text)
        message = json.loads(text)
        self.sheet |= message.get("sheet", {})
        self.step |= message.get("step", {})
        self.numbers += [message["number"]] if "number" in message else []
        self.seat = message.get("joined", self.seat)
        self.why += [message["why"]] if "why" in message else []

    def code(self, seat: str) -> str:
        """The code in the address that invites to a seat."""
        (found,) = (each["address"] for each in self.sheet["codes"] if each["seat"] == seat)
        return str(found).partition("#")[2]

    def say(self, kind: type[Any], *values: Any, **named: Any) -> None:
        self._gateway.say(kind(self.link, *values, **named))

    def join(self, code: str, phone: Phone) -> None:
        """A phone says that it has a code, or a number."""
        self._gateway.say(phone.join(self._gateway.public, self.link, code))

    def back(self, phone: Phone) -> None:
        """A phone comes back."""
        self._gateway.say(phone.back(self._gateway.public, self.link))

    async def tap(self, line: int, *, menu: bool = False) -> None:
        """A line of what the page shows, once it is read."""
        await asyncio.sleep(READING_S + 0.1)
        self.say(PageTouch, self.sheet["menu" if menu else "answers"]["serial"], line, menu)

    def place(self, text: str, *, menu: bool = False) -> int:
        lines: list[str] = self.sheet["menu" if menu else "answers"]["lines"]
        return lines.index(text)

    async def shows(self, **fields: Any) -> None:
        """Returns once these fields of its sheet are so."""
        await until(lambda: all(self.sheet.get(name) == value for name, value in fields.items()))

    async def hears(self, why: str) -> None:
        await until(lambda: why in self.why)

    async def sits(self) -> None:
        await until(lambda: bool(self.seat and self.sheet))


async def until(true: Any) -> None:
    """Returns once it is true; fails if that takes too long, even for a process that starts on a busy machine."""
    for _ in range(6000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")
