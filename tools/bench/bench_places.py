"""How far from their true places pieces are told to lie: `python -m tools.bench.bench_places --json`.

Stones are strewn over the mat before the virtual camera, which knows where each is, and are looked at as `referee look`
does it; of cards (`--set decktet --mat runes`) one lies in each zone, on `--piled` others if it is a pile's. Each level
of room has its own lens and tilt, and `--tilt` leans the camera more. Printed of each: pieces that were found, the
median distance and that of 95%, the error that is told with the places (its median), and the share of pieces that lie
within theirs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from device.resources import load_shipped
from engine.table import Arrangement, Face
from referee_simulator.render.camera import Renderer
from referee_simulator.table.ground_truth import Body, Shape, Truth
from referee_simulator.table.scenes import draw, load_scenes
from tests.enrolled import enrolled
from vision.camera import Frame
from vision.cards.cardsheet import suggested_angle
from vision.finding.zones import zone_of
from vision.mat import Mat
from vision.pipeline import Scene
from vision.recognition.naming import PieceSet
from vision.recognition.prints.printed import PrintedRecogniser

NEAR_MM = 10.0
"""What lies farther from a piece is not what was seen of it."""

EDGE_MM, APART = 45.0, 1.5
"""How far from the mat's edges pieces lie, and how many of their widths apart."""

ASKEW_MM, ASKEW_DEG = 1.0, 1.5
"""Standard deviations of how a card lies in its zone."""

LEVELS = ("easy", "normal", "hard")

ENROLLED = 77
"""Seed of the pictures that cards are enrolled with."""


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
        bodies.append(_body(number, kind, pieces, (x, y), float(rng.uniform(0, 360)), face))
    return tuple(bodies)


def deal_cards(pieces: PieceSet, mat: Mat, rng: np.random.Generator) -> tuple[Body, ...]:
    """A card about the middle of each zone of its set."""
    bodies: list[Body] = []
    for number, zone in enumerate(zone for zone in mat.zones if zone.set == pieces.name):
        middle = zone.box.x + zone.box.width / 2, zone.box.y + zone.box.height / 2
        x, y = (float(each) for each in rng.normal(middle, ASKEW_MM))
        angle = (suggested_angle(zone) or 0.0) + 180.0 * int(rng.integers(2)) + float(rng.normal(0, ASKEW_DEG))
        kind = pieces.kinds[int(rng.integers(len(pieces.kinds)))]
        bodies.append(_body(number, kind, pieces, (x, y), angle, Face.UP))
    return tuple(bodies)


def below(bodies: Sequence[Body], pieces: PieceSet, mat: Mat, piled: int) -> tuple[Body, ...]:
    """So many cards under each of these that lies on a pile."""
    piles = [zone for zone in mat.zones if zone.set == pieces.name and zone.order is Arrangement.PILE]
    tops = [body for body in bodies if zone_of(body.x, body.y, piles) is not None]
    every = [body for body in tops for _ in range(piled)]
    return tuple(msgspec.structs.replace(body, id=len(bodies) + number) for number, body in enumerate(every))


def _body(number: int, kind: str, pieces: PieceSet, at: tuple[float, float], angle: float, face: Face) -> Body:
    wide, tall = pieces.size_mm
    shape = Shape.CARD if pieces.shape == "card" else Shape.DISC
    return Body(number, kind, pieces.name, *at, angle, face, shape, wide, tall, pieces.thickness_mm)


def looked_at(
    mat: Mat,
    pieces: PieceSet,
    level: str,
    tilt: float | None,
    rng: np.random.Generator,
    *,
    piled: int = 0,
    recogniser: PrintedRecogniser | None = None,
) -> list[Placed | None]:
    """One picture of strewn stones or dealt cards, those of piles on so many others; None for each not found.

    recogniser: of the cards, which are told where their prints lie; without it, where their sides are seen.
    """
    room = draw(load_scenes()[level], int(rng.integers(1 << 30)))
    if tilt is not None:
        room = msgspec.structs.replace(room, tilt_deg=tilt)
    bodies = (deal_cards if pieces.shape == "card" else strewn)(pieces, mat, rng)
    image = Renderer(mat, room).picture(Truth((*below(bodies, pieces, mat, piled), *bodies)), (), 0.0, 1)
    scene = Scene()
    sets = {zone.set: load_shipped(PieceSet, "sets", f"{zone.set}.toml") for zone in mat.zones}
    scene.setup(mat, sets, {} if recogniser is None else {pieces.name: recogniser}, {})
    seen = scene.still(Frame.of(1, 0.0, image))
    if seen is None:
        return [None] * len(bodies)
    every = [one for zone in seen.zones for one in zone.pieces if one is not None] + list(seen.strays)
    there = np.array([(one.x_mm, one.y_mm) for one in every]).reshape(-1, 2)
    told = scene.errors_mm(there, pieces)
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
    parser.add_argument("--set", default="stones", help="of config/sets (stones)")
    parser.add_argument("--mat", default="tellstones", help="of config/mats, on which they lie (tellstones)")
    parser.add_argument("--piled", type=int, default=0, help="cards under each that lies on a pile (0)")
    parser.add_argument("--unread", action="store_true", help="cards that nobody enrolled: by their sides alone")
    parser.add_argument("--pictures", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    pieces, mat = load_shipped(PieceSet, "sets", f"{asked.set}.toml"), load_shipped(Mat, "mats", f"{asked.mat}.toml")
    read = pieces.shape == "card" and not asked.unread
    recogniser = PrintedRecogniser(enrolled(mat, pieces.name, ENROLLED)) if read else None
    for level in asked.levels:
        rng = np.random.default_rng([asked.seed, LEVELS.index(level)])
        every = [
            one
            for _ in range(asked.pictures)
            for one in looked_at(mat, pieces, level, asked.tilt, rng, piled=asked.piled, recogniser=recogniser)
        ]
        told = msgspec.to_builtins(figures(level, asked.tilt, every))
        print(json.dumps(told) if asked.json else "  ".join(f"{k} {v}" for k, v in told.items()), flush=True)


if __name__ == "__main__":
    main()
