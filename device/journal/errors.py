"""Defines journal errors, worded for administrators and for players."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from engine.errors import RefereeError
from engine.text import Text, say

_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE})
_FAILING = frozenset(
    {
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_AUTH,
        sqlite3.SQLITE_NOLFS,
    }
)
_UNREADABLE = frozenset(
    {
        sqlite3.SQLITE_IOERR_READ,
        sqlite3.SQLITE_IOERR_SHORT_READ,
        sqlite3.SQLITE_IOERR_CORRUPTFS,
        sqlite3.SQLITE_IOERR_DATA,
    }
)
"""Read errors that count as damage; the rest can be salvaged."""

_TAKEN = frozenset({sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})


class JournalError(RefereeError, OSError):
    """The journal can't be used; the message has the remedy.

    refused: for displays, when entries can't be stored.
    unsaved: at power-on.
    """

    refused: ClassVar[Text] = say(
        "The journal cannot be written. Nothing was accepted: switch off and on to play on unsaved."
    )
    unsaved: ClassVar[Text] = say(
        "Nothing is saved: the journal cannot be written. Check the disk, then switch off and on."
    )


class JournalFull(JournalError):
    """The disk is full; nothing was written."""

    refused = say("The journal cannot be written. Nothing was accepted: make room on the disk.")
    unsaved = say("Nothing is saved: the disk is full. Make room, then switch off and on.")


class JournalFailing(JournalError):
    """The disk or folder can't be read or written."""


class JournalDamaged(JournalError):
    """The file is truncated or altered; `referee journal salvage` saves the intact part."""

    refused = say("The journal is damaged. Nothing was accepted: switch off and on to repair it.")


class JournalGone(JournalError):
    """The open journal's files were removed or exchanged; they are rebuilt with all entries."""

    refused = say("The journal's files were missing and were rebuilt. Please try again.")


class JournalTaken(JournalError):
    """Another program writes the same journal."""

    refused = say("Another program is writing the journal. Nothing was accepted: stop one of the two.")
    unsaved = say("Nothing is saved: another program writes the journal. Stop it, then switch off and on.")


class JournalNewer(JournalError):
    """A later version wrote the file or an entry; it is left alone."""

    unsaved = say("Nothing is being saved: the journal was written by a newer version. Update this referee.")


def damage_error(path: Path, why: str) -> JournalDamaged:
    return JournalDamaged(
        f"{path} is damaged ({why}). Stop the referee and run `referee journal salvage {path}`: "
        "it keeps the damaged file and saves every match as far as it is whole."
    )


def newer(path: Path, what: str) -> JournalNewer:
    return JournalNewer(f"{path}: {what} was written by a newer referee: update table-referee")


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Raise SQLite's, decoding and system errors as JournalError; sqlite3.ProgrammingError stays."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # this program is wrong, not the journal
    except sqlite3.Error as error:
        raise _error_of(path, error) from error
    except UnicodeDecodeError as error:  # SQLite's message quotes the damage
        raise damage_error(path, "text in it is none") from error
    except OSError as error:
        if isinstance(error, RefereeError):
            raise
        raise (_full if error.errno == errno.ENOSPC else _failing)(path, error) from error


def _error_of(path: Path, error: sqlite3.Error) -> JournalError:
    extended = getattr(error, "sqlite_errorcode", 0)
    code = extended & 0xFF
    if extended in _UNREADABLE:
        return damage_error(path, str(error))
    if extended in _FULL or code in _FULL:
        return _full(path, error)
    if code in _FAILING:
        return _failing(path, error)
    if code in _TAKEN:
        return JournalTaken(f"{path} is being written by another program ({error}): stop one of the two")
    return damage_error(path, str(error))


def _full(path: Path, error: Exception) -> JournalError:
    return JournalFull(f"{path} cannot be written ({error}): make room on the disk; nothing was accepted")


def _failing(path: Path, error: Exception) -> JournalError:
    return JournalFailing(f"{path} cannot be used ({error}): check the disk, the folder and its owner")
