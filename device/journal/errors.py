"""What can be wrong with a journal, worded twice: for the machine's administrator, and for the players at the table."""

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
"""A sector that the disk does not give back is damage: what is beside it can be saved, and written elsewhere."""

_TAKEN = frozenset({sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})


class JournalError(RefereeError, OSError):
    """The journal cannot be used; the message names the file and what to do.

    refused: what displays say while it lasts, when something could not be accepted. unsaved: what they say at
    power-on, when a table begins without its journal.
    """

    refused: ClassVar[Text] = say(
        "The journal cannot be written. Nothing was accepted: switch off and on to play on unsaved."
    )
    unsaved: ClassVar[Text] = say(
        "Nothing is saved: the journal cannot be written. Check the disk, then switch off and on."
    )


class JournalFull(JournalError):
    """There is no room on the disk. Nothing of what was to be written was kept, so nothing may be accepted."""

    refused = say("The journal cannot be written. Nothing was accepted: make room on the disk.")
    unsaved = say("Nothing is saved: the disk is full. Make room, then switch off and on.")


class JournalFailing(JournalError):
    """The disk or the folder does not let itself be read or written."""


class JournalDamaged(JournalError):
    """The file is truncated or altered. `referee journal salvage` keeps it and saves what is whole."""

    refused = say("The journal is damaged. Nothing was accepted: switch off and on to repair it.")


class JournalGone(JournalError):
    """The files were taken away under a journal in use. They are there again, with all that was accepted."""

    refused = say("The journal's files were missing and are rebuilt. Please do that again.")


class JournalTaken(JournalError):
    """Another program writes the same journal."""

    refused = say("Another program is writing the journal. Nothing was accepted: stop one of the two.")
    unsaved = say("Nothing is saved: another program writes the journal. Stop it, then switch off and on.")


class JournalNewer(JournalError):
    """The file, or an entry of it, was written by a later version of this program. It is whole, and is left alone."""

    unsaved = say("Nothing is saved: the journal is a newer referee's. Update this one.")


def damaged(path: Path, why: str) -> JournalDamaged:
    """Return the error of a damaged journal, with the remedy."""
    return JournalDamaged(
        f"{path} is damaged ({why}). Stop the referee and run `referee journal salvage {path}`: "
        "it keeps the damaged file and saves every match as far as it is whole."
    )


def newer(path: Path, what: str) -> JournalNewer:
    """Return the error of a journal of a later version, with the remedy."""
    return JournalNewer(f"{path}: {what} was written by a newer referee: update table-referee")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system about this journal into the JournalError that they mean."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # this program is wrong, not the journal
    except sqlite3.Error as error:
        raise _meant(path, error) from error
    except UnicodeDecodeError as error:  # what SQLite says quotes what was damaged
        raise damaged(path, "text in it is none") from error
    except OSError as error:
        if isinstance(error, RefereeError):
            raise
        raise (_full if error.errno == errno.ENOSPC else _failing)(path, error) from error


def _meant(path: Path, error: sqlite3.Error) -> JournalError:
    extended = getattr(error, "sqlite_errorcode", 0)
    code = extended & 0xFF
    if extended in _UNREADABLE:
        return damaged(path, str(error))
    if extended in _FULL or code in _FULL:
        return _full(path, error)
    if code in _FAILING:
        return _failing(path, error)
    if code in _TAKEN:
        return JournalTaken(f"{path} is being written by another program ({error}): stop one of the two")
    return damaged(path, str(error))


def _full(path: Path, error: Exception) -> JournalError:
    return JournalFull(f"{path} cannot be written ({error}): make room on the disk; nothing was accepted")


def _failing(path: Path, error: Exception) -> JournalError:
    return JournalFailing(f"{path} cannot be used ({error}): check the disk, the folder and its owner")
