"""The journal on disk: written, read where nothing may be written, and saved when it is damaged."""

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
