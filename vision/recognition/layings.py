"""Aligns a doubtful crop with each candidate's reference.

Each kind has its own alignment, so none is favoured: a reference spoiled like the crop scores high only where aligned.
Covered parts are painted with each reference and compared again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import msgspec
import numpy as np

from vision.recognition.alignment import displaced, planes
from vision.recognition.canonical import SIDE
from vision.recognition.comparison import ComparedCrop, Upright
from vision.recognition.covered import Mask, covered, dazzled, painted
from vision.recognition.drawings import Drawings
from vision.recognition.embedding import Embedding, Vectors
from vision.recognition.gallery import Gallery
from vision.recognition.lamp import balanced, mildest, tint

CANDIDATES, REACH = 3, 0.15
"""Most candidates, and score by which they may trail."""

MOST = 0.4
"""Largest painted share; more makes strangers similar."""


class Layings(msgspec.Struct, frozen=True):
    """A crop aligned with candidates. anyhow: each kind's best score over all alignments, spoiled or not."""

    over: dict[int, ComparedCrop]
    anyhow: Vectors

    @property
    def is_bare(self) -> bool:
        """Return True if nothing is painted."""
        return all(seen.hidden is None for seen in self.over.values())


def layings(
    stock: Gallery, embedding: Embedding, seen: Sequence[ComparedCrop], second: Sequence[Vectors]
) -> list[Layings]:
    """Align crops. second: scores after the second look."""
    chosen = [_candidates(scores) for scores in second]
    stood = [each for crop, kinds in zip(seen, chosen, strict=True) for each in _laid(stock, crop, kinds)]
    found = iter(_compared(stock, embedding, stood))
    return [_together([(kind, *next(found)) for kind in kinds]) for kinds in chosen]


def _laid(stock: Gallery, seen: ComparedCrop, kinds: Sequence[int]) -> list[Upright]:
    """Align with each kind, without the lamp's colour."""
    stood = [laid(stock, seen, kind) for kind in kinds]
    over = [stock.pictures[int(seen.views[kind]) // len(stock.turns)] for kind in kinds]
    gains = mildest(tint(picture, known) for (picture, _), known in zip(stood, over, strict=True))
    return [(balanced(picture, gains), turned) for picture, turned in stood]


def laid(stock: Gallery, seen: ComparedCrop, kind: int) -> Upright:
    """Return the crop turned and shifted onto a reference."""
    over, turn = stock.reference(int(seen.views[kind]))
    right, down = displaced(planes(seen.image), over, turn)
    matrix = np.asarray(cv2.getRotationMatrix2D((SIDE / 2 - 0.5, SIDE / 2 - 0.5), turn, 1.0), np.float64)
    matrix[:, 2] -= matrix[:, :2] @ np.array([right * SIDE, down * SIDE])
    moved = cv2.warpAffine(seen.image, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    return moved.astype(np.uint8, copy=False), seen.turned - turn


def uncovered(stock: Gallery, embedding: Embedding, drawings: Drawings, crops: Sequence[Layings]) -> list[Layings]:
    """Fill each crop's covered parts from the candidates' references and compare again; return the crops with the new
    scores."""
    masks = [{kind: _hidden(drawings, kind, seen) for kind, seen in crop.over.items()} for crop in crops]
    mixed = [
        (painted(seen.image, drawings.picture(int(seen.views[kind])), mask), seen.turned)
        for crop, each in zip(crops, masks, strict=True)
        for (kind, seen), (mask, _) in zip(crop.over.items(), each.values(), strict=True)
        if mask is not None
    ]
    again = iter(_compared(stock, embedding, mixed))
    return [
        _repainted(
            crop,
            {
                kind: (msgspec.structs.replace(seen, hidden=mask, glare=shine), scores)
                for kind, (mask, shine) in each.items()
                if mask is not None
                for seen, scores in (next(again),)
            },
        )
        for crop, each in zip(crops, masks, strict=True)
    ]


def _candidates(scores: Vectors) -> list[int]:
    likely = [int(kind) for kind in np.argsort(-scores, kind="stable")[:CANDIDATES]]
    return [kind for kind in likely if scores[kind] > scores[likely[0]] - REACH]


def _compared(stock: Gallery, embedding: Embedding, stood: Sequence[Upright]) -> list[tuple[ComparedCrop, Vectors]]:
    if not stood:
        return []
    # Twins mostly lie alike over the same crop: what is described once need not be again.
    alike: dict[tuple[float, bytes], int] = {}
    places = [alike.setdefault((turned, image.tobytes()), len(alike)) for image, turned in stood]
    firsts = [places.index(number) for number in range(len(alike))]
    queries = embedding.describe([stood[first][0] for first in firsts])
    best, found = stock.best(queries)
    anyhow = np.maximum(best, stock.worse(queries))
    told = [
        (ComparedCrop(*stood[first], best[number], found[number]), anyhow[number])
        for number, first in enumerate(firsts)
    ]
    return [told[place] for place in places]


def _together(found: Sequence[tuple[int, ComparedCrop, Vectors]]) -> Layings:
    """Combine alignments; an unaligned winner joins with the first."""
    anyhow = np.max([each for *_, each in found], axis=0)
    over = {kind: seen for kind, seen, _ in found}
    over.setdefault(int(anyhow.argmax()), found[0][1])
    return Layings(over, anyhow)


def _hidden(drawings: Drawings, kind: int, seen: ComparedCrop) -> tuple[Mask | None, float]:
    """Return the covered part, None if empty or too large, and the reflection's share."""
    over = drawings.picture(int(seen.views[kind]))
    shine = dazzled(seen.image, over)
    mask = np.maximum(covered(seen.image, over), shine)
    return (mask if 0 < mask.mean() <= MOST else None), float(shine.mean())


def _repainted(crop: Layings, found: Mapping[int, tuple[ComparedCrop, Vectors]]) -> Layings:
    """Combine scores: a candidate's own painting counts, for other kinds any."""
    anyhow = np.max([crop.anyhow, *(scores for _, scores in found.values())], axis=0)
    for kind in crop.over:
        own = crop.anyhow[kind]
        anyhow[kind] = max(own, found[kind][1][kind]) if kind in found else own
    return Layings(crop.over | {kind: seen for kind, (seen, _) in found.items()}, anyhow)
