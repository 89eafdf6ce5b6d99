"""Chooses the recogniser of a set: prints are aligned with their pictures, all other faces compared by the network."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from vision.recognition import recogniser
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.naming import PieceSet
from vision.recognition.prints import printed
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.recogniser import EnrolledRecogniser

Reader: TypeAlias = EnrolledRecogniser | PrintedRecogniser


def reader_of(enrolled: EnrolledSet, *, prints: bool) -> Reader:
    """Return the recogniser of pictures. prints: as `PieceSet.reads_prints`."""
    return PrintedRecogniser(enrolled) if prints else EnrolledRecogniser(enrolled)


def loader(pieces: PieceSet) -> Callable[..., Reader]:
    """Return the function that reads a set's folder, as `recogniser.load`."""
    return printed.load if pieces.reads_prints else recogniser.load
