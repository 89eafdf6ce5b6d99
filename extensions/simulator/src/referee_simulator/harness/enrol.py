"""Enrols simulated pieces as an owner would: a few pictures each, in another light than play."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec
import numpy as np

from engine.errors import RefereeError
from engine.table import Face
from referee_simulator.render.camera import Renderer
from referee_simulator.table.ground_truth import Body, Shape, Truth
from referee_simulator.table.scenes import Scene, draw, load_scenes
from referee_simulator.table.setting import make_bodies, piece_set
from vision.camera import Image, Pyramid
from vision.finding.pieces import PieceFinder
from vision.mat import Box, Mat
from vision.picture_checks import ColourCorrection, measure
from vision.recognition.enrolment import BACK, EnrolledSet, save
from vision.recognition.naming import PieceSet
from vision.registration.markers import Locator

SHOTS = 4
TRIES = 3

_SALT = 0x0E17
"""Separates enrolment's light and places from those of play."""


class NotEnrolled(RefereeError, ValueError):
    """A simulated piece cannot be enrolled."""


def enrol(
    mat: Mat,
    set_name: str,
    seed: int,
    folder: Path,
    *,
    scene: str = "easy",
    look: int = 0,
    kinds: tuple[str, ...] = (),
    progress: Callable[[float], None] = lambda _share: None,
) -> EnrolledSet:
    """Render, crop and save a piece set's references.

    look: seed of the pieces' appearance
    kinds: to enrol; () for all
    progress: callback with the share done

    Raises NotEnrolled."""
    whole = piece_set(set_name)
    pieces = msgspec.structs.replace(whole, kinds=kinds or whole.kinds)
    pictures: dict[str, list[Image]] = {}
    cells = _cells(mat, pieces)
    for shot in range(SHOTS):
        number = (seed * SHOTS + shot) ^ (_SALT << 20)
        bodies = _pieces(pieces)
        for first in range(0, len(bodies), len(cells)):
            some, seeds = bodies[first : first + len(cells)], (number + (first << 40) + (n << 50) for n in range(TRIES))
            light = draw(load_scenes()[scene], number)
            for kind, patch in _find_pieces(
                mat, pieces, (_strewn(some, cells, each) for each in seeds), light, look
            ).items():
                pictures.setdefault(kind, []).append(patch)
            progress((shot + min(1.0, (first + len(cells)) / len(bodies))) / SHOTS)
    enrolled = EnrolledSet(set_name, pieces.symmetry, {kind: tuple(images) for kind, images in pictures.items()})
    save(enrolled, folder)
    return enrolled


def _find_pieces(
    mat: Mat, pieces: PieceSet, ways: Iterable[tuple[Body, ...]], scene: Scene, look: int
) -> Mapping[str, Image]:
    refused = NotEnrolled(f"set {pieces.name} was not laid out")
    for bodies in ways:
        try:
            return _shot(mat, pieces, bodies, scene, look)
        except NotEnrolled as error:
            refused = error
    raise refused


def _shot(mat: Mat, pieces: PieceSet, bodies: tuple[Body, ...], scene: Scene, look: int) -> Mapping[str, Image]:
    image = Renderer(mat, scene, look=look).picture(Truth(bodies), (), 0.0, 1)
    fit, _ = Locator(mat, None).look(image)
    if fit is None:
        raise NotEnrolled(f"the mat {mat.name} is not found in scene {scene.seed}")
    finder = PieceFinder(fit.projection, mat, pieces)
    found = finder.find(Pyramid(image))
    correction = measure(image, fit.projection, mat) or ColourCorrection()
    patches: dict[str, Image] = {}
    for body in bodies:
        near = min(found, key=lambda one: math.hypot(one.x_mm - body.x, one.y_mm - body.y), default=None)
        if near is None or math.hypot(near.x_mm - body.x, near.y_mm - body.y) > 6.0:
            raise NotEnrolled(f"{body.kind} of set {pieces.name} is not found in scene {scene.seed}")
        patches[body.kind if body.face is Face.UP else BACK] = correction.apply(finder.crop(image, near))
    return patches


def _pieces(pieces: PieceSet) -> tuple[Body, ...]:
    bodies = make_bodies(pieces.kinds, pieces, 0)
    back = msgspec.structs.replace(bodies[0], id=len(bodies), face=Face.DOWN)
    return (*bodies, back) if pieces.backs else bodies


def _cells(mat: Mat, pieces: PieceSet) -> tuple[tuple[float, float], ...]:
    step_x, step_y = (side * (1.35 if pieces.shape == "disc" else 1.2) for side in pieces.size_mm)
    printed = [Box(m.x, m.y, m.side, m.side) for m in mat.markers] + [mat.white, mat.gray]
    columns, rows = int((mat.size_mm[0] - 20) // step_x), int((mat.size_mm[1] - 20) // step_y)
    left, top = (mat.size_mm[0] - columns * step_x) / 2, (mat.size_mm[1] - rows * step_y) / 2
    middles = [(left + step_x * (x + 0.5), top + step_y * (y + 0.5)) for y in range(rows) for x in range(columns)]
    clear = tuple(
        (x, y)
        for x, y in middles
        if not any(
            abs(x - box.x - box.width / 2) < (step_x + box.width) / 2
            and abs(y - box.y - box.height / 2) < (step_y + box.height) / 2
            for box in printed
        )
    )
    if not clear:
        raise NotEnrolled(f"a piece of set {pieces.name} has no room on mat {mat.name}")
    return clear


def _strewn(bodies: tuple[Body, ...], cells: tuple[tuple[float, float], ...], seed: int) -> tuple[Body, ...]:
    rng = np.random.default_rng([seed, _SALT])

    def angle(body: Body) -> float:
        end = 180.0 * int(rng.integers(2))
        return float(rng.uniform(0, 360)) if body.shape is Shape.DISC else end + float(rng.uniform(-6, 6))

    return tuple(
        msgspec.structs.replace(
            body,
            x=cells[cell][0] + float(rng.uniform(-2, 2)),
            y=cells[cell][1] + float(rng.uniform(-2, 2)),
            angle=angle(body),
        )
        for body, cell in zip(bodies, rng.permutation(len(cells)), strict=False)
    )
