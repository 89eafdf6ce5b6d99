"""Exports, reads and writes signed records: a JSON object per line, public stream first, then secrets.

A public entry derivable from a revealed one shares its line. `.gz` files are compressed.
"""

from __future__ import annotations

import gzip
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TypeVar

import msgspec

from device.journal.match_info import About, Secret
from device.records.public_match import begins
from device.session.table import KnownGame
from engine import notation
from engine.entry import Entry, Start, decode, encode
from engine.errors import RefereeError
from referee_record.public_entries import (
    FORMAT,
    SALT,
    SHORT,
    Head,
    Link,
    Opening,
    Seal,
    Signed,
    UnknownFormat,
    Unsalted,
    decode_salt,
    refuse_unknown,
)
from referee_record.stream import SigningKey, opening, sign_stream, utterances
from vision.files import quote
from vision.files.reading import END

T = TypeVar("T")

LONGEST = 16_000_000
"""Bytes of an uncompressed record."""

LINE = 1_000_000
"""Bytes of a line."""

DIGEST = 64
"""Hexadecimal digits of a head."""

_NOTE = re.compile(r"\s*(?:[^\W\d]+\s+)?([0-9]{1,7})(?:\s*[:：]\s*|\s+)([0-9a-fA-F\s]+)")
"""A noted head, perhaps after the word for it."""


class Reveal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The revealed salt (hexadecimal) and first entry. lines: shared lines have notation; None if none are shared."""

    salt: str
    start: msgspec.Raw
    lines: bool | None = None


class Revealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A revealed entry with its public one's fields (see `Link`, `Signed`); view is "" if it has none."""

    entry: msgspec.Raw
    told: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    view: str = ""
    signature: str = ""


class SignedRecord(msgspec.Struct, frozen=True):
    """A record. links: opening first. salt, entries: revealed secrets, or None and ()."""

    links: tuple[Signed, ...]
    salt: bytes | None = None
    entries: tuple[Entry, ...] = ()

    @property
    def opening(self) -> Opening:
        body = self.links[0].body
        assert isinstance(body, Opening)
        return body


class NoRecord(RefereeError, ValueError):
    """The file is no signed record, or of a later version; the message names the line."""


def encode_record(record: SignedRecord) -> bytes:
    """Return the record as a file's bytes."""
    lines: Sequence[msgspec.Struct] = _together(record) or _apart(record)
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def compress(data: bytes) -> bytes:
    """Compress a file deterministically."""
    return gzip.compress(data, mtime=0)


def _apart(record: SignedRecord) -> list[msgspec.Struct]:
    lines: list[msgspec.Struct] = [*record.links]
    if record.salt is not None:
        start, *rest = record.entries
        lines.append(Reveal(record.salt.hex(), msgspec.Raw(encode(start))))
        lines += [Revealed(msgspec.Raw(encode(entry))) for entry in rest]
    return lines


def _together(record: SignedRecord) -> list[msgspec.Struct]:
    if record.salt is None or record.opening.format == 1 or any(isinstance(each, Start) for each in record.entries[1:]):
        return []
    opened, *links = record.links
    start, *rest = record.entries
    noted = any(isinstance(link.body, Link) and link.body.line for link in links)
    lines: list[msgspec.Struct] = [opened, Reveal(record.salt.hex(), msgspec.Raw(encode(start)), noted)]
    seal, n = Seal(record.salt), 0
    seal.add((start,))
    for entry in rest:
        seal.add((entry,))
        revealed = Revealed(msgspec.Raw(encode(entry)))
        if n < len(links):
            body, signature = links[n].body, links[n].signature
            assert isinstance(body, Link)
            if body.view and body == _link(n + 1, entry, seal, body, noted=noted):
                revealed = Revealed(revealed.entry, body.told, body.clauses, body.view, signature)
                n += 1
        lines.append(revealed)
    return lines if n == len(links) else []


def _link(n: int, entry: Entry, seal: Seal, rest: Link | Revealed, *, noted: bool) -> Link:
    line, kind = notation.write_line(entry) if noted else "", type(entry).__name__.lower()
    return Link(n, entry.at, kind, line, rest.told, rest.view, seal.now(), rest.clauses)


def read(data: bytes) -> SignedRecord:
    """Read a record, compressed or not. Raises NoRecord."""
    whole = _plain(data).removeprefix(BOM_UTF8).rstrip(END.encode()).splitlines()
    lines = [(number, line) for number, line in enumerate(whole, start=1) if line.strip()]
    at = next((at for at, line in enumerate(lines) if "body" not in _decode(*line, dict[str, msgspec.Raw])), len(lines))
    links = tuple(_decode(number, line, Signed) for number, line in lines[:at])
    if not links or not isinstance(links[0].body, Opening):
        raise NoRecord(
            "line 1: a signed record begins with its opening, as `referee journal export --signed` writes it"
        )
    try:
        refuse_unknown(links[0].body.format)
    except UnknownFormat as error:
        raise NoRecord(f"line 1: {error}") from error
    for (number, _), link in zip(lines[1:at], links[1:], strict=True):
        if not isinstance(link.body, Link):
            raise NoRecord(f"line {number}: a second opening")
    return _with_reveal(links, lines[at:])


