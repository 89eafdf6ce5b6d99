"""A club's host: broker, certificates, archive and pages, started together in one folder, which is the whole club."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
from aiohttp import web

from device.club import authority, broker, bundle
from device.club.archive import Archive
from device.club.hall import PORT, Hall
from device.club.intake import Intake
from device.web.serving import own_name, url
from engine.errors import RefereeError
from engine.text import Text
from vision.files import NoFile, private_dir, read_json, write_whole

ARCHIVE, CERTIFICATES, WAITING, SETTINGS, LOCK = "club.db", "certificates", "waiting", "club.json", "lock"
"""What lies in the folder."""

_log = logging.getLogger(__name__)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a club is reached. name: of its host, for tables; broker: the port at which they speak; pages: that of the
    hall; host: the address at which that is served."""

    name: str
    broker: int = broker.PORT
    pages: int = PORT
    host: str = "0.0.0.0"


class NoClub(RefereeError, OSError):
    """There is no club in that folder, or it cannot be started now; the message says what to do."""


def settings(folder: Path) -> Settings:
    """Of the club in a folder, as it was started last. Raises NoClub, and BadFile."""
    try:
        return read_json(folder / SETTINGS, Settings)
    except NoFile as error:
        raise NoClub(f"there is no club in {folder}: `referee club` makes one") from error


def chosen(folder: Path, given: dict[str, str | int]) -> Settings:
    """Those of the club in a folder, or of a new one, but for what is given now. Raises BadFile."""
    try:
        known = settings(folder)
    except NoClub:
        known = Settings(own_name())
    return msgspec.structs.replace(known, **given)


async def run(folder: Path, chosen: Settings, ready: Callable[[str, str], None]) -> None:
    """Until cancelled. ready: hears the hall's address, and the organiser's. Raises RefereeError and OSError if it
    cannot be started."""
    lock = _locked(private_dir(folder))
    try:
        vouching = authority.Authority(folder / CERTIFICATES)
        vouching.serve((chosen.name, "localhost"))
        archive = Archive(folder / ARCHIVE)
        try:
            await _serve(folder, chosen, archive, vouching, ready)
        finally:
            archive.close()
    finally:
        os.close(lock)


async def _serve(
    folder: Path, chosen: Settings, archive: Archive, vouching: authority.Authority, ready: Callable[[str, str], None]
) -> None:
    for earlier in archive.remarks():  # of the host's last life
        archive.settled("", earlier.text)

    def remark(table: str, text: Text) -> None:
        try:
            archive.remark(table, text)
        except RefereeError as error:
            _log.error("%s", error)

    serving = broker.Broker(folder, folder / CERTIFICATES, chosen.broker, remark)
    reading = Intake(archive, "localhost", chosen.broker, vouching.context())
    hall = Hall(archive, chosen.host, chosen.pages, more=(_joining(folder),))
    await hall.start()
    try:
        write_whole(folder / SETTINGS, msgspec.json.encode(chosen), mode=0o600)
        ready(hall.address(), hall.organiser())
        async with asyncio.TaskGroup() as both:
            both.create_task(serving.run())
            both.create_task(reading.run())
    finally:
        await hall.close()


def opened(folder: Path) -> Archive:
    """What the club in a folder keeps. Raises NoClub and NoArchive."""
    settings(folder)
    return Archive(folder / ARCHIVE)


def added(folder: Path, table: str) -> bundle.Bundle:
    """A new certificate for a table. Raises RefereeError."""
    chosen = settings(folder)
    made = bundle.made(authority.Authority(folder / CERTIFICATES), table, f"{chosen.name}:{chosen.broker}")
    archive = opened(folder)
    try:
        archive.trust(table, "")
    finally:
        archive.close()
    return made


def code(folder: Path, made: bundle.Bundle) -> str:
    """Under which a table fetches its bundle from the hall, once."""
    chosen = settings(folder)
    data, secret = bundle.locked(made)
    return f"{url(chosen.name, chosen.pages)}join/{bundle.Waiting(folder / WAITING).put(data)}#{secret}"


def _joining(folder: Path) -> web.AbstractRouteDef:
    """Where tables fetch their bundles."""
    waiting = bundle.Waiting(folder / WAITING)

    async def answer(request: web.Request) -> web.StreamResponse:
        data = waiting.take(request.match_info["id"])
        if data is None:
            raise web.HTTPNotFound(text="Nothing waits here, or no longer: ask the club for another code.\n")
        return web.Response(body=data, content_type="application/octet-stream")

    return web.get("/join/{id}", answer)


def _locked(folder: Path) -> int:
    """A descriptor that keeps other hosts out of the folder until it is closed. Raises NoClub."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise NoClub(f"the club in {folder} is running already") from error
    return lock
