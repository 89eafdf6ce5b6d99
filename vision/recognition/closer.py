"""The closer look at a doubtful crop: aligned with its likeliest reference, and compared with spoiled references.

It is turned and moved back first. A reference that is spoiled as the crop is (blurred, dazzled, covered at an edge)
scores high for it, and for few strangers; and line by line (`closeness`) strangers do not fit. If doubt is left, and
something covers an edge, the reference is painted in there (`covered`), and it is compared a last time.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np

from vision.recognition.alignment import displaced, planes
from vision.recognition.canonical import SIDE
from vision.recognition.closeness import Reference, closeness, reference
from vision.recognition.comparison import Compared, Upright, second_look
from vision.recognition.confidence import Closer, Mended, evidence
from vision.recognition.covered import Mask, covered, painted
from vision.recognition.embedding import Embedding, Vectors
from vision.recognition.gallery import Gallery
from vision.recognition.rehearsal import Row
from vision.recognition.traits import traits
from vision.recognition.views import turned

COHORT = 10
"""Kinds that a crop is likest to, or would be, whose scores are looked at."""

KEPT = 128
"""References whose lines are kept: those of a table's pieces, and their twins."""


FADED = 0.7
"""How much softer than its reference a crop is (`Traits.edges`) that cannot be laid over it with any certainty."""


MOST = 0.25
"""Share of a crop that may be painted in; with more hidden, strangers become too like what they are taken for."""


class Laid(msgspec.Struct, frozen=True):
    """A crop that lies over a reference. anyhow: of every kind, the score of its likest reference, spoiled or not.
    mended: where the reference was painted in."""

    seen: Compared
    anyhow: Vectors
    mended: Mask | None = None


def laid(stock: Gallery, seen: Compared, number: int) -> Upright:
    """The crop turned and moved back to where it lies best over the reference of a kind."""
    over, turn = stock.reference(int(seen.views[number]))
    right, down = displaced(planes(seen.image), over, turn)
    matrix = np.asarray(cv2.getRotationMatrix2D((SIDE / 2 - 0.5, SIDE / 2 - 0.5), turn, 1.0), np.float64)
    matrix[:, 2] -= matrix[:, :2] @ np.array([right * SIDE, down * SIDE])
    moved = cv2.warpAffine(seen.image, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    return moved.astype(np.uint8, copy=False), seen.turned - turn


def compare_anyhow(stock: Gallery, embedding: Embedding, stood: Sequence[Upright]) -> list[Laid]:
    """Every crop that lies over a reference against all references, spoiled ones too."""
    if not stood:
        return []
    queries = embedding.describe([image for image, _ in stood])
    scores, views = stock.best(queries)
    rows = zip(stood, scores, views, stock.anyhow(queries), strict=True)
    return [Laid(Compared(image, turn, score, view), anyhow) for (image, turn), score, view, anyhow in rows]


def mended(stock: Gallery, close: Laid, best: int) -> tuple[Upright, Mask] | None:
    """The crop with the reference of its best kind painted in where something covers it; None if nothing does, or too
    much."""
    number, turn = divmod(int(close.seen.views[best]), len(stock.turns))
    picture, angle = stock.pictures[number], stock.turns[turn]
    over = turned(picture, angle) if angle else picture
    mask = covered(close.seen.image, over)
    if not 0 < mask.mean() <= MOST:
        return None
    return (painted(close.seen.image, over, mask), close.seen.turned), mask


def compare_mended(stock: Gallery, embedding: Embedding, found: Sequence[tuple[Upright, Mask]]) -> list[Laid]:
    """Every such crop against all references."""
    again = compare_anyhow(stock, embedding, [stood for stood, _ in found])
    return [msgspec.structs.replace(one, mended=mask) for one, (_, mask) in zip(again, found, strict=True)]


class Lines:
    """The lines of references, worked out when first asked for."""

    def __init__(self, stock: Gallery) -> None:
        self._stock = stock
        self._known: dict[int, Reference] = {}

    def of(self, view: int) -> Reference:
        known = self._known.pop(view, None) or self._drawn(view)
        self._known[view] = known
        if len(self._known) > KEPT:
            del self._known[next(iter(self._known))]
        return known

    def _drawn(self, view: int) -> Reference:
        number, turn = divmod(view, len(self._stock.turns))
        picture, angle = self._stock.pictures[number], self._stock.turns[turn]
        return reference(turned(picture, angle) if angle else picture)


def weigh_closely(stock: Gallery, lines: Lines, close: Laid) -> tuple[int, Closer]:
    """The likeliest kind, and what the confidence in it is made of."""
    seen = close.seen
    crop = traits(seen.image)
    softer = crop.edges - stock.traits[_number(stock, seen, int(close.anyhow.argmax()))].edges
    second = second_look(stock, seen, close.anyhow, min(1.0, max(0.0, 1 + softer / FADED)))
    best, other = (int(kind) for kind in np.argsort(-second)[[0, min(1, len(second) - 1)]])
    number = _number(stock, seen, best)
    straight = stock.traits[number]
    expected = stock.rehearsal.expected(number, best, crop, straight)
    known = evidence(seen.scores, second, stock.crowd, crop, straight, expected)
    over, beside = (lines.of(int(seen.views[kind])) for kind in (best, other))
    fits = closeness(seen.image, over, beside, close.mended)
    rest = np.delete(close.anyhow, best)
    score = float(close.anyhow[best])
    ahead = score - max(0.0, float(rest.max(initial=0.0)))
    strange = _strange(seen.scores, stock.rehearsal.profile(number, crop, straight), best)
    base: dict[str, float] = {
        **msgspec.structs.asdict(known),
        "anyhow": score,
        "ahead": ahead,
        "strange": strange,
        **fits._asdict(),
    }
    return best, Closer(**base) if close.mended is None else Mended(**base, hidden=float(close.mended.mean()))


def _number(stock: Gallery, seen: Compared, kind: int) -> int:
    return int(seen.views[kind]) // len(stock.turns)


def _strange(scores: Vectors, expected: Row, best: int) -> float:
    """Root mean square difference over the COHORT kinds, but the best, that score most or would."""
    others = np.delete(np.arange(len(scores)), best)
    like = others[np.argsort(-np.maximum(scores[others], expected[others]))[:COHORT]]
    return float(np.sqrt(np.square(scores[like] - expected[like]).mean())) if len(like) else 0.0
