"""Draws ArUco markers as shapes."""

from __future__ import annotations

import cv2

from device.printing.drawing import BLACK, Point, Shape, box
from vision.registration.lens import dictionary


def marker(name: str, ident: int, x: float, y: float, side: float) -> Shape:
    """Return a marker with its black rim; top left at (x, y), `side` mm wide. Raises ValueError."""
    words = dictionary(name)
    cells = words.markerSize + 2
    bits = cv2.aruco.generateImageMarker(words, ident, cells) < 128
    cell = side / cells
    outlines: list[tuple[Point, ...]] = []
    for row in range(cells):
        run = 0
        for column in range(cells + 1):
            if column < cells and bits[row, column]:
                run += 1
            elif run:
                outlines.append(box(x + (column - run) * cell, y + row * cell, run * cell, cell))
                run = 0
    return Shape(tuple(outlines), BLACK)


def corners(x: float, y: float, side: float) -> tuple[Point, ...]:
    """Return the corners clockwise from the top left, as OpenCV does."""
    return box(x, y, side, side)
