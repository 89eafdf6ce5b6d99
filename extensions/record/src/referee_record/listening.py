"""Reads the table's public socket, and believes nothing of it: chain and signatures are checked as they come.

For whoever passes the stream on or keeps its heads. No journal and no key is needed, only the table's public key, as
`referee key` prints it. What was heard of a match counts also after the table was silent, which nobody signs, and after
other matches: all of it may be said again, to who comes anew, but it cannot stand further back, or go on otherwise,
without being found.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec

from device.bus.page_frames import LONGEST_OUT, Unpacker
from device.evidence.public_entries import SIGNATURE, Chain, Head, Link, Opening, Signed, UnknownFormat, signature_bytes
from device.evidence.public_frames import FRAME, Frame, Glance, Said, Silent, Standing, stands
from device.evidence.table_key import PublicKey
from engine.errors import RefereeError
from vision.files import quote

MATCHES = 256
"""Of so many matches, those that were heard last, it is kept what was heard of them."""


class Doubt(RefereeError, ValueError):
    """What came is not what the table signs, or not all of it; the message says why."""


class Nonsense(Doubt):
    """No frame, or one of a later version."""


class OtherKey(Doubt):
    """It is another table's key that signs."""


class Forged(Doubt):
    """The key did not sign that, or something else before."""


class Gap(Doubt):
    """Links were missed, from the first to the last. The table says all of a match to who connects anew; else only its
    own export has them. If it was told where the match stands, listening goes on from there, or with the opening."""

    def __init__(self, first: int, last: int) -> None:
        super().__init__(f"the links {first} to {last} were missed" if last > first else f"link {first} was missed")
        self.first, self.last = first, last


class _Heard(msgspec.Struct, frozen=True):
    """What is known of a match. opening: the hash of its opening; head: the furthest that the key signed. links: so
    many were heard one after the other, the opening first; those after them may have been missed."""

    opening: bytes
    head: Head
    links: int = 0


