"""Decodes received messages; undecodable ones are counted, logged once per kind and dropped."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")
LONGEST = 1_000_000
"""Largest message in bytes."""

_log = logging.getLogger(__name__)


class Inbox(Generic[T]):
    """Decodes a socket's messages. dropped: counts by reason."""

    def __init__(self, name: str, kind: Any, version: int) -> None:
        self.name, self.version = name, version
        self.dropped: Counter[str] = Counter()
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(kind)

    def receive(self, data: bytes) -> T | None:
        """Return a decoded message; None, dropping it, if too long, undecodable or of another version."""
        if len(data) > LONGEST:
            self.drop("too long", f"{len(data)} bytes")
            return None
        try:
            message = self._decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.drop("undecodable", type(error).__name__)
            return None
        version = getattr(message, "version", self.version)
        if version != self.version:
            self.drop("wrong version", f"{version}, not {self.version}")
            return None
        return message

    def drop(self, kind: str, detail: str) -> None:
        """Count a dropped message and log the first of each kind, never its contents (law 5)."""
        self.dropped[kind] += 1
        if self.dropped[kind] == 1:
            _log.warning("%s: dropped a message (%s: %s); more of this kind are only counted", self.name, kind, detail)
