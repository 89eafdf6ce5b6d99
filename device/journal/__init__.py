"""The journal on disk: writing, reading without writing, and salvage of a damaged one."""

from device.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalFailing,
    JournalFull,
    JournalNewer,
    JournalTaken,
)
from device.journal.reading import Archive
from device.journal.writing import Journal

__all__ = [
    "Archive",
    "Journal",
    "JournalDamaged",
    "JournalError",
    "JournalFailing",
    "JournalFull",
    "JournalNewer",
    "JournalTaken",
]
