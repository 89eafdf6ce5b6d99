"""Joins a table to a club: stores the certificate, and names the broker in the table file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import NamedTemporaryFile
from threading import Thread
from urllib.request import Request, urlopen

import msgspec

from device.bus.broker_address import is_broker
from device.settings import load, parse
from device.settings.table import Herald
from engine.errors import RefereeError
from referee_record.herald.bundle import LONGEST, Bundle, NoBundle, read, unlock_bundle
from vision.files import BadFile, read_bytes, read_text, rewrite, sync, write_whole

PATIENCE_S = 20.0
replace = msgspec.structs.replace


class NotJoined(RefereeError, ValueError):
    """The table file must be changed by hand; the message says how."""


def check(table: Path) -> None:
    """Check, before a code is used up, that the table file can be read and replaced; create a missing folder for
    certificates. Raises BadFile, OSError."""
    load(table)
    for folder in (table.resolve().parent, _home(table)):
        folder.mkdir(mode=0o755, exist_ok=True)
        with NamedTemporaryFile(dir=folder):
            pass


def fetch_bundle(code: str) -> Bundle:
    """Fetch a code's bundle, using the code up, or read a file. Raises NoBundle, BadFile."""
    address, _, secret = code.partition("#")
    if not address.startswith(("http://", "https://")):
        return read(read_bytes(Path(code), limit=LONGEST, remedy="name the club's code, or its file"))
    answers = SimpleQueue[bytes | Exception]()
    Thread(target=_ask, args=(address, answers.put), daemon=True).start()
    try:
        answer = answers.get(timeout=PATIENCE_S)
    except Empty:
        answer = TimeoutError(f"no answer in {PATIENCE_S:.0f} s")
    if isinstance(answer, Exception):
        why = getattr(answer, "reason", None) or answer
        raise NoBundle(f"nothing was to be had at {address} ({why}): a code works once, within a day") from answer
    return unlock_bundle(answer, secret)


def _ask(address: str, answer: Callable[[bytes | Exception], None]) -> None:
    """Send a POST, which alone uses a code up; pass on the answer or error."""
    try:
        with urlopen(Request(address, method="POST"), timeout=PATIENCE_S) as found:
            data = found.read(LONGEST + 1)
        answer(data if len(data) <= LONGEST else ValueError("that is too long for a club's answer"))
    except (OSError, ValueError, HTTPException) as error:
        answer(error)


def join(table: Path, bundle: Bundle) -> None:
    """Write the club's files, then the table file, so that a power cut leaves the old state. Raises NotJoined if the
    table file names another broker (the club's files are written then, too) or cannot name this one; BadFile,
    OSError."""
    if not is_broker(bundle.broker):
        raise NotJoined(f"{table} was left as it is: no table file may name the broker {bundle.broker!r}")
    folder = _home(table) / f"{bundle.broker.partition(':')[0]}-{sha256(bundle.certificate.encode()).hexdigest()[:12]}"
    wanted = Herald(bundle.broker, folder / "table.pem", folder / "table.key", folder / "authority.pem")
    lines, text = _lines(wanted), read_text(table)
    known = load(table).herald
    draft = _rename_files(text, known, wanted) if known is not None else f"{text.rstrip()}\n\n{lines}"
    try:
        found = parse(draft, table).herald
    except BadFile as error:
        raise NotJoined(
            f"{table} was left as it is, as it could not be read with what the club says: {error}"
        ) from error
    _write_bundle(folder, wanted, bundle)
    if found is None or replace(found, delay_s=wanted.delay_s, group=wanted.group) != wanted:
        raise NotJoined(f"{table} names another broker: put this in the place of its [herald]\n{lines}")
    if draft != text:
        rewrite(table, draft.encode(), 0o644)


def _home(table: Path) -> Path:
    return table.resolve().parent / "herald"


def _rename_files(text: str, known: Herald, wanted: Herald) -> str:
    """Return the table file naming the wanted files; unchanged for another broker."""
    if known.broker == wanted.broker:
        pairs = (known.certificate, wanted.certificate), (known.key, wanted.key), (known.authority, wanted.authority)
        for old, new in pairs:
            text = text.replace(_quote(old), _quote(new)).replace(f"'{old}'", _quote(new))
    return text


def _write_bundle(folder: Path, wanted: Herald, bundle: Bundle) -> None:
    """Write the folder atomically, unless it exists. Raises OSError."""
    if folder.exists():
        return
    draft = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    certificate, authority, key = (draft / each.name for each in (wanted.certificate, wanted.authority, wanted.key))
    for path, text in ((certificate, bundle.certificate), (authority, bundle.authority), (key, bundle.key)):
        write_whole(path, text.encode(), mode=0o600)
    with suppress(LookupError, PermissionError):  # without the package there is no such group
        shutil.chown(key, group=wanted.group)
    for path, mode in ((key, 0o640), (certificate, 0o644), (authority, 0o644), (draft, 0o755), (draft.parent, 0o755)):
        path.chmod(mode)  # whatever root's umask, the herald's user reads them
    draft.rename(folder)
    sync(folder.parent)


def _lines(herald: Herald) -> str:
    named: dict[str, Path | str] = {"broker": herald.broker, "certificate": herald.certificate, "key": herald.key}
    named["authority"] = herald.authority
    return "".join(("[herald]\n", *(f"{name} = {_quote(value)}\n" for name, value in named.items())))


def _quote(value: Path | str) -> str:
    return json.dumps(str(value), ensure_ascii=False)
