"""Finds a piece's rim, and a card's sides, in a picture that somebody cropped by hand."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding import discs
from vision.finding.fitting import settle_edges
from vision.finding.measuring import RIM
from vision.finding.pieces import CROP_ROOM
from vision.finding.quad import Quad
from vision.finding.quads import CLEARLY

Floats = npt.NDArray[np.float32]

SIDE = 160
"""Longer side in pixels of the picture that is searched."""

LEAST, MOST, STEP = 0.3, 0.56, 1.05
"""Radii tried, in longer sides of the picture, and their ratio; a fit reaches about 7 %."""

ASIDE = 0.06
"""Distance between the centres tried, in longer sides."""

EVENED, PLAIN = 32, 8
"""Side of a picture without noise; gray levels by which a drawing's ground may differ along its border."""

NEARLY_UPRIGHT = 6.0
"""Degrees by which a card's angle follows inexactly from the form of its picture."""

PARTS = (1.0, 0.95, 0.9, 0.86, 0.82, 0.78)
"""Sizes of cards tried, in parts of the largest that fits; the finder's crops show 0.83."""

LIFT = 8.0
"""Added to levels against dark noise."""

BORDER = 0.04
"""Width of a picture's border in longer sides: less than any margin."""

ALIKE, FULL = 0.06, 1.0
"""Differences of log levels between border and card: below the first there is no margin; the second needs no gain."""


def shows_rim(image: Image) -> bool:
    """Return True if a disc with a visible rim fills a photograph."""
    gray = cv2.cvtColor(_resize(image, SIDE / max(image.shape[:2])), cv2.COLOR_BGR2GRAY)
    room = round((MOST - 0.5) * SIDE) + 1
    edges = discs.edges_of(np.asarray(cv2.copyMakeBorder(gray, room, room, room, room, cv2.BORDER_REPLICATE), np.uint8))
    height, width = gray.shape
    middle = np.array([width / 2 + room, height / 2 + room])
    centres = [middle + np.array([x, y]) * ASIDE * SIDE for x in (0, -1, 1) for y in (0, -1, 1)]
    radii = np.geomspace(LEAST, MOST, 1 + round(np.log(MOST / LEAST) / np.log(STEP))) * SIDE
    fits = (discs.best_fit(edges, float(x), float(y), float(radius)) for radius in radii for x, y in centres)
    return any(fit is not None and fit.support >= RIM for fit in fits)


def is_drawing(image: Image) -> bool:
    """Return True if the border is of one colour, as in drawings and scans."""
    small = without_noise(image)
    border = np.concatenate([small[0], small[-1], small[:, 0], small[:, -1]])
    low, high = np.percentile(border, (1, 99), axis=0)
    return bool((high - low < PLAIN).all())


def without_noise(image: Image) -> Image:
    """Shrink to EVENED x EVENED pixels, averaging out noise."""
    return np.asarray(cv2.resize(image, (EVENED, EVENED), interpolation=cv2.INTER_AREA), np.uint8)


def _resize(image: Image, scale: float) -> Image:
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=how), np.uint8)


def frame_card(image: Image, size: tuple[float, float]) -> Image:
    """Return a card upright with the finder's margin, which is added if missing.

    The picture's aspect gives a tilted card's angle. size: of the card, in any unit.
    """
    form, (height, width) = min(size) / max(size), image.shape[:2]
    angle = float(np.degrees(np.arctan2(width / height - form, 1 - width / height * form)))
    upright = not NEARLY_UPRIGHT < angle < 90 - NEARLY_UPRIGHT
    turns = [90.0 * (angle > 45)] if upright else [angle, -angle]
    scale = SIDE / max(height, width)
    light = np.log(_resize(image, scale).astype(np.float32) + LIFT)
    apart = _margin_contrast(light)
    light *= max(1.0, FULL / max(apart, ALIKE))
    edges = np.dstack([cv2.GaussianBlur(light, (0, 0), 0.7), np.zeros(light.shape[:2])]).astype(np.float32)
    found = [_settle(edges, turn, form, part) for turn in turns for part in PARTS]
    quad, long = max(found, key=lambda one: one[0].support)
    if upright and (apart < ALIKE or quad.support < CLEARLY):
        quad, long = Quad(light.shape[1] / 2 - 0.5, light.shape[0] / 2 - 0.5, turns[0], 0.0), float(SIDE)
    return _cut(image, quad, (form * long / scale, long / scale), scale)


def _margin_contrast(light: Floats) -> float:
    wide = max(1, round(BORDER * max(light.shape[:2])))
    border = np.ones(light.shape[:2], bool)
    border[wide:-wide, wide:-wide] = False
    return float(np.abs(np.median(light[border], axis=0) - np.median(light[~border], axis=0)).max())


def _settle(edges: Floats, turn: float, form: float, part: float) -> tuple[Quad, float]:
    """Fit a rectangle to edges; return it and its longer side. form: shorter / longer side; part: size relative to the
    largest that fits."""
    height, width = edges.shape[:2]
    along, across = abs(np.cos(np.radians(turn))), abs(np.sin(np.radians(turn)))
    long = part * float(min(width / (form * along + across), height / (form * across + along)))
    quad = Quad(width / 2 - 0.5, height / 2 - 0.5, turn, 0.0)
    for _ in range(2):
        quad = settle_edges(edges, np.zeros((height, width), np.uint8), quad, (form * long, long))
    return quad, long


def _cut(image: Image, quad: Quad, size: tuple[float, float], scale: float) -> Image:
    turn, out = np.radians(quad.angle_deg), np.rint(np.array(size) * CROP_ROOM).astype(int)
    turned = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    middle = (np.array([quad.x, quad.y]) + 0.5) / scale - 0.5
    warp = np.column_stack([turned, middle - turned @ ((out - 1) / 2)])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(image, warp, (int(out[0]), int(out[1])), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )
