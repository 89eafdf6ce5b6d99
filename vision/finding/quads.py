"""Square tiles and cards of a known size, side by side or one on another, on a plain ground.

Cards are peeled off from the top: the uppermost shows all four sides, and once it is known what it hides, the next one
shows most of what is left. A rectangle is believed if its sides are edges of the picture wherever they are in sight,
and if what it covers stands out from the ground: a printed outline does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Image
from vision.finding.ground import stands_out

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

LEAST_BLOB = 0.5
"""Share of a piece's area that what stands out must have to be searched."""

FILL = 0.94
"""Share of a rectangle that must stand out or be hidden by others."""

COVERAGE = 0.38
"""Share of a rectangle's visible sides that must be edges."""

LEAST_SIDES, LEAST_SHOWN = 0.3, 0.1
"""Shares of a rectangle's sides and of its area that must be in sight."""

EDGE = 0.07
"""A step across a pixel, of the logarithm of brightness, that counts as an edge in full."""

INNER, RIM = 0.85, 0.25
"""What an edge counts that has no bare ground beside it; a step of the mask of what stands out that counts in full."""

CROSSWISE = 0.7
"""What a rectangle is worth that lies across what its place suggests."""

EXPLAINED = 0.5
"""How much it counts that a rectangle covers what is to be explained."""

TURNS = 5
"""So many directions of a blob's edges are tried."""

SEARCH_SIDE = 60.0
"""Pixels that a piece's longer side has in the picture that is searched."""

SLACK = 3
"""Pixels across an edge within which a side may lie: an uncalibrated lens makes pieces a little larger or smaller."""

RUN = 5
"""Pixels along an edge that are averaged: print is broken up, sides are not."""


class Quad(msgspec.Struct, frozen=True):
    """A rectangle in sheet pixels. angle_deg: clockwise turn, in [-90, 90) for cards, [-45, 45) for squares.

    support: share of its visible sides that are edges. shown: share of its area that no other rectangle hides.
    """

    x: float
    y: float
    angle_deg: float
    support: float
    shown: float = 1.0

    def corners(self, size: tuple[float, float]) -> npt.NDArray[np.float32]:
        """4 x 2 pixels."""
        return np.asarray(cv2.boxPoints(((self.x, self.y), size, self.angle_deg)), np.float32)


def find_quads(sheet: Image, size: tuple[float, float], usable: Image) -> list[Quad]:
    """All rectangles of about `size` (width, height in pixels) that stand out from the ground, the uppermost first."""
    return quads_in(sheet, stands_out(sheet, usable), size)


Expected = Callable[[float, float], "float | None"]
"""The angle at which a rectangle is expected to lie at a place of the sheet; None: at any."""


