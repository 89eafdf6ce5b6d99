"""Films of a board game played by hand, seen from above: the harsh kind. Everything about one follows from its seed.

Lengths are in cells, heights too; the board lies in the plane z = 0, its top left corner at the origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from tests.tools.lab.boards.arms import Arm
from vision.camera import Image

Cell = tuple[int, int]
Floats = npt.NDArray[np.float32]
Point = npt.NDArray[np.float64]

TEXTURE_PX = 40
MARGIN = 1.2
"""How much of the table around the board the texture shows."""

BOARDS = (  # light and dark cell, rim: BGR
    ((160, 200, 225), (60, 95, 140), (120, 160, 190)),
    ((205, 225, 232), (75, 120, 85), (215, 225, 225)),
    ((190, 195, 200), (55, 55, 60), (40, 40, 45)),
    ((130, 175, 205), (85, 125, 160), (70, 110, 150)),
    ((210, 222, 230), (70, 80, 150), (205, 215, 225)),
)
TABLES = ((70, 85, 100), (60, 110, 165), (150, 150, 145), (40, 70, 60))
PALE = ((205, 222, 232), (140, 185, 210), (225, 230, 232))
DARK = ((35, 38, 42), (40, 55, 85), (25, 25, 28))


@dataclass(frozen=True)
class Scene:
    """What the film is taken of and with; see `scene`."""

    rows: int
    columns: int
    colours: int
    table: int
    pale: int
    dark: int
    tall: float
    width: int
    height: int
    fps: float
    tilt: float
    lamp: tuple[float, float]
    shade: float
    soft: float
    noise: float
    quality: int
    shake: float
    drift: float
    exposure: float
    grain: float


def scene(rng: np.random.Generator, size: tuple[int, int] | None = None) -> Scene:
    """Draughts or chessmen on any board, under any lamp, by any camera."""
    rows = int(rng.choice((8, 8, 8, 10)))
    width, height = (
        size or ((640, 480), (854, 480), (1280, 720), (1920, 1080))[int(rng.choice(4, p=(0.6, 0.28, 0.1, 0.02)))]
    )
    away = rng.uniform(0, 2 * np.pi)
    length = rng.uniform(0.15, 0.8)
    return Scene(
        rows=rows,
        columns=rows,
        colours=int(rng.integers(len(BOARDS))),
        table=int(rng.integers(len(TABLES))),
        pale=int(rng.integers(len(PALE))),
        dark=int(rng.integers(len(DARK))),
        tall=float(rng.choice((0.22, 1.0, 1.3))),
        width=width,
        height=height,
        fps=float(rng.choice((10, 15, 20, 25, 30))),
        tilt=rng.uniform(0, 0.25),
        lamp=(float(np.cos(away) * length), float(np.sin(away) * length)),
        shade=rng.uniform(0.15, 0.6),
        soft=rng.uniform(0.04, 0.3),
        noise=rng.uniform(1.5, 6),
        quality=int(rng.integers(25, 75)),
        shake=rng.uniform(0, 1.2),
        drift=rng.uniform(0, 0.08),
        exposure=rng.uniform(0, 0.8),
        grain=rng.uniform(0.01, 0.07),
    )


class Camera:
    """A pinhole over the board, a little aside and turned."""

    def __init__(self, scene: Scene, rng: np.random.Generator) -> None:
        middle = np.array([scene.columns / 2, scene.rows / 2, 0.0])
        far = scene.rows * rng.uniform(1.5, 2.2)
        aside = rng.uniform(0, 2 * np.pi)
        eye = middle + far * np.array(
            [np.sin(scene.tilt) * np.cos(aside), np.sin(scene.tilt) * np.sin(aside), np.cos(scene.tilt)]
        )
        forward = (middle - eye) / np.linalg.norm(middle - eye)
        turn = rng.uniform(-0.15, 0.15)
        right = np.cross(np.array([np.sin(turn), -np.cos(turn), 0.0]), forward)
        right = right / np.linalg.norm(right)
        down = np.cross(right, forward)
        focal = rng.uniform(0.78, 0.92) * scene.height * far / scene.rows
        inner = np.array([[focal, 0, scene.width / 2], [0, focal, scene.height / 2], [0, 0, 1.0]])
        outer = np.stack([right, down, forward])
        self._matrix = inner @ np.column_stack([outer, -outer @ eye])
        self.nadir = eye[:2]
        self.px = focal / far
        """Pixels a cell, about."""

    def __call__(self, points: npt.ArrayLike, height: float = 0.0) -> Point:
        """Places on the board (x, y), at a height: pixels."""
        flat = np.atleast_2d(np.asarray(points, np.float64))
        solid = np.column_stack([flat, np.full(len(flat), height), np.ones(len(flat))])
        seen = solid @ self._matrix.T
        return np.asarray(seen[:, :2] / seen[:, 2:], np.float64)


@dataclass(frozen=True)
class Piece:
    """side: 0 dark, 1 pale. slices: height and radius, from the foot up. off: how far from its cell's middle."""

    side: int
    slices: tuple[tuple[float, float], ...]
    off: tuple[float, float]


