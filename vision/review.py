"""What a person should better in an enrolled set before playing with it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vision.enrolment import EnrolledSet
from vision.quality import Remark, remarks, too_alike
from vision.recognition.embedding import Embedding, shipped
from vision.recognition.gallery import gallery, upright

ALIKE = 0.93
"""Score between references of two kinds from which one may be taken for the other under another lamp."""


def review(enrolled: EnrolledSet, embedding: Embedding | None = None) -> tuple[Remark, ...]:
    """Pictures that are dark, blurred or shiny, kind by kind, then pairs of kinds that look too alike."""
    pictures = (
        remark for kind, images in enrolled.pictures.items() for image in images for remark in remarks(kind, image)
    )
    return (*dict.fromkeys(pictures), *_pairs(enrolled, embedding or shipped()))


def _pairs(enrolled: EnrolledSet, embedding: Embedding) -> Iterator[Remark]:
    stock = gallery(enrolled, embedding)
    asked = [upright(image, stock.long)[0] for images in enrolled.pictures.values() for image in images]
    owner = np.repeat(np.arange(len(stock.kinds)), [len(images) for images in enrolled.pictures.values()])
    scores, _ = stock.best(embedding.describe(asked))
    for one in range(len(stock.kinds)):
        nearest = scores[owner == one].max(axis=0)
        for other in range(one + 1, len(stock.kinds)):
            if max(nearest[other], scores[owner == other, one].max()) >= ALIKE:
                yield too_alike(stock.kinds[one], stock.kinds[other])
