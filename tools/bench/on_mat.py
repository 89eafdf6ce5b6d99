"""Photographed faces on stones of a drawn mat.

    python -m tools.bench.on_mat DIR ... [--pictures N] [--seed N] [--json]

Of each DIR (enrol/KIND/*, test/KIND/*) seven kinds are drawn for every four pictures. They are enrolled from one
picture of the mat, with faces of `enrol`; then all seven lie on the line in any order and turn, with faces of `test`,
and the scene tells what it sees at rest. `normal`: a little tilted; `hard`: dark, noisy, blurred, farther away and
tilted more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import cv2
import msgspec
import numpy as np

from engine.table import Face, Sighting
from tests.vision.scenes import TEXTURE, Stone, View, World, load_mat, load_set, seven
from tests.vision.tables import SIDES
from tools.lab.commands import in_turn, parser_of, print_figures
from vision import pictures
from vision.camera import Image
from vision.finding.pieces import FoundPiece, PieceFinder
from vision.picture_checks import ColourCorrection, measure
from vision.pipeline import Scene
from vision.recognition.enrolment import EnrolledSet, pictures_in
from vision.recognition.naming import PieceSet
from vision.recognition.recogniser import EnrolledRecogniser
from vision.registration.markers import Locator

MAT = load_mat()
VIEWS = {
    "normal": View(tilt=8.0, noise=2.0, blur=0.4),
    "hard": View(tilt=22.0, noise=6.0, blur=1.1, gradient=0.35, exposure=0.55, distance=620.0),
}

ALIKE = 4
"""Pictures of one choice of kinds."""

RESTS_S = 3.0
"""Time that a picture is looked at, five times a second."""

NEAR_MM = 10.0
"""Distance within which a stone that is told is the one that lies there."""

Faces = Mapping[str, Sequence[Image]]


class Count(msgspec.Struct):
    """Stones of one set and view. lines: pictures with all seven named rightly; faced: told to lie face down."""

    pictures: int = 0
    lines: int = 0
    right: int = 0
    wrong: int = 0
    faced: int = 0

    def note(self, kinds: Sequence[str], told: Sequence[Sighting | None]) -> None:
        """Count a picture."""
        names = [None if one is None else one.kind for one in told]
        right = sum(kind == name for kind, name in zip(kinds, names, strict=True))
        self.pictures += 1
        self.lines += right == len(kinds)
        self.right += right
        self.wrong += sum(name is not None for name in names) - right
        self.faced += sum(one is not None and one.face is Face.DOWN for one in told)


def faces(folder: Path) -> dict[str, list[Image]]:
    """Return a folder's pictures by kind, cut to squares of TEXTURE pixels."""
    found = {}
    for kind, files in pictures_in(folder).items():
        read = [image for file in files if isinstance(image := pictures.read(file), np.ndarray)]
        found[kind] = [_square(image) for image in read]
    return {kind: images for kind, images in found.items() if images}


def _square(image: Image) -> Image:
    height, width = image.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    middle = image[top : top + side, left : left + side]
    return np.asarray(cv2.resize(middle, (TEXTURE, TEXTURE), interpolation=cv2.INTER_AREA), np.uint8)


def count_names(enrol: Faces, test: Faces, view: View, seed: int, count: int) -> Count:
    """Count the names of a set in one view."""
    draws, result = np.random.default_rng(seed), Count()
    known = sorted(set(enrol) & set(test))
    for number in range(count):
        if number % ALIKE == 0:
            kinds = [str(kind) for kind in draws.permutation(known)[:7]]
            judge = _make_recogniser({kind: enrol[kind][0] for kind in kinds})
        order = [str(kind) for kind in draws.permutation(kinds)]
        stones = [
            Stone(
                one.x,
                one.y,
                kind,
                float(draws.uniform(0, 360)),
                picture=test[kind][int(draws.integers(len(test[kind])))],
            )
            for one, kind in zip(seven(MAT), order, strict=False)
        ]
        world = World(MAT, stones, view=view, rng=np.random.default_rng(seed + number))
        pieces = msgspec.structs.replace(load_set(), kinds=tuple(kinds))
        result.note(order, [_nearest(stone, _look_at(world, pieces, judge)) for stone in stones])
    return result


def _make_recogniser(shown: Mapping[str, Image]) -> EnrolledRecogniser:
    stones = [Stone(one.x, one.y, picture=image) for one, image in zip(seven(MAT), shown.values(), strict=False)]
    image = World(MAT, stones, view=View(tilt=0.0)).render()
    fit, _ = Locator(MAT).look(image)
    assert fit is not None
    finder, light = PieceFinder(fit.projection, MAT, load_set()), measure(image, fit.projection, MAT)
    crops = [finder.crop(image, FoundPiece(stone.x, stone.y, 0.0, 1.0)) for stone in stones]
    taken = [((light or ColourCorrection()).apply(crop),) for crop in crops]
    return EnrolledRecogniser(EnrolledSet("photographed", "any", dict(zip(shown, taken, strict=True))))


def _look_at(world: World, pieces: PieceSet, judge: EnrolledRecogniser) -> list[Sighting]:
    scene = Scene()
    scene.setup(world.mat, {pieces.name: pieces}, {pieces.name: judge}, SIDES)
    for serial in range(round(5 * RESTS_S)):
        scene.feed(world.shoot(serial, serial / 5))
    seen = scene.observation
    return [] if seen is None else [one for one in seen.zone("line").pieces if one is not None]


def _nearest(stone: Stone, seen: Sequence[Sighting]) -> Sighting | None:
    best = min(seen, key=lambda one: np.hypot(one.x_mm - stone.x, one.y_mm - stone.y), default=None)
    near = best is not None and np.hypot(best.x_mm - stone.x, best.y_mm - stone.y) < NEAR_MM
    return best if near else None


def lines(figures: Mapping[str, Mapping[str, Count]]) -> Iterator[str]:
    """Format the figures for people."""
    yield f"{'set':20} {'view':8} lines     stones right  wrong  told face down"
    for name, views in figures.items():
        for view, one in views.items():
            yield (
                f"{name:20} {view:8} {one.lines:2} of {one.pictures:2}  {one.right:4} of {7 * one.pictures:4}"
                f"  {one.wrong:5}  {one.faced:5}"
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = parser_of("tools.bench.on_mat", __doc__, "sets of photographs, of seven kinds or more")
    parser.add_argument("--pictures", type=int, default=16, help="of each set and view (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of all random choices (default: %(default)s)")
    given = parser.parse_args(arguments)
    figures: dict[str, dict[str, Count]] = {}
    for folder in in_turn(given.folders):
        enrol, test = faces(folder / "enrol"), faces(folder / "test")
        if len(set(enrol) & set(test)) < 7:
            parser.error(f"{folder}: has pictures of fewer than seven kinds")
        figures[folder.name] = {
            name: count_names(enrol, test, view, given.seed, given.pictures) for name, view in VIEWS.items()
        }
    print_figures(figures, lines, as_json=given.json)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    raise SystemExit(main())
