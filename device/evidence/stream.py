"""Makes the public stream out of a match: the same links from the same entries, whenever and wherever they are made.

So the stream needs no place on a disk of its own, and who has all entries can tell what it has to say, link by link.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

import msgspec

from device.evidence.commitment import Seal, commitment
from device.evidence.course import begins, course
from device.evidence.key import TableKey
from device.evidence.links import Body, Link, Opening, Signed, head_after
from device.journal.about import Secret
from device.session.table import Known
from engine import notation
from engine.entry import Act, Entry, Start


class Said(msgspec.Struct, frozen=True):
    """What the stream says of an entry. entry: its number in the match, from 0; body: None if nobody notices it."""

    entry: int
    body: Body | None


def opening(start: Start, match: str, table: str, secret: Secret, key: str) -> Opening:
    """The first link. match: its identity; table: the table's name; key: its public key."""
    told = commitment(bytes.fromhex(secret.salt), start, secret.program) if secret.committed else ""
    return Opening(
        match, table, start.game, start.seats, start.options, start.clock, start.data, secret.program, told, key
    )


def said(known: Known, entries: Sequence[Entry], first: Opening, salt: bytes) -> Iterator[Said]:
    """What the stream has to say of each entry. Raises Refusal at an entry that does not follow, and ValueError if the
    first is no `Start`."""
    begins(entries)
    n, view, seal = 0, b"", Seal(salt)
    for number, (entry, moment) in enumerate(zip(entries, course(known, entries), strict=True)):
        seal.add((entry,))
        if number == 0:
            yield Said(0, first)
        elif known.spec.open_menus or not isinstance(entry, Act) or moment.told or moment.view != view:
            n += 1
            line = notation.write_line(entry) if known.spec.open_menus else ""
            told = tuple(map(str, moment.told))
            kind = type(entry).__name__.lower()
            yield Said(number, Link(n, entry.at, kind, line, told, sha256(moment.view).hexdigest(), seal.now()))
        else:
            yield Said(number, None)
        view = moment.view


class Signer:
    """Chains links and signs them, one after another."""

    def __init__(self, key: TableKey) -> None:
        self._key, self.head, self._signature = key, b"", b""

    def sign(self, body: Body) -> Signed:
        """The next link."""
        self.head = head_after(self.head, self._signature, body)
        self._signature = self._key.sign(self.head)
        return Signed(body, self._signature.hex())


def signed(key: TableKey, bodies: Sequence[Body]) -> tuple[Signed, ...]:
    """A whole stream."""
    signer = Signer(key)
    return tuple(map(signer.sign, bodies))
