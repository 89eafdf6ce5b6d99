"""Describes files that can't be saved or restored."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.text import Text, say
from vision.files import BadFile

AFRESH = "enrol or correct it again, or take an earlier file"
"""Remedy for damaged generated files."""


class FileProblem(StrEnum):
    """Kinds of unusable files."""

    DAMAGED = "damaged"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"


class Unusable(msgspec.Struct, frozen=True):
    """A file left out. file: below the state folder. fault: for the log."""

    file: str
    why: FileProblem
    fault: str


class LeftOut(BadFile):
    """Reports a file left out. error: the reader's."""

    def __init__(self, error: BadFile, file: str, why: FileProblem) -> None:
        told = error.faults
        if why is not FileProblem.UNKNOWN:
            told = tuple(msgspec.structs.replace(fault, remedy=AFRESH) for fault in told)
        super().__init__(error.path, *told)
        self.file, self.why = file, why

    @property
    def unusable(self) -> Unusable:
        """The fault as data."""
        return Unusable(self.file, self.why, str(self))


def sentence(found: Unusable) -> Text:
    """Return a sentence: file, fault, remedy."""
    folder, name = found.file.split("/")[:2]
    if folder == "decks":
        game = name.removesuffix(".toml")
        if found.why is FileProblem.UNKNOWN:
            # Translators: {game} is the short name of a game's file, such as "fence".
            return say("Cards of {game}: this game is not installed here. Install it first.", game=game)
        return say("Cards of {game}: damaged. Correct them again, or use an earlier file.", game=game)
    if found.why is FileProblem.INCOMPLETE:
        # Translators: {set} is the short name of a set of pieces, such as "tellstones".
        return say("Set {set}: a picture is missing. Enrol its pieces again, or use an earlier file.", set=name)
    return say("Set {set}: damaged. Enrol its pieces again, or use an earlier file.", set=name)
