"""Stores matches on disk: writing, reading, and salvage of damaged journals."""

from device.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalFailing,
    JournalFull,
    JournalGone,
    JournalNewer,
    JournalTaken,
)
from device.journal.match_info import About, Ending, Loss
from device.journal.reading import Archive
from device.journal.writing import Journal

__all__ = [
    "About",
    "Archive",
    "Ending",
    "Journal",
    "JournalDamaged",
    "JournalError",
    "JournalFailing",
    "JournalFull",
    "JournalGone",
    "JournalNewer",
    "JournalTaken",
    "Loss",
]
