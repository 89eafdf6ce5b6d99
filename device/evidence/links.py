"""The public stream of a match: an opening with the commitment, then a link for each entry that the table notices.

Each is chained to the one before and signed with the table's key (Ed25519, RFC 8032). What is hashed is the link as
JSON with sorted keys, so that blanks and the order of keys in a file do not matter. The hash of a link covers the
signature of the one before, too. All signatures are checked: one that were not could be anything, and whoever made the
record could try what makes the hash after it look like another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from device.evidence.key import SIGNATURE, PublicKey
from engine.game import OptionValue
from engine.table import Seat

FORMAT = 1
"""Of a signed record."""

SHORT = 24
"""Hexadecimal digits of a head that are enough: who makes both of two records has to try some 2^48 of each, between the
last entry and the moment that its head is told, for two that agree in 96 bits."""

_ORIGIN = b"table-referee stream 1"


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="opening"):
    """How a match begins, as far as all may know it.

    match: its identity, 32 hexadecimal digits. program: the version that played it. commitment: of the first entry
    (`device.evidence.commitment`), in hexadecimal; "" if none was made before the first move. key: the table's public
    key, in hexadecimal. The rest is the first entry's, without its seed.
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
    format: int = FORMAT


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="link"):
    """One entry, as far as all may know it.

    n: from 1; at: seconds since the match began. kind: of the entry, such as "act" or "correct". line: it in notation,
    where a game's menus are known to all, else "". told: what everybody heard, in English. view: SHA-256 of what
    everybody may know afterwards. sealed: a proof of all entries so far, also of those that nobody noticed, that tells
    nothing without the salt.
    """

    n: int
    at: float
    kind: str
    line: str
    told: tuple[str, ...]
    view: str
    sealed: str


Body = Opening | Link


class Signed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A link with the table's signature of its head."""

    body: Body
    signature: str


class Head(msgspec.Struct, frozen=True):
    """The hash of a link, and so of all up to it: what others keep, to know later that nothing was changed. n: the
    link's number; 0: the opening's. hash: hexadecimal; of what others noted perhaps only its first digits."""

    n: int
    hash: str

    @property
    def short(self) -> str:
        """Enough of it to note by hand, in groups."""
        return " ".join(self.hash[at : at + 4] for at in range(0, SHORT, 4))


def heads(links: Sequence[Signed]) -> Iterator[Head]:
    """The head at each link."""
    for n, digest in enumerate(_digests(links)):
        yield Head(n, digest.hex())


def head_after(before: bytes, signature: bytes, body: Body) -> bytes:
    """The hash of a link. before, signature: of the link before it; b"" for the first."""
    data = msgspec.json.encode(body, order="sorted")
    return hashlib.sha256(b"".join((_ORIGIN, before, signature, len(data).to_bytes(8, "big"), data))).digest()


def first_unsigned(links: Sequence[Signed], key: PublicKey) -> int | None:
    """The first link whose signature is not that of the key over the chain so far; None if all are."""
    fits = (key.signed(digest, _bytes(link.signature)) for link, digest in zip(links, _digests(links), strict=True))
    return next((n for n, good in enumerate(fits) if not good), None)


def _digests(links: Iterable[Signed]) -> Iterator[bytes]:
    before, signature = b"", b""
    for link in links:
        before = head_after(before, signature, link.body)
        yield before
        signature = _bytes(link.signature)


def _bytes(written: str) -> bytes:
    """A signature as it stands in a file; what cannot be one is a wrong one."""
    try:
        found = bytes.fromhex(written)
    except ValueError:
        return bytes(SIGNATURE)
    return found if len(found) == SIGNATURE and found.hex() == written else bytes(SIGNATURE)
