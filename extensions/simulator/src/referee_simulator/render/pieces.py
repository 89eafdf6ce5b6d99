"""Draws a piece: wall, upper face, shadow."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from engine.table import Face
from referee_simulator.render.art import face as drawn
from referee_simulator.render.optics import Optics, Points
from referee_simulator.table.ground_truth import Body, Shape
from vision.camera import Image

WALL = (142.0, 160.0, 170.0)
_RIM = np.linspace(0.0, 2 * math.pi, 28, endpoint=False)
_DISC = np.column_stack([np.cos(_RIM), np.sin(_RIM)]) / 2
_CARD = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


def solid(body: Body) -> tuple[Points, Points]:
    """Return the rims (N, 3) of symbol side and back, in mm; heights are positive."""
    rim = _DISC if body.shape is Shape.DISC else _CARD
    flat = rim * np.array([body.width, body.height])
    half = body.thickness / 2
    front = np.column_stack([flat, np.full(len(flat), half)])
    back = np.column_stack([flat, np.full(len(flat), -half)])
    return _place(body, front), _place(body, back)


def _place(body: Body, points: Points) -> Points:
    if body.face is Face.DOWN:
        points = points * np.array([-1.0, 1.0, -1.0])
    turn, axis = math.radians(body.angle), math.radians(body.axis_deg)
    c, s = math.cos(turn), math.sin(turn)
    at = points.copy()
    at[:, 0], at[:, 1] = points[:, 0] * c - points[:, 1] * s, points[:, 0] * s + points[:, 1] * c
    if body.tilt_deg:
        vector = np.array([math.cos(axis), math.sin(axis), 0.0]) * math.radians(body.tilt_deg)
        at = at @ np.asarray(cv2.Rodrigues(vector)[0]).T
    reach = abs(math.sin(math.radians(body.tilt_deg))) * max(body.width, body.height) / 2
    base = body.thickness / 2 + body.lift_mm + (reach if body.held else 0.0)
    return np.asarray(at + np.array([body.x, body.y, base]), dtype=np.float64)


def draw(picture: Image, body: Body, optics: Optics, light: float, seed: int) -> None:
    front, back = solid(body)
    eye = optics.eye * np.array([1.0, 1.0, -1.0])
    outward = front.mean(axis=0) - back.mean(axis=0)
    symbol_seen = float(outward @ (eye - front.mean(axis=0))) > 0
    near, far = (front, back) if symbol_seen else (back, front)
    _wall(picture, optics.project(near), optics.project(far), light)
    side = max(24, round(optics.scale() * max(body.width, body.height) * 1.15))
    face = drawn(body.set, body.kind if symbol_seen else None, side, seed, body.id)
    _face(picture, face, optics.project(_corners(body, symbol_seen)), light)


def _wall(picture: Image, near: Points, far: Points, light: float) -> None:
    both = np.vstack([near, far]).astype(np.float32)
    hull = cv2.convexHull(both)
    colour = [min(255.0, v * light) for v in WALL]
    cv2.fillConvexPoly(picture, np.round(hull * 16).astype(np.int32), colour, cv2.LINE_AA, 4)


def _corners(body: Body, symbol_seen: bool) -> Points:
    side = 1.0 if symbol_seen else -1.0
    flat = _CARD * np.array([body.width * side, body.height])
    return _place(body, np.column_stack([flat, np.full(4, body.thickness / 2 * side)]))


def _face(picture: Image, face: Image, quad: Points, light: float) -> None:
    low = np.floor(quad.min(axis=0)).astype(int) - 1
    high = np.ceil(quad.max(axis=0)).astype(int) + 2
    height, width = picture.shape[:2]
    x0, y0 = max(0, int(low[0])), max(0, int(low[1]))
    x1, y1 = min(width, int(high[0])), min(height, int(high[1]))
    if x0 >= x1 or y0 >= y1:
        return
    tall, wide = face.shape[:2]
    source = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], dtype=np.float32) - 0.5
    target = (quad - np.array([x0, y0])).astype(np.float32)
    homography = cv2.getPerspectiveTransform(source, target)
    warped = cv2.warpPerspective(face, homography, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
    weight = warped[..., 3:].astype(np.float32) / 255.0
    under = picture[y0:y1, x0:x1]
    mixed = under * (1.0 - weight) + np.minimum(255.0, warped[..., :3] * light) * weight
    picture[y0:y1, x0:x1] = mixed.astype(np.uint8)


def shade(picture: Image, points: list[Points], strength: float, softness: float) -> None:
    every = np.vstack(points)
    pad = int(3 * softness) + 2
    height, width = picture.shape[:2]
    x0, y0 = (max(0, int(v) - pad) for v in every.min(axis=0))
    x1 = min(width, int(every[:, 0].max()) + pad)
    y1 = min(height, int(every[:, 1].max()) + pad)
    if x0 >= x1 or y0 >= y1:
        return
    # A soft shadow has no fine detail: a quarter of the size suffices.
    step = 4 if softness >= 4 else 1
    mask = np.zeros(((y1 - y0) // step + 1, (x1 - x0) // step + 1), dtype=np.uint8)
    for polygon in points:
        local = np.round((polygon - np.array([x0, y0])) / step * 16).astype(np.int32)
        cv2.fillPoly(mask, [local], (255,), cv2.LINE_AA, 4)
    mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), softness / step), dtype=np.uint8)
    if step > 1:
        mask = cv2.resize(mask, (mask.shape[1] * step, mask.shape[0] * step), interpolation=cv2.INTER_LINEAR)
    keep = 255 - cv2.convertScaleAbs(mask[: y1 - y0, : x1 - x0], alpha=strength)
    under = picture[y0:y1, x0:x1]
    picture[y0:y1, x0:x1] = cv2.multiply(under, cv2.merge([keep, keep, keep]), scale=1 / 255.0)


def shadow(body: Body, light_deg: float) -> npt.NDArray[np.float64]:
    """Return a shadow's outline on the mat (N, 3)."""
    front, back = solid(body)
    points = np.vstack([front, back])
    away = math.radians(light_deg) + math.pi
    points[:, 0] += points[:, 2] * math.cos(away) * 0.55
    points[:, 1] += points[:, 2] * math.sin(away) * 0.55
    points[:, 2] = 0.0
    hull = cv2.convexHull(points[:, :2].astype(np.float32))[:, 0, :]
    return np.column_stack([hull.astype(np.float64), np.zeros(len(hull))])
