"""Vision's speed on one thread: an idle frame and a full update of seven stones, against OpenCV's ArUco detection.

    python -m tools.bench.bench_vision [--json]

All three are measured on the same 1280 x 720 frame in the same run, in turn, as processor time. An update of many new
pieces, or of some in doubt, takes more than one picture: `update` is the one that costs most, `whole` all of them. Its
steps are timed too (`vision.step_timing`). `doubt`: the same where every stone is too blurred for a first look.
`reach`: a picture in which a hand reaches over the stones.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import cycle

import cv2
import numpy as np

from tests.vision.faces import Image
from tests.vision.scenes import KINDS, Hand, View, World, load_mat, load_set, seven
from tools.bench.spent import processor_seconds, tell
from vision.camera import Frame
from vision.finding.pieces import FoundPiece, PieceFinder
from vision.picture_checks import ColourCorrection, measure
from vision.pipeline import Scene
from vision.recognition.enrolment import EnrolledSet
from vision.recognition.recogniser import EnrolledRecogniser
from vision.registration.lens import dictionary
from vision.registration.markers import Locator
from vision.step_timing import Times

ROUNDS = 40
BLUR = 3.5
"""Pixels (standard deviation) by which the stones are blurred that leave doubt."""
MEASURED = ("update", "whole", "doubt", "doubt_whole", "reach")
REACH_MM = (0.0, 40.0, 80.0, 40.0)
"""How far a hand reaches past the middle of the mat in each picture, in turn."""


def make_recogniser() -> EnrolledRecogniser:
    """The shipped recogniser, with one picture of each stone."""
    mat = load_mat()
    world = World(mat, seven(mat), view=View(tilt=0.0))
    for stone in world.stones:
        stone.angle = 0.0
    image = world.render()
    fit, _ = Locator(mat).look(image)
    assert fit is not None
    finder = PieceFinder(fit.projection, mat, load_set())
    colours = measure(image, fit.projection, mat) or ColourCorrection()
    crops = [colours.apply(finder.crop(image, FoundPiece(stone.x, stone.y, 0.0, 1.0))) for stone in world.stones]
    pictures = {kind: (patch,) for kind, patch in zip(KINDS, crops, strict=True)}
    return EnrolledRecogniser(EnrolledSet("stones", "any", pictures))


def figures() -> dict[str, float]:
    """Medians in milliseconds, of the update also by step, and ratios to marker detection."""
    cv2.setNumThreads(1)
    mat = load_mat()
    world = World(mat, seven(mat))
    scene = Scene(times=Times(time.process_time))
    scene.setup(mat, {"stones": load_set()}, {"stones": make_recogniser()}, {"a": "bottom", "b": "top"})
    frames = [world.render() for _ in range(4)]
    middle, depth = (each / 2 for each in mat.size_mm)
    reaching = cycle([replace(world, hands=[Hand(middle, depth - reach)]).render() for reach in REACH_MM])
    detector = cv2.aruco.ArucoDetector(dictionary(mat.dictionary))
    serial = 0

    def frame(image: Image) -> Frame:
        nonlocal serial
        serial += 1
        return Frame.of(serial, serial * 0.5, image)

    def feed(image: Image) -> None:
        scene.feed(frame(image))

    def update(images: Iterator[Image]) -> tuple[list[float], dict[str, float]]:
        """Seconds of each picture until the table is told, and milliseconds of each step."""
        scene.rebase()
        before, each, told = scene.observation, list[float](), Counter[str]()
        while scene.observation is before:
            each.append(processor_seconds(partial(feed, next(images))))
            told.update(scene.times.ms)
        return each, dict(told)

    sharp, soft = (
        cycle(frames),
        cycle([np.asarray(cv2.GaussianBlur(image, (0, 0), BLUR), np.uint8) for image in frames]),
    )
    update(sharp)
    times = {name: list[float]() for name in ("aruco", "idle", *MEASURED)}
    steps: defaultdict[str, list[float]] = defaultdict(list)
    for _ in range(ROUNDS):
        image = next(sharp)
        times["aruco"].append(processor_seconds(partial(detector.detectMarkers, image)))
        times["idle"].append(processor_seconds(partial(feed, image)))
        each, told = update(sharp)
        times["update"].append(max(each))
        times["whole"].append(sum(each))
        for name, ms in told.items():
            steps[name].append(ms)
    update(soft)
    for _ in range(ROUNDS):
        each, _ = update(soft)
        times["doubt"].append(max(each))
        times["doubt_whole"].append(sum(each))
    update(sharp)
    for _ in range(ROUNDS):
        times["reach"].append(processor_seconds(partial(feed, next(reaching))))
        if not scene.moving:
            raise RuntimeError("no hand was seen to move: what was counted is an idle picture")
    medians = {name: statistics.median(values) * 1000 for name, values in times.items()}
    return {
        "aruco_ms": round(medians["aruco"], 2),
        "idle_ms": round(medians["idle"], 2),
        **{f"{name}_ms": round(medians[name], 2) for name in MEASURED},
        "idle_ratio": round(medians["idle"] / medians["aruco"], 2),
        **{f"{name}_ratio": round(medians[name] / medians["aruco"], 2) for name in MEASURED},
        **{f"{name}_ms": round(statistics.median(taken), 2) for name, taken in steps.items()},
    }


if __name__ == "__main__":
    sys.exit(tell(__doc__, figures))