def quads_in(
    sheet: Image,
    solid: Image,
    size: tuple[float, float],
    wanted: Callable[[Image], bool] = lambda _: True,
    expected: Expected = lambda _x, _y: None,
    telling: Image | None = None,
) -> list[Quad]:
    """The same in a mask of what stands out. wanted: whether a part of the mask that hangs together is searched.

    telling: mask (0/1) of what is to be explained: of two rectangles that agree with the picture as well, the one is
    taken that covers more of it.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=4)
    found: list[Quad] = []
    room = 6
    for label in range(1, count):
        left, top, width, height, area = (int(v) for v in stats[label])
        part = np.asarray(labels == label, np.uint8)
        if area < LEAST_BLOB * size[0] * size[1] or not wanted(part):
            continue
        rows = slice(max(0, top - room), top + height + room)
        columns = slice(max(0, left - room), left + width + room)
        low = (columns.start, rows.start)
        blob = Blob(sheet[rows, columns], part[rows, columns], size, _moved(expected, low))
        if telling is not None:
            blob.explain(telling[rows, columns])
        found += [msgspec.structs.replace(quad, x=quad.x + low[0], y=quad.y + low[1]) for quad in blob.peeled()]
    return found


def _moved(expected: Expected, low: tuple[int, int]) -> Expected:
    """The same for places of a part of the sheet that begins at `low`."""
    return lambda x, y: expected(x + low[0], y + low[1])


class Blob:
    """A part of a sheet in which everything that stands out hangs together."""

    def __init__(
        self, sheet: Image, solid: Image, size: tuple[float, float], expected: Expected = lambda _x, _y: None
    ) -> None:
        self.size, self._expected = size, expected
        self._telling: Image | None = None
        self._solid = solid
        light = cv2.GaussianBlur(np.log(sheet.astype(np.float32) + 8.0), (0, 0), 0.7)
        rim = cv2.GaussianBlur(solid.astype(np.float32), (0, 0), 0.7)
        self._light: Floats = np.dstack([light, rim]).astype(np.float32)
        self._hidden = np.zeros(solid.shape, np.uint8)
        self._scale = min(1.0, SEARCH_SIDE / max(size))
        reduced = (round(solid.shape[1] * self._scale), round(solid.shape[0] * self._scale))
        self._small = np.asarray(cv2.resize(self._light, reduced, interpolation=cv2.INTER_AREA), np.float32)

    def explain(self, telling: Image) -> None:
        """Prefers rectangles that cover more of this mask (0/1)."""
        self._telling = np.asarray(telling & self._solid, np.uint8)

    def _explains(self, quad: Quad) -> float:
        """Share of what is to be explained that a rectangle covers; 1 if there is nothing."""
        if self._telling is None:
            return 1.0
        left = np.asarray(self._telling & (self._hidden == 0), np.uint8)
        mask = np.zeros_like(left)
        cv2.fillPoly(mask, [np.rint(quad.corners(self.size)).astype(np.int32)], 1)
        return float(np.count_nonzero(left & mask)) / max(1, int(np.count_nonzero(left)))

    def peeled(self) -> Iterator[Quad]:
        """The rectangles, each as soon as nothing hides it but those before."""
        area = self.size[0] * self.size[1]
        while True:
            left = np.asarray((self._solid > 0) & (self._hidden == 0), np.uint8)
            left = np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.uint8)
            if np.count_nonzero(left) < LEAST_SHOWN * area:
                return
            best = self._best(left)
            if best is None:
                return
            yield best
            cv2.fillPoly(self._hidden, [np.rint(best.corners(self.size)).astype(np.int32)], 1)

    def _best(self, left: Image) -> Quad | None:
        solid, hidden, left = (self._reduced(mask) for mask in (self._solid, self._hidden, left))
        extent = self.size[0] * self._scale, self.size[1] * self._scale
        found = [
            quad for turn in _turns(self._small, left) for quad in _upright(self._small, solid, hidden, turn, extent)
        ]
        likely = sorted((self._full(quad) for quad in found), key=lambda quad: -self._worth(quad))[:LIKELIEST]
        laid = [self._laid(quad) for quad in likely]
        best = max(laid, key=self._worth, default=None)
        return best if best is not None and best.support >= COVERAGE else None

    def _full(self, quad: Quad) -> Quad:
        """A rectangle of the small picture in the full one."""
        return msgspec.structs.replace(quad, x=(quad.x + 0.5) / self._scale - 0.5, y=(quad.y + 0.5) / self._scale - 0.5)

    def _worth(self, quad: Quad) -> float:
        expected = self._expected(quad.x, quad.y)
        crosswise = expected is not None and abs((quad.angle_deg - expected + 90.0) % 180.0 - 90.0) > 45.0
        plain = quad.support * (0.9 + 0.1 * quad.shown) * (CROSSWISE if crosswise else 1.0)
        return plain * (1.0 - EXPLAINED + EXPLAINED * self._explains(quad))

    def _reduced(self, mask: Image) -> Image:
        return np.asarray(cv2.resize(mask, self._small.shape[1::-1], interpolation=cv2.INTER_NEAREST), np.uint8)

    def _laid(self, quad: Quad) -> Quad:
        """The rectangle laid over the edges that are nearest to its visible sides."""
        for _ in range(2):
            quad = settled(self._light, self._hidden, quad, self.size)
        return quad


def _turns(light: Floats, left: Image) -> Sequence[float]:
    """Directions that many edges have near what is left, in [-45, 45)."""
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


def _upright(light: Floats, solid: Image, hidden: Image, turn: float, size: tuple[float, float]) -> Iterator[Quad]:
    """The best rectangle, standing and lying, at one turn."""
    height, width = solid.shape
    radians = np.radians(turn)
    cos, sin = abs(np.cos(radians)), abs(np.sin(radians))
    out = round(width * cos + height * sin) + 2, round(width * sin + height * cos) + 2
    matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), turn, 1.0)
    matrix[:, 2] += (out[0] - width) / 2, (out[1] - height) / 2
    turned = np.asarray(cv2.warpAffine(light, matrix, out, borderMode=cv2.BORDER_REPLICATE), np.float32)
    masks = [cv2.warpAffine(mask, matrix, out, flags=cv2.INTER_NEAREST) > 0 for mask in (solid, hidden)]
    sides = _Sides(turned, masks[0], masks[1])
    back = cv2.invertAffineTransform(matrix)
    square = abs(size[0] - size[1]) < 0.05 * size[0]
    for lies in (0.0,) if square else (0.0, 90.0):
        for best in sides.best(size if lies == 0.0 else size[::-1]):
            x, y = back @ np.array([best.x, best.y, 1.0])
            yield Quad(float(x), float(y), folded(turn + lies, size), best.support, best.shown)


class _Sides:
    """Edges of a part that was turned upright, summed up so that any upright rectangle is judged at once."""

    def __init__(self, light: Floats, solid: npt.NDArray[np.bool_], hidden: npt.NDArray[np.bool_]) -> None:
        seen = (~hidden).astype(np.float32)
        self._across = self._edges(light, 1)  # edges that run down
        self._down = self._edges(light, 0)
        self._run_down, self._run_across = _sums(self._across * seen, 0), _sums(self._down * seen, 1)
        self._seen_down, self._seen_across = _sums(seen, 0), _sums(seen, 1)
        self._filled = np.asarray(cv2.integral((solid | hidden).astype(np.uint8)), np.int32)
        self._open = np.asarray(cv2.integral((solid & ~hidden).astype(np.uint8)), np.int32)

    @staticmethod
    def _edges(light: Floats, axis: int) -> Floats:
        kernel = (SLACK, 1) if axis == 1 else (1, SLACK)
        step = np.asarray(cv2.Sobel(light, cv2.CV_32F, int(axis == 1), int(axis == 0), ksize=1, scale=0.5), np.float32)
        along = (1, RUN) if axis == 1 else (RUN, 1)
        strong = np.abs(cv2.blur(step, along))
        seen = strong[..., :3].max(axis=2)
        noise = 2.0 * float(np.median(seen))
        full = np.maximum(INNER * np.clip((seen - noise) / EDGE, 0.0, 1.0), np.clip(strong[..., 3] / RIM, 0.0, 1.0))
        return np.asarray(cv2.dilate(full, np.ones(kernel[::-1], np.uint8)), np.float32)

    def best(self, extent: tuple[float, float]) -> Iterator[Quad]:
        """Rectangles of that width and height whose visible sides are edges most, apart from one another."""
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
        for _ in range(PEAKS):
            _, most, _, (x, y) = cv2.minMaxLoc(score)
            if most < COVERAGE:
                return
            yield Quad(x + wide / 2, y + tall / 2, 0.0, float(most), min(1.0, float(shown[y, x])))
            score[max(0, y - APART) : y + APART + 1, max(0, x - APART) : x + APART + 1] = 0.0

    @staticmethod
    def _round(down: Floats, across: Floats, wide: int, tall: int) -> Floats:
        """Sums along the four sides of every rectangle, by its top-left corner."""
        rows, columns = down.shape[0] - 1 - tall, down.shape[1] - wide
        left_right = down[tall : tall + rows] - down[:rows]
        top_bottom = across[:, wide : wide + columns] - across[:, :columns]
        sides = left_right[:, :columns] + left_right[:, wide : wide + columns]
        return np.asarray(sides + top_bottom[:rows] + top_bottom[tall : tall + rows], np.float32)


def _sums(values: Floats, axis: int) -> Floats:
    """Running sums along an axis, with a zero before the first."""
    pad = ((1, 0), (0, 0)) if axis == 0 else ((0, 0), (1, 0))
    return np.asarray(np.pad(np.cumsum(values, axis=axis, dtype=np.float32), pad), np.float32)


def _boxes(integral: npt.NDArray[np.int32], wide: int, tall: int) -> Floats:
    total = integral[tall:, wide:] - integral[:-tall, wide:] - integral[tall:, :-wide] + integral[:-tall, :-wide]
    return np.asarray(total[: integral.shape[0] - 1 - tall, : integral.shape[1] - 1 - wide], np.float32)


def folded(angle: float, size: tuple[float, float]) -> float:
    """An angle without the turns under which the shape looks the same."""
    period = 90.0 if abs(size[0] - size[1]) < 0.05 * size[0] else 180.0
    return (angle + period / 2) % period - period / 2


PEAKS, APART = 4, 4
"""So many rectangles are tried at each turn, so many pixels of the small picture apart."""

LIKELIEST = 10
"""So many rectangles are laid over their edges."""

SAMPLES = 24
"""Places along each side at which the edge is looked for."""

REACH, STEP = 4.0, 0.25
"""Pixels to either side within which edges are looked for, and how finely."""

SKEWS = np.arange(-3.0, 3.01, 0.5)
"""Degrees by which a rectangle may be turned too little or too far."""

LARGER = np.arange(-0.02, 0.021, 0.01)
"""By how much a piece may be seen larger than it should be."""

ODD = 0.02
"""Price, in visible sides, of each hundredth of that."""


def settled(light: Floats, hidden: Image, quad: Quad, size: tuple[float, float]) -> Quad:
    """Shifts and turns a rectangle so that its sides lie on edges, as far as they are in sight.

    Opposite sides are moved together: an edge printed near a side has no counterpart at the right distance.
    """
    arm, normal, out = _outline(quad, size)
    centre = np.array([quad.x, quad.y])
    steps = np.arange(-REACH, REACH + STEP / 2, STEP)
    strength = _edges_across(light, centre + arm, normal, steps)
    seen = _in_sight(hidden, centre + arm)
    strength[~seen] = 0.0
    lever = (normal * np.column_stack([-arm[:, 1], arm[:, 0]])).sum(axis=1)
    best, kept = -1.0, (0.0, 0.0, 0.0)
    for skew in SKEWS:
        moved = np.rint(np.radians(skew) * lever / STEP).astype(int)
        sides = _shifted(strength, moved).reshape(4, SAMPLES, -1).sum(axis=1)
        for larger in LARGER:
            across = _pair(sides[0], sides[1], float(larger * out[0]) / STEP)
            along = _pair(sides[2], sides[3], float(larger * out[2 * SAMPLES]) / STEP)
            score = (across[0] + along[0]) / max(1, int(np.count_nonzero(seen))) - ODD * abs(float(larger)) * 100
            if score > best:
                best, kept = score, (float(skew), across[1], along[1])
    right, down = normal[0], normal[-1]
    x, y = centre + kept[1] * right + kept[2] * down
    return msgspec.structs.replace(
        quad, x=float(x), y=float(y), angle_deg=folded(quad.angle_deg + kept[0], size), support=float(max(0.0, best))
    )


def _shifted(strength: Doubles, moved: npt.NDArray[np.int_]) -> Doubles:
    """Each place's strengths, as many steps further."""
    columns = np.arange(strength.shape[1])[None, :] + moved[:, None]
    beyond = (columns < 0) | (columns >= strength.shape[1])
    rows = np.arange(len(strength))[:, None]
    return np.where(beyond, 0.0, strength[rows, np.clip(columns, 0, strength.shape[1] - 1)])


