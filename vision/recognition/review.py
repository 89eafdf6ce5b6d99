"""Reviews enrolled sets for improvements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import cv2
import numpy as np

from vision.camera import Image
from vision.recognition.canonical import canonical, turn_canonical
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.piece_sizes import OTHER_SIZE, Measured, across
from vision.recognition.quality import Remark, differ, remarks, too_alike
from vision.recognition.recogniser import EnrolledRecogniser
from vision.recognition.rotation_likeness import fits, inner

ALIKE = 0.985
"""Score between kinds that may be confused under another lamp.

Another picture of one piece scores about as much; fine colour differences score less.
"""

NEARLY = 0.93
"""Score from which differences are examined."""

SAME_FORM = 0.94
"""Correlation of faces of one form."""

UNTURNED, NOISE = 3.0, 0.03
"""Ratio and excess of differences unturned that prove a turn."""

INKED = 90
"""Percentage of a face that may be equal ground."""

OTHER_TINT = 7.0
"""CIELAB a, b distance of different colours."""


def review(
    enrolled: EnrolledSet,
    judge: EnrolledRecogniser | None = None,
    measured: Mapping[str, Sequence[Measured]] | None = None,
) -> tuple[Remark, ...]:
    """Return remarks on pictures, then on similar pairs. judge: the set's recogniser."""
    taken = [(kind, image) for kind, images in enrolled.pictures.items() for image in images]
    single = dict.fromkeys(remark for kind, image in taken for remark in remarks(kind, image))
    return (*single, *_pairs(judge or EnrolledRecogniser(enrolled), enrolled, measured or {}))


def _pairs(
    recogniser: EnrolledRecogniser, enrolled: EnrolledSet, measured: Mapping[str, Sequence[Measured]]
) -> Iterator[Remark]:
    kinds = recogniser.kinds
    alike = recogniser.gallery.alike
    for one in range(len(kinds)):
        for other in range(one + 1, len(kinds)):
            if alike[one, other] < NEARLY:
                continue
            pair = kinds[one], kinds[other]
            first, second = (enrolled.pictures[kind][0] for kind in pair)
            by = difference(first, second, recogniser.gallery.turns)
            if _sizes_differ(measured.get(pair[0], ()), measured.get(pair[1], ())):
                yield differ(*pair, "size")
            elif by is not None:
                yield differ(*pair, by)
            elif alike[one, other] >= ALIKE:
                yield too_alike(*pair)


def _sizes_differ(one: Sequence[Measured], other: Sequence[Measured]) -> bool:
    if not one or not other:
        return False
    first, second = across(one)[0], across(other)[0]
    return max(first, second) > (1 + OTHER_SIZE) * min(first, second)


def difference(one: Image, other: Image, turns: Sequence[float]) -> Literal["turn", "tint"] | None:
    """Return "turn" or "tint" if nothing else differs; None if forms differ, or nothing does."""
    first, second = canonical(one), canonical(other)
    laid = fits(first, second, turns)
    best = max(laid, key=lambda turn: laid[turn])
    if laid[best] < SAME_FORM:
        return None
    if _tints_differ(turn_canonical(first, best), second):
        return "tint"
    return "turn" if 1 - laid[turns[0]] > UNTURNED * (1 - laid[best]) + NOISE else None


def _tints_differ(one: Image, other: Image) -> bool:
    colours = [cv2.cvtColor(cv2.GaussianBlur(image, (0, 0), 1.5), cv2.COLOR_BGR2LAB) for image in (one, other)]
    first, second = (colour[inner()][:, 1:].astype(np.float32) for colour in colours)
    return float(np.percentile(np.linalg.norm(first - second, axis=1), INKED)) > OTHER_TINT
