"""The public stream of a match: an opening with the commitment, then a link for each entry that the table notices.

Each is chained to the one before and signed with the table's key (Ed25519, RFC 8032) as it is published. What is hashed
is the link as JSON with sorted keys, so that blanks and the order of keys in a file do not matter. As a hash covers all
links up to its own, one signature does, too: a record keeps every `EACH`th and the last, and all that it keeps are
checked. In format 1 a hash covered the signature before it, so that each had to stand there.
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

if TYPE_CHECKING:
    from device.evidence.table_key import PublicKey

FORMAT = 3
"""The format of a signed record that begins now. The openings of format 2 said nothing of the cards. Format 1 named no
clauses, either, and its hashes covered signatures."""

EACH = 8
"""Of so many links one keeps its signature in a record: where it does not fit, that many may be the wrong one."""

SHORT = 24
"""Hexadecimal digits of a head that are enough: who makes both of two records has to try some 2^48 of each, between the
last entry and the moment that its head is told, for two that agree in 96 bits."""

SIGNATURE = 64
"""Bytes of a signature (RFC 8032, 5.1.6)."""

_ORIGIN = {1: b"table-referee stream 1", 2: b"table-referee stream 2", 3: b"table-referee stream 2"}


class UnknownFormat(RefereeError, ValueError):
    """A later version began that stream."""


def refuse_unknown(format: int) -> None:
    """Raises UnknownFormat unless streams of this format can be chained here."""
    if format not in _ORIGIN:
        raise UnknownFormat(f"signed records of format {format} are not known here: update table-referee")


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="opening"):
    """How a match begins, as far as all may know it.

    match: its identity, 32 hexadecimal digits. program: the version that played it. commitment: of the first entry
    (`device.evidence.commitment`), in hexadecimal; "" if none was made before the first move. key: the table's public
    key, in hexadecimal. cards: the digest of the cards as they were played (`engine.catalogue.cards`); "" before format
    3. The rest is the first entry's, without its seed.
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
    """One entry, as far as all may know it.

    n: from 1; at: seconds since the match began. kind: of the entry, such as "act" or "correct". line: it in notation,
    where a game's menus are known to all, else "". told: what everybody heard, in English. view: SHA-256 of what
    everybody may know afterwards. sealed: a proof of all entries so far, also of those that nobody noticed, that tells
    nothing without the salt. clauses: of the rules, by which it was judged, apart from who may act and when.
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
    """A link with the table's signature of its head; "": a later one covers it, too."""

    body: Body
    signature: str = ""


class Head(msgspec.Struct, frozen=True):
    """The hash of a link, and so of all up to it: what others keep, to know later that nothing was changed. n: the
    link's number; 0: the opening's. hash: hexadecimal; of what others noted perhaps only its first digits."""

    n: int
    hash: str

    @property
    def short(self) -> str:
        """Enough of it to note by hand, in groups."""
        return " ".join(self.hash[at : at + 4] for at in range(0, SHORT, 4))


class Chain:
    """Hashes links, one after another. format: of their record; before: the hash after which it goes on."""

    def __init__(self, format: int, before: bytes = b"") -> None:
        """Raises UnknownFormat."""
        refuse_unknown(format)
        self._origin, self._covers = _ORIGIN[format], format == 1
        self.before = before
        """What the next hash covers of all links so far."""

    def copy(self) -> Chain:
        """The same, to go on by itself."""
        return copy(self)

    def add(self, body: Body) -> bytes:
        """The hash of the next link."""
        data = msgspec.json.encode(body, order="sorted")
        parts = (self._origin, self.before, len(data).to_bytes(8, "big"), data)
        self.before = digest = hashlib.sha256(b"".join(parts)).digest()
        return digest

    def signed(self, signature: bytes) -> None:
        """The signature of that link: in format 1 the next one's hash covers it."""
        if self._covers:
            self.before += signature


def digests(links: Sequence[Signed]) -> Iterator[bytes]:
    """The hash of each link; the first has to be an opening."""
    first = links[0].body
    assert isinstance(first, Opening)
    chain = Chain(first.format)
    for link in links:
        yield chain.add(link.body)
        if first.format == 1:
            chain.signed(signature_bytes(link.signature))


def heads(links: Sequence[Signed]) -> Iterator[Head]:
    """The head at each link."""
    for n, digest in enumerate(digests(links)):
        yield Head(n, digest.hex())


def first_unsigned(links: Sequence[Signed], hashes: Sequence[bytes], key: PublicKey) -> tuple[int, int] | None:
    """The links, from the first to the last, of which one is the first that the key did not sign; None if all are.
    If the last has no signature, some may have been cut off after it. hashes: of the links. In a record of format 1
    each link has a signature, in others the last."""
    first, begin = links[0].body, 0
    assert isinstance(first, Opening)
    for n, (link, digest) in enumerate(zip(links, hashes, strict=True)):
        if not link.signature and first.format > 1:
            continue
        if not key.signed(digest, signature_bytes(link.signature)):
            return begin, n
        begin = n + 1
    return (begin, len(links)) if begin < len(links) else None


def signature_bytes(written: str) -> bytes:
    """A signature as it stands in a file; what cannot be one is a wrong one."""
    try:
        found = bytes.fromhex(written)
    except ValueError:
        return bytes(SIGNATURE)
    return found if len(found) == SIGNATURE and found.hex() == written else bytes(SIGNATURE)
