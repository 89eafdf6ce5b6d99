"""Checks whether a reference picture is good enough: dark, blurred, shiny, or too much like another kind's."""

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
"""Gray level that a twentieth of a picture must reach."""

BLURRED = 0.52
"""Share of local contrast that survives another blur (Crete and others, 2007): near 1 if there was none to lose."""

BURNT = 252
PLAIN = 0.12
"""Levels of a blank face differ by less, in parts of its brightness."""

SMALL = 16
"""Pixels of a picture's shorter side below which nothing tells whether its face is blank."""

SHINY = 0.03
"""Share of a picture that is burnt out, on a face that is not white itself."""

WHITE = 225.0
"""Gray level of a white face, about its middle."""

MIRRORED = 1.2
"""So many times as bright as white paper beside it no face is that mirrors no lamp: ivory is at most as bright."""

Levels: TypeAlias = npt.NDArray[np.float32]

Problem = Literal["dark", "blurred", "shiny", "alike", "turn", "tint", "size"]


class Remark(msgspec.Struct, frozen=True):
    """What is wrong with the pictures of one kind, and what to do. `other` is the kind that it is too much like."""

    kind: str
    problem: Problem
    text: Text
    other: str | None = None


def remarks(kind: str, image: Image, raw: Image | None = None, headroom: float | None = None) -> Iterator[Remark]:
    """What a person should better, for one picture.

    raw: the same as the camera gave it; None if it is not known that a camera did. What is bright by its nature burns
    out in no camera whose exposure is right, so only what is burnt there is a lamp. A scan or a drawing is white
    wherever its paper is, and no lamp is reported in it. headroom: so many times as bright as white paper beside the
    piece is what the camera burns out; None if that is not known.
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
        text = say("{kind}: a lamp is mirrored in it. Turn it or move the lamp, and take it again.", kind=kind)
        yield Remark(kind, "shiny", text)


def _mirrors(bright: Levels, headroom: float | None) -> bool:
    """Return True if a lamp is mirrored in what a camera gave: something is burnt out, and not for being white."""
    white = float(np.median(_middle(bright))) >= WHITE and (headroom is None or headroom < MIRRORED)
    return float(np.mean(bright >= BURNT)) > SHINY and not white


def _levels(image: Image) -> Levels:
    """A small gray picture of it."""
    gray = cv2.cvtColor(cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    return np.asarray(gray, np.float32)


def _middle(levels: Levels) -> Levels:
    """The part of it that shows the face alone, of round pieces too."""
    return levels[SIDE // 5 : -SIDE // 5, SIDE // 5 : -SIDE // 5]


def _plain(levels: Levels) -> bool:
    """True of a blank face: there is nothing in its middle that could be blurred."""
    inner = cv2.GaussianBlur(_middle(levels), (0, 0), 1.0)
    low, high = np.percentile(inner, [3, 97])
    return bool(high - low < PLAIN * (float(inner.mean()) + 4.0))


def blur(levels: Levels) -> float:
    """How little a picture loses when it is blurred once more, 0 (sharp) to 1."""
    softer = cv2.blur(levels, (9, 9))
    losses = []
    for axis in (0, 1):
        before = np.abs(np.diff(levels, axis=axis))
        after = np.abs(np.diff(softer, axis=axis))
        losses.append(1.0 - float(np.maximum(0, before - after).sum() / (before.sum() + 1e-6)))
    return max(losses)


def too_alike(kind: str, other: str) -> Remark:
    """The remark on two kinds that the recogniser could confuse."""
    text = say(
        "{kind} and {other} look too alike. Take both again, nearer and in even light, or mark one of them.",
        kind=kind,
        other=other,
    )
    return Remark(kind, "alike", text, other)


def differ(kind: str, other: str, by: Literal["turn", "tint", "size"]) -> Remark:
    """The remark on two kinds that are one but for a turn, a tint or the size."""
    texts = {
        "turn": say(
            "{kind} and {other} differ only by a turn. Pieces of this set may lie in any, so they are one thing to the "
            "camera: mark one of them.",
            kind=kind,
            other=other,
        ),
        "tint": say(
            "{kind} and {other} differ only by their tint. Under a coloured lamp they may not be named.",
            kind=kind,
            other=other,
        ),
        "size": say(
            "{kind} and {other} differ only by their size, which alone tells no name: mark one of them.",
            kind=kind,
            other=other,
        ),
    }
    return Remark(kind, by, texts[by], other)
