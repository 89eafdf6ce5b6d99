"""A card table with a hand in motion: what vision spends on a picture, against OpenCV's ArUco detection in the same.

    python -m tools.bench.bench_cards [--json]

Ready... Fence! as it is set out, 1280 x 720, a hand that goes to and fro. Processor time on one thread, in turn.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

import cv2

from device.daemon import assembly
from engine.catalogue import complete
from referee_simulator.dealers import dealer
from referee_simulator.harness.plan import game_and_mat, settings_of
from referee_simulator.render.camera import Renderer
from referee_simulator.render.hand import Hand
from referee_simulator.table.ground_truth import Truth
from referee_simulator.table.holding import Holding
from referee_simulator.table.places import care_in
from referee_simulator.table.scenes import draw, load_scenes
from referee_simulator.table.setting import piece_set, set_out
from tools.bench.spent import processor_seconds, tell
from vision.mat import Mat
from vision.pipeline import Scene
from vision.registration.lens import dictionary

GAME, SEATS, SEED = "fence", ("a", "b"), 7
PICTURES, STEP_MM = 40, 9.0


def measure() -> dict[str, float]:
    """Medians in milliseconds, and the look in motion over marker detection."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        mat, truth = _table(Path(folder))
    renderer = Renderer(mat, draw(load_scenes()["normal"], SEED))
    scene = Scene()
    sets = {zone.set: piece_set(zone.set) for zone in mat.zones}
    scene.setup(mat, sets, {}, mat.sides[str(len(SEATS))])
    scene.feed(renderer.frame(truth, (), 0.0, 1))
    detector = cv2.aruco.ArucoDetector(dictionary(mat.dictionary))
    aruco, motion = list[float](), list[float]()
    for number in range(1, PICTURES + 1):
        way = STEP_MM * (number if number < PICTURES / 2 else PICTURES - number)
        hand = Hand("bottom", mat.size_mm[0] / 3 + way, mat.size_mm[1] / 2 - way / 3, 30.0, smear=(5.0, 2.0))
        frame = renderer.frame(truth, (hand,), number * 0.2, number + 1)
        aruco.append(processor_seconds(partial(detector.detectMarkers, frame.image)))
        motion.append(processor_seconds(partial(scene.feed, frame)))
    medians = statistics.median(aruco) * 1000, statistics.median(motion) * 1000
    return {
        "aruco_ms": round(medians[0], 2),
        "motion_ms": round(medians[1], 2),
        "motion_ratio": round(medians[1] / medians[0], 2),
    }


def _table(folder: Path) -> tuple[Mat, Truth]:
    rules = assembly.session_table(settings_of(len(SEATS), folder))
    known, mat = game_and_mat(rules, GAME, len(SEATS), {})
    state = known.game.setup(complete(known.spec.options, {}), SEATS, SEED)
    holder = dealer(known.spec, known.game)
    holding = None if holder is None else Holding(holder, state, SEATS, SEED)
    maintenance = care_in(draw(load_scenes()["normal"], SEED))
    return mat, set_out(known.game.layout(state), mat, random.Random(SEED), maintenance, holding)


if __name__ == "__main__":
    sys.exit(tell(__doc__, measure))