class Listener:
    """Follows the stream of one table. key: its public key, in hexadecimal; "": the first that is heard is kept."""

    def __init__(self, key: str = "") -> None:
        """Raises ValueError if that is no key."""
        self._written = key
        self._key = PublicKey(key) if key else None
        self._chain: Chain | None = None
        self._heard: dict[str, _Heard] = {}
        self._at = 0
        self.opening: Opening | None = None

    @property
    def head(self) -> Head | None:
        """Return how far the current match is known."""
        return None if self.opening is None else self._heard[self.opening.match].head

    @property
    def key(self) -> str:
        """The table's key; "" until one is known."""
        return self._written

    def take(self, data: bytes) -> Signed | Glance | None:
        """The link that a frame brings, once it is proved; None if it brings none that was not heard before. A glance
        is given back as it came: nobody signs it. Raises Doubt: then nothing of the frame was taken, unless it is a
        `Gap` of one that says where the match stands."""
        try:
            frame: Frame = msgspec.json.decode(data, type=FRAME)
        except (ValueError, RecursionError) as error:  # also what msgspec raises
            raise Nonsense(f"no frame of the public stream: {quote(error)}") from error
        match frame:
            case Glance():
                return frame
            case Silent():
                self._chain = self.opening = None
                return None
            case Standing():
                self._stands(frame)
                return None
            case Said(link=Signed(body=Opening() as opening) as link):
                return self._open(opening, link)
            case Said(link=link):
                assert isinstance(link.body, Link)
                return self._follow(link.body, link)

    def _open(self, opening: Opening, link: Signed) -> Signed | None:
        """A match begins, or is said again."""
        chain = _chain(opening)
        digest = chain.add(opening)
        self._signed(opening, digest, link.signature)
        known = self._heard.get(opening.match, _Heard(digest, Head(0, digest.hex())))
        _same(known, digest, Head(0, digest.hex()))
        chain.signed(signature_bytes(link.signature))
        return self._goes_on(chain, opening, known, link, 0)

    def _follow(self, body: Link, link: Signed) -> Signed | None:
        if self._chain is None or self.opening is None:
            raise Gap(0, body.n - 1)
        if body.n > self._at + 1:
            raise Gap(self._at + 1, body.n - 1)
        if body.n <= self._at:
            raise Forged(f"link {body.n} came after link {self._at}")
        chain, known = self._chain.copy(), self._heard[self.opening.match]
        digest = chain.add(body)
        self._signed(self.opening, digest, link.signature)
        head = Head(body.n, digest.hex())
        _same(known, known.opening, head)
        chain.signed(signature_bytes(link.signature))
        if body.n > known.head.n:
            known = msgspec.structs.replace(known, head=head)
        return self._goes_on(chain, self.opening, known, link, body.n)

    def _stands(self, frame: Standing) -> None:
        """Goes on from a link that the key signed."""
        opening, last, n = frame.opening.body, frame.last, 0
        if not isinstance(opening, Opening):
            raise Nonsense("a match that stands has no opening")
        chain = _chain(opening)
        opened = digest = chain.add(opening)
        self._signed(opening, opened, frame.opening.signature)
        if isinstance(last.body, Link):
            chain, n = Chain(opening.format, _before(frame.before, opening.format)), last.body.n
            digest = chain.add(last.body)
            self._signed(opening, digest, last.signature)
        elif last != frame.opening or frame.before:
            raise Forged("the match stands at the opening of another one")
        self._signed(opening, stands(opened, digest), frame.signature)
        head = Head(n, digest.hex())
        before = self._heard.get(opening.match)
        if before is not None:
            _same(before, opened, head)
            if n < before.head.n:
                raise Forged(f"link {before.head.n} was said, and the match is said to stand at link {n}")
        chain.signed(signature_bytes(last.signature))
        self._goes_on(chain, opening, _Heard(opened, head, before.links if before is not None else 0), None, n)
        if before is not None and n > before.head.n:
            raise Gap(before.head.n + 1, n)

    def _goes_on(self, chain: Chain, opening: Opening, known: _Heard, link: Signed | None, n: int) -> Signed | None:
        """All of it is proved. n: of the link; returned is one that was not heard before."""
        new = link is not None and n >= known.links
        if new and n == known.links:
            known = msgspec.structs.replace(known, links=n + 1)
        self._chain, self.opening, self._at = chain, opening, n
        self._heard.pop(opening.match, None)
        self._heard[opening.match] = known
        if len(self._heard) > MATCHES:
            del self._heard[next(iter(self._heard))]
        return link if new else None

    def _signed(self, opening: Opening, message: bytes, signature: str) -> None:
        """Raises OtherKey or Forged. The first key that is heard is kept once it has signed something."""
        if self._written and opening.key != self._written:
            raise OtherKey(f"it is signed by the key {opening.key!r}, not by this table's")
        try:
            key = self._key or PublicKey(opening.key)
        except ValueError as error:
            raise Nonsense(f"the table's key is none: {error}") from error
        if not key.signed(message, signature_bytes(signature)):
            raise Forged("it is not what the table's key signed: changed, moved or put in")
        self._key, self._written = key, opening.key


def _same(known: _Heard, opened: bytes, head: Head) -> None:
    """Raises Forged if the table says something else than before. opened: the hash of the opening; head: of a link."""
    if opened != known.opening or (head.n == known.head.n and head != known.head):
        raise Forged(f"the table said something else before, up to link {known.head.n}")


def _chain(opening: Opening) -> Chain:
    try:
        return Chain(opening.format)
    except UnknownFormat as error:
        raise Nonsense(str(error)) from error


def _before(written: str, format: int) -> bytes:
    """Return the predecessor that a link names: a hash, in format 1 of link and signature."""
    size = 32 + (SIGNATURE if format == 1 else 0)
    try:
        found = bytes.fromhex(written)
    except ValueError:
        found = b""
    if len(found) != size:
        raise Nonsense(f"what a link comes after has {2 * size} hexadecimal digits")
    return found


async def frames(path: Path) -> AsyncGenerator[bytes, None]:
    """Yield the frames of a table's public socket until it ends. Raises OSError if nobody is there, and Nonsense."""
    reader, writer = await asyncio.open_unix_connection(path)
    unpacker = Unpacker(LONGEST_OUT)
    try:
        while data := await reader.read(1 << 16):
            for frame in unpacker.feed(data):
                if frame is None:
                    raise Nonsense(f"a frame is longer than {LONGEST_OUT} bytes")
                yield frame
    finally:
        writer.close()
