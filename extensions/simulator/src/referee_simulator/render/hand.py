"""Draws a hand and arm above the pieces."""

from __future__ import annotations

import math
from collections.abc import Iterable

import cv2
import msgspec
import numpy as np

from referee_simulator.render.optics import Optics, Points
from vision.camera import Image

# Directions (x, y) from which arms come, by side of the mat.
FROM = {"bottom": (0.0, 1.0), "top": (0.0, -1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}
SKINS = ((122, 150, 198), (96, 128, 178), (140, 172, 214), (62, 92, 138), (48, 68, 104))
SLEEVES = ((70, 60, 50), (120, 70, 40), (60, 60, 130), (150, 150, 145), (50, 90, 60), (40, 40, 44))

STEPS = np.linspace(0.0, 1.0, 17)

# Fingers in mm: base and tip (along, across), radius.
FINGERS = (
    (-62.0, -30.0, -14.0, -20.0, 7.5),
    (-58.0, -12.0, -2.0, -7.0, 8.5),
    (-58.0, 8.0, -1.0, 5.0, 8.5),
    (-64.0, 26.0, -12.0, 18.0, 7.5),
    (-92.0, 40.0, -10.0, 14.0, 9.5),
)


class Hand(msgspec.Struct, frozen=True):
    """A hand over the mat: finger tips and height in mm, lean in degrees.

    grip: 0 open, 1 closed
    look: selects skin and sleeve
    smear: motion blur in pixels (x, y)"""

    side: str
    x: float
    y: float
    height: float = 20.0
    lean: float = 0.0
    grip: float = 0.5
    look: int = 0
    smear: tuple[float, float] = (0.0, 0.0)


class Limb(msgspec.Struct, frozen=True):
    """A tapered round bar: ends (3,) and radii in mm, colour BGR."""

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radii: tuple[float, float]
    colour: tuple[float, float, float]


def limbs(hand: Hand) -> tuple[Limb, ...]:
    """Return a hand's limbs, lowest first."""
    towards = _axis(hand)
    across = (-towards[1], towards[0])
    skin = SKINS[hand.look % len(SKINS)]
    sleeve = SLEEVES[hand.look // len(SKINS) % len(SLEEVES)]
    z = hand.height

    def at(along: float, aside: float, up: float) -> tuple[float, float, float]:
        return (
            hand.x + along * towards[0] + aside * across[0],
            hand.y + along * towards[1] + aside * across[1],
            z + up,
        )

    squeeze = 1.0 - 0.35 * hand.grip
    parts = [
        Limb(at(a0, s0 * 0.9, 26.0), at(a1, s1 * squeeze, 6.0), (radius * 1.15, radius), _tone(skin, 0.92))
        for a0, s0, a1, s1, radius in FINGERS
    ]
    parts.append(Limb(at(-70, 0, 30.0), at(-108, 4, 34.0), (36.0, 33.0), skin))
    parts.append(Limb(at(-108, 3, 34.0), at(-175, 0, 46.0), (27.0, 29.0), skin))
    parts.append(Limb(at(-165, 0, 46.0), at(-520, 0, 120.0), (37.0, 50.0), sleeve))
    return tuple(parts)


def visible_limbs(hand: Hand, optics: Optics) -> tuple[Limb, ...]:
    return tuple(part for limb in limbs(hand) if (part := _cut_limb(limb, optics)) is not None)


def _cut_limb(limb: Limb, optics: Optics) -> Limb | None:
    start, way = np.array(limb.start), np.array(limb.end) - np.array(limb.start)
    drawn = optics.renders(start + STEPS[:, None] * way)
    if not drawn[0]:
        return None
    share = float(STEPS[drawn.argmin() - 1]) if not drawn.all() else 1.0
    x, y, z = (start + share * way).tolist()
    radius = limb.radii[0] + share * (limb.radii[1] - limb.radii[0])
    return msgspec.structs.replace(limb, end=(x, y, z), radii=(limb.radii[0], radius))


def _axis(hand: Hand) -> tuple[float, float]:
    x, y = FROM[hand.side]
    lean = math.radians(hand.lean)
    return (
        -x * math.cos(lean) + y * math.sin(lean),
        -y * math.cos(lean) - x * math.sin(lean),
    )


def _tone(colour: tuple[int, int, int], by: float) -> tuple[float, float, float]:
    return (colour[0] * by, colour[1] * by, colour[2] * by)


def outline(limb: Limb, optics: Optics, flat: Points | None = None) -> Points:
    """Return a limb's outline in pixels (N, 2). flat: shift per height (mm), for shadows."""
    ends = np.array([limb.start, limb.end])
    if flat is not None:
        ends = np.column_stack([ends[:, :2] + ends[:, 2:] * flat, np.zeros(2)])
    centres = optics.project(ends)
    beside = optics.project(
        ends
        + np.array([limb.radii[0], 0, 0]) * np.array([[1.0], [0.0]])
        + np.array([limb.radii[1], 0, 0]) * np.array([[0.0], [1.0]])
    )
    radii = np.linalg.norm(beside - centres, axis=1)
    ring = np.linspace(0, 2 * math.pi, 20, endpoint=False)
    circle = np.column_stack([np.cos(ring), np.sin(ring)])
    both = np.vstack([centres[0] + circle * radii[0], centres[1] + circle * radii[1]])
    return cv2.convexHull(both.astype(np.float32))[:, 0, :].astype(np.float64)


def draw(picture: Image, hand: Hand, optics: Optics, light: float) -> None:
    parts = visible_limbs(hand, optics)
    if not parts:
        return
    outlines = [outline(part, optics) for part in parts]
    box = _box(outlines, picture.shape[1], picture.shape[0], pad=int(max(map(abs, hand.smear))) + 4)
    if box is None:
        return
    x0, y0, x1, y1 = box
    layer = picture[y0:y1, x0:x1].copy()
    cover = np.zeros(layer.shape[:2], dtype=np.uint8)
    corner = np.array([x0, y0])
    for part, edge in zip(parts, outlines, strict=True):
        _shade(layer, cover, edge - corner, part, light)
    layer, cover = _smear_hand(layer, cover, hand.smear)
    weight = cover.astype(np.float32) * np.float32(1 / 255.0)
    picture[y0:y1, x0:x1] = cv2.blendLinear(layer, picture[y0:y1, x0:x1], weight, 1.0 - weight)


def _shade(layer: Image, cover: Image, edge: Points, part: Limb, light: float) -> None:
    middle = edge.mean(axis=0)
    for inset, tone in ((1.0, 0.72), (0.9, 0.9), (0.62, 1.04)):
        span = (edge - middle) * np.array([inset, inset]) + middle
        polygon = np.round(span * 16).astype(np.int32)
        colour = [min(255.0, v * tone * light) for v in part.colour]
        cv2.fillConvexPoly(layer, polygon, colour, cv2.LINE_AA, 4)
        if inset == 1.0:
            cv2.fillConvexPoly(cover, polygon, (255,), cv2.LINE_AA, 4)


def _smear_hand(layer: Image, cover: Image, smear: tuple[float, float]) -> tuple[Image, Image]:
    across, down = (min(31, int(abs(v))) for v in smear)
    if max(across, down) < 2:
        return cv2.blur(layer, (3, 3)).astype(np.uint8), cv2.blur(cover, (3, 3)).astype(np.uint8)
    size = (max(1, across), max(1, down))
    return cv2.blur(layer, size).astype(np.uint8), cv2.blur(cover, size).astype(np.uint8)


def _box(outlines: list[Points], width: int, height: int, pad: int) -> tuple[int, int, int, int] | None:
    every = np.vstack(outlines)
    x0, y0 = max(0, int(every[:, 0].min()) - pad), max(0, int(every[:, 1].min()) - pad)
    x1, y1 = min(width, int(every[:, 0].max()) + pad), min(height, int(every[:, 1].max()) + pad)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def cover(over: Iterable[Hand], optics: Optics) -> Image:
    width, height = optics.size
    mask = np.zeros((height, width), dtype=np.uint8)
    for hand in over:
        for part in visible_limbs(hand, optics):
            cv2.fillConvexPoly(mask, np.round(outline(part, optics) * 16).astype(np.int32), (255,), cv2.LINE_AA, 4)
    return mask


def covers(hand: Hand, optics: Optics, x: float, y: float, height: float = 8.0) -> bool:
    point = optics.project(np.array([[x, y, height]]))[0]
    spot = (float(point[0]), float(point[1]))
    outlines = (outline(part, optics).astype(np.float32) for part in visible_limbs(hand, optics))
    return any(cv2.pointPolygonTest(edge, spot, False) >= 0 for edge in outlines)
