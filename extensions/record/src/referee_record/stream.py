"""Derives a match's public stream deterministically from its entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Protocol

import msgspec

from device.journal.match_info import Secret
from device.records.public_match import Follower, begins
from device.session.table import KnownGame
from engine import notation
from engine.catalogue import cards
from engine.entry import Act, Entry, Start
from referee_record.public_entries import (
    EACH,
    Body,
    Chain,
    Head,
    Link,
    Opening,
    Seal,
    Signed,
    commitment,
    decode_salt,
    refuse_unknown,
)
from referee_record.public_frames import stands


class SigningKey(Protocol):
    """A key that signs a stream (`referee_record.table_key.TableKey`). public: hexadecimal."""

    @property
    def public(self) -> str: ...

    def sign(self, message: bytes) -> bytes: ...


class Utterance(msgspec.Struct, frozen=True):
    """The stream's part about an entry. entry: number from 0. body: None if nobody could notice it.

    over: publicly ended.
    """

    entry: int
    body: Body | None
    over: bool = False


def opening(start: Start, match: str, table: str, secret: Secret, key: str) -> Opening:
    """Return a stream's opening. match: identity. table: name. key: public. Raises UnknownFormat, Unsalted."""
    refuse_unknown(secret.format)
    told = commitment(decode_salt(secret.salt), start, secret.program) if secret.committed else ""
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


def kind_of(entry: Entry) -> str:
    """Return a link's kind."""
    return type(entry).__name__.lower()


class Speaker:
    """Derives a match's stream. first: the opening. salt: of its commitment."""

    def __init__(self, known: KnownGame, start: Start, first: Opening, salt: bytes) -> None:
        """Begin. Raises Refusal if the match doesn't fit the game."""
        self._follower, self._seal, self._open = Follower(known, start), Seal(salt), known.spec.open_menus
        self._judged = first.format > 1
        self._seal.add((start,))
        self._view, self._entries, self._links = self._follower.now().view, 1, 0
        self._hash = sha256(self._view).hexdigest()
        self.begun = Utterance(0, first)

    def say(self, entry: Entry) -> Utterance:
        """Follow the next entry; return its part. Raises Refusal if it is invalid."""
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
        line, kind = notation.write_line(entry) if self._open else "", kind_of(entry)
        told = tuple(map(str, moment.told))
        link = Link(self._links, entry.at, kind, line, told, self._hash, self._seal.now(), clauses)
        return Utterance(number, link, moment.result is not None)


def utterances(known: KnownGame, entries: Sequence[Entry], first: Opening, salt: bytes) -> Iterator[Utterance]:
    """Yield each entry's part. Raises Refusal at an invalid one."""
    speaker = Speaker(known, begins(entries), first, salt)
    yield speaker.begun
    yield from map(speaker.say, entries[1:])


class Signer:
    """Chains and signs a stream of this format. Raises UnknownFormat."""

    def __init__(self, key: SigningKey, format: int) -> None:
        self._key, self._chain, self._opening, self._hash, self._count = key, Chain(format), b"", b"", 0
        self.before = b""
        """Earlier entries' part of the last hash."""

    @property
    def head(self) -> Head:
        return Head(self._count - 1, self._hash.hex())

    def sign(self, body: Body) -> Signed:
        """Add an entry; return it signed."""
        self.add(body)
        signature = self._key.sign(self._hash)
        self._chain.add_signature(signature)
        return Signed(body, signature.hex())

    def add(self, body: Body) -> Signed:
        """Add an entry that a later signature covers; not in format 1."""
        self.before = self._chain.before
        self._hash = self._chain.add(body)
        self._opening = self._opening or self._hash
        self._count += 1
        return Signed(body)

    def standing(self) -> str:
        """Return the hexadecimal signature over `stands`, for `Standing`."""
        return self._key.sign(stands(self._opening, self._hash)).hex()


def sign_stream(key: SigningKey, bodies: Sequence[Body]) -> tuple[Signed, ...]:
    """Return a stream with a record's signatures. bodies: opening first. Raises UnknownFormat."""
    first = bodies[0]
    assert isinstance(first, Opening)
    signer, each = Signer(key, first.format), 1 if first.format == 1 else EACH
    last = len(bodies) - 1
    return tuple((signer.sign if n % each == 0 or n == last else signer.add)(body) for n, body in enumerate(bodies))
