"""Runs a club's host in one folder: broker, certificates, archive, pages."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from device.bus.broker_address import is_broker
from device.locale import translate
from device.web.html_templates import choose_language, tag
from device.web.serving import own_name, url
from engine.errors import RefereeError
from engine.text import Text, say
from referee_club import authority, broker, invitations
from referee_club.archive import Archive, NoArchive
from referee_club.forgetting import drop_old
from referee_club.hall import PORT, Hall, organiser_address
from referee_club.home_assistant import Home
from referee_club.ingest import OTHER_KEY, Ingest
from referee_club.markup import Visit
from referee_club.members import Members
from referee_club.tournaments import Tournaments
from referee_record.herald.bundle import Bundle, lock_bundle
from referee_record.public_frames import Glance
from vision.files import BadFile, NoFile, private_dir, read_json, write_whole

ARCHIVE, CERTIFICATES, WAITING, SETTINGS, LOCK = "club.db", "certificates", "waiting", "club.json", "lock"
"""Contents of the folder."""

OWN = frozenset((ARCHIVE, CERTIFICATES, WAITING, SETTINGS, LOCK, "broker", f"{ARCHIVE}-wal", f"{ARCHIVE}-shm"))
FOR_A_TABLE = say(
    "A table joins the club with this code: run “sudo referee herald --join -” there, then type in the code. "
    "Viewing this page does not use up the code."
)
RENEWS_S = 86_400.0
"""Seconds between looks at the host's certificates."""

HEEDS_S = 1.0
"""Seconds between checks for removed tables and forgotten players."""
DROPS_S = 3600.0
"""Seconds between deletions of old matches."""

UNREADABLE = "The club's host cannot read what waits here: its log says why."

_log = logging.getLogger(__name__)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A club's settings. Defaults aren't written, for older versions.

    name: host name for tables.
    broker, pages: ports.
    host: address that serves the pages.
    home: Home Assistant's language, "" for none.
    keep_days: days to keep matches; 0 for ever.
    """

    name: str
    broker: int = broker.PORT
    pages: int = PORT
    host: str = "0.0.0.0"
    home: str = ""
    keep_days: int = 0


class NoClub(RefereeError, OSError):
    """No club is there, or it can't start; the message has the remedy."""


def settings(folder: Path) -> Settings:
    """Return a club's last settings. Raises NoClub, BadFile."""
    if folder.exists() and not folder.is_dir():
        raise NoClub(f"{folder} is a file and no folder: choose an empty --folder")
    try:
        return read_json(folder / SETTINGS, Settings)
    except NoFile as error:
        raise NoClub(f"there is no club in {folder}: `referee club` makes one") from error


def change_settings(folder: Path, given: dict[str, str | int]) -> Settings:
    """Return stored or default settings with changes, unsaved. Raises BadFile, or NoClub for a bad name or equal
    ports."""
    try:
        known = settings(folder)
    except NoClub as error:
        if not isinstance(error.__cause__, NoFile):
            raise
        known = Settings(own_name())
    found = msgspec.structs.replace(known, **given)
    if ":" in found.name or not is_broker(f"{found.name}:{found.broker}"):
        why = "a name of letters, digits, hyphens and dots, or an IPv4 address, by --name"
        raise NoClub(f"no table finds a host by the name {found.name!r}: give it {why}")
    if found.pages == found.broker:
        raise NoClub(f"tables speak at port {found.broker}, so the pages need another: choose it by --port")
    return found


async def run(folder: Path, chosen: Settings, ready: Callable[[str, str], None]) -> None:
    """Run the club until cancelled, saving its settings. ready: gets the addresses of hall and organiser. Raises
    RefereeError, OSError."""
    _check_own(folder)
    lock = _lock(private_dir(folder))
    try:
        vouching = _authority(folder)
        vouching.serve(_names(chosen))
        archive = Archive(folder / ARCHIVE)
        archive.keep_days = chosen.keep_days
        try:
            await _serve(folder, chosen, archive, vouching, ready)
        finally:
            archive.close()
    finally:
        os.close(lock)


