"""Mutations of a sample: a few small changes, as slips, damage and malice make them."""

from __future__ import annotations

import random
import re
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import TypeAlias

Change: TypeAlias = Callable[[random.Random, bytes], bytes]

MOST_CHANGES = 4
LONGEST = 300_000
"""Bytes: longer ones are cut off, so that a case stays quick."""

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
STRING = re.compile(rb'"[^"\n]*"')

NUMBERS = (
    *(b"0", b"-1", b"1", b"255", b"65536", b"2147483647", b"4294967296", b"-9223372036854775809", b"0.0", b"1e999"),
    *(b"1e308", b"nan", b"inf", b"-0.0", b"0x" + b"f" * 5000, b"9" * 5000, b'""', b"true", b"[]", b"{}", b"null"),
)
STRINGS = (
    *(b'""', b'"\\u0000"', b'"../../etc/passwd"', b'"' + b"x" * 20_000 + b'"', b"0", b"[]", b"null", b"-1", b'"{0}"'),
    *('"Müller"'.encode("latin-1"), '"石 я"'.encode(), b'"\\ud800"', b'"{a:99999999}"', b'"%s%n"', b'"a\\nb"', b'".."'),
)
NESTED = (b"[", b"{", b'{"a":', b"{a=", b"[[a]]\n", b"a.")
WORDS = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x80000000)


def mutate_sample(rng: random.Random, samples: Sequence[bytes]) -> bytes:
    """One of the samples with a few changes; now and then something else altogether."""
    if rng.random() < 0.01:
        return rng.randbytes(rng.choice((0, 1, 7, 100, 5000)))
    data = rng.choice(samples)
    for _ in range(rng.randint(1, MOST_CHANGES)):
        data = rng.choice(CHANGES)(rng, data)[:LONGEST]
    if rng.random() < 0.05:
        data = _splice(rng, data, rng.choice(samples))
    return data


def _splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    return data[: _at(rng, data)] + other[_at(rng, other) :]


def _at(rng: random.Random, data: bytes) -> int:
    return rng.randint(0, len(data))


def _flip(rng: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _insert(rng: random.Random, data: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + rng.randbytes(rng.choice((1, 1, 2, 8, 100))) + data[at:]


def _without(rng: random.Random, data: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + data[at + rng.choice((1, 1, 4, 30, 1000)) :]


def _again(rng: random.Random, data: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + data[at : at + rng.choice((1, 10, 100))] * rng.choice((2, 2, 10, 300)) + data[at:]


def _cut(rng: random.Random, data: bytes) -> bytes:
    return data[: _at(rng, data)]


def _zeros(rng: random.Random, data: bytes) -> bytes:
    """As a sector that was never written."""
    at = _at(rng, data) // 512 * 512
    return data[:at] + bytes(len(data[at : at + 512])) + data[at + 512 :]


def _word(rng: random.Random, data: bytes) -> bytes:
    at = _at(rng, data)
    form = rng.choice((">I", "<I", ">H", "<H"))
    word = struct.pack(form, rng.choice(WORDS) & (0xFFFF if form[1] == "H" else 0xFFFFFFFF))
    return data[:at] + word + data[at + len(word) :]


def _replace(pattern: re.Pattern[bytes], values: Sequence[bytes]) -> Change:
    def change(rng: random.Random, data: bytes) -> bytes:
        found = list(pattern.finditer(data))
        if not found:
            return data
        one = rng.choice(found)
        return data[: one.start()] + rng.choice(values) + data[one.end() :]

    return change


def _line(rng: random.Random, data: bytes) -> bytes:
    """A line twice, gone, or somewhere else."""
    lines = data.split(b"\n")
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.choice((0, 1, 2))):
        lines.insert(rng.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _nest(rng: random.Random, data: bytes) -> bytes:
    at = _at(rng, data)
    return data[:at] + rng.choice(NESTED) * rng.choice((3, 200, 5000)) + data[at:]


def _otherwise(rng: random.Random, data: bytes) -> bytes:
    """Saved by another editor."""
    text = data.decode("utf-8", "replace")
    return rng.choice(
        (
            lambda: text.encode("utf-16"),
            lambda: text.encode("cp1252", "replace"),
            lambda: b"\xef\xbb\xbf" + data,
            lambda: data.replace(b"\n", b"\r\n"),
            lambda: data + b"# M\xfcller\n",
            data.upper,
        )
    )()


def _resize(rng: random.Random, data: bytes) -> bytes:
    """A PNG that claims another size, with the checksum that belongs to it."""
    if data[12:16] != b"IHDR":
        return data
    size = struct.pack(">II", *(rng.choice((0, 1, 300, 4000, 6000, 30_000, 2**31 - 1)) for _ in range(2)))
    header = b"IHDR" + size + data[24:29]
    return data[:12] + header + struct.pack(">I", zlib.crc32(header)) + data[33:]


CHANGES: tuple[Change, ...] = (
    *(_flip, _flip, _insert, _without, _again, _cut, _zeros, _word, _line, _nest, _otherwise, _resize),
    *(_replace(NUMBER, NUMBERS), _replace(NUMBER, NUMBERS), _replace(STRING, STRINGS), _replace(STRING, STRINGS)),
)
