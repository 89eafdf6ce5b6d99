"""Compresses a match's JSON lines, with hashes and signatures as bytes."""

from __future__ import annotations

import lzma
import re
from collections.abc import Sequence
from zlib import crc32

import msgspec

LARGE = 256 * 1024
"""Bytes from which packing is faster."""

_FILTERS: list[dict[str, int]] = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20, "lc": 3, "lp": 0, "pb": 0}]
_QUICKLY = [{**_FILTERS[0], "mode": lzma.MODE_FAST, "mf": lzma.MF_HC3, "nice_len": 128, "depth": 4}]
"""Faster settings with the same format."""

_PLACES = {64: b"\x01", 128: b"\x02"}
"""Placeholders of quoted digits, impossible in JSON (RFC 8259, 7)."""
_THREE = b"\x93"
"""First byte of a MessagePack array of three, impossible in LZMA2 (XZ Utils, lzma2_decoder.c)."""
_DIGITS = {place: digits for digits, place in _PLACES.items()}
_HEX = re.compile(rb'"((?:[0-9a-f]{64}){1,2})"')
_PLACE = re.compile(b"[\x01\x02]")


def pack_lines(lines: Sequence[bytes]) -> bytes:
    whole, filters = b"\n".join(lines), _FILTERS if sum(map(len, lines)) < LARGE else _QUICKLY
    hashes = b"".join(bytes.fromhex(found[1].decode()) for found in _HEX.finditer(whole))
    text = _HEX.sub(lambda found: _PLACES[len(found[1])], whole)
    parts = (lzma.compress(each, lzma.FORMAT_RAW, filters=filters) for each in (text, hashes))
    return msgspec.msgpack.encode((*parts, crc32(whole)))


def unpack_lines(data: bytes) -> list[bytes]:
    """Return the lines. Raises lzma.LZMAError, msgspec.DecodeError."""
    if not data.startswith(_THREE):  # the first clubs' format: all compressed as one
        return _whole(data).splitlines()
    *parts, check = msgspec.msgpack.decode(data, type=tuple[bytes, bytes, int])
    text, hashes = map(_whole, parts)
    at = 0

    def digits(place: re.Match[bytes]) -> bytes:
        nonlocal at
        begin, at = at, at + _DIGITS[place[0]] // 2
        return b'"%s"' % hashes[begin:at].hex().encode()

    whole = _PLACE.sub(digits, text)
    if crc32(whole) != check:
        raise lzma.LZMAError("the lines are not those that were packed")
    return whole.splitlines()


def _whole(data: bytes) -> bytes:
    return lzma.decompress(data, lzma.FORMAT_RAW, filters=_FILTERS)