def piece(rng: np.random.Generator, side: int, tall: float) -> Piece:
    off = (float(rng.normal(0, 0.05)), float(rng.normal(0, 0.05)))
    if tall < 0.5:
        return Piece(side, tuple((h, 0.37) for h in np.linspace(0, tall, 4)), off)
    height = tall * rng.uniform(0.7, 1.4)
    waist, head = rng.uniform(0.1, 0.16), rng.uniform(0.14, 0.22)
    outline = [
        (0.0, 0.33),
        (0.06, 0.33),
        (0.15, 0.24),
        (0.3, waist + 0.05),
        (0.6, waist),
        (0.75, head),
        (0.9, head),
        (1.0, 0.07),
    ]
    heights = np.linspace(0, 1, 14)
    radii = np.interp(heights, [h for h, _ in outline], [r for _, r in outline])
    return Piece(side, tuple((float(h * height), float(r)) for h, r in zip(heights, radii, strict=True)), off)


class Studio:
    """Draws the table as it stands, with arms over it, and takes the picture."""

    def __init__(self, scene: Scene, rng: np.random.Generator) -> None:
        self.scene, self._rng = scene, rng
        self.camera = Camera(scene, rng)
        self.pieces: dict[Cell, Piece] = {}
        self._still: Floats | None = None
        self._ground = self._paint()
        self._gain = 1.0
        self._taken = 0
        self._sway = np.zeros(2)
        self._grain = rng.normal(0, scene.noise, (scene.height + 64, scene.width + 64, 1)).astype(np.float32)
        self._colours = (PALE[scene.pale], DARK[scene.dark])

    def corners(self) -> tuple[tuple[float, float], ...]:
        """Where a person clicks: not quite on the corners."""
        rows, columns = self.scene.rows, self.scene.columns
        exact = self.camera([(0, 0), (columns, 0), (columns, rows), (0, rows)])
        clicked = exact + self._rng.normal(0, 0.025 * self.camera.px, exact.shape)
        return tuple((float(x), float(y)) for x, y in clicked)

    def put(self, cell: Cell, what: Piece | None) -> Piece | None:
        """Sets a piece on a cell, or takes it away; returns what stood there."""
        before = self.pieces.pop(cell, None)
        if what is not None:
            self.pieces[cell] = what
        self._still = None
        return before

    def place(self, cell: Cell) -> Point:
        return np.array([cell[1] + 0.5, cell[0] + 0.5])

    def shoot(self, arms: list[Arm], light: Floats | float = 1.0) -> Image:
        """One picture."""
        if self._still is None:
            self._still = self._stand()
        image = self._still * light
        for arm in arms:
            arm.draw(image, self.camera, self.scene.lamp, self.scene.shade, self.scene.soft)
            if arm.held is not None:
                self._draw_piece(image, arm.held, arm.tip, arm.height * 0.5)
                arm.draw_fingers(image, self.camera)
        return self._expose(image)

    def _paint(self) -> Floats:
        scene, rng = self.scene, self._rng
        light, dark, rim = BOARDS[scene.colours]
        wide, tall = (round((extent + 2 * MARGIN) * TEXTURE_PX) for extent in (scene.columns, scene.rows))
        flat = np.empty((tall, wide, 3), np.float32)
        flat[:] = rim
        start = round(MARGIN * TEXTURE_PX)
        for row in range(scene.rows):
            for column in range(scene.columns):
                shade = np.array(light if (row + column) % 2 == 0 else dark) * rng.uniform(0.93, 1.07)
                y, x = start + row * TEXTURE_PX, start + column * TEXTURE_PX
                flat[y : y + TEXTURE_PX, x : x + TEXTURE_PX] = shade
        wood = cv2.GaussianBlur(rng.normal(0, 1, (tall, wide)).astype(np.float32), (0, 0), 1.2, sigmaY=9)
        flat *= 1 + scene.grain * (wood / wood.std())[..., None]
        corners = np.array([[0, 0], [scene.columns, 0], [scene.columns, scene.rows], [0, scene.rows]], np.float32)
        inside = corners * TEXTURE_PX + start - 0.5
        warp = cv2.getPerspectiveTransform(inside, self.camera(corners).astype(np.float32))
        size = (scene.width, scene.height)
        table = np.empty((scene.height, scene.width, 3), np.float32)
        table[:] = TABLES[scene.table]
        rough = cv2.GaussianBlur(rng.normal(0, 1, table.shape[:2]).astype(np.float32), (0, 0), 2)
        table *= 1 + 0.05 * (rough / rough.std())[..., None]
        edge = round((MARGIN - 0.6) * TEXTURE_PX)
        mask = np.zeros(flat.shape[:2], np.float32)
        mask[edge:-edge, edge:-edge] = 1
        over = cv2.warpPerspective(mask, warp, size)[..., None]
        image = cv2.warpPerspective(flat, warp, size, flags=cv2.INTER_AREA) * over + table * (1 - over)
        y, x = np.mgrid[-1 : 1 : scene.height * 1j, -1 : 1 : scene.width * 1j]
        fall = 1 - 0.25 * rng.uniform() * (x * self.scene.lamp[0] + y * self.scene.lamp[1]) - 0.08 * (x**2 + y**2)
        return np.asarray(image * fall[..., None], np.float32)

    def _stand(self) -> Floats:
        image = self._ground.copy()
        shadow = np.zeros(image.shape[:2], np.uint8)
        for cell, what in self.pieces.items():
            self._cast(shadow, what, self.place(cell) + what.off)
        soft = cv2.GaussianBlur(shadow, (0, 0), max(0.6, self.scene.soft * 0.5 * self.camera.px))
        image *= 1 - self.scene.shade * (soft.astype(np.float32) / 255)[..., None]
        outward = sorted(self.pieces, key=lambda cell: -float(np.linalg.norm(self.place(cell) - self.camera.nadir)))
        for cell in outward:
            self._draw_piece(image, self.pieces[cell], self.place(cell) + self.pieces[cell].off, 0.0)
        return image

    def _cast(self, shadow: npt.NDArray[np.uint8], what: Piece, place: Point) -> None:
        for height, radius in what.slices:
            _disc(shadow, self.camera, place + height * np.array(self.scene.lamp), 0.0, radius, (255,))

    def _draw_piece(self, image: Floats, what: Piece, place: Point, lifted: float) -> None:
        body = np.array(self._colours[0 if what.side else 1], np.float64)
        top = what.slices[-1][0]
        for height, radius in what.slices:
            tone = body * (0.55 + 0.45 * height / top)
            _disc(image, self.camera, place, lifted + height, radius, tone)
            if height > 0.5 * top:
                lit = place - np.array(self.scene.lamp) * 0.25 * radius
                _disc(image, self.camera, lit, lifted + height, radius * 0.55, tone * 1.12 + 6)
        if len(what.slices) == 4:
            for share in (0.8, 0.5):
                _disc(image, self.camera, place, lifted + top, what.slices[0][1] * share, body * 0.8, ring=True)

    def _expose(self, image: Floats) -> Image:
        scene, rng = self.scene, self._rng
        self._taken += 1
        mean = float(image[::8, ::8].mean())
        wanted = (118.0 / mean) ** scene.exposure
        self._gain += 0.15 * (wanted - self._gain)
        swing = scene.drift * np.sin(self._taken / scene.fps * np.array([0.5, 0.37, 0.61]) + np.array([0, 1, 2]))
        self._sway = 0.9 * self._sway + rng.normal(0, 0.3, 2) * scene.shake * scene.height / 720
        image = image * (self._gain * (1 + swing)).astype(np.float32)
        shift = np.array([[1, 0, self._sway[0]], [0, 1, self._sway[1]]])
        image = np.asarray(
            cv2.warpAffine(image, shift, (scene.width, scene.height), borderMode=cv2.BORDER_REPLICATE), np.float32
        )
        dy, dx = rng.integers(0, 64, 2)
        image = image + self._grain[dy : dy + scene.height, dx : dx + scene.width]
        picture = np.clip(image, 0, 255).astype(np.uint8)
        good, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, scene.quality])
        assert good
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def _disc(
    image: Floats | npt.NDArray[np.uint8],
    camera: Camera,
    place: Point,
    height: float,
    radius: float,
    tone: npt.ArrayLike,
    *,
    ring: bool = False,
) -> None:
    middle, side = camera([place, place + np.array([radius, 0.0])], height)
    pixels = max(1.0, float(np.linalg.norm(side - middle)))
    colour = tuple(float(value) for value in np.atleast_1d(np.asarray(tone, np.float64)))
    thick = max(1, round(pixels * 0.12)) if ring else -1
    centre = (round(float(middle[0]) * 8), round(float(middle[1]) * 8))
    kind = cv2.LINE_AA if image.dtype == np.uint8 else cv2.LINE_8
    cv2.circle(image, centre, round(pixels * 8), colour, thick, kind, shift=3)


def save(frames: Iterator[Image], path: Path, fps: float) -> int:
    """Writes a film; returns how many pictures it has."""
    writer: cv2.VideoWriter | None = None
    count = 0
    for frame in frames:
        if writer is None:
            kind = "MJPG" if path.suffix == ".avi" else "mp4v"
            writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*kind), fps, (frame.shape[1], frame.shape[0]))
            assert writer.isOpened()
        writer.write(frame)
        count += 1
    assert writer is not None
    writer.release()
    return count
