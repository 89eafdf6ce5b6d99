"""Draws table and printed mat once per scene."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from referee_simulator.render.optics import Optics
from referee_simulator.table.scenes import Scene
from vision.camera import Image
from vision.mat import Box, Mat

PIXELS_PER_MM = 4.0
# Printed colours (BGR) before light; INK is gray.
PAPER = (206, 214, 218)
CLOTH = (74, 92, 70)
OUTLINE = (150, 176, 160)
WHITE = (236, 236, 236)
GRAY = (128, 128, 128)
INK = 22

DICTIONARIES = {
    "4x4_50": cv2.aruco.DICT_4X4_50,
    "4x4_100": cv2.aruco.DICT_4X4_100,
    "5x5_50": cv2.aruco.DICT_5X5_50,
    "5x5_100": cv2.aruco.DICT_5X5_100,
}


def print_mat(mat: Mat) -> Image:
    width, height = (round(v * PIXELS_PER_MM) for v in mat.size_mm)
    sheet = np.full((height, width, 3), CLOTH, dtype=np.uint8)
    for zone in mat.zones:
        _outline(sheet, zone.box)
        for cell in zone.cells:
            _outline(sheet, cell, thickness=2)
    _patch(sheet, mat.white, WHITE)
    _patch(sheet, mat.gray, GRAY)
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARIES[mat.dictionary.lower()])
    for marker in mat.markers:
        rim = marker.side / 7
        _patch(sheet, Box(marker.x - rim, marker.y - rim, marker.side + 2 * rim, marker.side + 2 * rim), PAPER)
        side = round(marker.side * PIXELS_PER_MM)
        code = cv2.aruco.generateImageMarker(dictionary, marker.id, side)
        x, y = round(marker.x * PIXELS_PER_MM), round(marker.y * PIXELS_PER_MM)
        printed_code = np.where(code[..., None] > 127, np.array(PAPER), INK)
        sheet[y : y + side, x : x + side] = printed_code.astype(np.uint8)
    return sheet


def _outline(sheet: Image, box: Box, thickness: int = 3) -> None:
    x0, y0, x1, y1 = _corners(box)
    cv2.rectangle(sheet, (x0, y0), (x1, y1), OUTLINE, thickness)


def _patch(sheet: Image, box: Box, colour: tuple[int, int, int]) -> None:
    x0, y0, x1, y1 = _corners(box)
    cv2.rectangle(sheet, (x0, y0), (x1 - 1, y1 - 1), colour, -1)


def _corners(box: Box) -> tuple[int, int, int, int]:
    edges = (box.x, box.y, box.x + box.width, box.y + box.height)
    x0, y0, x1, y1 = (round(v * PIXELS_PER_MM) for v in edges)
    return x0, y0, x1, y1


def wood(size: tuple[int, int], seed: int) -> Image:
    rng = np.random.default_rng([seed, 0x700D])
    width, height = size
    grain = rng.normal(0.0, 1.0, (height // 3 + 1, 12)).astype(np.float32)
    field = cv2.resize(grain, (width, height), interpolation=cv2.INTER_CUBIC) * 9.0
    base = np.array([int(v) for v in rng.uniform((50, 80, 110), (90, 120, 150))], dtype=np.float32)
    return np.clip(base + field[..., None], 0, 255).astype(np.uint8)


def light_field(optics: Optics, scene: Scene) -> npt.NDArray[np.float32]:
    """Return relative brightness per pixel, with slope and vignetting."""
    width, height = optics.size
    xs = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    ys = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    towards = np.radians(scene.light_deg)
    slope = 1.0 + scene.slope * (xs * np.cos(towards) + ys * np.sin(towards))
    vignette = 1.0 - 0.08 * (xs**2 + ys**2)
    return np.asarray(slope * vignette, dtype=np.float32)


def background(mat: Mat, optics: Optics, scene: Scene) -> Image:
    """Return the empty table under the scene's light, before exposure, colour and noise."""
    sheet = print_mat(mat)
    per_mm = sheet.shape[1] / mat.size_mm[0]
    width, height = optics.size
    columns, rows = np.meshgrid(np.arange(width, dtype=np.float64), np.arange(height, dtype=np.float64))
    on_mat = optics.back(np.column_stack([columns.ravel(), rows.ravel()])) * per_mm
    xs, ys = (on_mat[:, i].astype(np.float32).reshape(height, width) for i in (0, 1))
    # The print is finer than the camera; blurring to its pitch prevents aliasing.
    ratio = per_mm / optics.scale()
    smooth = cv2.GaussianBlur(sheet, (0, 0), max(0.3, 0.35 * ratio))
    picture = wood(optics.size, scene.seed)
    seen = cv2.remap(smooth, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(0, 0, 0))
    ones = np.full(sheet.shape[:2], 255, dtype=np.uint8)
    cover = cv2.remap(ones, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
    weight = cover.astype(np.float32)[..., None] / 255.0
    lit = (seen * weight + picture * (1.0 - weight)) * light_field(optics, scene)[..., None]
    return np.asarray(np.clip(lit, 0, 255), dtype=np.uint8)
