"""Examines doubtful crops over each candidate, by network and lines (`layings`, `closeness`)."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np

from vision.recognition.closeness import AlignedLines, CropLines, closeness, drawn, fitted, placed, whole
from vision.recognition.comparison import ComparedCrop, second_look
from vision.recognition.confidence import Closer, evidence
from vision.recognition.drawings import Drawings
from vision.recognition.embedding import Vectors
from vision.recognition.gallery import Gallery
from vision.recognition.layings import Layings
from vision.recognition.rehearsal import Row
from vision.recognition.traits import traits

COHORT = 10
"""Likeliest kinds whose scores are compared."""

RIVALS = 3
"""Rivals compared by lines."""

FADED = 0.7
"""Loss of sharpness (`Traits.edges`) that prevents alignment."""

TRUST, WHOLE = 0.5, 0.05
"""Weights of the second look, and of the line correlation."""


class Overlay(NamedTuple):
    """A crop over a reference. soft: index of its blur."""

    crop: CropLines
    here: AlignedLines
    soft: int
    whole: float


class CloserLook(NamedTuple):
    """The likeliest kind with its evidence. over: references compared, by kind."""

    kind: int
    seen: ComparedCrop
    evidence: Closer
    over: dict[int, Overlay]


def look_closely(stock: Gallery, drawings: Drawings, crop: Layings, before: CloserLook | None = None) -> CloserLook:
    """Return the likeliest candidate with its evidence. before: the look without painting."""
    scores = _second(stock, crop)
    over: dict[int, Overlay] = {}
    crops: dict[int, CropLines] = {}
    for kind in sorted(crop.over, key=lambda kind: -float(scores[kind])):
        # A kind that could be neither the likeliest nor the next, however well its lines fit, is not worth them.
        if over and scores[kind] + WHOLE < np.partition(scores, -2)[-2]:
            continue
        seen = crop.over[kind]
        known = None if before is None or seen.hidden is not None else before.over.get(kind)
        over[kind] = lines = known or _overlaid(drawings, kind, seen, crops)
        scores[kind] += WHOLE * lines.whole
    best = max((kind for kind in crop.over if kind in over), key=lambda kind: float(scores[kind]))
    # What the crop was not laid over is not named, however close the second look says that it comes.
    others = np.arange(len(scores)) != best
    scores[others] = np.minimum(scores[others], scores[best] - 1e-6)
    return CloserLook(best, crop.over[best], _evidence(stock, drawings, crop, best, over[best], scores), over)


def _overlaid(drawings: Drawings, kind: int, seen: ComparedCrop, crops: dict[int, CropLines]) -> Overlay:
    view = int(seen.views[kind])
    crop = crops[id(seen)] = crops.get(id(seen)) or drawn(seen.image, seen.hidden)
    here = placed(crop, drawings.lines(view, 0))
    soft = drawings.softness(here, view)
    return Overlay(crop, here, soft, whole(here, drawings.lines(view, soft)))


def _second(stock: Gallery, crop: Layings) -> Vectors:
    """Return scores after a second look, weighted by sharpness and omitted if painted."""
    if not crop.is_bare:
        return crop.anyhow.copy()
    seen = next(iter(crop.over.values()))
    likest = stock.traits[_number(stock, seen, int(crop.anyhow.argmax()))]
    softer = traits(seen.image).edges - likest.edges
    return second_look(stock, seen, crop.anyhow, TRUST * min(1.0, max(0.0, 1 + softer / FADED)))


def _evidence(stock: Gallery, drawings: Drawings, crop: Layings, best: int, over: Overlay, second: Vectors) -> Closer:
    seen = crop.over[best]
    number, trait = _number(stock, seen, best), traits(seen.image)
    straight = stock.traits[number]
    expected = stock.rehearsal.expected(number, best, trait, straight)
    known = evidence(seen.scores, second, stock.crowd, trait, straight, expected)
    rivals = (drawings.lines(int(seen.views[kind]), over.soft) for kind in _rivals(crop.anyhow, second, best))
    fit = fitted(over.here, drawings.lines(int(seen.views[best]), over.soft))
    others = [fitted(placed(over.crop, rival), rival) for rival in rivals]
    score = float(crop.anyhow[best])
    return Closer(
        **msgspec.structs.asdict(known),
        anyhow=score,
        ahead=score - max(0.0, float(np.delete(crop.anyhow, best).max(initial=0.0))),
        strange=_strange(seen.scores, stock.rehearsal.profile(number, trait, straight), best),
        soft=float(over.soft),
        **closeness(fit, others)._asdict(),
        hidden=0.0 if seen.hidden is None else float(seen.hidden.mean()),
        glare=seen.glare,
    )


def _rivals(anyhow: Vectors, second: Vectors, best: int) -> list[int]:
    """Return the second kind, then the best others."""
    if len(second) < 2:
        return []
    following = next(int(kind) for kind in np.argsort(-second, kind="stable") if kind != best)
    rest = [int(kind) for kind in np.argsort(-anyhow, kind="stable") if kind not in (best, following)]
    return [following, *rest[: RIVALS - 1]]


def _number(stock: Gallery, seen: ComparedCrop, kind: int) -> int:
    return int(seen.views[kind]) // len(stock.turns)


def _strange(scores: Vectors, expected: Row, best: int) -> float:
    """Return the RMS difference from expected scores over the COHORT."""
    others = np.delete(np.arange(len(scores)), best)
    like = others[np.argsort(-np.maximum(scores[others], expected[others]), kind="stable")[:COHORT]]
    return float(np.sqrt(np.square(scores[like] - expected[like]).mean())) if len(like) else 0.0
