"""Enrols the simulated pieces as their owner would: a few pictures each, under other light than they are played in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np

from device.sim.render.camera import Renderer
from device.sim.scenes import Scene, draw, published
from device.sim.setting import made, piece_set
from device.sim.truth import Body, Truth
from engine.errors import RefereeError
from engine.table import Face
from vision.camera import Image
from vision.care import Correction, measure
from vision.finding.pieces import PieceFinder
from vision.mat import Mat
from vision.recognition.enrolment import BACK, EnrolledSet, save
from vision.recognition.naming import PieceSet
from vision.registration.markers import Locator

SHOTS = 4
_SALT = 0x0E17
"""Keeps the light and the places of enrolment apart from those of play with the same seed."""


class NotEnrolled(RefereeError, ValueError):
    """A simulated piece was not found in a picture made for its enrolment."""


def enrol(mat: Mat, set_name: str, seed: int, folder: Path, *, scene: str = "easy", look: int = 0) -> EnrolledSet:
    """Renders, crops and saves the references of a piece set. `look`: the seed of the physical pieces' own looks.

    Raises NotEnrolled if a piece cannot be found.
    """
    pieces = piece_set(set_name)
    pictures: dict[str, list[Image]] = {}
    for shot in range(SHOTS):
        number = (seed * SHOTS + shot) ^ (_SALT << 20)
        for kind, patch in _shot(mat, pieces, draw(published()[scene], number), look).items():
            pictures.setdefault(kind, []).append(patch)
    enrolled = EnrolledSet(set_name, pieces.symmetry, {kind: tuple(images) for kind, images in pictures.items()})
    save(enrolled, folder)
    return enrolled


def _shot(mat: Mat, pieces: PieceSet, scene: Scene, look: int) -> Mapping[str, Image]:
    """One picture of the whole set, strewn over the mat: a patch of each kind, and of one back."""
    bodies = _strewn(mat, pieces, scene.seed)
    image = Renderer(mat, scene, look=look).picture(Truth(bodies), (), 0.0, 1)
    fit, _ = Locator(mat, None).look(image)
    if fit is None:
        raise NotEnrolled(f"the mat {mat.name} is not found in scene {scene.seed}")
    finder = PieceFinder(fit.projection, mat, pieces)
    found = finder.find(finder.rectify(image))
    correction = measure(image, fit.projection, mat) or Correction()
    patches: dict[str, Image] = {}
    for body in bodies:
        near = min(found, key=lambda one: math.hypot(one.x_mm - body.x, one.y_mm - body.y), default=None)
        if near is None or math.hypot(near.x_mm - body.x, near.y_mm - body.y) > 6.0:
            raise NotEnrolled(f"{body.kind} of set {pieces.name} is not found in scene {scene.seed}")
        patches[body.kind if body.face is Face.UP else BACK] = correction.apply(finder.crop(image, near))
    return patches


def _strewn(mat: Mat, pieces: PieceSet, seed: int) -> tuple[Body, ...]:
    """Every kind face up, and one piece face down, on a grid of free places in a random order."""
    rng = np.random.default_rng([seed, _SALT])
    bodies = made(pieces.kinds, pieces, 0)
    if pieces.backs:
        bodies = (*bodies, msgspec.structs.replace(bodies[0], id=len(bodies), face=Face.DOWN))
    step = max(pieces.size_mm) * 1.35
    columns = int((mat.size_mm[0] - 100) // step)
    rows = int((mat.size_mm[1] - 100) // step)
    if columns * rows < len(bodies):
        raise NotEnrolled(f"{len(bodies)} pieces of set {pieces.name} have no room on mat {mat.name}")
    cells = rng.permutation(columns * rows)[: len(bodies)]
    return tuple(
        msgspec.structs.replace(
            body,
            x=50 + step * (cell % columns + 0.5) + float(rng.uniform(-2, 2)),
            y=50 + step * (cell // columns + 0.5) + float(rng.uniform(-2, 2)),
            angle=float(rng.uniform(0, 360)),
        )
        for body, cell in zip(bodies, cells, strict=True)
    )
