"""Checks reference pictures: dark, blurred, shiny, or too similar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from engine.text import Text, say
from vision.camera import Image

SIDE = 96
DARK = 55.0
"""Least 95 % quantile of gray levels."""

BLURRED = 0.52
"""Largest `blur` of a sharp picture (Crete and others, 2007)."""

BURNT = 252
PLAIN = 0.12
"""Relative contrast of a blank face."""

SMALL = 16
"""Shorter side too small to detect a blank face."""

SHINY = 0.03
"""Clipped share of a picture, on a face that is not white."""

WHITE = 225.0
"""Median gray level of a white face."""

MIRRORED = 1.2
"""Brightness relative to white paper that only a reflection exceeds."""

Levels: TypeAlias = npt.NDArray[np.float32]

Problem = Literal["dark", "blurred", "shiny", "alike", "turn", "tint", "size"]


class Remark(msgspec.Struct, frozen=True):
    """A problem of a kind's pictures and its remedy. other: the similar kind."""

    kind: str
    problem: Problem
    text: Text
    other: str | None = None


def remarks(kind: str, image: Image, raw: Image | None = None, headroom: float | None = None) -> Iterator[Remark]:
    """Yield problems of a picture.

    raw: as the camera gave it; None for scans and drawings, where white is no reflection.
    headroom: brightness at which the camera clips, relative to white paper, if known.
    """
    levels = _levels(image)
    if float(np.percentile(levels, 95)) < DARK:
        yield Remark(
            kind, "dark", say("{kind}: the picture is too dark. Give it more light and take it again.", kind=kind)
        )
    elif blur(levels) > BLURRED and (min(image.shape[:2]) < SMALL or not _plain(levels)):
        text = say("{kind}: the picture is blurred. Hold the camera still, focus, and take it again.", kind=kind)
        yield Remark(kind, "blurred", text)
    if raw is not None and _mirrors(_levels(raw), headroom):
        text = say(
            "{kind}: a lamp is reflected in it. Turn the piece or move the lamp, then take the picture again.",
            kind=kind,
        )
        yield Remark(kind, "shiny", text)


def _mirrors(bright: Levels, headroom: float | None) -> bool:
    """Return True if clipped by a lamp rather than white."""
    white = float(np.median(_middle(bright))) >= WHITE and (headroom is None or headroom < MIRRORED)
    return float(np.mean(bright >= BURNT)) > SHINY and not white


def _levels(image: Image) -> Levels:
    gray = cv2.cvtColor(cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return np.asarray(gray, np.float32)


def _middle(levels: Levels) -> Levels:
    return levels[SIDE // 5 : -SIDE // 5, SIDE // 5 : -SIDE // 5]


def _plain(levels: Levels) -> bool:
    inner = cv2.GaussianBlur(_middle(levels), (0, 0), 1.0)
    low, high = np.percentile(inner, [3, 97])
    return bool(high - low < PLAIN * (float(inner.mean()) + 4.0))


def blur(levels: Levels) -> float:
    """Return the blur, 0 (sharp) to 1."""
    softer = cv2.blur(levels, (9, 9))
    losses = []
    for axis in (0, 1):
        before = np.abs(np.diff(levels, axis=axis))
        after = np.abs(np.diff(softer, axis=axis))
        losses.append(1.0 - float(np.maximum(0, before - after).sum() / (before.sum() + 1e-6)))
    return max(losses)


def too_alike(kind: str, other: str) -> Remark:
    text = say(
        "{kind} and {other} look too alike. Take both pictures again, closer up and in even light, or mark one "
        "of them.",
        kind=kind,
        other=other,
    )
    return Remark(kind, "alike", text, other)


def differ(kind: str, other: str, by: Literal["turn", "tint", "size"]) -> Remark:
    texts = {
        "turn": say(
            "{kind} and {other} differ only by rotation, and pieces of this set may lie at any angle: "
            "mark one of them.",
            kind=kind,
            other=other,
        ),
        "tint": say(
            "{kind} and {other} differ only in tint. Under a coloured lamp they may not be recognised.",
            kind=kind,
            other=other,
        ),
        "size": say(
            "{kind} and {other} differ only in size, which is not enough for the camera: mark one of them.",
            kind=kind,
            other=other,
        ),
    }
    return Remark(kind, by, texts[by], other)
