"""A signed record as a file: one JSON object a line, first the links of the public stream, then what is revealed."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from typing import TypeVar

import msgspec

from device.evidence.commitment import SALT
from device.evidence.links import FORMAT, SHORT, Head, Link, Opening, Signed
from engine.entry import Entry, Start, decode, encode
from engine.errors import RefereeError
from vision.files import quoted

T = TypeVar("T")

LONGEST = 16_000_000
"""Bytes of a record."""

LINE = 1_000_000
"""Bytes of a line."""


class Reveal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was hidden: the salt of the commitment, in hexadecimal, and the first entry, with the seed."""

    salt: str
    start: msgspec.Raw


class Revealed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One more entry of the match."""

    entry: msgspec.Raw


class SignedRecord(msgspec.Struct, frozen=True):
    """All that a record holds. links: the opening first. salt, entries: what is revealed; None and () if nothing is."""

    links: tuple[Signed, ...]
    salt: bytes | None = None
    entries: tuple[Entry, ...] = ()

    @property
    def opening(self) -> Opening:
        body = self.links[0].body
        assert isinstance(body, Opening)
        return body


class NoRecord(RefereeError, ValueError):
    """A file is no signed record, or one of a later version. line: from 1."""


def written(record: SignedRecord) -> bytes:
    """The file."""
    lines: list[msgspec.Struct] = [*record.links]
    if record.salt is not None:
        start, *rest = record.entries
        lines.append(Reveal(record.salt.hex(), msgspec.Raw(encode(start))))
        lines += [Revealed(msgspec.Raw(encode(entry))) for entry in rest]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def read(data: bytes) -> SignedRecord:
    """What a file holds. Raises NoRecord, with the line."""
    whole = data.removeprefix(BOM_UTF8).splitlines()
    lines = [(number, line) for number, line in enumerate(whole, start=1) if line.strip()]
    at = next(
        (at for at, line in enumerate(lines) if "body" not in _decoded(*line, dict[str, msgspec.Raw])), len(lines)
    )
    links = tuple(_decoded(number, line, Signed) for number, line in lines[:at])
    if not links or not isinstance(links[0].body, Opening):
        raise NoRecord(
            "line 1: a signed record begins with its opening, as `referee journal export --signed` writes it"
        )
    if links[0].body.format != FORMAT:
        raise NoRecord(f"line 1: records of format {links[0].body.format} are not known here: update table-referee")
    for (number, _), link in zip(lines[1:at], links[1:], strict=True):
        if not isinstance(link.body, Link):
            raise NoRecord(f"line {number}: a second opening")
    return _with_reveal(links, lines[at:])


def read_heads(data: bytes) -> tuple[Head, ...]:
    """Heads that others kept, one a line: the link's number and its hash, or the first digits of it, also in groups.
    Raises NoRecord, with the line."""
    return tuple(_heads(data.decode(errors="replace")))


def _heads(text: str) -> Iterator[Head]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        n, *groups = line.split()
        digest = "".join(groups).lower()
        if not (re.fullmatch("[0-9]{1,7}", n) and re.fullmatch(f"[0-9a-f]{{{SHORT},64}}", digest)):
            raise NoRecord(f"line {number}: a head reads NUMBER HASH, such as 12 and {SHORT} to 64 hexadecimal digits")
        yield Head(int(n), digest)


def _with_reveal(links: tuple[Signed, ...], lines: Sequence[tuple[int, bytes]]) -> SignedRecord:
    if not lines:
        return SignedRecord(links)
    (number, first), *rest = lines
    reveal = _decoded(number, first, Reveal)
    start = _entry(number, reveal.start)
    try:
        salt = bytes.fromhex(reveal.salt)
    except ValueError:
        salt = b""
    if not isinstance(start, Start) or len(salt) != SALT:
        raise NoRecord(f"line {number}: what is revealed begins with a salt of {SALT} bytes and the first entry")
    entries = tuple(_entry(at, _decoded(at, line, Revealed).entry) for at, line in rest)
    return SignedRecord(links, salt, (start, *entries))


def _entry(number: int, raw: msgspec.Raw) -> Entry:
    try:
        return decode(bytes(raw))
    except ValueError as error:  # also what msgspec raises
        raise NoRecord(f"line {number}: {quoted(error)}") from error


def _decoded(number: int, line: bytes, kind: type[T]) -> T:
    if len(line) > LINE:
        raise NoRecord(f"line {number}: it is longer than {LINE} bytes")
    try:
        return msgspec.json.decode(line, type=kind)
    except (ValueError, RecursionError) as error:  # also what msgspec raises
        raise NoRecord(f"line {number}: {quoted(error)}") from error
