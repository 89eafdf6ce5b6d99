"""Aligns a doubtful crop with the reference of each kind that it may be.

Each kind gets its own laying, so that none is favoured: a reference that is spoiled as the crop is (blurred, dazzled,
covered at an edge) scores high for it only where the two lie alike. Where something hides a part of the crop, each
kind's reference is painted in there, and it is compared once more.
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
"""How many kinds a crop is laid over at most, and how far behind the best one may be for that."""

MOST = 0.4
"""Share of a crop that may be painted in; with more hidden, strangers become too like what they are taken for."""


class Layings(msgspec.Struct, frozen=True):
    """A crop over all that it may be. over: the crop over the reference of a kind, by its number. anyhow: of every kind
    the score of its likest reference, spoiled or not, in any of the layings."""

    over: dict[int, ComparedCrop]
    anyhow: Vectors

    @property
    def is_bare(self) -> bool:
        """True if nothing is painted in anywhere."""
        return all(seen.hidden is None for seen in self.over.values())


def layings(
    stock: Gallery, embedding: Embedding, seen: Sequence[ComparedCrop], second: Sequence[Vectors]
) -> list[Layings]:
    """Of every crop. second: its scores after the second look."""
    chosen = [_candidates(scores) for scores in second]
    stood = [each for crop, kinds in zip(seen, chosen, strict=True) for each in _laid(stock, crop, kinds)]
    found = iter(_compared(stock, embedding, stood))
    return [_together([(kind, *next(found)) for kind in kinds]) for kinds in chosen]


def _laid(stock: Gallery, seen: ComparedCrop, kinds: Sequence[int]) -> list[Upright]:
    """The crop over the reference of each kind, without the lamp's colour."""
    stood = [laid(stock, seen, kind) for kind in kinds]
    over = [stock.pictures[int(seen.views[kind]) // len(stock.turns)] for kind in kinds]
    gains = mildest(tint(picture, known) for (picture, _), known in zip(stood, over, strict=True))
    return [(balanced(picture, gains), turned) for picture, turned in stood]


def laid(stock: Gallery, seen: ComparedCrop, kind: int) -> Upright:
    """The crop turned and moved back to where it lies best over the reference of a kind."""
    over, turn = stock.reference(int(seen.views[kind]))
    right, down = displaced(planes(seen.image), over, turn)
    matrix = np.asarray(cv2.getRotationMatrix2D((SIDE / 2 - 0.5, SIDE / 2 - 0.5), turn, 1.0), np.float64)
    matrix[:, 2] -= matrix[:, :2] @ np.array([right * SIDE, down * SIDE])
    moved = cv2.warpAffine(seen.image, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    return moved.astype(np.uint8, copy=False), seen.turned - turn


def uncovered(stock: Gallery, embedding: Embedding, drawings: Drawings, crops: Sequence[Layings]) -> list[Layings]:
    """The same crops, where each reference that something hides a part of was painted in there."""
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
    """The likeliest kind that was not laid over is one of them in the first laying."""
    anyhow = np.max([each for *_, each in found], axis=0)
    over = {kind: seen for kind, seen, _ in found}
    over.setdefault(int(anyhow.argmax()), found[0][1])
    return Layings(over, anyhow)


def _hidden(drawings: Drawings, kind: int, seen: ComparedCrop) -> tuple[Mask | None, float]:
    """Where something lies over a crop, and the share of it where a lamp shines; None if nowhere, or over too much."""
    over = drawings.picture(int(seen.views[kind]))
    shine = dazzled(seen.image, over)
    mask = np.maximum(covered(seen.image, over), shine)
    return (mask if 0 < mask.mean() <= MOST else None), float(shine.mean())


def _repainted(crop: Layings, found: Mapping[int, tuple[ComparedCrop, Vectors]]) -> Layings:
    """A kind's score counts where its own reference was painted in, or none; that of a kind without one, wherever."""
    anyhow = np.max([crop.anyhow, *(scores for _, scores in found.values())], axis=0)
    for kind in crop.over:
        own = crop.anyhow[kind]
        anyhow[kind] = max(own, found[kind][1][kind]) if kind in found else own
    return Layings(crop.over | {kind: seen for kind, (seen, _) in found.items()}, anyhow)