async def _serve(
    folder: Path, chosen: Settings, archive: Archive, vouching: authority.Authority, ready: Callable[[str, str], None]
) -> None:
    for earlier in archive.remarks():  # from the last run
        archive.settle("", earlier.text)

    def remark(table: str, text: Text) -> None:
        try:
            archive.remark(table, text)
        except RefereeError as error:
            _log.error("%s", error)

    members = Members(archive)
    serving = broker.Broker(folder, folder / CERTIFICATES, chosen.broker, remark)
    heeded = members.removed_tables(), members.revoked_numbers()
    vouching.revoke(heeded[1])
    hall = Hall(archive, chosen.host, chosen.pages, more=_joining(folder))
    await hall.start()
    try:
        visit = Visit(chosen.home, asked=True)
        reached = msgspec.structs.replace(chosen, pages=urlsplit(hall.address()).port or chosen.pages)  # it may be 0
        write_whole(folder / SETTINGS, msgspec.json.encode(reached), mode=0o600)
        home = Home(
            archive, chosen.home, lambda table: url(chosen.name, reached.pages, visit.to("table", name=table)[1:])
        )
        reading = Ingest(archive, "localhost", chosen.broker, vouching.context(), home)

        def forget_name(looks: Mapping[str, Glance]) -> None:
            reading.correct(looks)
            hall.forget()

        ready(hall.address(), hall.organiser())
        async with asyncio.TaskGroup() as all_of_it:
            all_of_it.create_task(look_up(chosen.name))
            all_of_it.create_task(serving.run())
            all_of_it.create_task(reading.run())
            all_of_it.create_task(_heed(heeded, archive, vouching, serving.restart))
            all_of_it.create_task(_renew(vouching, _names(chosen), reading, serving.restart))
            all_of_it.create_task(_forget(archive, forget_name))
    except ExceptionGroup as failed:  # callers are promised the error itself; the group stays its cause
        raise failed.exceptions[0] from failed
    finally:
        await hall.close()


async def _heed(
    heeded: tuple[frozenset[str], frozenset[int]],
    archive: Archive,
    vouching: authority.Authority,
    restart: Callable[[], None],
) -> None:
    members = Members(archive)
    while True:
        await asyncio.sleep(HEEDS_S)
        try:
            if (now := (members.removed_tables(), members.revoked_numbers())) != heeded:
                for each in now[0]:
                    archive.forget(each)
                vouching.revoke(now[1])
                heeded = now
                restart()
        except OSError as error:  # also NoArchive (full disk): retried
            _log.error("%s", error)


async def _renew(
    vouching: authority.Authority, names: Sequence[str], reading: Ingest, restart: Callable[[], None]
) -> None:
    """Renew the host's certificates in time, however long it runs."""
    while True:
        await asyncio.sleep(RENEWS_S)
        try:
            if vouching.serve(names):
                reading.context = vouching.context()
                restart()
        except OSError as error:  # a full disk: retried
            _log.error("%s", error)


def _names(chosen: Settings) -> tuple[str, ...]:
    return chosen.name, "localhost"


async def look_up(name: str) -> None:
    """Log an unresolvable host name."""
    try:
        await asyncio.get_running_loop().getaddrinfo(name, None)
    except (OSError, UnicodeError):
        _log.warning("this network does not know %s: tables do not find the host, give its address by --name", name)


async def _forget(archive: Archive, forgotten: Callable[[Mapping[str, Glance]], None]) -> None:
    drops_at = time.monotonic()
    while True:
        try:
            if (looks := archive.heed()) is not None:
                forgotten(looks)
            if time.monotonic() >= drops_at:
                drops_at = time.monotonic() + DROPS_S
                if (looks := drop_old(archive)) is not None:
                    forgotten(looks)
        except NoArchive as error:  # full disk: retried
            _log.error("%s", error)
        await asyncio.sleep(HEEDS_S)


