"""Pieces of any size, enrolled as they are and read in rows: `python -m tools.bench.bench_sizes --json`.

Each size is enrolled as an owner does it: one piece alone on the mat, a few pictures of each, the back at last; nothing
is told of its size. Then rows of such pieces are looked at as `referee look` does it. Pieces and rooms are those of the
virtual camera; so the figures say what measuring costs and gives, not how well photographs are named.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from device.enrolment import LayingArea, NothingThere, Taken, kinds_of, patch
from device.resources import load_shipped
from engine.table import Face
from referee_simulator.render.camera import Renderer
from referee_simulator.table.ground_truth import Body, Truth
from referee_simulator.table.scenes import draw, load_scenes
from vision.camera import Frame
from vision.mat import Mat
from vision.pipeline import Scene
from vision.recognition import recogniser
from vision.recognition.enrolment import BACK, make_writable, retake
from vision.recognition.index import Index
from vision.recognition.naming import PieceSet
from vision.recognition.piece_sizes import with_measurements

SIZES = (15.0, 20.0, 30.0, 37.0, 40.0, 45.0, 60.0, 90.0)
LINE_Y, LEFT, RIGHT = 160.0, 20.0, 400.0
NEAR_MM = 6.0


class Score(msgspec.Struct):
    """What became of one size. refused: pictures of single pieces that were not taken, and why."""

    mm: float
    thick_mm: float
    measured_mm: float = 0.0
    measured_thick_mm: float = 0.0
    pictures: int = 0
    refused: dict[str, str] = {}
    pieces: int = 0
    right: int = 0
    unknown: int = 0
    missed: int = 0
    wrong: int = 0
    wrong_down: int = 0


class Room:
    """A mat before the virtual camera, each picture in another light."""

    def __init__(self, mat: Mat, level: str, seed: int, size: tuple[float, float]) -> None:
        self.mat, self._level, self._size = mat, level, size
        self.rng = np.random.default_rng([seed, round(size[0] * 10)])

    def body(self, number: int, kind: str, x: float, y: float, *, down: bool = False, of: str = "stones") -> Body:
        """A piece of the set `of`, in any turn."""
        across, thick = self._size
        face, angle = Face.DOWN if down else Face.UP, float(self.rng.uniform(0, 360))
        return Body(number, kind, of, x, y, angle, face, width=across, height=across, thickness=thick)

    def picture(self, bodies: Sequence[Body]) -> Frame:
        scene = draw(load_scenes()[self._level], int(self.rng.integers(1 << 30)))
        image = Renderer(self.mat, scene).picture(Truth(tuple(bodies)), (), 0.0, 1)
        return Frame.of(1, 0.0, image)


def enrol_kinds(room: Room, pieces: PieceSet, folder: Path, shots: int, score: Score) -> None:
    """Enrols every kind from pictures of a single piece, at another place of the mat each time."""
    index = Index(pieces.name, pieces.symmetry, ())
    make_writable(folder)
    for number, kind in enumerate(kinds_of(pieces)):
        taken: list[Taken] = []
        for shot in range(shots):
            x, y = float(room.rng.uniform(110, 310)), float(room.rng.uniform(80, 210))
            body = room.body(number, pieces.kinds[0] if kind == BACK else kind, x, y, down=kind == BACK)
            score.pictures += 1
            try:
                taken.append(patch(room.picture([body]).image, LayingArea((room.mat,)), pieces))
            except NothingThere as error:
                score.refused[f"{kind}-{shot}"] = str(error)
        if taken:
            seen = {kind: [one.measured for one in taken]}
            index = retake(folder, index, {kind: [one.image for one in taken]}, seen)


def look_at_rows(room: Room, pieces: PieceSet, folder: Path, rows: int, score: Score) -> None:
    """Looks at rows of pieces, one of each kind as far as they have room, about every fourth face down."""
    sized = with_measurements(pieces, folder)
    score.measured_mm, score.measured_thick_mm = round(sized.size_mm[0], 2), sized.thickness_mm
    known = recogniser.load(folder)
    pitch = 1.2 * score.mm + 2
    room_for = min(len(pieces.kinds), int((RIGHT - LEFT) // pitch))
    for _ in range(rows):
        kinds = room.rng.permutation(pieces.kinds)[:room_for].tolist()
        bodies = [
            room.body(n, kind, LEFT + pitch * (n + 0.5), LINE_Y, down=bool(room.rng.random() < 0.25))
            for n, kind in enumerate(kinds)
        ]
        scene = Scene()
        scene.setup(room.mat, {pieces.name: sized}, {pieces.name: known}, {})
        seen = scene.still(room.picture(bodies))
        there = [one for zone in seen.zones for one in zone.pieces if one is not None] if seen is not None else []
        for body in bodies:
            score.pieces += 1
            near = [one for one in there if np.hypot(one.x_mm - body.x, one.y_mm - body.y) < NEAR_MM]
            told = (near[0].kind, near[0].face) if near else (None, None)
            if told == ((body.kind, Face.UP) if body.face is Face.UP else (None, Face.DOWN)):
                score.right += 1
            elif not near:
                score.missed += 1
            elif told[1] is None:
                score.unknown += 1
            elif told[0] is None:
                score.wrong_down += 1
            else:
                score.wrong += 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=float, nargs="+", default=SIZES, help="diameters in millimetres")
    parser.add_argument("--thick", type=float, default=8.0, help="thickness in millimetres")
    parser.add_argument("--level", default="easy", help="of the virtual rooms: easy, normal, hard")
    parser.add_argument("--shots", type=int, default=1, help="pictures of each piece")
    parser.add_argument("--rows", type=int, default=3, help="rows that are looked at")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    pieces, mat = load_shipped(PieceSet, "sets", "stones.toml"), load_shipped(Mat, "mats", "tellstones.toml")
    for size in asked.sizes:
        score, room = Score(size, asked.thick), Room(mat, asked.level, asked.seed, (size, asked.thick))
        with tempfile.TemporaryDirectory() as folder:
            enrol_kinds(room, pieces, Path(folder), asked.shots, score)
            look_at_rows(room, pieces, Path(folder), asked.rows, score)
        told = msgspec.to_builtins(score)
        print(
            json.dumps(told) if asked.json else "  ".join(f"{name} {value}" for name, value in told.items()), flush=True
        )


if __name__ == "__main__":
    main()
