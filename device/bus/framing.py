"""Packs frames, and splits a stream into them: a length (4 bytes, big endian) and JSON."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

HEAD = 4
"""Bytes of the length."""

LONGEST_OUT = 1 << 20
"""Bytes of a frame that the daemon sends."""


def pack(frame: msgspec.Struct) -> bytes:
    data = msgspec.json.encode(frame, order="deterministic")
    return len(data).to_bytes(HEAD, "big") + data


class Unpacker:
    """Splits a stream into frames, skipping those over `longest` bytes."""

    def __init__(self, longest: int) -> None:
        self._longest, self._data, self._skip = longest, bytearray(), 0

    def feed(self, data: bytes, most: int = 1 << 30) -> Iterator[bytes | None]:
        """Yield at most `most` complete frames as JSON; None for a skipped one."""
        self._data += data
        for _ in range(most):
            if self._skip:
                gone = min(self._skip, len(self._data))
                del self._data[:gone]
                self._skip -= gone
            if self._skip or len(self._data) < HEAD:
                return
            length = int.from_bytes(self._data[:HEAD], "big")
            if length > self._longest:
                del self._data[:HEAD]
                self._skip = length
                yield None
                continue
            if len(self._data) < HEAD + length:
                return
            frame = bytes(self._data[HEAD : HEAD + length])
            del self._data[: HEAD + length]
            yield frame
