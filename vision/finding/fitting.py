"""Fits a rectangle to edges with subpixel accuracy."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.quad import EDGE, INNER, RIM, Quad, fold_angle

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Weighing = Callable[[Doubles, Doubles], Doubles]
"""Combines edge and foreground border, each 0 to 1, into a side's strength."""

SAMPLES = 24
"""Sample points per side."""

REACH, STEP = 4.0, 0.25
"""Search distance across a side, and step, in pixels."""

SKEWS = np.arange(-3.0, 3.01, 0.5)
"""Corrections of the angle in degrees."""

LARGER = np.arange(-0.02, 0.021, 0.01)
"""Relative corrections of the size."""

GROUND = 0.15
"""Weight of the foreground border against the edge; shadows have borders, too."""

ODD = 0.02
"""Penalty per hundredth of size correction, in visible sides."""


def settle_edges(light: Floats, hidden: Image, quad: Quad, size: tuple[float, float]) -> Quad:
    """Move and turn a rectangle onto visible edges, opposite sides together. light: log levels and foreground."""
    return _laid_by(light, hidden, quad, size, _either)


def place_exactly(light: Floats, hidden: Image, quad: Quad, size: tuple[float, float]) -> Quad:
    """Refine a settled rectangle where edges and foreground border agree, keeping its support."""
    there = _laid_by(light, hidden, quad, size, _both)
    return msgspec.structs.replace(there, support=quad.support)


def _either(drawn: Doubles, border: Doubles) -> Doubles:
    return np.maximum(INNER * drawn, border)


def _both(drawn: Doubles, border: Doubles) -> Doubles:
    return (1.0 - GROUND) * drawn + GROUND * border


def _laid_by(light: Floats, hidden: Image, quad: Quad, size: tuple[float, float], weighed: Weighing) -> Quad:
    arm, normal, out = _outline(quad, size)
    centre = np.array([quad.x, quad.y])
    steps = np.arange(-REACH, REACH + STEP / 2, STEP)
    strength = _edges_across(light, centre + arm, normal, steps, weighed)
    seen = _in_sight(hidden, centre + arm)
    strength[~seen] = 0.0
    lever = (normal * np.column_stack([-arm[:, 1], arm[:, 0]])).sum(axis=1)
    moved = np.rint(np.radians(SKEWS)[:, None] * lever / STEP).astype(int)
    left, right, top, bottom = np.moveaxis(
        _shift_strengths(strength, moved).reshape(len(SKEWS), 4, SAMPLES, -1).sum(axis=2), 1, 0
    )
    apart = LARGER[:, None] * np.array([out[0], out[2 * SAMPLES]]) / STEP
    pairs = [(_pair(left, right, float(wide)), _pair(top, bottom, float(tall))) for wide, tall in apart]
    whole = max(1, int(np.count_nonzero(seen)))
    scores = [
        (across[0] + along[0]) / whole - ODD * abs(float(larger)) * 100
        for larger, (across, along) in zip(LARGER, pairs, strict=True)
    ]
    skew, larger = np.unravel_index(int(np.stack(scores, axis=1).argmax()), (len(SKEWS), len(LARGER)))
    across, along = pairs[larger]
    x, y = centre + across[1][skew] * normal[0] + along[1][skew] * normal[-1]
    angle = fold_angle(quad.angle_deg + float(SKEWS[skew]), size)
    support = max(0.0, float(scores[larger][skew]))
    return msgspec.structs.replace(quad, x=float(x), y=float(y), angle_deg=angle, support=support)


def _shift_strengths(strength: Doubles, moved: npt.NDArray[np.int_]) -> Doubles:
    """Return strengths shifted by `moved` (moves x places): moves x places x steps."""
    most = int(np.abs(moved).max())
    padded = np.pad(strength, ((0, 0), (most, most)))
    columns = np.arange(most, most + strength.shape[1]) + moved[..., None]
    return np.asarray(padded[np.arange(len(strength))[:, None], columns], np.float64)


def _pair(first: Doubles, second: Doubles, apart: float) -> tuple[Doubles, Doubles]:
    """Return each move's best common strength of two sides and its offset in pixels."""
    moved = round(apart)  # of the first side, which lies at the negative end
    edge, end = abs(moved), first.shape[1] - abs(moved)  # between these both sides were sampled
    if edge >= end:
        return np.zeros(len(first)), np.zeros(len(first))
    both = first[:, edge + moved : end + moved] + second[:, edge - moved : end - moved]
    at, best = both.argmax(axis=1), both.max(axis=1)
    return np.maximum(best, 0.0), np.where(best > 0, (at + edge) * STEP - REACH, 0.0)


def _outline(quad: Quad, size: tuple[float, float]) -> tuple[Doubles, Doubles, Doubles]:
    """Return points along the sides relative to the middle, their normals and distances."""
    turn = np.radians(quad.angle_deg)
    right, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    wide, tall = size[0] / 2, size[1] / 2
    share = np.linspace(-0.84, 0.84, SAMPLES)[:, None]
    arms = [s * wide * right + share * tall * down for s in (-1, 1)] + [
        s * tall * down + share * wide * right for s in (-1, 1)
    ]
    normal = np.repeat([right, right, down, down], SAMPLES, axis=0)
    return np.vstack(arms), normal, np.repeat([-wide, wide, -tall, tall], SAMPLES)


def _edges_across(light: Floats, places: Doubles, normal: Doubles, steps: Doubles, weighed: Weighing) -> Doubles:
    """Return sides' strength (0 to 1) by point and step across."""
    wide = np.concatenate([steps[:2] - 2 * STEP, steps, steps[-2:] + 2 * STEP])
    spots = (places[:, None, :] + wide[None, :, None] * normal[:, None, :]).astype(np.float32)
    values = cv2.remap(light, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    # Averaging along a side removes noise and keeps the side.
    sides = values.reshape(4, SAMPLES, -1)
    sides = np.stack([cv2.blur(side, (1, 3)) for side in sides]).reshape(values.shape)
    slope = np.abs(sides[:, 4:] - sides[:, :-4])
    excess = np.maximum(slope[..., :3].max(axis=2) - EDGE / 3, 0.0)
    return np.asarray(weighed(excess / (excess + EDGE), slope[..., 3] / (slope[..., 3] + RIM / 4)), np.float64)


def _in_sight(hidden: Image, places: Doubles) -> npt.NDArray[np.bool_]:
    at = np.rint(places).astype(int)
    inside = (at >= 0).all(axis=1) & (at < np.array(hidden.shape[::-1])).all(axis=1)
    at = np.clip(at, 0, np.array(hidden.shape[::-1]) - 1)
    return np.asarray(inside & (hidden[at[:, 1], at[:, 0]] == 0))
