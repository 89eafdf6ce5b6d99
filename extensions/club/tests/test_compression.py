"""What is packed comes back to the byte, whatever the lines say, and also from the archives of earlier versions."""

from __future__ import annotations

import json
import lzma
import secrets
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from extensions.club.tests.test_archive import identity
from extensions.record.tests.herald.table import Match
from referee_club import compression
from referee_club.archive import FORMAT, Archive
from referee_club.compression import pack_lines, unpack_lines

HOSTILE = (
    "",
    "0" * 64,
    "a" * 63,
    "a" * 128,
    "a" * 192,
    "A" * 64,
    "\x01\x02",
    '"' + "b" * 64,
    "c" * 64 + '"',
    '"' + "d" * 64 + '"',
    "\\" + "e" * 64,
    "\N{SNOWMAN}\n" + "f" * 64,
)


@pytest.mark.parametrize("large", [0, compression.LARGE])
def test_lines_come_back_whatever_they_say(monkeypatch: pytest.MonkeyPatch, large: int) -> None:
    monkeypatch.setattr(compression, "LARGE", large)
    lines = [json.dumps({"a": text, text: [text, "f" * 64]}, ensure_ascii=False).encode() for text in HOSTILE]
    assert unpack_lines(pack_lines(lines)) == lines
    assert unpack_lines(pack_lines([])) == []


def test_hashes_take_their_bytes_and_little_more() -> None:
    lines = [msgspec.json.encode({"n": n, "view": sha256(b"%d" % n).hexdigest()}) for n in range(200)]
    assert len(pack_lines(lines)) < 200 * 32 + 600


def test_no_flipped_bit_is_read_as_something_else() -> None:
    lines = [msgspec.json.encode({"n": n, "view": sha256(b"%d" % n).hexdigest()}) for n in range(5)]
    data = pack_lines(lines)
    for place in range(8 * len(data)):
        spoiled = bytearray(data)
        spoiled[place // 8] ^= 1 << place % 8
        with suppress(lzma.LZMAError, msgspec.DecodeError):
            assert unpack_lines(bytes(spoiled)) == lines


def earlier(lines: list[bytes]) -> bytes:
    """As format 1 packed them."""
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20, "lc": 0, "lp": 0, "pb": 0}]
    return lzma.compress(b"\n".join(lines), lzma.FORMAT_RAW, filters=filters)


def test_what_was_packed_in_format_1_is_read_however_it_begins() -> None:
    for lines in (
        [b"{}"],
        [b"[1]"] * 9,
        [b"7" * 100_000] * 3,
        [bytes(range(32, 127))],
        [secrets.token_bytes(99).hex().encode()],
    ):
        assert unpack_lines(earlier(lines)) == lines


def test_an_archive_of_format_1_is_read_and_goes_on(tmp_path: Path) -> None:
    match, path = Match(), tmp_path / "club.db"
    archive = Archive(path)
    for n, link in enumerate(match.links):
        archive.take_link("table-1", identity(match), n, link)
    archive.connection.execute("UPDATE match SET packed = ?", (earlier(list(map(msgspec.json.encode, match.links))),))
    archive.connection.execute("DELETE FROM link")
    archive.connection.execute("PRAGMA user_version = 1")
    archive.close()
    archive = Archive(path)
    assert list(archive.links(identity(match))) == match.links
    assert archive.connection.execute("PRAGMA user_version").fetchone() == (1,), "an earlier version reads it still"
    begun = msgspec.structs.replace(match.links[0].body, match="6" * 32)
    archive.take_link("table-1", "6" * 32, 0, msgspec.structs.replace(match.links[0], body=begun))
    assert archive.connection.execute("PRAGMA user_version").fetchone() == (1,), "nothing was packed"
    begun = msgspec.structs.replace(match.links[0].body, match="7" * 32)
    archive.take_link("table-1", "7" * 32, 0, msgspec.structs.replace(match.links[0], body=begun))
    assert archive.connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)
    archive.close()
