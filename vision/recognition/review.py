"""Reviews an enrolled set: what a person should improve before playing with it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vision.recognition.enrolment import EnrolledSet
from vision.recognition.quality import Remark, remarks, too_alike
from vision.recognition.recogniser import EnrolledRecogniser

ALIKE = 0.985
"""Score of one kind's picture for another kind from which one may be taken for the other under another lamp.

Another picture of the same piece scores about as much; cards that differ in one thin line's colour score less.
"""


def review(enrolled: EnrolledSet, judge: EnrolledRecogniser | None = None) -> tuple[Remark, ...]:
    """Pictures that are dark, blurred or shiny, kind by kind, then pairs of kinds that look too alike.

    judge: the set's recogniser, if there is one already.
    """
    taken = [(kind, image) for kind, images in enrolled.pictures.items() for image in images]
    single = dict.fromkeys(remark for kind, image in taken for remark in remarks(kind, image))
    return (*single, *_pairs(judge or EnrolledRecogniser(enrolled)))


def _pairs(recogniser: EnrolledRecogniser) -> Iterator[Remark]:
    for one, other in zip(*np.nonzero(np.triu(recogniser.gallery.crowd.alike >= ALIKE, 1)), strict=True):
        yield too_alike(recogniser.kinds[one], recogniser.kinds[other])
