"""Makes certificates for new tables and holds their locked bundles."""

from __future__ import annotations

import os
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path

from device.bus.broker_address import is_broker
from referee_club.authority import AUTHORITY, BROKER, CLUB, HOME_ASSISTANT, Authority
from referee_record.herald.bundle import Bundle, NoBundle
from referee_record.herald.topics import is_name
from vision.files import NoFile, private_dir, read_bytes, write_whole

WAITS_S = 24 * 3600.0
"""Seconds a bundle waits."""


def make_bundle(authority: Authority, table: str, broker: str) -> Bundle:
    """Return a new certificate's bundle. Raises NoBundle for a bad table or broker name."""
    if not is_broker(broker):
        raise NoBundle(f"no table file may name the broker {broker!r}: start the club with another --name")
    taken = (CLUB, BROKER, AUTHORITY, HOME_ASSISTANT, "localhost", broker.partition(":")[0].lower())
    if not is_name(table) or table.lower() in taken or table.strip() != table:
        why = "letters and digits, none of / + #, and not club, broker, home-assistant or the name of the host"
        raise NoBundle(f"no table may be called {table!r}: {why}")
    certificate, key = authority.certify(table)
    return Bundle(table, broker, certificate.decode(), key.decode(), authority.certificate.decode())


class Waiting:
    """Locked single-use bundles in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, data: bytes) -> str:
        """Store a bundle; return its id."""
        self._tidy()
        id = secrets.token_hex(6)
        write_whole(private_dir(self._folder) / id, data, mode=0o600)
        return id

    def take(self, id: str) -> bytes | None:
        """Remove and return a bundle; None if missing or expired. Raises BadFile if unreadable, keeping it."""
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
        with suppress(OSError):  # no folder yet, or root's
            for each in self._folder.iterdir():
                with suppress(OSError):
                    if time.time() - each.stat().st_mtime >= WAITS_S:
                        each.unlink()