def _pair(first: Doubles, second: Doubles, apart: float) -> tuple[float, float]:
    """Two opposite sides moved together, each `apart` steps out (the first against the direction): the best of all."""
    moved = round(apart)  # of the first side, which lies at the negative end
    one, other = np.roll(first, -moved), np.roll(second, moved)
    both = one + other
    edge = abs(moved)
    if edge:
        both[:edge] = both[-edge:] = 0.0
    at = int(both.argmax())
    return float(both[at]), at * STEP - REACH


def _outline(quad: Quad, size: tuple[float, float]) -> tuple[Doubles, Doubles, Doubles]:
    """Places along the sides from the middle, the directions across them, and how far they are out."""
    turn = np.radians(quad.angle_deg)
    right, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    wide, tall = size[0] / 2, size[1] / 2
    share = np.linspace(-0.84, 0.84, SAMPLES)[:, None]
    arms = [s * wide * right + share * tall * down for s in (-1, 1)] + [
        s * tall * down + share * wide * right for s in (-1, 1)
    ]
    normal = np.repeat([right, right, down, down], SAMPLES, axis=0)
    return np.vstack(arms), normal, np.repeat([-wide, wide, -tall, tall], SAMPLES)


def _edges_across(light: Floats, places: Doubles, normal: Doubles, steps: Doubles) -> Doubles:
    """Place by place and step by step across a side, whether there is an edge: 0 to 1."""
    wide = np.concatenate([steps[:2] - 2 * STEP, steps, steps[-2:] + 2 * STEP])
    spots = (places[:, None, :] + wide[None, :, None] * normal[:, None, :]).astype(np.float32)
    values = cv2.remap(light, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    # Neighbours along a side are averaged: noise goes, the side stays.
    sides = values.reshape(4, SAMPLES, -1)
    sides = np.stack([cv2.blur(side, (1, 3)) for side in sides]).reshape(values.shape)
    slope = np.abs(sides[:, 4:] - sides[:, :-4])
    excess = np.maximum(slope[..., :3].max(axis=2) - EDGE / 3, 0.0)
    return np.asarray(
        np.maximum(INNER * excess / (excess + EDGE), slope[..., 3] / (slope[..., 3] + RIM / 4)), np.float64
    )


def _in_sight(hidden: Image, places: Doubles) -> npt.NDArray[np.bool_]:
    """Which places are on the sheet and not hidden."""
    at = np.rint(places).astype(int)
    inside = (at >= 0).all(axis=1) & (at < np.array(hidden.shape[::-1])).all(axis=1)
    at = np.clip(at, 0, np.array(hidden.shape[::-1]) - 1)
    return np.asarray(inside & (hidden[at[:, 1], at[:, 0]] == 0))
