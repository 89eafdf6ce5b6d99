"""Aligns a doubtful crop with the reference of each kind that it may be.

Each kind gets its own laying, so that none is favoured: a reference that is spoiled as the crop is (blurred, dazzled,
covered at an edge) scores high for it only where the two lie alike. Where something hides a part of the crop, each
kind's reference is painted in there, and it is compared once more.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np

from vision.recognition.alignment import displaced, planes
from vision.recognition.canonical import SIDE
from vision.recognition.comparison import Compared, Upright
from vision.recognition.covered import Mask, covered, dazzled, painted
from vision.recognition.drawings import Drawings
from vision.recognition.embedding import Embedding, Vectors
from vision.recognition.gallery import Gallery
from vision.recognition.lamp import balanced, mildest, tint

CANDIDATES, REACH = 3, 0.15
"""How many kinds a crop is laid over at most, and how far behind the best one may be for that."""

MOST = 0.4
"""Share of a crop that may be painted in; with more hidden, strangers become too like what they are taken for."""


class Laying(msgspec.Struct, frozen=True):
    """A crop over the reference of a kind, and the network's scores of all kinds for it there. hidden: where that
    reference was painted in; glare: the share of it that is a lamp's."""

    kind: int
    seen: Compared
    hidden: Mask | None = None
    glare: float = 0.0


class Layings(msgspec.Struct, frozen=True):
    """A crop over all that it may be. anyhow: of every kind the score of its likest reference, spoiled or not, in any
    of the layings."""

    over: tuple[Laying, ...]
    anyhow: Vectors


def layings(stock: Gallery, embedding: Embedding, seen: Sequence[Compared], second: Sequence[Vectors]) -> list[Layings]:
    """Of every crop. second: its scores after the second look."""
    chosen = [_candidates(scores) for scores in second]
    stood = [each for crop, kinds in zip(seen, chosen, strict=True) for each in _laid(stock, crop, kinds)]
    found = iter(_compared(stock, embedding, stood))
    return [_together([(kind, *next(found)) for kind in kinds]) for kinds in chosen]


def _laid(stock: Gallery, seen: Compared, kinds: Sequence[int]) -> list[Upright]:
    """The crop over the reference of each kind, without the lamp's colour."""
    stood = [laid(stock, seen, kind) for kind in kinds]
    over = [stock.pictures[int(seen.views[kind]) // len(stock.turns)] for kind in kinds]
    gains = mildest(tint(picture, known) for (picture, _), known in zip(stood, over, strict=True))
    return [(balanced(picture, gains), turned) for picture, turned in stood]


def laid(stock: Gallery, seen: Compared, kind: int) -> Upright:
    """The crop turned and moved back to where it lies best over the reference of a kind."""
    over, turn = stock.reference(int(seen.views[kind]))
    right, down = displaced(planes(seen.image), over, turn)
    matrix = np.asarray(cv2.getRotationMatrix2D((SIDE / 2 - 0.5, SIDE / 2 - 0.5), turn, 1.0), np.float64)
    matrix[:, 2] -= matrix[:, :2] @ np.array([right * SIDE, down * SIDE])
    moved = cv2.warpAffine(seen.image, matrix, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    return moved.astype(np.uint8, copy=False), seen.turned - turn


def uncovered(stock: Gallery, embedding: Embedding, drawings: Drawings, crops: Sequence[Layings]) -> list[Layings]:
    """The same crops, where each reference that something hides a part of was painted in there."""
    masks = [[_hidden(drawings, laying) for laying in crop.over] for crop in crops]
    mixed = [
        (painted(laying.seen.image, drawings.picture(_view(laying)), mask), laying.seen.turned)
        for crop, each in zip(crops, masks, strict=True)
        for laying, (mask, _) in zip(crop.over, each, strict=True)
        if mask is not None
    ]
    again = iter(_compared(stock, embedding, mixed))
    return [
        _repainted(crop, [None if mask is None else (mask, shine, *next(again)) for mask, shine in each])
        for crop, each in zip(crops, masks, strict=True)
    ]


def _candidates(scores: Vectors) -> list[int]:
    likely = [int(kind) for kind in np.argsort(-scores)[:CANDIDATES]]
    return [kind for kind in likely if scores[kind] > scores[likely[0]] - REACH]


def _compared(stock: Gallery, embedding: Embedding, stood: Sequence[Upright]) -> list[tuple[Compared, Vectors]]:
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
        (Compared(*stood[first], best[number], found[number]), anyhow[number]) for number, first in enumerate(firsts)
    ]
    return [told[place] for place in places]


def _together(found: Sequence[tuple[int, Compared, Vectors]]) -> Layings:
    """The likeliest kind that was not laid over is one of them in the first laying."""
    anyhow = np.max([each for *_, each in found], axis=0)
    over = [Laying(kind, seen) for kind, seen, _ in found]
    top = int(anyhow.argmax())
    if all(laying.kind != top for laying in over):
        over.append(Laying(top, over[0].seen))
    return Layings(tuple(over), anyhow)


def _view(laying: Laying) -> int:
    return int(laying.seen.views[laying.kind])


def _hidden(drawings: Drawings, laying: Laying) -> tuple[Mask | None, float]:
    """Where something lies over a crop, and the share of it where a lamp shines; None if nowhere, or over too much."""
    over = drawings.picture(_view(laying))
    shine = dazzled(laying.seen.image, over)
    mask = np.maximum(covered(laying.seen.image, over), shine)
    return (mask if 0 < mask.mean() <= MOST else None), float(shine.mean())


def _repainted(crop: Layings, found: Sequence[tuple[Mask, float, Compared, Vectors] | None]) -> Layings:
    """A kind's score counts where its own reference was painted in, or none; that of a kind without one, wherever."""
    anyhow, over = np.max([crop.anyhow, *(each[3] for each in found if each)], axis=0), []
    for laying, each in zip(crop.over, found, strict=True):
        own = crop.anyhow[laying.kind]
        if each is None:
            over.append(laying)
        else:
            hidden, shine, seen, scores = each
            over.append(Laying(laying.kind, seen, hidden, shine))
            own = max(own, scores[laying.kind])
        anyhow[laying.kind] = own
    return Layings(tuple(over), anyhow)
