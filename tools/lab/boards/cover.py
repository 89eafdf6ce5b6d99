"""Detects what lies under a hand, and so cannot be read.

A shadow leaves the board's edges where they are; a hand wipes them out. So the known board's gradients are looked for.
"""

from __future__ import annotations

import cv2
import numpy as np

from tools.lab.boards.grid import CELL_PX, Flags, Floats, Grid, gray

EDGE = 0.03
"""Gradient of the known board, in logarithm of light a pixel, above which it is an edge."""

WIPED = 0.5
"""A place is wiped out if more than this share of its edges is gone."""

FEW_EDGES = 0.006
"""A neighbourhood with a lower mean gradient has too few edges to tell."""

COLOUR = 0.35
"""Difference between two channels' change that no shadow makes."""

DARKER = 1.8
"""No shadow takes so much light, as a logarithm."""

HAND_CELLS = 2.4
"""A wiped patch of more cells than this that reaches the rim of what is seen is a hand."""

FINGER_CELLS = 0.7
"""One of this size that does may still have touched something."""

DIFFERENT = 0.15
"""Logarithm of light, smoothed over a few pixels: a hand makes such a difference where it crosses the rim."""

OUTSIDE = 0.2
"""The rim begins so far (in cells) outside the board: farther out there may be no edges to miss."""

SHARE = 0.1
"""A cell is covered if more of it than this is under a hand."""


class Cover:
    """Finds hands: they wipe the board out and reach in over its edge."""

    def __init__(self, grid: Grid, seen: Flags) -> None:
        self._grid = grid
        within = cv2.erode(np.pad(seen, 1).astype(np.uint8), np.ones((3, 3), np.uint8))[1:-1, 1:-1]
        edge = round(CELL_PX * (1 - OUTSIDE))
        within[:edge] = within[-edge:] = within[:, :edge] = within[:, -edge:] = 0
        self._rim: Flags = np.asarray(within == 0)
        self._seen = seen

    def wiped(self, board: Floats, known: Floats, has: Flags) -> Flags:
        """Pixels whose neighbourhood shows something else than the known board, whatever the light.

        board, known: logarithms of light. has: pixels where the known board is known.
        """
        across, down, across_known, down_known = (
            cv2.Sobel(cv2.GaussianBlur(one, (0, 0), 1.0), cv2.CV_32F, dx, 1 - dx, scale=0.125)
            for one in (gray(board), gray(known))
            for dx in (1, 0)
        )
        strength = cv2.magnitude(across_known, down_known)
        strength[(strength < EDGE) | ~(has & self._seen)] = 0
        agree = across * across_known + down * down_known
        kept = np.clip(agree / np.maximum(strength, 1e-6) ** 2, 0, 1) * strength
        size = (CELL_PX * 5 // 4, CELL_PX * 5 // 4)
        edges = cv2.blur(strength, size)
        gone = (edges > FEW_EDGES) & (edges - cv2.blur(kept, size) > WIPED * edges)
        apart = board - known
        blue, green, red = cv2.split(apart)
        tint = np.maximum(np.maximum(blue, green), red) - np.minimum(np.minimum(blue, green), red)
        other = (tint > COLOUR) | (np.abs(green) > DARKER)
        return np.asarray((gone | other) & has & self._seen)

    def __call__(self, board: Floats, known: Floats, has: Flags) -> tuple[Flags, Flags, bool]:
        """Cells under a hand; cells that one may touch (those next to it too), both with the border; and whether
        anything as large as a finger reaches in. Takes what `wiped` takes.
        """
        over = np.asarray(self.wiped(board, known, has), np.uint8)
        over = np.asarray(cv2.morphologyEx(over, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
        over = np.asarray(cv2.morphologyEx(over, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)), np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(over, connectivity=8)
        at_rim = np.bincount(labels[self._crossed(board, known)], minlength=count) > 0
        cells = stats[:, cv2.CC_STAT_AREA] / CELL_PX**2
        hand = at_rim & (cells > HAND_CELLS)
        reaching = at_rim & (cells > FINGER_CELLS)
        reaching[0] = hand[0] = False
        touching = reaching | (cells > HAND_CELLS)
        touching[0] = False
        near = (self._share(touching[labels]) > SHARE).astype(np.uint8)
        touched = np.asarray(cv2.dilate(near, np.ones((3, 3), np.uint8)) > 0)
        return self._share(hand[labels]) > SHARE, touched, bool(reaching.any())

    def _crossed(self, board: Floats, known: Floats) -> Flags:
        """Pixels of the rim that have changed themselves, not only something near them: a piece does not reach out."""
        apart = np.abs(cv2.GaussianBlur(board - known, (0, 0), 1.5))
        return np.asarray(self._rim & (apart.max(axis=2) > DIFFERENT))

    def _share(self, where: Flags) -> Floats:
        if not where.any():
            return np.zeros(self._grid.shape, np.float32)
        return self._grid.mean(np.asarray(where, np.float32))
