"""Chains and signs a match's public record.

An opening is followed by an entry per noticed action, as JSON with sorted keys, hashed with the previous hash and
signed (Ed25519, RFC 8032). Hashes cover all before, so a record keeps every `EACH`th signature and the last;
format 1, whose hashes cover signatures, all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING

import msgspec

from engine.errors import RefereeError
from engine.game import OptionValue
from engine.table import Seat
from engine.text import Text, say

if TYPE_CHECKING:
    from referee_record.public_key import PublicKey
import hmac

from engine.entry import Entry, Start, encode

SALT = 32
"""Bytes of the salt."""

_NAME = b"table-referee commitment 1"


class Unsalted(RefereeError, ValueError):
    """The stored salt is invalid."""


def decode_salt(written: str) -> bytes:
    """Return a stored hexadecimal salt. Raises Unsalted, without its value."""
    try:
        salt = bytes.fromhex(written)
    except ValueError:
        salt = b""
    if len(salt) != SALT:
        raise Unsalted(f"the salt that is kept of the match has not {SALT} bytes: its commitment cannot be shown")
    return salt


def commitment(salt: bytes, start: Start, program: str) -> str:
    """Return SHA-256 (hexadecimal) over salt, program version and first entry."""
    hashed = hashlib.sha256(_NAME)
    for part in (salt, program.encode(), encode(start)):
        hashed.update(len(part).to_bytes(8, "big") + part)
    return hashed.hexdigest()


class Seal:
    """Proofs of all entries so far, which reveal nothing without the salt."""

    def __init__(self, salt: bytes) -> None:
        self._salt, self._entries = salt, hashlib.sha256()

    def add(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            data = encode(entry)
            self._entries.update(len(data).to_bytes(8, "big") + data)

    def now(self) -> str:
        """Return the seal so far (HMAC-SHA256, hexadecimal)."""
        return hmac.digest(self._salt, self._entries.copy().digest(), "sha256").hex()


FORMAT = 3
"""Current format. Format 2 lacks the cards' digest, format 1 clauses."""

EACH = 8
"""Record entries per kept signature."""

SHORT = 24
"""Hexadecimal digits of a short head (96 bits, 2^48 work for a collision)."""

SIGNATURE = 64
"""Bytes of a signature (RFC 8032, 5.1.6)."""

_ORIGIN = {1: b"table-referee stream 1", 2: b"table-referee stream 2", 3: b"table-referee stream 2"}


class UnknownFormat(RefereeError, ValueError):
    """A later version began the stream: its format is unknown."""


def refuse_unknown(format: int) -> None:
    """Raise UnknownFormat for an unsupported format."""
    if format not in _ORIGIN:
        raise UnknownFormat(f"signed records of format {format} are not known here: update table-referee")


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="opening"):
    """A match's public beginning.

    match: identity, 32 hexadecimal digits.
    table: its name.
    program: version.
    commitment: see `commitment`; or "".
    key: public, hexadecimal.
    cards: digest (`engine.catalogue.cards`), "" before format 3.
    Others: of the first entry.
    """

    match: str
    table: str
    game: str
    seats: tuple[Seat, ...]
    options: dict[str, OptionValue]
    clock: dict[str, OptionValue]
    data: str
    program: str
    commitment: str
    key: str
    format: int
    cards: str = ""


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="link"):
    """An entry's public part.

    n: from 1.
    at: seconds since the beginning.
    kind: such as "act".
    line: notation, or "".
    told: public messages in English.
    view: SHA-256 of public knowledge.
    sealed: proof of all entries.
    clauses: that judged it.
    """

    n: int
    at: float
    kind: str
    line: str
    told: tuple[str, ...]
    view: str
    sealed: str
    clauses: tuple[str, ...] = ()


Body = Opening | Link


class Signed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A record entry with its head's signature; "" if a later one covers it."""

    body: Body
    signature: str = ""


class Head(msgspec.Struct, frozen=True):
    """A record entry's hash, covering all before. n: 0 for the opening. hash: hexadecimal, perhaps shortened."""

    n: int
    hash: str

    @property
    def short(self) -> str:
        """The first digits in groups, to write down."""
        return " ".join(self.hash[at : at + 4] for at in range(0, SHORT, 4))


def note_text(head: Head) -> Text:
    """Return the sentence that asks players to write a head down."""
    # Translators: a hash (its first digits) that players note, to prove later that the record of the match is the same.
    return say("To be able to verify this match later, write down head {n}: {hash}", n=head.n, hash=head.short)


class Chain:
    """Hashes record entries in a row."""

    def __init__(self, format: int, before: bytes = b"") -> None:
        """Begin after the hash `before`. Raises UnknownFormat."""
        refuse_unknown(format)
        self._origin, self._covers = _ORIGIN[format], format == 1
        self.before = before
        """Earlier entries' part of the next hash."""

    def copy(self) -> Chain:
        return copy(self)

    def add(self, body: Body) -> bytes:
        """Add an entry; return its hash."""
        data = msgspec.json.encode(body, order="sorted")
        parts = (self._origin, self.before, len(data).to_bytes(8, "big"), data)
        self.before = digest = hashlib.sha256(b"".join(parts)).digest()
        return digest

    def add_signature(self, signature: bytes) -> None:
        """Add the last entry's signature to format 1's next hash; do nothing in other formats."""
        if self._covers:
            self.before += signature


def digests(links: Sequence[Signed]) -> Iterator[bytes]:
    """Yield each entry's hash. links: opening first. Raises UnknownFormat."""
    first = links[0].body
    assert isinstance(first, Opening)
    chain = Chain(first.format)
    for link in links:
        yield chain.add(link.body)
        if first.format == 1:
            chain.add_signature(signature_bytes(link.signature))


def heads(links: Sequence[Signed]) -> Iterator[Head]:
    """Yield each entry's head. Raises as `digests`."""
    for n, digest in enumerate(digests(links)):
        yield Head(n, digest.hex())


def first_unsigned(links: Sequence[Signed], hashes: Sequence[bytes], key: PublicKey) -> tuple[int, int] | None:
    """Return the first entry that no valid signature covers, and the next whose signature is wrong, or the number of
    entries without one; None if all are covered.

    After an unsigned end, entries may be missing.
    """
    first, begin = links[0].body, 0
    assert isinstance(first, Opening)
    for n, (link, digest) in enumerate(zip(links, hashes, strict=True)):
        if not link.signature and first.format > 1:
            continue
        if not key.has_signed(digest, signature_bytes(link.signature)):
            return begin, n
        begin = n + 1
    return (begin, len(links)) if begin < len(links) else None


def signature_bytes(written: str) -> bytes:
    """Return a stored signature; an invalid one as zeros."""
    try:
        found = bytes.fromhex(written)
    except ValueError:
        return bytes(SIGNATURE)
    return found if len(found) == SIGNATURE and found.hex() == written else bytes(SIGNATURE)
