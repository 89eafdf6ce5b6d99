"""What a person should better in an enrolled set before playing with it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vision.recognition.embedding import Embedding
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.quality import Remark, remarks, too_alike
from vision.recognition.recogniser import EnrolledRecogniser

ALIKE = 1.04
"""Score of one kind's picture for another kind from which one may be taken for the other under another lamp.

A picture scores 1.09 for its own kind; cards that differ in one thin line's colour score about 1.0.
"""


def review(enrolled: EnrolledSet, embedding: Embedding | None = None) -> tuple[Remark, ...]:
    """Pictures that are dark, blurred or shiny, kind by kind, then pairs of kinds that look too alike."""
    taken = [(kind, image) for kind, images in enrolled.pictures.items() for image in images]
    single = dict.fromkeys(remark for kind, image in taken for remark in remarks(kind, image))
    return (*single, *_pairs(enrolled, embedding))


def _pairs(enrolled: EnrolledSet, embedding: Embedding | None) -> Iterator[Remark]:
    recogniser = EnrolledRecogniser(enrolled, embedding)
    owner = np.repeat(np.arange(len(recogniser.kinds)), [len(images) for images in enrolled.pictures.values()])
    scores, _ = recogniser.scores([image for images in enrolled.pictures.values() for image in images])
    for one, kind in enumerate(recogniser.kinds):
        nearest = scores[owner == one].max(axis=0)
        for other in range(one + 1, len(recogniser.kinds)):
            if max(nearest[other], scores[owner == other, one].max()) >= ALIKE:
                yield too_alike(kind, recogniser.kinds[other])
