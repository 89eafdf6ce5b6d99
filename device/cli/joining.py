"""How a table joins a club: by a code that the club printed, or by its file, its certificate is put where the herald
finds it, and the table file names the broker."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urldefrag, urlsplit
from urllib.request import urlopen

import msgspec

from device.club.bundle import LONGEST, Bundle, NoBundle, read, unlocked
from device.settings import load
from device.settings.table import Herald
from engine.errors import RefereeError
from vision.files import read_bytes, read_text, write_whole

PATIENCE_S = 20.0
replace = msgspec.structs.replace


class NotJoined(RefereeError, ValueError):
    """The table file is to be changed by hand; the message says how."""


def fetched(code: str) -> Bundle:
    """What a code of the club, or its file, brings. Raises NoBundle and BadFile."""
    address, secret = urldefrag(code)
    if urlsplit(address).scheme not in ("http", "https"):
        return read(read_bytes(Path(code), limit=LONGEST, remedy="name the club's code, or its file"))
    try:
        with urlopen(address, timeout=PATIENCE_S) as answer:
            data = answer.read(LONGEST)
    except (URLError, OSError, ValueError) as error:
        why = getattr(error, "reason", None) or error
        raise NoBundle(f"nothing was to be had at {address} ({why}): a code works once, within a day") from error
    return unlocked(data, secret)


def join(table: Path, bundle: Bundle) -> None:
    """The herald of a table file tells that club from its next start. Raises NotJoined if the file names another
    broker, BadFile and OSError."""
    folder = table.resolve().parent / "herald"
    wanted = Herald(bundle.broker, folder / "table.pem", folder / "table.key", folder / "authority.pem")
    lines = _lines(wanted)
    known = load(table).herald
    folder.mkdir(mode=0o755, exist_ok=True)
    write_whole(wanted.certificate, bundle.certificate.encode(), mode=0o644)
    write_whole(wanted.authority, bundle.authority.encode(), mode=0o644)
    write_whole(wanted.key, bundle.key.encode(), mode=0o640)
    with suppress(LookupError, PermissionError):  # where no package was installed there is no such user
        shutil.chown(wanted.key, group=wanted.group)
    if known is None:
        write_whole(table, f"{read_text(table).rstrip()}\n\n{lines}".encode(), mode=table.stat().st_mode & 0o777)
    elif replace(known, delay_s=wanted.delay_s, group=wanted.group) != wanted:
        raise NotJoined(f"{table} names another broker: put this in the place of its [herald]\n{lines}")


def _lines(herald: Herald) -> str:
    """As they stand in a table file."""
    named = {"broker": herald.broker, "certificate": herald.certificate, "key": herald.key}
    named["authority"] = herald.authority
    return "".join(("[herald]\n", *(f"{name} = {json.dumps(str(value))}\n" for name, value in named.items())))
