"""Stores a set's check round and derives its threshold.

The usual threshold was fitted over many sets. A wrong name in the round tightens it; nothing loosens it. The round is
valid only for the pictures enrolled then.
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
"""Threshold of confidence, for names of every set."""


class LaidPiece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer for a piece placed again. guess: likeliest kind."""

    kind: str
    guess: str | None
    confidence: float

    @property
    def wrong(self) -> bool:
        """Return True if misnamed at the usual threshold."""
        return self.guess != self.kind and self.guess is not None and self.confidence >= USUAL

    @property
    def right(self) -> bool:
        """Return True if correctly named at the usual threshold."""
        return self.guess == self.kind and self.confidence >= USUAL


class CheckRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A check round. enrolled: `digest` of its pictures."""

    enrolled: str
    answers: tuple[LaidPiece, ...]
    version: int = VERSION


def digest(index: Index) -> str:
    """Return a digest of a set's kinds and picture files, whose names change with their content."""
    listed = "\n".join(sorted(f"{each.kind}/{each.file}" for each in index.references))
    return hashlib.sha256(listed.encode()).hexdigest()


def threshold(answers: Sequence[LaidPiece]) -> float:
    """Return USUAL, or a threshold above all wrong answers."""
    wrong = [answer.confidence for answer in answers if answer.wrong]
    if not wrong:
        return USUAL
    surest = max(wrong)
    return surest + (1 - surest) / 2


def read_checked(folder: Path) -> CheckRound | None:
    """Return the set's round; None without one, or if other pictures are enrolled now. Raises BadFile."""
    path, remedy = (
        folder / CHECKED,
        f"remove it, or enrol the set again on the owner's page, or with `referee enrol {folder.name}`",
    )
    if not path.exists():
        return None
    checked = checked_of(read_bytes(path, remedy=remedy), path, remedy)
    return checked if checked.enrolled == digest(read_index(folder)) else None


def checked_of(data: bytes, path: Path | str, remedy: str) -> CheckRound:
    """Decode a check round. path, remedy: for the error. Raises BadFile."""
    checked = json_of(data, CheckRound, path, remedy)
    if checked.version != VERSION:
        raise BadFile(path, Fault("version", f"is {checked.version}, this program reads {VERSION}", remedy))
    return checked


def keep_checked(folder: Path, answers: Sequence[LaidPiece]) -> None:
    """Store the round of the enrolled set. Raises OSError, BadFile."""
    checked = CheckRound(digest(read_index(folder)), tuple(answers))
    write_whole(folder / CHECKED, msgspec.json.format(msgspec.json.encode(checked), indent=1))


def threshold_of(folder: Path) -> float:
    """Return the set's threshold; USUAL without a valid round. Raises BadFile."""
    checked = read_checked(folder)
    return USUAL if checked is None else threshold(checked.answers)
