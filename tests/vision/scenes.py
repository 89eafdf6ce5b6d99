"""A small renderer for tests: a mat with thick discs under a tilted camera, with noise, light and a hand.

It shares no code with the vision under test: pose and projection are its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import takewhile
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from vision.camera import Frame, Image
from vision.mat import Mat
from vision.recognition.naming import PieceSet

CONFIG = Path(__file__).parents[2] / "config"
KINDS = ("crown", "shield", "sword", "flag", "knight", "hammer", "scales")
Polygon = npt.NDArray[np.float64]  # N x 2 points, or a projection
TEXTURE = 160
SKIN = (120, 150, 205)


def load_mat(name: str = "tellstones") -> Mat:
    return msgspec.toml.decode((CONFIG / "mats" / f"{name}.toml").read_bytes(), type=Mat)


def load_set(name: str = "stones") -> PieceSet:
    return msgspec.toml.decode((CONFIG / "sets" / f"{name}.toml").read_bytes(), type=PieceSet)


SYMBOLS: dict[str, list[list[tuple[float, float]]]] = {
    "crown": [[(20, 70), (20, 30), (38, 52), (50, 22), (62, 52), (80, 30), (80, 70)]],
    "shield": [[(25, 25), (75, 25), (75, 55), (50, 82), (25, 55)]],
    "sword": [[(46, 15), (54, 15), (54, 62), (72, 62), (72, 70), (54, 70), (54, 86), (46, 86), (46, 70), (28, 70),
               (28, 62), (46, 62)]],
    "flag": [[(28, 15), (35, 15), (35, 20), (80, 32), (35, 52), (35, 85), (28, 85)]],
    "knight": [[(35, 82), (75, 82), (70, 40), (52, 18), (25, 45), (30, 55), (48, 48)]],
    "hammer": [[(22, 22), (78, 22), (78, 45), (55, 45), (55, 85), (45, 85), (45, 45), (22, 45)]],
    "scales": [[(47, 18), (53, 18), (53, 80), (70, 86), (30, 86), (47, 80)], [(15, 30), (85, 30), (85, 36), (15, 36)],
               [(10, 60), (34, 60), (22, 38)], [(66, 60), (90, 60), (78, 38)]],
}  # fmt: skip


@cache
def face(kind: str | None) -> Image:
    """The top of a stone: a pale symbol on slate, or its blank back."""
    image = np.full((TEXTURE, TEXTURE, 3), (92, 78, 66), np.uint8)
    for polygon in SYMBOLS.get(kind or "", []):
        points = np.array(polygon) * 0.8 + 10
        cv2.fillPoly(image, [np.round(points * TEXTURE / 100 * 16).astype(np.int32)], (205, 222, 228), cv2.LINE_AA, 4)
    return image


@dataclass
class Stone:
    """A disc on the table (or `lift_mm` over it)."""

    x: float
    y: float
    kind: str | None = None
    angle: float = 0.0
    diameter: float = 34.0
    thickness: float = 8.0
    lift_mm: float = 0.0
    colour: tuple[int, int, int] | None = None
    picture: Image | None = field(default=None, compare=False)
    """TEXTURE x TEXTURE; its own face if None."""


@dataclass
class Hand:
    """An arm from `edge` (a side of the mat) whose fingers end at a place; drawn over everything."""

    x: float
    y: float
    edge: str = "bottom"
    colour: tuple[int, int, int] = SKIN
    shadow: float = 0.75


@dataclass
class View:
    """Camera and light."""

    width: int = 1280
    height: int = 720
    tilt: float = 8.0
    roll: float = 1.0
    distance: float = 520.0
    focal: float = 0.8
    exposure: float = 1.0
    white: tuple[float, float, float] = (1.0, 1.0, 1.0)
    noise: float = 2.0
    gradient: float = 0.15
    blur: float = 0.0
    k1: float = 0.0
    shift: tuple[float, float] = (0.0, 0.0)
    seed: int = 0


@dataclass
class World:
    """Everything on the table, rendered by `shoot`."""

    mat: Mat
    stones: list[Stone] = field(default_factory=list)
    hands: list[Hand] = field(default_factory=list)
    view: View = field(default_factory=View)
    paper: tuple[int, int, int] = (188, 200, 196)
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(5))
    _painted: dict[bytes, Image] = field(default_factory=dict, init=False, repr=False)
    _layers: list[tuple[Stone | None, Image]] = field(default_factory=list, init=False, repr=False)
    """The mat and, upon it, each stone as it lay, from the lowest up."""

    @cached_property
    def sheet(self) -> Image:
        return _sheet(self.mat, self.paper)

    def shoot(self, serial: int, at: float) -> Frame:
        image = self.render()
        return Frame.of(serial, at, image)

    def render(self) -> Image:
        view = self.view
        pose = _pose(view, self.mat)
        image = self._laid(pose).copy()
        for hand in self.hands:
            _paint_hand(image, hand, pose, self.mat)
        return _photograph(image, view, self.rng)

    def _laid(self, pose: Polygon) -> Image:
        """The mat with all stones, painted again only from the first one on that lies otherwise than before."""
        empty, stones = self._empty(pose), sorted(self.stones, key=lambda s: s.lift_mm)
        if not self._layers or self._layers[0][1] is not empty:
            self._layers = [(None, empty)]
        pairs = zip(stones, self._layers[1:], strict=False)
        kept = 1 + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1][0], pairs))
        del self._layers[kept:]
        for stone in stones[kept - 1 :]:
            image = self._layers[-1][1].copy()
            _paint_stone(image, stone, pose)
            self._layers.append((replace(stone), image))
        return self._layers[-1][1]

    def _empty(self, pose: Polygon) -> Image:
        """The mat with nothing on it, painted again only for another pose."""
        known = self._painted.get(pose.tobytes())
        if known is None:
            known = np.full((self.view.height, self.view.width, 3), (60, 75, 95), np.uint8)
            _paint_mat(known, self, pose)
            self._painted = {pose.tobytes(): known}
        return known


def _pose(view: View, mat: Mat) -> Polygon:
    """3 x 4 projection of (x, y, height) in millimetres to pixels."""
    focal = view.focal * view.width
    matrix = np.array([[focal, 0, view.width / 2], [0, focal, view.height / 2], [0, 0, 1.0]])
    tilt, roll = np.radians(view.tilt), np.radians(view.roll)
    about_x = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    about_z = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    to_centre = np.array([[1, 0, 0, -mat.size_mm[0] / 2], [0, 1, 0, -mat.size_mm[1] / 2], [0, 0, -1.0, 0]])
    moved = about_x @ about_z @ to_centre
    moved[:, 3] += np.array([view.shift[0], view.shift[1], view.distance])
    return np.asarray(matrix @ moved)


def project(pose: Polygon, points: Polygon, height: float) -> Polygon:
    full = np.column_stack([points, np.full(len(points), height), np.ones(len(points))]) @ pose.T
    return np.asarray(full[:, :2] / full[:, 2:])


def mat_corners(world: World) -> Polygon:
    """Where the mat's corners are in the picture, 4 x 2 pixels, clockwise from its top left, by a plain lens."""
    return project(_pose(world.view, world.mat), _box(0, 0, *world.mat.size_mm), 0.0)


