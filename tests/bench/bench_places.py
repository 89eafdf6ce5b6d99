"""How far from their true places pieces are told to lie: `python -m tests.bench.bench_places --json`.

Stones are strewn over the mat before the virtual camera, which knows where each is, and are looked at as `referee look`
does it; each level of room has its own lens and tilt, and `--tilt` leans the camera more. Printed of each: pieces
that were found, the median distance and that of 95%, the error that is told with the places (its median), and the share
of pieces that lie within theirs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from device.resources import shipped
from device.sim.render.camera import Renderer
from device.sim.table.scenes import draw, published
from device.sim.table.truth import Body, Truth
from engine.table import Face
from vision.camera import Frame
from vision.mat import Mat
from vision.recognition.naming import PieceSet
from vision.scene import Scene

NEAR_MM = 10.0
"""What lies farther from a piece is not what was seen of it."""

EDGE_MM, APART = 45.0, 1.5
"""How far from the mat's edges pieces lie, and how many of their widths apart."""

LEVELS = ("easy", "normal", "hard")


class Placed(msgspec.Struct, frozen=True):
    """A piece that was found: its distance from its true place, and the error that was told. Millimetres."""

    off_mm: float
    error_mm: float


class Figures(msgspec.Struct, frozen=True):
    """Of one level. tilt_deg: None if the level drew it. within: share of pieces not farther off than the error."""

    level: str
    tilt_deg: float | None
    pieces: int
    found: int
    median_mm: float
    p95_mm: float
    told_mm: float
    within: float


def strewn(pieces: PieceSet, mat: Mat, rng: np.random.Generator) -> tuple[Body, ...]:
    """One piece of each kind, wherever it has room on the mat."""
    across = pieces.size_mm[0]
    low, high = np.array([EDGE_MM] * 2), np.array(mat.size_mm) - EDGE_MM
    bodies: list[Body] = []
    for number, kind in enumerate(pieces.kinds):
        while True:
            x, y = (float(each) for each in rng.uniform(low, high))
            if all(np.hypot(x - one.x, y - one.y) > APART * across for one in bodies):
                break
        face = Face.DOWN if rng.random() < 0.25 else Face.UP
        angle, size = float(rng.uniform(0, 360)), pieces.size_mm
        bodies.append(
            Body(
                number,
                kind,
                pieces.name,
                x,
                y,
                angle,
                face,
                width=size[0],
                height=size[1],
                thickness=pieces.thickness_mm,
            )
        )
    return tuple(bodies)


def looked_at(
    mat: Mat, pieces: PieceSet, level: str, tilt: float | None, rng: np.random.Generator
) -> list[Placed | None]:
    """One picture of strewn pieces; None for each that was not found."""
    room = draw(published()[level], int(rng.integers(1 << 30)))
    if tilt is not None:
        room = msgspec.structs.replace(room, tilt_deg=tilt)
    bodies = strewn(pieces, mat, rng)
    image = Renderer(mat, room).picture(Truth(bodies), (), 0.0, 1)
    scene = Scene()
    scene.setup(mat, {pieces.name: pieces}, {}, {})
    seen = scene.still(Frame.of(1, 0.0, image))
    if seen is None:
        return [None] * len(bodies)
    every = [one for zone in seen.zones for one in zone.pieces if one is not None] + list(seen.strays)
    there = np.array([(one.x_mm, one.y_mm) for one in every]).reshape(-1, 2)
    told = scene.errors_mm(there, pieces.thickness_mm)
    found: list[Placed | None] = []
    for body in bodies:
        off = np.hypot(*(there - (body.x, body.y)).T)
        nearest = int(off.argmin()) if len(off) else -1
        near = nearest >= 0 and off[nearest] < NEAR_MM
        found.append(Placed(float(off[nearest]), float(told[nearest])) if near else None)
    return found


def figures(level: str, tilt: float | None, every: Sequence[Placed | None]) -> Figures:
    """Raises ValueError if nothing was found."""
    found = [one for one in every if one is not None]
    if not found:
        raise ValueError(f"{level}: none of {len(every)} pieces was found")
    off = np.array([one.off_mm for one in found])
    told: npt.NDArray[np.float64] = np.array([one.error_mm for one in found])
    within = float(np.mean(off <= told))
    middle, most, usual = (round(float(each), 2) for each in (np.median(off), np.percentile(off, 95), np.median(told)))
    return Figures(level, tilt, len(every), len(found), middle, most, usual, round(within, 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", nargs="+", default=LEVELS, help="of the virtual rooms: easy, normal, hard")
    parser.add_argument("--tilt", type=float, default=None, help="degrees; as the level draws it if not given")
    parser.add_argument("--pictures", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    pieces, mat = shipped(PieceSet, "sets", "stones.toml"), shipped(Mat, "mats", "tellstones.toml")
    for level in asked.levels:
        rng = np.random.default_rng([asked.seed, LEVELS.index(level)])
        every = [one for _ in range(asked.pictures) for one in looked_at(mat, pieces, level, asked.tilt, rng)]
        told = msgspec.to_builtins(figures(level, asked.tilt, every))
        print(json.dumps(told) if asked.json else "  ".join(f"{k} {v}" for k, v in told.items()), flush=True)


if __name__ == "__main__":
    main()
