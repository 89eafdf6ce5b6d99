"""What a journal keeps: entries, chained one to the next, and settings, each with its own proof.

The chain value of a row covers the row before, match, place, group and content, so that a row that was altered, moved,
doubled or put into another match does not fit any more. It is a keyed name of BLAKE2b, cut to 16 bytes: a guard against
a bad medium, not against somebody who wants to forge a match.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

import msgspec

from engine.entry import Entry, encode

PROOF = 16
"""Bytes of a chain value, and of the proof of a setting."""

ORIGIN = bytes(PROOF)
"""What the first entry of a match is chained to."""

_PLACE = struct.Struct(">QQQ")


class Row(msgspec.Struct, frozen=True):
    """One entry as stored. more: so many of the entries that were accepted together with it follow."""

    match: int
    seq: int
    more: int
    data: bytes
    chain: bytes

    def follows(self, before: bytes) -> bool:
        """Return True if the row is whole, and comes right after the one with this chain value."""
        return self.chain == chained(before, self.match, self.seq, self.more, self.data)


class Head(msgspec.Struct, frozen=True):
    """How far a match has come: the number of its entries, and the chain value of the last one."""

    count: int = 0
    chain: bytes = ORIGIN


NOTHING = Head()
"""Of a match before its first entry."""


class Setting(msgspec.Struct, frozen=True):
    """Something kept by its name. stamp: it counts what was ever kept in this journal, so that the newest is known."""

    name: str
    value: str
    stamp: int
    proof: bytes

    @property
    def whole(self) -> bool:
        return self.proof == _proof(self.name, self.value, self.stamp)


def chained(before: bytes, match: int, seq: int, more: int, data: bytes) -> bytes:
    """The chain value of a row after the one with the chain value `before`. Numbers are below 2 ** 64."""
    return blake2b(before + _PLACE.pack(match, seq, more) + data, digest_size=PROOF, person=b"referee entry").digest()


def rows_of(match: int, head: Head, entries: Sequence[Entry]) -> tuple[Row, ...]:
    """Entries that are accepted together, as they are stored after the ones that are there."""
    return linked(match, head, ((len(entries) - n - 1, encode(entry)) for n, entry in enumerate(entries)))


def linked(match: int, head: Head, contents: Iterable[tuple[int, bytes]]) -> tuple[Row, ...]:
    """Rows with these contents (`more`, `data`), chained to what is there."""
    rows, before = [], head.chain
    for seq, (more, data) in enumerate(contents, start=head.count):
        before = chained(before, match, seq, more, data)
        rows.append(Row(match, seq, more, data, before))
    return tuple(rows)


def setting(name: str, value: str, stamp: int) -> Setting:
    """A setting with its proof."""
    return Setting(name, value, stamp, _proof(name, value, stamp))


def whole_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows of one match, in order, up to the first that is missing or not whole."""
    seq, before = 0, ORIGIN
    for row in rows:
        if row.seq != seq or not row.follows(before):
            return
        yield row
        seq, before = seq + 1, row.chain


def newest(settings: Iterable[Setting]) -> Mapping[str, Setting]:
    """Return the version of each setting that was stored last."""
    found: dict[str, Setting] = {}
    for each in settings:
        if each.name not in found or found[each.name].stamp < each.stamp:
            found[each.name] = each
    return found


def _proof(name: str, value: str, stamp: int) -> bytes:
    content = _PLACE.pack(stamp, len(name), len(value)) + f"{name}{value}".encode(errors="surrogatepass")
    return blake2b(content, digest_size=PROOF, person=b"referee setting").digest()
