"""Describes the faults of a file."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.errors import RefereeError

MOST_TOLD = 20
"""Most faults reported one by one."""

LONGEST_QUOTE = 200
"""Most characters quoted from a decoder."""


class Fault(msgspec.Struct, frozen=True, order=True):
    """A fault of a file.

    key: dotted path ("seats.a.input.next", "cards[3].sp") or parse position; "" for the file.
    """

    key: str
    wrong: str
    remedy: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.key}: {self.wrong}; {self.remedy}" if self.key else f"{self.wrong}; {self.remedy}"


class BadFile(RefereeError, ValueError):
    """An unusable file, with a line per fault."""

    def __init__(self, path: Path | str, *faults: Fault) -> None:
        places = [f"{path}, line {fault.line}" if fault.line else str(path) for fault in faults]
        told = [f"{place}: {fault}" for place, fault in zip(places, faults, strict=True)][:MOST_TOLD]
        more = [f"{path}: and {len(faults) - MOST_TOLD} more"] if len(faults) > MOST_TOLD else []
        super().__init__("\n".join([*told, *more]))
        self.path = path
        self.faults = faults


class NoFile(BadFile, FileNotFoundError):
    """The file does not exist."""


class Refused(BadFile):
    """The system refuses to read the file; its contents are unknown."""


def quote(error: Exception) -> str:
    """Return a decoder's message in one printable line."""
    said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return shorten(said) or type(error).__name__


def shorten(said: str) -> str:
    """Return text as one printable line, cut off after LONGEST_QUOTE characters."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in " ".join(said.split()))
    return printable if len(printable) <= LONGEST_QUOTE else f"{printable[:LONGEST_QUOTE]}..."
