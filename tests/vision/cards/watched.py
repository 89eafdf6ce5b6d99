"""A table of Dueling Runes under one camera, and the cards that lie on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import msgspec
import numpy as np

from device.games import mats
from engine.table import Face, Observation
from referee_simulator.render.camera import Renderer
from referee_simulator.table.ground_truth import Body, Truth
from referee_simulator.table.scenes import Scene, draw, load_scenes
from referee_simulator.table.setting import make_bodies, piece_set
from tests.enrolled import enrolled
from vision.camera import Frame
from vision.mat import Mat
from vision.pipeline import Scene as Eyes
from vision.recognition.prints import printed
from vision.registration.lens import Points
from vision.registration.markers import Locator

CARDS = ("excuse", "author", "huntress", "sea", "pact", "end")
TWINS = ("ace-of-leaves", "ace-of-waves")
ZONES = ("card-a", "sequence-a", "card-b", "sequence-b", "pile", "discards")
OFF = (340.0, 148.0)
"""A place on the mat in none of these zones."""

SCENE = draw(load_scenes()["normal"], 5)


@cache
def recogniser(kinds: tuple[str, ...] = CARDS) -> printed.PrintedRecogniser:
    """Of six cards, so that a test need not enrol all."""
    mat = mats(["runes"])["runes"]
    return printed.PrintedRecogniser(enrolled(mat, "decktet", 3, kinds))


@cache
def renderer(scene: Scene) -> Renderer:
    """What draws the table in a scene: the empty table takes it longer than a picture."""
    return Renderer(mats(["runes"])["runes"], scene)


Patch = tuple[Points, tuple[int, int, int]]
"""Something of one colour (BGR): its corners, 4 x 2 millimetres on the mat."""


class Watched:
    """A table of Dueling Runes under one camera."""

    def __init__(self, scene: Scene = SCENE, kinds: tuple[str, ...] = CARDS) -> None:
        self.mat: Mat = mats(["runes"])["runes"]
        self._renderer = renderer(scene)
        self._eyes = Eyes()
        sets = {name: piece_set(name) for name in ("decktet", "counters")}
        self._eyes.setup(self.mat, sets, {"decktet": recogniser(kinds)}, {"a": "bottom", "b": "top"}, ZONES)
        self._serial = 0

    def move(self, scene: Scene) -> None:
        """Somebody moves the camera: from now on the table is seen as in that scene."""
        self._renderer = renderer(scene)

    def see(self, *bodies: Body, paint: Sequence[Patch] = ()) -> Observation:
        """What is seen of a table at rest, after something moved. paint: what lies there besides."""
        self._serial += 1
        frame = self._renderer.frame(Truth(bodies), (), self._serial, self._serial)
        if paint:
            fit, _ = Locator(self.mat).look(frame.picture.gray())
            assert fit is not None
            image = frame.image.copy()
            for corners_mm, colour in paint:
                cv2.fillConvexPoly(image, np.round(fit.projection.pixels(corners_mm)).astype(np.int32), colour)
            frame = Frame.of(frame.serial, frame.at, image)
        return self.look(frame)

    def look(self, frame: Frame) -> Observation:
        """What is seen in a picture of the table at rest."""
        seen = self._eyes.still(frame)
        assert seen is not None
        return seen


def something(x: float, y: float, width: float, height: float, colour: tuple[int, int, int]) -> Patch:
    """A patch around a place, in millimetres."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, height / 2)
    return corners + np.array([x, y]), colour


def card(kind: str, x: float, y: float, angle: float = 0.0, face: Face = Face.UP) -> Body:
    (body,) = make_bodies((kind,), piece_set("decktet"), 10 + (*CARDS, *TWINS).index(kind))
    return msgspec.structs.replace(body, x=x, y=y, angle=angle, face=face)


def shown(observation: Observation, zone: str) -> list[str | None]:
    return [None if one is None else one.kind for one in observation.zone(zone).pieces]


def tracks(observation: Observation, zone: str) -> list[int]:
    return [one.track for one in observation.zone(zone).pieces if one is not None]
