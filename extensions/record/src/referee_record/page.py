"""The page of `referee verify --page`: checks a chosen file of a match.

It runs on the machine of whoever opened it, never on the table in doubt. Files are untrusted, so the command checks
each in a process with bounded memory and time."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import WSMsgType, web

from device import child_process
from device.locale import translate
from device.temporary_folders import scratch
from device.web.connection_limits import Limits
from device.web.html_templates import page
from device.web.private_site import Audience, OnePage
from device.web.server import files
from device.web.words import SHARED
from engine.text import say
from referee_record.report import fault
from referee_record.words import VERIFY

PORT = 8140
STATIC = Path(__file__).parent / "static"
WORDS = {**SHARED, **VERIFY}
LONGEST = 4_000_000
"""Bytes of a file and its notes."""

PART = 64 * 1024
"""Bytes of one part."""

LIMITS = Limits(rate_bytes=4e6, burst_bytes=4e6)
AT_ONCE = 2
"""Files checked concurrently."""

BOUNDED = (
    "import resource as r; r.setrlimit(r.RLIMIT_AS, (1 << 30, 1 << 30)); r.setrlimit(r.RLIMIT_CPU, (120, 120)); "
    "r.setrlimit(r.RLIMIT_FSIZE, (0, 0)); from device.cli import main; main()"
)
"""Python that runs `referee` with limits on memory (bytes) and time (s), and without writing files."""

TOO_MUCH = say("Checking this file here takes too long, or too much memory: check it in a terminal.")
FAILED = say("It could not be checked. The terminal in which this program runs says why.")
_log = logging.getLogger(__name__)


class _Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Announces a file and its notes, in bytes."""

    file: int
    notes: int


class VerifyPage(OnePage):
    """Serves the page, to this machine only by default. script: Python that runs the command."""

    def __init__(self, host: str = "127.0.0.1", port: int = PORT, script: str = BOUNDED) -> None:
        super().__init__(html, host, port, routes=(files("/record/", STATIC),), longest=PART, limits=LIMITS)
        self._script = script
        self._room = asyncio.Semaphore(AT_ONCE)

    async def talk(self, link: web.WebSocketResponse, _: Audience, language: str) -> None:
        """Check files from the page, one after another, until it goes or sends anything else."""
        coming: _Coming | None = None
        async for said in link:
            if said.type is WSMsgType.TEXT:
                coming = _coming(said.data) if coming is None else None
            elif said.type is WSMsgType.BINARY and coming is not None:
                coming.add(said.data)
            if coming is None:
                _log.info("a page asks for nothing that can be checked")
                return
            if coming.whole:
                found, coming = await self._check_record(coming, language), None
                await link.send_str(msgspec.json.encode(found).decode())

    async def _check_record(self, coming: _Coming, language: str) -> dict[str, Any]:
        """Run the command, AT_ONCE at most; return its finding, or why there is none."""
        async with self._room:
            with scratch() as folder:
                file, notes = folder / "match", folder / "notes"
                file.write_bytes(coming.file)
                notes.write_bytes(coming.notes)
                words = ["verify", str(file), "--heads", str(notes), "--language", language, "--json"]
                ended = await child_process.run_until_end(*words, script=self._script, keep_errors=True)
        found = msgspec.json.decode(ended.out) if ended.out else {}
        if "error" in found:
            return fault(_reason(found["error"], folder), language)
        if found:
            return {"is": "found", **found}
        errors = ended.errors[-2000:].decode(errors="replace")
        _log.error("a check ended with %s: %s", ended.code, errors)
        text = TOO_MUCH if ended.code < 0 or "MemoryError" in errors else FAILED
        return {"is": "fault", "said": translate(text, language), "why": ""}


class _Coming:
    """A file in parts, with its notes."""

    def __init__(self, asked: _Asked) -> None:
        self._asked, self._data = asked, bytearray()

    def add(self, part: bytes) -> None:
        self._data += part

    @property
    def whole(self) -> bool:
        return len(self._data) >= self._asked.file + self._asked.notes

    @property
    def file(self) -> bytes:
        return bytes(self._data[: self._asked.file])

    @property
    def notes(self) -> bytes:
        return bytes(self._data[self._asked.file :])


def _coming(said: str) -> _Coming | None:
    try:
        asked = msgspec.json.decode(said, type=_Asked)
    except (ValueError, RecursionError):
        return None
    fits = 0 < asked.file <= LONGEST and 0 <= asked.notes <= LONGEST - asked.file
    return _Coming(asked) if fits else None


def _reason(error: str, folder: Path) -> str:
    """Return the command's sentence without the folder, cut to 500 characters."""
    return error.replace(f"{folder}/", "")[:500]


def html(language: str) -> str:
    return page(STATIC / "verify.html", language, WORDS)


async def serve(host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the page until SIGINT or SIGTERM; `ready` gets its address. Raises PageError."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    served = VerifyPage(host, port)
    await served.start()
    try:
        ready(served.address())
        await stop.wait()
    finally:
        await served.close()
