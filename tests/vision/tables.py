"""A table for tests: a rendered world, the scene that watches it, hands that come and go, and a plain recogniser."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from engine.table import Observation, Sighting
from tests.vision.scenes import KINDS, Hand, Stone, View, World, load_mat, load_set, seven
from vision.camera import Image
from vision.finding.pieces import FoundPiece, PieceFinder
from vision.messages import Report
from vision.picture_checks import ColourCorrection, measure
from vision.pipeline import Scene
from vision.recognition.naming import Naming, Recogniser
from vision.registration.markers import Locator

MAT = load_mat()
STONES = load_set()
SIDES = {"a": "bottom", "b": "top"}
OUTSIDE = {"bottom": (None, 430.0), "top": (None, -130.0), "left": (-140.0, None), "right": (560.0, None)}


class Correlator:
    """The best normalised correlation with turned references; abstains below 0.6 or without a clear winner."""

    def __init__(self, references: dict[str, Image]) -> None:
        self._kinds = tuple(references)
        views = [_flat(_turned(references[kind], angle)) for kind in self._kinds for angle in range(0, 360, 6)]
        self._views = np.array(views)

    def name(self, crops: Sequence[Image]) -> list[Naming]:
        return [self._one(_flat(crop)) for crop in crops]

    def _one(self, flat: np.ndarray) -> Naming:
        scores = (self._views @ flat).reshape(len(self._kinds), 60)
        best = scores.max(axis=1)
        order = np.argsort(-best)
        first, second = float(best[order[0]]), float(best[order[1]])
        sure = first > 0.6 and first - second > 0.05
        angle = float(scores[order[0]].argmax() * 6)
        return Naming(self._kinds[order[0]] if sure else None, min(1.0, max(0.0, first)), angle)


def _turned(image: Image, angle: float) -> Image:
    middle = (image.shape[1] - 1) / 2
    matrix = cv2.getRotationMatrix2D((middle, middle), -angle, 1.0)
    return np.asarray(cv2.warpAffine(image, matrix, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _flat(image: Image) -> np.ndarray:
    gray = cv2.cvtColor(cv2.resize(image, (32, 32), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    rows, columns = np.indices((32, 32)) - 15.5
    inner = gray[np.hypot(rows, columns) < 11.5].astype(np.float64)
    inner -= inner.mean()
    return np.asarray(inner / (np.linalg.norm(inner) + 1e-6))


def enrolled() -> Correlator:
    """References of the seven stones from one picture of the mat."""
    world = World(MAT, [Stone(stone.x, stone.y, stone.kind) for stone in seven(MAT)], view=View(tilt=0.0))
    image = world.render()
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    finder = PieceFinder(fit.projection, MAT, STONES)
    colours = measure(image, fit.projection, MAT) or ColourCorrection()
    crops = [colours.apply(finder.crop(image, FoundPiece(stone.x, stone.y, 0.0, 1.0))) for stone in world.stones]
    return Correlator(dict(zip(KINDS, crops, strict=True)))


class Table:
    """A world in front of a scene: 5 frames a second, as small as a slow machine asks for
    (`vision.frame_rate.smaller`)."""

    def __init__(self, recogniser: Recogniser | None, stones: list[Stone], view: View | None = None) -> None:
        self.world = World(MAT, stones, view=view or View(960, 540))
        self.scene = Scene()
        known = {} if recogniser is None else {"stones": recogniser}
        self.scene.setup(MAT, {"stones": STONES}, known, SIDES)
        self.now, self.serial = 0.0, 0
        self.seen: list[Observation] = []
        self.reports: list[Report] = []

    def step(self, *hands: Hand, after: float = 0.2) -> Report:
        self.now += after
        self.serial += 1
        self.world.hands = list(hands)
        report = self.scene.feed(self.world.shoot(self.serial, self.now))
        self.reports.append(report)
        if report.observation is not None:
            self.seen.append(report.observation)
        return report

    def rest(self, seconds: float = 1.0) -> Observation:
        """Nobody there; the newest observation."""
        for _ in range(round(seconds / 0.2)):
            self.step()
        return self.seen[-1]

    def reach(
        self, x: float, y: float, act: Callable[[], None] | None = None, edge: str = "bottom", frames: int = 4
    ) -> None:
        """A hand comes to a place, acts while it covers it, and goes."""
        far_x, far_y = OUTSIDE[edge]
        start = np.array([x if far_x is None else far_x, y if far_y is None else far_y])
        end = np.array([x, y])
        path = [start + (end - start) * step for step in np.linspace(0.2, 1, frames)]
        for at_x, at_y in path:
            self.step(Hand(at_x, at_y, edge))
        self.step(Hand(x, y, edge))
        if act is not None:
            act()
        for at_x, at_y in reversed(path):
            self.step(Hand(at_x, at_y, edge))

    def carry(self, stone: Stone, x: float, y: float, edge: str = "bottom", frames: int = 5) -> None:
        """A hand takes a stone, carries it under its palm, lays it down and goes."""
        origin = np.array([stone.x, stone.y])

        def travel() -> None:
            for place in np.linspace(origin, (x, y), frames):
                stone.x, stone.y = place
                self.step(Hand(stone.x, stone.y - 10 if edge == "bottom" else stone.y + 10, edge))

        self.reach(stone.x, stone.y - 10 if edge == "bottom" else stone.y + 10, None, edge, 3)
        travel()
        self.reach(x, y, None, edge, 3)


def line(observation: Observation) -> tuple[Sighting, ...]:
    """The stones of the line."""
    return tuple(one for one in observation.zone("line").pieces if one is not None)


def kinds(observation: Observation, zone: str = "line") -> list[str | None]:
    return [one.kind if one is not None else None for one in observation.zone(zone).pieces]