def _box(x: float, y: float, width: float, height: float) -> Polygon:
    return np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height]])


def _fill(image: Image, points: Polygon, colour: tuple[int, int, int]) -> None:
    cv2.fillPoly(image, [np.round(points * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def _window(image: Image, shapes: list[Polygon], margin: float = 2.0) -> tuple[Image, Polygon]:
    """The part of a picture round some shapes, and its top left corner: painting there alone is many times quicker."""
    points = np.concatenate(shapes)
    limit = (image.shape[1], image.shape[0])
    low = np.clip(np.floor(points.min(axis=0) - margin).astype(int), 0, limit)
    high = np.clip(np.ceil(points.max(axis=0) + margin).astype(int), low, limit)
    return image[low[1] : high[1], low[0] : high[0]], low.astype(float)


def _shade(image: Image, shapes: list[Polygon], depth: float, softness: float) -> None:
    part, corner = _window(image, shapes, 4 * softness)
    if part.size == 0:
        return
    mask = np.zeros(part.shape[:2], np.uint8)
    for shape in shapes:
        cv2.fillPoly(mask, [np.round((shape - corner) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    weight = cv2.GaussianBlur(mask, (0, 0), softness)[..., None].astype(np.float32) / 255 * depth
    part[:] = (part * (1 - weight)).astype(np.uint8)


def _sheet(mat: Mat, paper: tuple[int, int, int]) -> Image:
    """The printed mat from straight above, four pixels a millimetre."""
    scale = 4
    sheet = np.full((round(mat.size_mm[1] * scale), round(mat.size_mm[0] * scale), 3), paper, np.uint8)
    words = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{mat.dictionary.upper()}"))
    for marker in mat.markers:
        x, y, side = round(marker.x * scale), round(marker.y * scale), round(marker.side * scale)
        quiet = 3 * scale
        sheet[y - quiet : y + side + quiet, x - quiet : x + side + quiet] = 235
        sheet[y : y + side, x : x + side] = cv2.aruco.generateImageMarker(words, marker.id, side)[..., None] * 0.8 + 20
    for box, value in ((mat.white, 235), (mat.gray, 118)):
        low = (round(box.x * scale), round(box.y * scale))
        cv2.rectangle(
            sheet, low, (low[0] + round(box.width * scale), low[1] + round(box.height * scale)), [value] * 3, -1
        )
    for zone in mat.zones:
        corner = np.round(np.array([zone.box.x, zone.box.y]) * scale).astype(int)
        far = corner + np.round(np.array([zone.box.width, zone.box.height]) * scale).astype(int)
        cv2.rectangle(sheet, corner.tolist(), far.tolist(), (120, 128, 126), 2)
    return np.asarray(cv2.GaussianBlur(sheet, (0, 0), 0.8), np.uint8)


def _paint_mat(image: Image, world: World, pose: Polygon) -> None:
    sheet = world.sheet
    corners = _box(0, 0, *world.mat.size_mm)
    source = np.array([[0, 0], [sheet.shape[1], 0], [sheet.shape[1], sheet.shape[0]], [0, sheet.shape[0]]], np.float32)
    target = project(pose, corners, 0.0).astype(np.float32)
    cv2.warpPerspective(
        sheet, cv2.getPerspectiveTransform(source - 0.5, target),
        (image.shape[1], image.shape[0]), dst=image, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT,
    )  # fmt: skip


_TURNS = np.linspace(0, 2 * np.pi, 72, endpoint=False)
_ROUND = np.column_stack([np.cos(_TURNS), np.sin(_TURNS)])


def _circle(x: float, y: float, radius: float) -> Polygon:
    return np.asarray(np.array([x, y]) + radius * _ROUND)


@cache
def _top(kind: str | None, colour: tuple[int, int, int] | None) -> Image:
    """What a stone shows from above, as soft as a lens draws it."""
    sharp = face(kind) if colour is None else np.full((TEXTURE, TEXTURE, 3), colour, np.uint8)
    return np.asarray(cv2.GaussianBlur(sharp, (0, 0), 0.8), np.uint8)


def _paint_stone(image: Image, stone: Stone, pose: Polygon) -> None:
    radius, base = stone.diameter / 2, stone.lift_mm
    _shade(image, [project(pose, _circle(stone.x + 1.5, stone.y + 1.5, radius + 0.8), 0.0)], 0.35, 4)
    top = _top(stone.kind, stone.colour) if stone.picture is None else stone.picture
    blue, green, red = (int(value * 0.6) for value in top[3, 3])
    for height in np.linspace(base, base + stone.thickness, 10):
        _fill(image, project(pose, _circle(stone.x, stone.y, radius), float(height)), (blue, green, red))
    turn = np.radians(stone.angle)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    square = _box(-radius, -radius, 2 * radius, 2 * radius) @ rotation.T + [stone.x, stone.y]
    target = project(pose, square, base + stone.thickness).astype(np.float32)
    source = np.array([[0, 0], [TEXTURE, 0], [TEXTURE, TEXTURE], [0, TEXTURE]], np.float32) - 0.5
    rim = project(pose, _circle(stone.x, stone.y, radius), base + stone.thickness)
    part, corner = _window(image, [rim])
    if part.size == 0:
        return
    size = (part.shape[1], part.shape[0])
    warped = cv2.warpPerspective(top, cv2.getPerspectiveTransform(source, target - corner.astype(np.float32)), size)
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round((rim - corner) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    weight = mask[..., None].astype(np.float32) / 255
    part[:] = (part * (1 - weight) + warped * weight).astype(np.uint8)


def hand_outline(hand: Hand, mat: Mat) -> list[Polygon]:
    """Palm, fingers and forearm as polygons in millimetres."""
    inward = {"bottom": (0, -1), "top": (0, 1), "left": (1, 0), "right": (-1, 0)}[hand.edge]
    ahead = np.array(inward, float)
    across = np.array([-ahead[1], ahead[0]])
    tip = np.array([hand.x, hand.y]) + 12 * ahead
    parts = []
    for offset, reach in ((-24, 12), (-8, 3), (8, 0), (24, 8)):
        start, end = tip + across * offset - ahead * 70, tip + across * (offset * 0.75) - ahead * reach
        parts.append(np.array([start - across * 8, end - across * 7, end + across * 7, start + across * 8]))
    wrist, palm = tip - ahead * 140, tip - ahead * 45
    parts.append(np.array([palm - across * 34, palm + across * 34, wrist + across * 26, wrist - across * 26]))
    elbow = tip - ahead * (max(mat.size_mm) + 200)
    parts.append(np.array([wrist - across * 26, wrist + across * 26, elbow + across * 36, elbow - across * 36]))
    return parts


def _paint_hand(image: Image, hand: Hand, pose: Polygon, mat: Mat) -> None:
    _shade(
        image, [project(pose, part + np.array([10, 8]), 0.0) for part in hand_outline(hand, mat)], 1 - hand.shadow, 6
    )
    for part in hand_outline(hand, mat):
        _fill(image, project(pose, part, 25.0), hand.colour)


_SPARE = 256


@cache
def _noise(height: int, width: int, level: float) -> npt.NDArray[np.float32]:
    return level * np.random.default_rng(11).standard_normal((height, width, 3), dtype=np.float32)


def developed(picture: npt.NDArray[np.float32], noise: float, rng: np.random.Generator) -> Image:
    """A picture (H x W x 3, changed by it) as a sensor delivers it, with noise of so many grey levels.

    Another noise for each picture: a window of one sheet, as drawing it takes the most time.
    """
    if noise:
        (height, width), (x, y) = picture.shape[:2], rng.integers(0, _SPARE, 2)
        picture += _noise(height + _SPARE, width + _SPARE, noise)[y : y + height, x : x + width]
    return np.clip(picture, 0, 255, out=picture).astype(np.uint8)


def _photograph(image: Image, view: View, rng: np.random.Generator) -> Image:
    if view.k1:
        image = _distorted(image, view)
    if view.blur:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), view.blur), np.uint8)
    ramp = 1 + view.gradient * np.linspace(-1, 1, view.width, dtype=np.float32)
    light = np.tile(np.asarray(view.white, np.float32) * view.exposure, view.width)
    rows = np.multiply(
        image.reshape(view.height, -1), np.repeat(ramp, 3), dtype=np.float32
    )  # a row at a time: much quicker than a pixel at a time
    if (light != 1).any():
        rows *= light
    return developed(rows.reshape(image.shape), view.noise, rng)


def _distorted(image: Image, view: View) -> Image:
    focal = view.focal * view.width
    x, y = np.meshgrid(np.arange(view.width), np.arange(view.height))
    u, v = (x - view.width / 2) / focal, (y - view.height / 2) / focal
    a, b = u.copy(), v.copy()
    for _ in range(8):
        radial = 1 + view.k1 * (a * a + b * b)
        a, b = u / radial, v / radial
    map_x, map_y = (a * focal + view.width / 2).astype(np.float32), (b * focal + view.height / 2).astype(np.float32)
    return np.asarray(cv2.remap(image, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)


LINE_Y = 160.0


def seven(mat: Mat, up: bool = True, pitch: float = 46.0) -> list[Stone]:
    """Seven stones on the line."""
    left = mat.size_mm[0] / 2 - 3 * pitch
    return [Stone(left + i * pitch, LINE_Y, kind if up else None, 17.0 * i) for i, kind in enumerate(KINDS)]
