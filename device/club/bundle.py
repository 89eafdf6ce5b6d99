"""How a table gets its certificate: a bundle, locked with a code, that the table's owner fetches once with one command.

A code reads ADDRESS#SECRET. What lies at the address, or in a file, is nothing without the secret, which is never sent:
browsers and programs keep what stands behind a `#` to themselves (RFC 3986, 3.5). Who has the whole code can pass for
that table at the broker, until another table of that name is added.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path

import msgspec
from cryptography.fernet import Fernet, InvalidToken

from device.club.authority import AUTHORITY, BROKER, CLUB, HOME_ASSISTANT, Authority
from device.herald.topics import is_broker, is_name
from engine.errors import RefereeError
from vision.files import NoFile, private_dir, read_bytes, write_whole

WAITS_S = 24 * 3600.0
"""So long a bundle waits to be fetched."""

LONGEST = 32 * 1024
"""Bytes of a bundle."""


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table needs for its herald. table: its name at the broker; broker: HOST:PORT; the rest is PEM."""

    table: str
    broker: str
    certificate: str
    key: str
    authority: str


class NoBundle(RefereeError, ValueError):
    """There is none, or it cannot be unlocked; the message says why and what to do."""


def made(authority: Authority, table: str, broker: str) -> Bundle:
    """Of a new certificate. Raises NoBundle for a name that no table may have, and for a broker that no table file may
    name."""
    if not is_broker(broker):
        raise NoBundle(f"no table file may name the broker {broker!r}: start the club with another --name")
    taken = (CLUB, BROKER, AUTHORITY, HOME_ASSISTANT, "localhost", broker.partition(":")[0].lower())
    if not is_name(table) or table.lower() in taken or table.strip() != table:
        why = "letters and digits, none of / + #, and not club, broker, home-assistant or the name of the host"
        raise NoBundle(f"no table may be called {table!r}: {why}")
    certificate, key = authority.certify(table)
    return Bundle(table, broker, certificate.decode(), key.decode(), authority.certificate.decode())


def locked(bundle: Bundle) -> tuple[bytes, str]:
    """The bundle as it may be sent, and the secret that unlocks it."""
    secret = Fernet.generate_key().decode().rstrip("=")
    return Fernet(_whole(secret)).encrypt(msgspec.json.encode(bundle)), secret


def unlocked(data: bytes, secret: str) -> Bundle:
    """Raises NoBundle."""
    try:
        return msgspec.json.decode(Fernet(_whole(secret)).decrypt(data), type=Bundle)
    except (InvalidToken, ValueError) as error:
        raise NoBundle("that is not what the code belongs to: ask the club for another one") from error


def read(data: bytes) -> Bundle:
    """Out of a file, which is not locked. Raises NoBundle."""
    try:
        return msgspec.json.decode(data, type=Bundle)
    except (ValueError, RecursionError) as error:
        raise NoBundle("that is no file of a club: `referee club table NAME --out FILE` writes one") from error


def _whole(secret: str) -> str:
    return secret + "=" * (-len(secret) % 4)


class Waiting:
    """Locked bundles that wait in a folder, each to be fetched once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, data: bytes) -> str:
        """By what it is fetched."""
        self._tidy()
        id = secrets.token_hex(6)
        write_whole(private_dir(self._folder) / id, data, mode=0o600)
        return id

    def take(self, id: str) -> bytes | None:
        """It waits no longer; None: there is none, or it has waited for too long. Raises BadFile if it cannot be read;
        then it waits on."""
        self._tidy()
        if not re.fullmatch("[0-9a-f]{12}", id):
            return None
        mine = self._folder / f"{id}.{os.getpid()}"
        try:
            data = read_bytes(self._folder / id)
            (self._folder / id).rename(mine)  # who comes second finds nothing
        except (FileNotFoundError, NoFile):
            return None
        mine.unlink()
        return data

    def _tidy(self) -> None:
        """Removes what has waited for too long."""
        with suppress(OSError):  # there is no folder yet, or it is root's
            for each in self._folder.iterdir():
                with suppress(OSError):
                    if time.time() - each.stat().st_mtime >= WAITS_S:
                        each.unlink()
