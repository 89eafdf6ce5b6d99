"""The check round: what an enrolled set named when its pieces were laid once more, and what follows for its threshold.

The threshold was fitted over many sets, each left out in turn; the few pictures of one set's round only correct it. A
single wrong name tightens it at once; nothing loosens it, for a round is short. From n answers alone no better bound
can be had than 1 in n + 1. The round belongs to the pictures that were enrolled then: after any other enrolment it no
longer counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from vision.files import BadFile, Fault, read_bytes, write_whole
from vision.files.reading import json_of
from vision.recognition.index import CHECKED, Index, read_index

VERSION = 1

USUAL = 0.93
"""Confidence from which a name is given, fitted over many sets (tools/lab/train_embedding)."""

STRICTEST = 0.999


class LaidPiece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one piece that was laid once more was taken for.

    kind: what it was; guess: the likeliest kind, None if it looked like none.
    """

    kind: str
    guess: str | None
    confidence: float

    @property
    def wrong(self) -> bool:
        """True if it was named another kind at the usual threshold."""
        return self.guess != self.kind and self.guess is not None and self.confidence >= USUAL

    @property
    def right(self) -> bool:
        """True if it was named what it is at the usual threshold."""
        return self.guess == self.kind and self.confidence >= USUAL


class CheckRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A check round. enrolled: which pictures it was about, see `digest`."""

    enrolled: str
    answers: tuple[LaidPiece, ...]
    version: int = VERSION


def digest(index: Index) -> str:
    """Differs if any picture of a set does."""
    listed = "\n".join(sorted(f"{each.kind}/{each.file}" for each in index.references))
    return hashlib.sha256(listed.encode()).hexdigest()


def threshold(answers: Sequence[LaidPiece]) -> float:
    """The confidence from which this set's names are given."""
    wrong = [answer.confidence for answer in answers if answer.wrong]
    if not wrong:
        return USUAL
    surest = max(wrong)
    return min(STRICTEST, surest + (1 - surest) / 2)


def read_checked(folder: Path) -> CheckRound | None:
    """The round of the set in a folder; None if there was none since it was enrolled. Raises BadFile."""
    path, remedy = folder / CHECKED, f"remove it, or enrol the set again: `referee enrol {folder.name}`"
    if not path.exists():
        return None
    checked = checked_of(read_bytes(path, remedy=remedy), path, remedy)
    return checked if checked.enrolled == digest(read_index(folder)) else None


def checked_of(data: bytes, path: Path | str, remedy: str) -> CheckRound:
    """A round, of bytes that were read already, whatever pictures it is about. `path` stands in the errors. Raises
    BadFile."""
    checked = json_of(data, CheckRound, path, remedy)
    if checked.version != VERSION:
        raise BadFile(path, Fault("version", f"is {checked.version}, this program reads {VERSION}", remedy))
    return checked


def keep_checked(folder: Path, answers: Sequence[LaidPiece]) -> None:
    """Writes the round of the set as it is enrolled now. Raises OSError, BadFile."""
    checked = CheckRound(digest(read_index(folder)), tuple(answers))
    write_whole(folder / CHECKED, msgspec.json.format(msgspec.json.encode(checked), indent=1))


def threshold_of(folder: Path) -> float:
    """The threshold of the set in a folder. Raises BadFile."""
    checked = read_checked(folder)
    return USUAL if checked is None else threshold(checked.answers)
