"""Reads and writes records for commands; errors name the file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from device import games
from device.extensions import signer
from device.journal import About, Archive, JournalNewer
from device.records.public_match import begins
from device.records.public_record import day, decode_public, people, players, write_record
from device.session.match_start import OTHER_VERSION, UNFIT
from device.session.table import KnownGame
from engine import notation
from engine.catalogue import AnyGame
from engine.entry import Entry
from engine.errors import RefereeError, Refusal
from engine.evening import Evening
from engine.notation import PlayedLine, Record
from vision.files import read_text
from vision.files.reading import LONGEST, check_size, text_of

STORED = "(`referee journal export --stored` writes its entries as they are stored, whatever this version knows)"


STDIN = "standard input"
REMEDY = "name a record, as `referee journal export` writes it"


class RecordError(RefereeError, ValueError):
    """A file that is no record or can't be replayed."""


def read(file: Path) -> tuple[Record, ...]:
    """Return the records in a file (- for standard input). Raises RecordError, BadFile."""
    with _naming(file):
        return notation.parse_all(_text(file), games.specs())


def game_of(file: Path, record: Record) -> AnyGame:
    """Return a match's game with its cards. Raises RecordError if its data differ from the installed ones, UnknownGame,
    BadFile."""
    with _naming(file):
        return games.of_match(games.spec(record.start.game), record.start)


def decode_about(file: Path, record: Record) -> About:
    """Return the description in a record that can't be replayed. Raises RecordError."""
    with _naming(file):
        return decode_public(record)


def people_of(file: Path, record: Record) -> About:
    """Return a record's players and day. Raises RecordError."""
    with _naming(file):
        return people(record)


Kept: TypeAlias = "tuple[tuple[Entry, ...], About, bool]"
"""A match's entries, description, and True if it is over."""


def kept_match(archive: Archive, number: int) -> Kept:
    """Return a stored match. Raises JournalError."""
    try:
        return archive.entries(number), archive.about(number), archive.over(number)
    except JournalNewer as error:
        raise JournalNewer(f"{error} {STORED}") from error


def public(entries: Sequence[Entry], about: About, last: Evening | None = None) -> str:
    """Return a public record. last: see `write_record`. Raises RecordError, BadFile."""
    with _fitting():
        return write_record(_of(entries), entries, about, last)


def sign_record(entries: Sequence[Entry], about: About, folder: Path, *, reveal: bool) -> bytes:
    """Return a record, signed with the key in this folder. Raises RecordError, BadFile, NoFile without a key, and what
    the extension that signs raises."""
    module = signer()
    if module is None:
        raise RecordError("nothing that is installed here signs records: install table-referee[record]")
    with _fitting():
        signed: bytes = import_module(module).sign_match(_of(entries), entries, about, folder, reveal=reveal)
        return signed


def find_game(game: str) -> KnownGame:
    """Return a game by name. Raises UnknownGame, BadFile."""
    spec = games.spec(game)
    return KnownGame(spec, *games.build(spec))


def _of(entries: Sequence[Entry]) -> KnownGame:
    return find_game(begins(entries).game)


@contextmanager
def _fitting() -> Iterator[None]:
    try:
        yield
    except (Refusal, games.UnknownGame) as wrong:
        raise _unfit(wrong) from wrong
    except RefereeError:
        raise
    except UNFIT as wrong:
        raise _unfit(OTHER_VERSION) from wrong


def _unfit(why: object) -> RecordError:
    return RecordError(f"the match does not fit what is installed here: {why} {STORED}")


def private(entries: Sequence[Entry], about: About, *, secrets: bool) -> str:
    """Return a private record, without the seed unless `secrets`; needs no installed game. Raises RecordError."""
    with _fitting():
        header = ('[Record "private"]', *day(about), *players(begins(entries), about.names))
        return "\n".join([*header, notation.write(tuple(entries), secrets=secrets)])


def play_lines(file: Path, game: AnyGame, record: Record) -> Iterator[PlayedLine]:
    """Yield a match's replayed lines. Raises RecordError if it can't begin."""
    with _naming(file):
        yield from notation.play(game, record)


def _text(file: Path) -> str:
    if str(file) == "-":
        return text_of(check_size(sys.stdin.buffer.read(LONGEST + 1), STDIN, remedy=REMEDY), STDIN)
    return read_text(file, remedy=REMEDY)


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    try:
        yield
    except Refusal as wrong:
        raise RecordError(f"{file}: {wrong}") from wrong
