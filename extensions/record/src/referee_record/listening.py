"""Reads a table's public socket and verifies chain and signatures as frames arrive.

For programs that pass the stream on or keep its heads; they need only the table's public key (`referee key`). What
was verified stays known after a restart of the table and other matches: it may be repeated, but a shorter or
different history is detected."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec

from device.bus.framing import LONGEST_OUT, Unpacker
from engine.errors import RefereeError
from referee_record.public_entries import SIGNATURE, Chain, Head, Link, Opening, Signed, UnknownFormat, signature_bytes
from referee_record.public_frames import FRAME, Frame, Glance, Said, Silent, Standing, stands
from referee_record.public_key import PublicKey
from vision.files import quote

MATCHES = 256
"""Most recent matches whose state is kept."""


class Doubt(RefereeError, ValueError):
    """The frame is not what the table signed, or not all of it; the message says why."""


class Nonsense(Doubt):
    """Bytes that are no frame, or a frame of a later version."""


class OtherKey(Doubt):
    """Another table's key signed it."""


class Forged(Doubt):
    """The key did not sign this, or signed something else before."""


class Gap(Doubt):
    """Links `first` to `last` were missed. A new connection gets the whole match; else only an export has them.
    Listening continues from the table's stated position, or the next opening."""

    def __init__(self, first: int, last: int) -> None:
        super().__init__(f"the links {first} to {last} were missed" if last > first else f"link {first} was missed")
        self.first, self.last = first, last


class _Heard(msgspec.Struct, frozen=True):
    """A match's verified state. opening: its hash. head: the latest signed. links: consecutive ones from the
    opening."""

    opening: bytes
    head: Head
    links: int = 0


class Listener:
    """Verifies one table's stream. key: its public key in hexadecimal; "": trust the first heard. Raises ValueError
    for an invalid key."""

    def __init__(self, key: str = "") -> None:
        self._written = key
        self._key = PublicKey(key) if key else None
        self._chain: Chain | None = None
        self._heard: dict[str, _Heard] = {}
        self._at = 0
        self.opening: Opening | None = None

    @property
    def head(self) -> Head | None:
        """The current match's latest head; None without a match."""
        return None if self.opening is None else self._heard[self.opening.match].head

    @property
    def key(self) -> str:
        """The table's key; "" if unknown."""
        return self._written

    def take(self, data: bytes) -> Signed | Glance | None:
        """Return a frame's new, verified link, or its unsigned glance; None if nothing is new. Raises Doubt; then
        nothing was taken, except for a `Gap` with a stated position."""
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
        """Begin a match; return its opening, or None if repeated. Raises Doubt."""
        chain = _chain(opening)
        digest = chain.add(opening)
        self._check_signature(opening, digest, link.signature)
        known = self._heard.get(opening.match, _Heard(digest, Head(0, digest.hex())))
        _same(known, digest, Head(0, digest.hex()))
        chain.add_signature(signature_bytes(link.signature))
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
        self._check_signature(self.opening, digest, link.signature)
        head = Head(body.n, digest.hex())
        _same(known, known.opening, head)
        chain.add_signature(signature_bytes(link.signature))
        if body.n > known.head.n:
            known = msgspec.structs.replace(known, head=head)
        return self._goes_on(chain, self.opening, known, link, body.n)

    def _stands(self, frame: Standing) -> None:
        """Continue from a signed position. Raises Doubt; if links were missed, a Gap after taking the position."""
        opening, last, n = frame.opening.body, frame.last, 0
        if not isinstance(opening, Opening):
            raise Nonsense("a match that stands has no opening")
        chain = _chain(opening)
        opened = digest = chain.add(opening)
        self._check_signature(opening, opened, frame.opening.signature)
        if isinstance(last.body, Link):
            chain, n = Chain(opening.format, _before(frame.before, opening.format)), last.body.n
            digest = chain.add(last.body)
            self._check_signature(opening, digest, last.signature)
        elif last != frame.opening or frame.before:
            raise Forged("the match stands at the opening of another one")
        self._check_signature(opening, stands(opened, digest), frame.signature)
        head = Head(n, digest.hex())
        before = self._heard.get(opening.match)
        if before is not None:
            _same(before, opened, head)
            if n < before.head.n:
                raise Forged(f"link {before.head.n} was said, and the match is said to stand at link {n}")
        chain.add_signature(signature_bytes(last.signature))
        self._goes_on(chain, opening, _Heard(opened, head, before.links if before is not None else 0), None, n)
        if before is not None and n > before.head.n:
            raise Gap(before.head.n + 1, n)

    def _goes_on(self, chain: Chain, opening: Opening, known: _Heard, link: Signed | None, n: int) -> Signed | None:
        """Make this match, at link `n`, the current one, keeping MATCHES at most. Return the link, or None if known."""
        new = link is not None and n >= known.links
        if new and n == known.links:
            known = msgspec.structs.replace(known, links=n + 1)
        self._chain, self.opening, self._at = chain, opening, n
        self._heard.pop(opening.match, None)
        self._heard[opening.match] = known
        if len(self._heard) > MATCHES:
            del self._heard[next(iter(self._heard))]
        return link if new else None

    def _check_signature(self, opening: Opening, message: bytes, signature: str) -> None:
        """Check a signature; keep the first key heard. Raises OtherKey, Forged, or Nonsense for an invalid key."""
        if self._written and opening.key != self._written:
            raise OtherKey(f"it is signed by the key {opening.key!r}, not by this table's")
        try:
            key = self._key or PublicKey(opening.key)
        except ValueError as error:
            raise Nonsense(f"the table's key is none: {error}") from error
        if not key.has_signed(message, signature_bytes(signature)):
            raise Forged("it is not what the table's key signed: changed, moved or added")
        self._key, self._written = key, opening.key


def _same(known: _Heard, opened: bytes, head: Head) -> None:
    """Compare an opening's hash and a head with what was heard. Raises Forged."""
    if opened != known.opening or (head.n == known.head.n and head != known.head):
        raise Forged(f"the table said something else before, up to link {known.head.n}")


def _chain(opening: Opening) -> Chain:
    try:
        return Chain(opening.format)
    except UnknownFormat as error:
        raise Nonsense(str(error)) from error


def _before(written: str, format: int) -> bytes:
    """Decode what precedes a link from hexadecimal: a hash, in format 1 with signature. Raises Nonsense."""
    size = 32 + (SIGNATURE if format == 1 else 0)
    try:
        found = bytes.fromhex(written)
    except ValueError:
        found = b""
    if len(found) != size:
        raise Nonsense(f"what a link comes after has {2 * size} hexadecimal digits")
    return found


async def frames(path: Path) -> AsyncGenerator[bytes, None]:
    """Yield a public socket's frames until it ends. Raises OSError, Nonsense."""
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