def open_club(folder: Path) -> Archive:
    """Open a club's archive. Raises NoClub, BadFile, NoArchive."""
    settings(folder)
    return Archive(folder / ARCHIVE)


def organiser(folder: Path) -> str:
    """Return the organiser's address at the last start. Raises RefereeError."""
    chosen, archive = settings(folder), open_club(folder)
    try:
        return organiser_address(chosen.host, chosen.pages, Tournaments(archive).key())
    finally:
        archive.close()


def add_table(folder: Path, table: str) -> Bundle:
    """Admit a table by a new certificate and trust its next key; return its bundle. Raises RefereeError."""
    chosen = settings(folder)
    made = invitations.make_bundle(_authority(folder), table, f"{chosen.name}:{chosen.broker}")
    archive = open_club(folder)
    try:
        Members(archive).admit(table, made.certificate.encode())
        archive.trust(table, "")
        archive.settle(table, OTHER_KEY)
    finally:
        archive.close()
    return made


def remove_table(folder: Path, table: str) -> bool:
    """Remove a table; return False if an old certificate may still admit it. Raises RefereeError."""
    archive = open_club(folder)
    try:
        return Members(archive).remove(table)
    finally:
        archive.close()


def for_home_assistant(folder: Path) -> tuple[Settings, dict[str, bytes], datetime]:
    """Return settings, Home Assistant's new files by name, and their expiry. Raises RefereeError."""
    chosen, vouching = settings(folder), _authority(folder)
    certificate, key = vouching.certify(authority.HOME_ASSISTANT)
    own = authority.HOME_ASSISTANT
    files = {f"{authority.AUTHORITY}.pem": vouching.certificate, f"{own}.pem": certificate, f"{own}.key": key}
    return chosen, files, authority.ends(certificate)


def code(folder: Path, made: Bundle) -> str:
    """Store a locked bundle for a day; return its single-use code. Raises RefereeError, OSError."""
    chosen = settings(folder)
    data, secret = lock_bundle(made)
    return f"{url(chosen.name, chosen.pages)}join/{invitations.Waiting(folder / WAITING).put(data)}#{secret}"


def _authority(folder: Path) -> authority.Authority:
    return authority.Authority(folder / CERTIFICATES, new=not (folder / ARCHIVE).exists())


def _check_own(folder: Path) -> None:
    if folder.is_dir() and not (folder / SETTINGS).exists():
        strange = sorted(each.name for each in folder.iterdir() if each.name not in OWN)
        if strange:
            raise NoClub(f"{folder} holds other things than a club, such as {strange[0]}: choose an empty --folder")


def _joining(folder: Path) -> tuple[web.AbstractRouteDef, ...]:
    waiting = invitations.Waiting(folder / WAITING)

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            data = waiting.take(request.match_info["id"])
        except BadFile as error:
            _log.error("%s: give `referee club table` as the user whose club it is", error)
            raise web.HTTPServiceUnavailable(text=f"{UNREADABLE}\n") from error
        if data is None:
            raise web.HTTPNotFound(text="Nothing waits here, or no longer: ask the club for another code.\n")
        return web.Response(body=data, content_type="application/octet-stream")

    async def answer_unused(request: web.Request) -> web.StreamResponse:
        """Answer a browser without using the code."""
        language = choose_language(request.query.get("lang"), None, request.headers.get("Accept-Language", ""))
        return web.Response(text=translate(FOR_A_TABLE, language) + "\n", headers={"Content-Language": tag(language)})

    return web.post("/join/{id}", answer), web.get("/join/{id}", answer_unused)


def _lock(folder: Path) -> int:
    import fcntl

    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise NoClub(f"the club in {folder} is running already") from error
    return lock