def _plain(data: bytes) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    expanding = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        plain = expanding.decompress(data, LONGEST)
    except zlib.error as error:
        raise NoRecord(f"line 1: it is compressed, and cannot be read: {quote(error)}") from error
    if expanding.unconsumed_tail or not expanding.eof or expanding.unused_data:
        raise NoRecord(f"line 1: it is compressed, and longer than {LONGEST} bytes, cut off, or not alone")
    return plain


def read_heads(data: bytes) -> tuple[Head, ...]:
    """Read noted heads, one per line: number and hash, perhaps shortened, also as a table says it ("Head 0: 93f0 …").
    Raises NoRecord."""
    return tuple(_heads(data.decode("utf-8-sig", errors="replace").rstrip(END)))


def _heads(text: str) -> Iterator[Head]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _NOTE.fullmatch(line)
        digest = "".join(found[2].split()).lower() if found else ""
        if not (found and SHORT <= len(digest) <= DIGEST):
            raise NoRecord(
                f"line {number}: a head reads NUMBER HASH, such as 12 and {SHORT} to {DIGEST} hexadecimal digits"
            )
        yield Head(int(found[1]), digest)


def _with_reveal(links: tuple[Signed, ...], lines: Sequence[tuple[int, bytes]]) -> SignedRecord:
    if not lines:
        return SignedRecord(links)
    (number, first), *rest = lines
    reveal = _decode(number, first, Reveal)
    start = _entry(number, reveal.start)
    try:
        salt = decode_salt(reveal.salt)
    except Unsalted:
        salt = b""
    if not isinstance(start, Start) or not salt:
        raise NoRecord(f"line {number}: what is revealed begins with a salt of {SALT} bytes and the first entry")
    if reveal.lines is None:
        entries = tuple(_entry(at, _alone(at, line).entry) for at, line in rest)
        return SignedRecord(links, salt, (start, *entries))
    if len(links) > 1:
        raise NoRecord(f"line {number}: links stand before it, and with the entries")
    return _read_together(links[0], salt, start, rest, noted=reveal.lines)


def _alone(number: int, line: bytes) -> Revealed:
    revealed = _decode(number, line, Revealed)
    if revealed != Revealed(revealed.entry):
        raise NoRecord(f"line {number}: a link stands with an entry, and others before")
    return revealed


def _read_together(
    first: Signed, salt: bytes, start: Start, lines: Sequence[tuple[int, bytes]], *, noted: bool
) -> SignedRecord:
    links, entries, seal = [first], list[Entry]([start]), Seal(salt)
    seal.add((start,))
    for number, line in lines:
        revealed = _decode(number, line, Revealed)
        entry = _entry(number, revealed.entry)
        if isinstance(entry, Start):
            raise NoRecord(f"line {number}: a second start")
        entries.append(entry)
        seal.add((entry,))
        if revealed.view:
            links.append(Signed(_link(len(links), entry, seal, revealed, noted=noted), revealed.signature))
        elif revealed != Revealed(revealed.entry):
            raise NoRecord(f"line {number}: a link without a view")
    return SignedRecord(tuple(links), salt, tuple(entries))


def _entry(number: int, raw: msgspec.Raw) -> Entry:
    try:
        return decode(bytes(raw))
    except ValueError as error:  # also what msgspec raises
        raise NoRecord(f"line {number}: {quote(error)}") from error


def _decode(number: int, line: bytes, kind: type[T]) -> T:
    if len(line) > LINE:
        raise NoRecord(f"line {number}: it is longer than {LINE} bytes")
    try:
        return msgspec.json.decode(line, type=kind)
    except (ValueError, RecursionError) as error:  # also what msgspec raises
        if number == 1 and line.startswith(b"["):
            raise NoRecord("line 1: it is not signed: ask for what `referee journal export --signed` writes") from error
        if "truncated" in str(error):
            raise NoRecord(f"line {number}: it is cut short: ask for the file again") from error
        raise NoRecord(f"line {number}: {quote(error)}") from error


class Unrevealed(RefereeError, PermissionError):
    """A match's secrets may not be revealed; the message says why."""


def export(
    known: KnownGame, entries: Sequence[Entry], about: About, key: SigningKey, program: str, *, reveal: bool
) -> SignedRecord:
    """Return a match's record. program: version to name if none is stored.

    reveal: with all secrets. Raises Unrevealed unless the match is over and all named players agreed, UnknownFormat,
    Unsalted, Refusal.
    """
    if reveal:
        _refuse_unagreed(about)
    start = begins(entries)
    secret = about.secret or _late_secret(about, key, program)
    first = opening(start, about.id, about.table, secret, key.public)
    salt = decode_salt(secret.salt)
    bodies = [each.body for each in utterances(known, entries, first, salt) if each.body is not None]
    links = sign_stream(key, bodies)
    return SignedRecord(links, salt, tuple(entries)) if reveal else SignedRecord(links)


def _refuse_unagreed(about: About) -> None:
    if about.ended is None:
        raise Unrevealed("the match is not over: what is hidden in it stays hidden until its end")
    if refusing := sorted({*about.names, *about.forgotten} - set(about.agreed)):
        raise Unrevealed(f"not all who played let their names leave the table: {', '.join(refusing)}")


def _late_secret(about: About, key: SigningKey, program: str) -> Secret:
    """Derive an uncommitted match's secret with the table's key."""
    salt = sha256(key.sign(b"table-referee salt 1" + about.id.encode())).hexdigest()
    return Secret(salt, program, committed=False, format=FORMAT)
