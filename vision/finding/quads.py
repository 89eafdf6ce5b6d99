"""Square tiles and cards of a known size on a plain ground: outlines of what stands out, split where they touch."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image

CONTRAST = 0.13
SIZE_SLACK = 0.12
MIN_FILL = 0.8


class Quad(msgspec.Struct, frozen=True):
    """A rectangle in sheet pixels. angle_deg: clockwise turn, in [-90, 90) for cards, [-45, 45) for squares."""

    x: float
    y: float
    angle_deg: float
    support: float


def find_quads(sheet: Image, size: tuple[float, float], usable: Image) -> list[Quad]:
    """All rectangles of about `size` (width, height in pixels) that stand out from the ground, best first."""
    solid = _solid(sheet, usable)
    contours, _ = cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found: list[Quad] = []
    for contour in contours:
        area = cv2.contourArea(contour)
        if area < 0.5 * size[0] * size[1]:
            continue
        single = _single(contour, area, size)
        found.extend([single] if single is not None else _split(contour, area, size))
    return sorted(found, key=lambda quad: -quad.support)


def _solid(sheet: Image, usable: Image) -> Image:
    """Mask of what differs from the ground's colour, holes filled."""
    ground = np.median(sheet[usable > 0][::7], axis=0).astype(np.float32) + 4.0
    ratio = (sheet.astype(np.float32) + 4.0) / ground
    over = np.asarray((np.abs(ratio - 1).max(axis=2) > CONTRAST) & (usable > 0), np.uint8)
    over = np.asarray(cv2.morphologyEx(over, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.uint8)
    contours, _ = cv2.findContours(over, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return np.asarray(cv2.drawContours(np.zeros_like(over), contours, -1, 1, cv2.FILLED), np.uint8)


def _single(contour: npt.NDArray[np.generic], area: float, size: tuple[float, float]) -> Quad | None:
    (x, y), sides, angle = cv2.minAreaRect(np.asarray(contour, np.int32))
    straight, turned = _misfit((sides[0], sides[1]), size), _misfit((sides[1], sides[0]), size)
    if min(straight, turned) > SIZE_SLACK:
        return None
    support = area / (sides[0] * sides[1])
    if support < MIN_FILL:
        return None
    return Quad(x, y, _folded(angle + (0 if straight <= turned else 90), size), support)


def _misfit(sides: tuple[float, float], size: tuple[float, float]) -> float:
    return max(abs(sides[0] / size[0] - 1), abs(sides[1] / size[1] - 1))


def _folded(angle: float, size: tuple[float, float]) -> float:
    """An angle without the turns under which the shape looks the same."""
    period = 90.0 if abs(size[0] - size[1]) < 0.05 * size[0] else 180.0
    return (angle + period / 2) % period - period / 2


def _split(contour: npt.NDArray[np.generic], area: float, size: tuple[float, float]) -> list[Quad]:
    """Pieces that touch: rectangles at the blob's own angle that the mask fills, greedily from the best."""
    left, top, width, height = cv2.boundingRect(np.asarray(contour, np.int32))
    room = int(max(size))
    blob = np.zeros((height + 2 * room, width + 2 * room), np.uint8)
    cv2.drawContours(blob, [np.asarray(contour, np.int32)], -1, 1, cv2.FILLED, offset=(room - left, room - top))
    found: list[Quad] = []
    base = cv2.minAreaRect(np.asarray(contour, np.int32))[2]
    while len(found) < round(area / (size[0] * size[1])):
        best = max((_best_at(blob, base + turn, size) for turn in _turns(size)), key=lambda quad: quad.support)
        if best.support < MIN_FILL:
            break
        found.append(Quad(best.x + left - room, best.y + top - room, _folded(best.angle_deg, size), best.support))
        corners = cv2.boxPoints(((best.x, best.y), size, best.angle_deg))
        cv2.fillPoly(blob, [np.rint(corners).astype(np.int32)], 0)
    return found


def _turns(size: tuple[float, float]) -> tuple[float, ...]:
    return (0.0, -6.0, 6.0) if abs(size[0] - size[1]) < 0.05 * size[0] else (0.0, 90.0, -6.0, 6.0, 84.0, 96.0)


def _best_at(blob: Image, angle: float, size: tuple[float, float]) -> Quad:
    """The place where a rectangle of that angle is filled most."""
    side = int(np.ceil(np.hypot(*size))) | 1
    kernel = np.zeros((side, side), np.float32)
    corners = cv2.boxPoints(((side // 2, side // 2), size, angle))
    cv2.fillPoly(kernel, [np.rint(corners).astype(np.int32)], 1.0)
    kernel /= kernel.sum()
    filled = cv2.filter2D(blob.astype(np.float32), -1, kernel, borderType=cv2.BORDER_CONSTANT)
    _, most, _, (x, y) = cv2.minMaxLoc(filled)
    return Quad(float(x), float(y), angle, float(most))
