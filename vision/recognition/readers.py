"""Chooses the recogniser of a set.

Prints are aligned with their pictures, other faces compared by the network, flat pieces of owners named by both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from vision.recognition import recogniser
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.naming import PieceSet
from vision.recognition.prints import printed, witnessed
from vision.recognition.prints.printed import PrintedRecogniser
from vision.recognition.prints.witnessed import WitnessedPrints
from vision.recognition.recogniser import EnrolledRecogniser

Reader: TypeAlias = EnrolledRecogniser | PrintedRecogniser


def reader_of(enrolled: EnrolledSet, pieces: PieceSet | None = None) -> Reader:
    """Return the recogniser of pictures. pieces: their set; unknown ones are compared by the network."""
    if pieces is None or not pieces.reads_prints:
        return EnrolledRecogniser(enrolled)
    if pieces.printed:
        return PrintedRecogniser(enrolled)
    return WitnessedPrints(enrolled, EnrolledRecogniser(enrolled))


def loader(pieces: PieceSet) -> Callable[..., Reader]:
    """Return the function that reads a set's folder, as `recogniser.load`."""
    if not pieces.reads_prints:
        return recogniser.load
    return printed.load if pieces.printed else witnessed.load
