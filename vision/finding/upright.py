"""Finds axis-aligned rectangles in a rotated picture by integral sums of edges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.channels import extremes, split
from vision.finding.quad import EDGE, INNER, RIM, Quad, fold_angle

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

FILL = 0.94
"""Share of a rectangle that must be foreground or hidden."""

COVERAGE = 0.38
"""Share of visible sides that need edges."""

LEAST_SIDES, LEAST_SHOWN = 0.3, 0.1
"""Visible shares required of sides and area."""

LEAST_TOLD = 0.005
"""Share of the area that must need explaining, against edges in reflections."""

TURNS = 5
"""Directions tried per blob."""

SLACK = 3
"""Tolerance across a side in pixels, for uncalibrated lenses."""

RUN = 5
"""Pixels averaged along an edge, to suppress print."""

PEAKS, APART = 4, 4
"""Candidates per direction and their distance in small pixels."""


def turns(light: Floats, left: Image) -> Sequence[float]:
    """Return at most TURNS edge directions near the foreground `left`, commonest first, in degrees, [-45, 45)."""
    gray = light[..., :3].mean(axis=2)
    dx, dy = cv2.Sobel(gray, cv2.CV_32F, 1, 0, ksize=3), cv2.Sobel(gray, cv2.CV_32F, 0, 1, ksize=3)
    near = cv2.dilate(left, np.ones((3, 3), np.uint8)) > 0
    strength = np.minimum(np.hypot(dx, dy)[near], 1.0)
    angle = np.degrees(np.arctan2(dy[near], dx[near])) % 90.0
    counts, _ = np.histogram(angle, bins=90, range=(0, 90), weights=strength)
    smooth = np.convolve(np.concatenate([counts[-3:], counts, counts[:3]]), [1, 2, 3, 4, 3, 2, 1], "valid")
    peaks = [i for i in range(90) if smooth[i] >= max(smooth[i - 1], smooth[(i + 1) % 90])]
    ranked = sorted(peaks, key=lambda i: -smooth[i])[:TURNS]
    return [(i + 0.5 + 45.0) % 90.0 - 45.0 for i in ranked]


def upright(
    light: Floats, solid: Image, hidden: Image, turn: float, size: tuple[float, float], telling: Image | None = None
) -> Iterator[Quad]:
    """Yield rectangles at one turn, at most PEAKS upright, then as many sideways unless square. telling: mask (0/1) to
    be covered."""
    height, width = solid.shape
    radians = np.radians(turn)
    cos, sin = abs(np.cos(radians)), abs(np.sin(radians))
    out = round(width * cos + height * sin) + 2, round(width * sin + height * cos) + 2
    matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), turn, 1.0)
    matrix[:, 2] += (out[0] - width) / 2, (out[1] - height) / 2
    turned = np.asarray(cv2.warpAffine(light, matrix, out, borderMode=cv2.BORDER_REPLICATE), np.float32)
    given = (solid, hidden) if telling is None else (solid, hidden, telling)
    sides = _Sides(turned, *(cv2.warpAffine(mask, matrix, out, flags=cv2.INTER_NEAREST) > 0 for mask in given))
    back = cv2.invertAffineTransform(matrix)
    square = abs(size[0] - size[1]) < 0.05 * size[0]
    for lies in (0.0,) if square else (0.0, 90.0):
        for best in sides.best(size if lies == 0.0 else size[::-1]):
            x, y = back @ np.array([best.x, best.y, 1.0])
            yield Quad(float(x), float(y), fold_angle(turn + lies, size), best.support, best.shown)


class _Sides:
    """Integral sums of a rotated part's edges."""

    def __init__(self, light: Floats, solid: Mask, hidden: Mask, telling: Mask | None = None) -> None:
        seen = (~hidden).astype(np.float32)
        self._across = self._edges(light, 1)  # edges that run down
        self._down = self._edges(light, 0)
        self._run_down, self._run_across = _sums(self._across * seen, 0), _sums(self._down * seen, 1)
        self._seen_down, self._seen_across = _sums(seen, 0), _sums(seen, 1)
        self._filled = np.asarray(cv2.integral((solid | hidden).astype(np.uint8)), np.int32)
        self._open = np.asarray(cv2.integral((solid & ~hidden).astype(np.uint8)), np.int32)
        self._telling = None if telling is None else np.asarray(cv2.integral(telling.astype(np.uint8)), np.int32)

    @staticmethod
    def _edges(light: Floats, axis: int) -> Floats:
        kernel = (SLACK, 1) if axis == 1 else (1, SLACK)
        step = np.asarray(cv2.Sobel(light, cv2.CV_32F, int(axis == 1), int(axis == 0), ksize=1, scale=0.5), np.float32)
        along = (1, RUN) if axis == 1 else (RUN, 1)
        *colours, rim = split(np.abs(cv2.blur(step, along)))
        _, seen = extremes(colours)
        noise = 2.0 * float(np.median(seen))
        full = np.maximum(INNER * np.clip((seen - noise) / EDGE, 0.0, 1.0), np.clip(rim / RIM, 0.0, 1.0))
        return np.asarray(cv2.dilate(full, np.ones(kernel[::-1], np.uint8)), np.float32)

    def best(self, extent: tuple[float, float]) -> Iterator[Quad]:
        wide, tall = round(extent[0]), round(extent[1])
        rows, columns = self._across.shape
        if rows <= tall + 1 or columns <= wide + 1:
            return
        strength = self._round(self._run_down, self._run_across, wide, tall)
        sight = self._round(self._seen_down, self._seen_across, wide, tall)
        area = float(wide * tall)
        filled, shown = _boxes(self._filled, wide, tall) / area, _boxes(self._open, wide, tall) / area
        around = 2.0 * (wide + tall)
        score = strength / np.maximum(sight, LEAST_SIDES * around) * (0.9 + 0.1 * shown)
        score[(filled < FILL) | (sight < LEAST_SIDES * around) | (shown < LEAST_SHOWN)] = 0.0
        if self._telling is not None:
            score[_boxes(self._telling, wide, tall) < LEAST_TOLD * area] = 0.0
        for _ in range(PEAKS):
            _, most, _, (x, y) = cv2.minMaxLoc(score)
            if most < COVERAGE:
                return
            yield Quad(x + wide / 2, y + tall / 2, 0.0, float(most), min(1.0, float(shown[y, x])))
            score[max(0, y - APART) : y + APART + 1, max(0, x - APART) : x + APART + 1] = 0.0

    @staticmethod
    def _round(down: Floats, across: Floats, wide: int, tall: int) -> Floats:
        rows, columns = down.shape[0] - 1 - tall, down.shape[1] - wide
        left_right = down[tall : tall + rows] - down[:rows]
        top_bottom = across[:, wide : wide + columns] - across[:, :columns]
        sides = left_right[:, :columns] + left_right[:, wide : wide + columns]
        return np.asarray(sides + top_bottom[:rows] + top_bottom[tall : tall + rows], np.float32)


def _sums(values: Floats, axis: int) -> Floats:
    pad = ((1, 0), (0, 0)) if axis == 0 else ((0, 0), (1, 0))
    return np.asarray(np.pad(np.cumsum(values, axis=axis, dtype=np.float32), pad), np.float32)


def _boxes(integral: npt.NDArray[np.int32], wide: int, tall: int) -> Floats:
    total = integral[tall:, wide:] - integral[:-tall, wide:] - integral[tall:, :-wide] + integral[:-tall, :-wide]
    return np.asarray(total[: integral.shape[0] - 1 - tall, : integral.shape[1] - 1 - wide], np.float32)
