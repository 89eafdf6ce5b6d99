"""The faults of a file: each with its place and its remedy."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.errors import RefereeError

MOST_TOLD = 20
"""Faults of one file that are told one by one: more of them mean that it is another file altogether."""

LONGEST_QUOTE = 200
"""Letters of a decoder's own words: they may quote the file."""


class Fault(msgspec.Struct, frozen=True, order=True):
    """One fault.

    key: its dotted path in the file ("seats.a.input.next", "cards[3].sp"), or the place where the file cannot be
    parsed; "" if it concerns the file as a whole. line: where the key stands, or the section that lacks it; None if
    there is neither.
    """

    key: str
    wrong: str
    remedy: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.key}: {self.wrong}; {self.remedy}" if self.key else f"{self.wrong}; {self.remedy}"


class BadFile(RefereeError, ValueError):
    """A file that cannot be used: one line for each fault."""

    def __init__(self, path: Path | str, *faults: Fault) -> None:
        places = [f"{path}, line {fault.line}" if fault.line else str(path) for fault in faults]
        told = [f"{place}: {fault}" for place, fault in zip(places, faults, strict=True)][:MOST_TOLD]
        more = [f"{path}: and {len(faults) - MOST_TOLD} more"] if len(faults) > MOST_TOLD else []
        super().__init__("\n".join([*told, *more]))
        self.path = path
        self.faults = faults


class NoFile(BadFile, FileNotFoundError):
    """There is no such file."""


class Refused(BadFile):
    """The system does not let a file be read: what it holds is unknown, and may be good."""


def quote(error: Exception) -> str:
    """Return what a decoder says is wrong, in one line of printable letters."""
    said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return shorten(said) or type(error).__name__


def shorten(said: str) -> str:
    """Return what a file holds or a decoder says, in one line of printable letters, no longer than LONGEST_QUOTE."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in " ".join(said.split()))
    return printable if len(printable) <= LONGEST_QUOTE else f"{printable[:LONGEST_QUOTE]}..."
