"""Makes the public stream out of a match: the same links from the same entries, whenever and wherever they are made.

So the stream needs no place on a disk of its own, and who has all entries can tell what it has to say, link by link.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256

import msgspec

from device.evidence.commitment import Seal, commitment, salted
from device.evidence.public_entries import EACH, Body, Chain, Head, Link, Opening, Signed, refuse_unknown
from device.evidence.public_frames import stands
from device.evidence.public_match import Follower, begins
from device.evidence.table_key import TableKey
from device.journal.match_info import Secret
from device.session.table import KnownGame
from engine import notation
from engine.catalogue import cards
from engine.entry import Act, Entry, Start


class Utterance(msgspec.Struct, frozen=True):
    """What the stream says of an entry. entry: its number in the match, from 0; body: None if nobody notices it. over:
    the match has ended with it, and everybody may see how."""

    entry: int
    body: Body | None
    over: bool = False


def opening(start: Start, match: str, table: str, secret: Secret, key: str) -> Opening:
    """The first link. match: its identity; table: the table's name; key: its public key. Raises UnknownFormat and
    Unsalted."""
    refuse_unknown(secret.format)
    told = commitment(salted(secret.salt), start, secret.program) if secret.committed else ""
    return Opening(
        match,
        table,
        start.game,
        start.seats,
        start.options,
        start.clock,
        start.data,
        secret.program,
        told,
        key,
        secret.format,
        cards(start.data, start.deck) if secret.format >= 3 else "",
    )


class Speaker:
    """Says of each entry of a match what the stream has to say. first: the opening; salt: of its commitment."""

    def __init__(self, known: KnownGame, start: Start, first: Opening, salt: bytes) -> None:
        """Raises Refusal if the match does not fit the game."""
        self._follower, self._seal, self._open = Follower(known, start), Seal(salt), known.spec.open_menus
        self._judged = first.format > 1
        self._seal.add((start,))
        self._view, self._entries, self._links = self._follower.now().view, 1, 0
        self._hash = sha256(self._view).hexdigest()
        self.begun = Utterance(0, first)

    def say(self, entry: Entry) -> Utterance:
        """Return the utterance about the next entry. Raises Refusal if it does not follow."""
        clauses = self._follower.clauses(entry) if self._judged else ()
        moment, before = self._follower.follow(entry), self._view
        self._seal.add((entry,))
        self._view, number = moment.view, self._entries
        if moment.view != before:
            self._hash = sha256(moment.view).hexdigest()
        self._entries += 1
        if not self._open and isinstance(entry, Act) and not moment.told and moment.view == before:
            return Utterance(number, None, moment.result is not None)
        self._links += 1
        line, kind = notation.write_line(entry) if self._open else "", type(entry).__name__.lower()
        told = tuple(map(str, moment.told))
        link = Link(self._links, entry.at, kind, line, told, self._hash, self._seal.now(), clauses)
        return Utterance(number, link, moment.result is not None)


def utterances(known: KnownGame, entries: Sequence[Entry], first: Opening, salt: bytes) -> Iterator[Utterance]:
    """Yield the stream's utterance about each entry. Raises Refusal at an entry that does not follow."""
    speaker = Speaker(known, begins(entries), first, salt)
    yield speaker.begun
    yield from map(speaker.say, entries[1:])


class Signer:
    """Chains links and signs them, one after another. format: of their record."""

    def __init__(self, key: TableKey, format: int) -> None:
        self._key, self._chain, self._opening, self._hash, self._count = key, Chain(format), b"", b"", 0
        self.before = b""
        """What the hash of the last link covers of all before it."""

    @property
    def head(self) -> Head:
        """Return the head at the last link."""
        return Head(self._count - 1, self._hash.hex())

    def sign(self, body: Body) -> Signed:
        """The next link."""
        self.add(body)
        signature = self._key.sign(self._hash)
        self._chain.signed(signature)
        return Signed(body, signature.hex())

    def add(self, body: Body) -> Signed:
        """The next link; the signature of a later one covers it. Not in format 1."""
        self.before = self._chain.before
        self._hash = self._chain.add(body)
        self._opening = self._opening or self._hash
        self._count += 1
        return Signed(body)

    def standing(self) -> str:
        """The signature of where the match stands: that the last link is of the match of the opening."""
        return self._key.sign(stands(self._opening, self._hash)).hex()


def signed(key: TableKey, bodies: Sequence[Body]) -> tuple[Signed, ...]:
    """A whole stream, with as many signatures as a record keeps. The first body is the opening."""
    first = bodies[0]
    assert isinstance(first, Opening)
    signer, each = Signer(key, first.format), 1 if first.format == 1 else EACH
    last = len(bodies) - 1
    return tuple((signer.sign if n % each == 0 or n == last else signer.add)(body) for n, body in enumerate(bodies))
