"""Reads records (matches as text) for commands; every error names the file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from device import games
from engine import notation
from engine.catalogue import AnyGame
from engine.errors import RefereeError, Refusal
from engine.notation import Played, Record


class RecordError(RefereeError, ValueError):
    """A file is no record, or not one that can be played."""


def read(file: Path) -> tuple[AnyGame, Record]:
    """The record in a file (-: on standard input) and its game. Raises RecordError."""
    with _naming(file):
        record = notation.parse(_text(file), games.specs())
        return games.of_match(games.spec(record.start.game), record.start), record


def played(file: Path, game: AnyGame, record: Record) -> Iterator[Played]:
    """Its lines, one by one. Raises RecordError if no match can begin as the header says."""
    with _naming(file):
        yield from notation.play(game, record)


def _text(file: Path) -> str:
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise RecordError(f"{file} cannot be read: {error.strerror or error}") from error
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise RecordError(f"{file} cannot be read: line {line} is no text in UTF-8; save it as UTF-8") from error


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    try:
        yield
    except Refusal as wrong:
        raise RecordError(f"{file}: {wrong}") from wrong
